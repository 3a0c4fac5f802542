"""Answers questions until nobody is left who asks."""

from __future__ import annotations

from .wire import Wire


def main() -> None:
    """Take standard input and output away from everybody else, then answer."""
    # first of all: whatever is imported from here on cannot write into the answers
    wire = Wire.of_this_process()
    from .answering import answer_all

    answer_all(wire)


if __name__ == "__main__":
    main()
