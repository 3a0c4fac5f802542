"""The values everything else is built from. Imports nothing else of tacita."""

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
from .errors import (
    Cancelled,
    DataError,
    InferenceError,
    ParameterError,
    RequirementError,
    TacitaError,
    VerificationError,
)
from .results.progress import Bounds, Progress, Run
from .results.release import Caution, Record, RecordsRelease, Release
from .results.risk_profile import RiskProfile
from .results.score import Categories, Comparison, Report, Score
from .results.trials import Trial, Trials
from .results.verdicts import Verdict
from .spec.method import Method, RecordMethod
from .spec.params import GroupSize, Parameters
from .spec.roles import Roles

__all__ = [
    "MISSING_TEXT",
    "Adjusted",
    "Bounds",
    "Cancelled",
    "Categories",
    "Caution",
    "CellKeys",
    "Comparison",
    "Contributors",
    "CsvDialect",
    "DataError",
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
    "Run",
    "Score",
    "Table",
    "TacitaError",
    "Terms",
    "Trial",
    "Trials",
    "Verdict",
    "VerificationError",
]
