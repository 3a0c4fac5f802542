"""Figures of established tools, which are no part of the repository: the folder TACITA_SHARED has them."""

import json
import os
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

_HOME = Path(os.environ.get("TACITA_SHARED", "nowhere")) / "reference"


def reference(name):
    """The path of a file of reference figures; the test is left out where the folder is not at hand."""
    path = _HOME / name
    if not path.exists():
        pytest.skip(f"reference figures {name} are not at hand: TACITA_SHARED names their folder")
    return path


@cache
def figures(name):
    return json.loads(reference(name).read_text())


@cache
def sdcmicro(name):
    """A file of records that sdcMicro was run on."""
    return pd.read_csv(reference(f"r/A_sdcmicro/{name}.csv"))


@cache
def adult():
    return pd.read_csv(reference("arx/data/adult.csv"), sep=";", dtype=str)
