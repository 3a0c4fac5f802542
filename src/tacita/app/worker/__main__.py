"""Answers questions until nobody is left who asks."""

from __future__ import annotations

import os

from .pipe import READY, Pipe


def main() -> None:
    """Take standard input and output away from everybody else, then answer."""
    # first of all: whatever is imported from here on cannot write into the answers
    pipe = Pipe.of_this_process()
    # where many are started and few are asked anything, as in tests, each loads what it is asked for alone
    ahead = not os.environ.get("TACITA_NOTHING_AHEAD")
    if not ahead:
        pipe.tell(READY)
        pipe.wait()
    from .dispatcher import answer_all

    answer_all(pipe, ahead)


if __name__ == "__main__":
    main()
