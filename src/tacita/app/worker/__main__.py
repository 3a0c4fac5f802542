"""Answers questions until the server closes the pipe."""

from __future__ import annotations

import os

from .pipe import READY, Pipe


def main() -> None:
    """Reserve standard input and output for the pipe, then answer."""
    # first of all: whatever is imported from here on cannot write into the answers
    pipe = Pipe.of_this_process()
    # where many are started and few get questions, as in tests, each loads what its questions need
    ahead = not os.environ.get("TACITA_NOTHING_AHEAD")
    if not ahead:
        pipe.tell(READY)
        pipe.wait()
    from .dispatcher import answer_all

    answer_all(pipe, ahead)


if __name__ == "__main__":
    main()
