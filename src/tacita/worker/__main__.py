"""Answers questions until nobody is left who asks."""

from __future__ import annotations

import os

from .wire import READY, Wire


def main() -> None:
    """Take standard input and output away from everybody else, then answer."""
    # first of all: whatever is imported from here on cannot write into the answers
    wire = Wire.of_this_process()
    # where many are started and few are asked anything, as in tests, each loads what it is asked for alone
    ahead = not os.environ.get("TACITA_NOTHING_AHEAD")
    if not ahead:
        wire.tell(READY)
        wire.wait()
    from .answering import answer_all

    answer_all(wire, ahead)


if __name__ == "__main__":
    main()
