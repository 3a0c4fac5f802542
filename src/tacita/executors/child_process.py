"""A process of a pool: does one task after the other, and ends with whoever started it.

Tasks and answers are pickled, each on its own. What goes wrong is answered by the name of the error and,
where it is one of tacita's, its words: these never hold a value.
"""

from __future__ import annotations

import pickle
import sys
from typing import Any

from tacita.core import TacitaError

from .serial import called


def main() -> None:
    """Answer until nobody asks."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    # what a library prints is no answer
    sys.stdout = sys.stderr
    while True:
        try:
            function, task = pickle.load(requests)
        except EOFError:
            return
        pickle.dump(answer(function, task), answers)
        answers.flush()


def answer(function: str, task: Any) -> tuple[str, Any]:
    """What came of a task: ("done", answer) or ("refused", (kind, words, fields)) or ("failed", name)."""
    try:
        return "done", called(function, task)
    except TacitaError as error:
        return "refused", (type(error), str(error), error.fields)
    except Exception as error:  # its words might hold values
        return "failed", type(error).__name__


if __name__ == "__main__":
    main()
