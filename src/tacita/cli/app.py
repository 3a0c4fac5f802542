"""The command `app`: open the page in a browser."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import Annotated, NoReturn

from cyclopts import Parameter

_NEEDED = ("starlette", "uvicorn")


def app(
    *,
    port: Annotated[int, Parameter(help="port to listen on; 0 takes any free one")] = 0,
    no_browser: Annotated[bool, Parameter(negative="", help="print the address, open nothing")] = False,
    demo: Annotated[bool, Parameter(negative="", help="with a made-up survey loaded")] = False,
) -> None:
    """Open the page: protect microdata and tables in the browser, on this computer alone.

    Example: tacita app --demo
    """
    if missing := [name for name in _NEEDED if find_spec(name) is None]:
        _fail(f"App: {' and '.join(missing)} cannot be found. Install the page: pip install 'tacita[app]'.")
    if not 0 <= port < 2**16:
        _fail(f"App: port must be between 0 and 65535, got {port}.", field="port")
    words = ["--port", str(port), *(["--no-browser"] if no_browser else []), *(["--demo"] if demo else [])]
    sys.stdout.flush()
    # replace this process: the server is a separate program, which must not load libraries that hold data
    os.execv(sys.executable, [sys.executable, "-m", "tacita.app", *words])


def _fail(message: str, field: str | None = None) -> NoReturn:
    # loaded on errors only: it imports the libraries that hold data
    from tacita.core import ParameterError

    raise ParameterError(message, field=field)
