"""The values everything else is built from. Imports nothing else of tacita."""

from __future__ import annotations

# not from typing: what loads here loads before the command listens to Ctrl-C
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .arrays import Floats, Ints, Labels, Mask, Matrix
    from .data.adjusted_values import Adjusted, Terms
    from .data.cell_keys import CellKeys, Flex, NoiseTable
    from .data.contributors import Contributors
    from .data.hierarchy import Hierarchy
    from .data.microdata import MISSING_TEXT, CsvDialect, Microdata
    from .data.partition import Partition
    from .data.percent import Level, Percent
    from .data.relations import Relations
    from .data.suppression_pattern import Pattern, Problem
    from .data.table import Table
    from .errors import Cancelled, DataError, ParameterError, TacitaError, VerificationError
    from .results.inferred_cells import InferenceError
    from .results.progress import Bounds, Progress, RunContext
    from .results.release import AnyRelease, DisclosureWarning, Record, RecordsRelease, Release
    from .results.risk_profile import RiskProfile
    from .results.score import Categories, Comparison, Report, Score
    from .results.trials import Trial, Trials
    from .results.verdicts import RequirementError, Verdict
    from .spec.method import Method, RecordMethod
    from .spec.params import GroupSize, Parameters
    from .spec.roles import Roles

__all__ = [
    "MISSING_TEXT",
    "Adjusted",
    "AnyRelease",
    "Bounds",
    "Cancelled",
    "Categories",
    "CellKeys",
    "Comparison",
    "Contributors",
    "CsvDialect",
    "DataError",
    "DisclosureWarning",
    "Flex",
    "Floats",
    "GroupSize",
    "Hierarchy",
    "InferenceError",
    "Ints",
    "Labels",
    "Level",
    "Mask",
    "Matrix",
    "Method",
    "Microdata",
    "NoiseTable",
    "ParameterError",
    "Parameters",
    "Partition",
    "Pattern",
    "Percent",
    "Problem",
    "Progress",
    "Record",
    "RecordMethod",
    "RecordsRelease",
    "Relations",
    "Release",
    "Report",
    "RequirementError",
    "RiskProfile",
    "Roles",
    "RunContext",
    "Score",
    "Table",
    "TacitaError",
    "Terms",
    "Trial",
    "Trials",
    "Verdict",
    "VerificationError",
]

# Where each of them is: loaded when first used, for `spec` and `display` are imported without arrays.
_HOMES = {
    "arrays": "Floats Ints Labels Mask Matrix",
    "data.adjusted_values": "Adjusted Terms",
    "data.cell_keys": "CellKeys Flex NoiseTable",
    "data.contributors": "Contributors",
    "data.hierarchy": "Hierarchy",
    "data.microdata": "MISSING_TEXT CsvDialect Microdata",
    "data.partition": "Partition",
    "data.percent": "Level Percent",
    "data.relations": "Relations",
    "data.suppression_pattern": "Pattern Problem",
    "data.table": "Table",
    "errors": "Cancelled DataError ParameterError TacitaError VerificationError",
    "results.inferred_cells": "InferenceError",
    "results.progress": "Bounds Progress RunContext",
    "results.release": "AnyRelease DisclosureWarning Record RecordsRelease Release",
    "results.risk_profile": "RiskProfile",
    "results.score": "Categories Comparison Report Score",
    "results.trials": "Trial Trials",
    "results.verdicts": "RequirementError Verdict",
    "spec.method": "Method RecordMethod",
    "spec.params": "GroupSize Parameters",
    "spec.roles": "Roles",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOME_OF:
        return getattr(import_module(f"tacita.core.{_HOME_OF[name]}"), name)
    raise AttributeError(f"module 'tacita.core' has no attribute {name!r}")
