"""The command `tacita`, also as `python -m tacita`: it can be stopped while it loads, and shows a clock."""

import os
import signal
import sys

# not from typing: what loads here loads before the clock is shown
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType


def main() -> None:
    """Entry point of the `tacita` command."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    if sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        from tacita.startup_timer import show_clock

        show_clock()
    from tacita.cli import main as carry_out

    carry_out()


def _leave(number: int, _: "FrameType | None") -> None:
    # an exception could be swallowed, or changed, by the module that is being loaded
    sys.stderr.write("Cancelled. Nothing was written.\n")
    sys.stderr.flush()
    os._exit(128 + number)


if __name__ == "__main__":
    main()
