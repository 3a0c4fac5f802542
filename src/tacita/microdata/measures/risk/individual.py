"""Risk of single records of a sample: how likely is it that the one who shares the keys is the one sought?"""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Floats, Ints, RunContext, Score
from tacita.core.results.score import Files

from .keys import KeyTable, numbered_units, unit_of
from .population import StandingMeasure

# From here on the series ends after few terms, whatever the sampling fraction.
_MANY = 30
_TERMS = 60


def mean_inverse(f: Ints, p: Floats) -> Floats:
    """E(1/F | f) where F given f is negative binomial with sampling fraction p: the individual risk. O(n).

    p^f / f 2F1(f, f; f + 1; 1 - p) = p times the integral of u^(f-1) / (p + (1 - p) u) over [0, 1], whose
    integrand is positive. Either (p / f) sum over k of k! / (f + 1)_k (1 - p)^k, all terms positive, which
    ends soon where f is large or p is; or, for p up to 1/2, the integral of f + 1 from that of f,
    (1 / f - p I_f) / (1 - p), which shrinks errors. Nothing cancels.

    >>> mean_inverse(np.array([1, 2, 20]), np.array([0.5, 0.1, 0.8])).round(6)
    array([0.693147, 0.082684, 0.040388])
    """
    p = np.minimum(p, 1.0)
    risk = np.empty(f.size)
    short = (f < _MANY) & (p <= 0.5)
    risk[short] = p[short] * _recursion(f[short], p[short])
    risk[~short] = p[~short] / f[~short] * _series(f[~short], 1 - p[~short])
    # rounding must not carry a risk over its bounds
    return np.clip(risk, p / f, 1 / f)


def _recursion(f: Ints, p: Floats) -> Floats:
    integral = -np.log(p) / (1 - p)
    for now in range(1, int(f.max(initial=1))):
        integral = np.where(f > now, (1 / now - p * integral) / (1 - p), integral)
    return integral


def _series(f: Ints, q: Floats) -> Floats:
    total, term = np.ones(f.size), np.ones(f.size)
    for k in range(1, _TERMS):
        term = term * (k / (f + k)) * q
        total += term
    return total


class RiskOfRecords(StandingMeasure):
    """Figures out of the individual risk of every record."""

    span: ClassVar[tuple[float, float | None]] = (0.0, 1.0)
    limit_type: ClassVar[Any] = Annotated[float, Field(gt=0, le=1)]
    of_the_worst: ClassVar[bool] = False

    def risks(self, table: KeyTable) -> Floats:
        """The individual risk of each record."""
        f, whole = self.standing(table)
        return mean_inverse(f, f / whole)

    def figure(self, table: KeyTable, run: RunContext) -> Score:
        """Out of the risks of all records."""
        return self.sum_up(self.risks(table), table)

    @abstractmethod
    def sum_up(self, risks: Floats, table: KeyTable) -> Score:
        """One figure out of the risks."""


class IndividualRisk(RiskOfRecords):
    """Mean probability that a record is correctly linked to a person by its keys.

    r = E(1/F | f), F the number of persons in the population with the keys of the record and f the number
    of records: (p^f / f) 2F1(f, f; f + 1; 1 - p) with p = f / F-hat, F-hat the sum of their weights. It lies
    between 1 / F-hat and 1 / f and falls with F-hat. Without weights and sampling fraction the file is taken
    for the population, and r = 1 / f. Where units are known, f counts these, and F-hat sums one weight of
    each, the mean of its records: a patient with several visits is one person. The mean is over records.
    O(n log n).
    Source: Benedetti & Franconi (1998), Statistical and technological solutions for controlled data
    dissemination; Franconi & Polettini (2004), Individual risk estimation in mu-Argus, PSD 2004.

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffm"), "w": [10.0, 30.0, 50.0]}))
    >>> round(IndividualRisk(keys=["sex"], weight="w").score(Comparison.of_files(Files(data))).value, 4)
    0.0562
    """

    name: ClassVar[str] = "individual_risk"

    def sum_up(self, risks: Floats, table: KeyTable) -> Score:
        """The mean."""
        return self.result(risks.mean(), per_record=risks)


