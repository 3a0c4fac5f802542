"""The values everything else is built from. Imports nothing else of tacita."""

from .adjusted import Adjusted, Terms
from .arrays import Floats, Ints, Labels, Mask, Matrix
from .contributors import Contributors
from .errors import (
    Cancelled,
    DataError,
    InferenceError,
    ParameterError,
    RequirementError,
    TacitaError,
    VerificationError,
)
from .hierarchy import Hierarchy
from .keys import CellKeys, Flex, NoiseTable
from .method import Method
from .microdata import MISSING_TEXT, CsvDialect, Microdata
from .params import GroupSize, Parameters
from .partition import Partition
from .pattern import Pattern, Problem
from .percent import Level, Percent
from .profile import RiskProfile
from .progress import Bounds, Progress, Run
from .relations import Relations
from .release import Caution, Record, RecordsRelease, Release
from .roles import Roles
from .score import Categories, Comparison, Report, Score
from .table import Table
from .trials import Trial, Trials
from .verify import Verdict

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
