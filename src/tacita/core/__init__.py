"""The values everything else is built from. Imports nothing else of tacita."""

from .errors import Cancelled, DataError, ParameterError, TacitaError, VerificationError
from .method import Method
from .microdata import MISSING_TEXT, CsvDialect, Microdata
from .params import GroupSize, Parameters
from .partition import Partition
from .progress import Progress, Run
from .release import Caution, Record, Release, Verdict
from .roles import Roles
from .score import Categories, Comparison, Report, Score
from .trials import Trial, Trials

__all__ = [
    "MISSING_TEXT",
    "Cancelled",
    "Categories",
    "Caution",
    "Comparison",
    "CsvDialect",
    "DataError",
    "GroupSize",
    "Method",
    "Microdata",
    "ParameterError",
    "Parameters",
    "Partition",
    "Progress",
    "Record",
    "Release",
    "Report",
    "Roles",
    "Run",
    "Score",
    "TacitaError",
    "Trial",
    "Trials",
    "Verdict",
    "VerificationError",
]