class IndividualRiskMax(RiskOfRecords):
    """Largest probability that a record is correctly linked to a person by its keys.

    The largest individual_risk of a record: max over records of E(1/F | f). O(n log n).
    Source: as individual_risk.

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffm"), "w": [10.0, 30.0, 50.0]}))
    >>> round(IndividualRiskMax(keys=["sex"], weight="w").score(Comparison.of_files(Files(data))).value, 4)
    0.0798
    """

    name: ClassVar[str] = "individual_risk_max"
    of_the_worst: ClassVar[bool] = True

    def sum_up(self, risks: Floats, table: KeyTable) -> Score:
        """The largest."""
        return self.result(risks.max(), per_record=risks)

    def lacking(self, limit: float, files: Files) -> str:
        """The words for records at risk."""
        return f"have an individual risk above {limit:g}"

    def promise(self, limit: float, files: Files) -> str:
        """What it means of a file."""
        return f"No record is linked to a person by its keys with a probability above {limit:g}."


class GlobalRisk(RiskOfRecords):
    """Expected number of records that are correctly linked to a person by their keys.

    The sum of the individual risks of all records, and as an extra figure their share of the file in percent.
    Records are summed also where units are known: a link to a unit discloses all its records with these keys.
    The risk of each is that of its unit. O(n log n).
    Source: Hundepool et al. (2012), Statistical Disclosure Control, section 3.3.

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffm"), "w": [10.0, 30.0, 50.0]}))
    >>> round(GlobalRisk(keys=["sex"], weight="w").score(Comparison.of_files(Files(data))).value, 4)
    0.1685
    """

    name: ClassVar[str] = "global_risk"
    span: ClassVar[tuple[float, float | None]] = (0.0, None)
    measured_in: ClassVar[str] = "records"
    limit_type: ClassVar[Any] = Annotated[float, Field(gt=0, allow_inf_nan=False)]

    def sum_up(self, risks: Floats, table: KeyTable) -> Score:
        """The sum."""
        return self.result(risks.sum(), per_record=risks, beside={"share": 100 * float(risks.mean())})


class HouseholdRisk(RiskOfRecords):
    """Mean probability that somebody of the household of a record is correctly linked.

    1 - product of (1 - r) over the individual risks r of all records of the household (the unit), which holds
    for every record of it; the mean over records. Without units each record is a household. Where the file
    has a unit, r is the risk of units, and records of one with the same keys are one chance, not several.
    O(n log n).
    Source: Hundepool et al. (2012), Statistical Disclosure Control, section 3.3, on household risk.

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("fmfm"), "home": [1, 1, 2, 2]}))
    >>> HouseholdRisk(keys=["sex"], unit="home").score(Comparison.of_files(Files(data))).value
    0.75
    """

    name: ClassVar[str] = "household_risk"

    unit: str | None = Field(
        default=None, description="column that names the household; if not given, the unit's"
    )

    def counting(self, files: Files) -> str | None:
        """The unit of the file: a column that is named here says who belong together, not who is one."""
        return unit_of(files)

    def sum_up(self, risks: Floats, table: KeyTable) -> Score:
        """The mean over records of the risk of their household."""
        name = self.unit or unit_of(table.files)
        home = numbered_units(np.arange(table.n) if name is None else table.units_of(name))
        once = table.once
        with np.errstate(divide="ignore"):
            # a risk of 1 makes the product 0
            spared = np.bincount(home[once], np.log1p(-risks[once]))
        own = -np.expm1(spared)
        return self.result(
            own[home].mean(),
            per_record=own[home],
            reading={"household": "each record, for want of units" if name is None else f"unit {name}"},
            beside={"households": float(own.size), "expected_households": float(own.sum())},
        )
