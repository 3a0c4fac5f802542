"""The command `tacita`, also as `python -m tacita`: who stops it while it still loads is heard."""

import os
import signal
import sys
from types import FrameType


def main() -> None:
    """Entry point of the `tacita` command."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    from tacita.cli import main as carry_out

    carry_out()


def _leave(number: int, _: FrameType | None) -> None:
    # an exception could be swallowed, or changed, by the module that is being loaded
    sys.stderr.write("Cancelled. Nothing was written.\n")
    sys.stderr.flush()
    os._exit(128 + number)


if __name__ == "__main__":
    main()
