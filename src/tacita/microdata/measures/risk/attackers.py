"""Three attackers: who knows that somebody is in the file, who does not, and who links everybody."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Floats, RunContext, Score

from .keys import KeyTable, SharingMeasure
from .population import StandingMeasure

_ALLOWED = Annotated[float, Field(gt=0, le=1)]


def _extra_figures(risks: Floats, threshold: float) -> dict[str, float]:
    return {"at_risk": 100 * float((risks > threshold).mean()), "success": 100 * float(risks.mean())}


class ProsecutorRisk(SharingMeasure):
    """Largest probability of a correct link by an attacker who knows that the person is in the file.

    max over records of 1 / f, f the number of records (of units, where these are known) that share their
    keys. Extra figures, in percent: the share of records `at_risk` (above `threshold`) and the expected
    `success` over all, the mean of 1 / f over records. O(n log n).
    Source: El Emam & Dankar (2008), Protecting privacy using k-anonymity, J. American Medical Informatics
    Association 15(5), 627-637.

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffmmm")}))
    >>> ProsecutorRisk(keys=["sex"]).score(Comparison.of_files(Files(data))).value
    0.5
    """

    name: ClassVar[str] = "prosecutor_risk"
    span: ClassVar[tuple[float, float | None]] = (0.0, 1.0)
    limit_type: ClassVar[Any] = _ALLOWED

    threshold: float = Field(default=0.2, gt=0, le=1, description="above it a record counts as at risk")

    def figure(self, table: KeyTable, run: RunContext) -> Score:
        """The largest."""
        risks = 1 / np.maximum(1, table.sharing(self.missing_as))
        return self.result(risks.max(), per_record=risks, beside=_extra_figures(risks, self.threshold))


class JournalistRisk(StandingMeasure):
    """Largest probability of a correct link by an attacker who does not know who is in the file.

    max over records of 1 / F, F the number of persons in the population that share their keys: the sum of
    weights, or f / sampling fraction; of units, where these are known, one weight each. Extra figures as in
    prosecutor_risk. O(n log n).
    Source: as prosecutor_risk.

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffmmm")}))
    >>> JournalistRisk(keys=["sex"], fraction=0.1).score(Comparison.of_files(Files(data))).value
    0.05
    """

    name: ClassVar[str] = "journalist_risk"
    span: ClassVar[tuple[float, float | None]] = (0.0, 1.0)
    limit_type: ClassVar[Any] = _ALLOWED

    threshold: float = Field(default=0.2, gt=0, le=1, description="above it a record counts as at risk")

    def figure(self, table: KeyTable, run: RunContext) -> Score:
        """The largest."""
        _, whole = self.standing(table)
        risks = 1 / np.maximum(1.0, whole)
        return self.result(risks.max(), per_record=risks, beside=_extra_figures(risks, self.threshold))


class MarketerRisk(StandingMeasure):
    """Share of correct links to be expected by an attacker who links every record.

    Mean over records of 1 / F, F as in journalist_risk. O(n log n).
    Source: Dankar & El Emam (2010), A method for evaluating marketer re-identification risk, EDBT/ICDT
    Workshops.

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffmmm")}))
    >>> round(MarketerRisk(keys=["sex"]).score(Comparison.of_files(Files(data))).value, 4)
    0.4
    """

    name: ClassVar[str] = "marketer_risk"
    span: ClassVar[tuple[float, float | None]] = (0.0, 1.0)
    limit_type: ClassVar[Any] = _ALLOWED
    of_the_worst: ClassVar[bool] = False

    def figure(self, table: KeyTable, run: RunContext) -> Score:
        """The mean."""
        _, whole = self.standing(table)
        risks = 1 / np.maximum(1.0, whole)
        return self.result(risks.mean(), per_record=risks)
