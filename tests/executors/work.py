"""Tasks for the tests of executors: functions of a module that every process can import."""

import os
import resource
import signal
from pathlib import Path

import pyarrow as pa

from tacita.core import DataError
from tacita.io.workdir import Scratch


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


def process_group(_):
    return os.getpgrp()


def fills_the_disk(folder):
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, usual[1]))
    try:
        Scratch(Path(folder)).put_table("records", pa.table({"x": range(9999)}))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


def dies(number):
    os.kill(os.getpid(), number)
