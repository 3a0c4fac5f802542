"""`python -m tacita.web`: the server as a program of its own, without the libraries of the command line."""

from __future__ import annotations

import argparse

from .serving import serve


def main() -> None:
    """Read the words, and serve."""
    parser = argparse.ArgumentParser(prog="tacita app")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--no-browser", action="store_true")
    parser.add_argument("--demo", action="store_true")
    given = parser.parse_args()
    serve(port=given.port, browser=not given.no_browser, demo=given.demo)


if __name__ == "__main__":
    main()
