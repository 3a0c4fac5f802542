"""A process of a pool: runs one task after another, and ends with the process that started it.

Tasks and results are pickled one by one. An error is returned by name, and an error of tacita with its
message, which never holds a value.
"""

from __future__ import annotations

import pickle
import sys
from typing import Any

from tacita.core import TacitaError

from .serial import called


def main() -> None:
    """Run tasks until the input ends."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    # libraries must not print into the results
    sys.stdout = sys.stderr
    while True:
        try:
            function, task = pickle.load(requests)
        except EOFError:
            return
        pickle.dump(answer(function, task), answers)
        answers.flush()


def answer(function: str, task: Any) -> tuple[str, Any]:
    """The outcome of a task: ("done", result), ("refused", (kind, message, fields)) or ("failed", name)."""
    try:
        return "done", called(function, task)
    except TacitaError as error:
        return "refused", (type(error), str(error), error.fields)
    except Exception as error:  # its message might hold values
        return "failed", type(error).__name__


if __name__ == "__main__":
    main()
