"""`python -m tacita.app`: the server as a program of its own, without the libraries of the command line."""

from __future__ import annotations

import argparse

from tacita.app.screens import ROUTES, SCREENS, load_demo
from tacita.app.server.server import serve


def main() -> None:
    """Read the words, and serve."""
    parser = argparse.ArgumentParser(prog="tacita app")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--no-browser", action="store_true")
    parser.add_argument("--demo", action="store_true")
    options = parser.parse_args()
    serve(
        SCREENS,
        ROUTES,
        port=options.port,
        browser=not options.no_browser,
        welcome=load_demo if options.demo else None,
    )


if __name__ == "__main__":
    main()
