"""Tasks for the tests of engines: functions of a module that every process can import."""

import os
import signal
from pathlib import Path

from tacita.core import DataError


def square(n):
    return n * n


def refuses_seven(n):
    if n == 7:
        raise DataError("seven is too many", field="k")
    return n


def divides(n):
    secret = 1
    return secret / n


def dies_once(task):
    mark, answer, parent = task
    if os.getpid() != parent and answer == 2 and not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return answer


def dies(number):
    os.kill(os.getpid(), number)
