"""One figure for risk, and one for the balance of risk and loss."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tacita.core import Comparison, RunContext, Score

from .loss.probabilistic import PIL
from .measure import Measure
from .risk.interval import WIDTHS, IDRank, IDSd, Widths
from .risk.linkage import DBRL
from .risk.probabilistic import PRL


class Weighted(Measure):
    """A weighted mean of other measures, which are computed once however many ask for them."""

    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)

    @abstractmethod
    def parts(self) -> tuple[tuple[Measure, float], ...]:
        """Measures and their weights, which add up to 1."""

    def asks(self) -> tuple[Measure, ...]:
        return tuple(measure for measure, _ in self.parts())

    def compute(self, pair: Comparison, run: RunContext) -> Score:
        total, variance = 0.0, 0.0
        covers: tuple[str, ...] = ()
        for measure, weight in self.parts():
            score = measure.score(pair, run)
            if score.value is None:
                return self.none(f"{score.name} has no value: {score.reason}")
            total += weight * score.value
            variance += (weight * (score.error or 0.0)) ** 2
            # speaks wholly only of what every part speaks of
            covers = tuple(name for name in covers or score.covers if name in (score.covers or covers))
        return self.result(total, error=variance**0.5 or None, covers=covers)


class _WithRisk(Weighted):
    """What DR is made of, for it and for what it is a part of."""

    interval: Annotated[
        Literal["sd", "rank"],
        Field(description="interval disclosure by standard deviations (ID_sd) or by ranks (ID_rank)"),
    ] = "sd"
    widths: Widths = WIDTHS
    tolerance: Annotated[
        float,
        Field(ge=0, description="in PRL, values agree within so many standard deviations; 0: if equal"),
    ] = 0.1


class DR(_WithRisk):
    """Disclosure risk: how much attackers find out, by linking records and by coming close to values.

    0.25 (DBRL + PRL) + 0.5 ID. Half linkage by its two attackers, half interval disclosure: ID_sd, or ID_rank
    where `interval` says so. Papers differ in the `widths` of its intervals and in what it takes for values
    to agree (`tolerance` of PRL). 0: nothing is found out; 100: all is. The cost of its parts, which are not
    computed again.
    Source: Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for
    microdata, in Confidentiality, Disclosure and Data Access, North-Holland, 111-133. O(n^2 d) at worst.

    >>> DR().score(Comparison.of([[0.0], [1.0], [9.0]], [[0.0], [1.0], [9.0]])).value
    100.0
    """

    kind: ClassVar[str] = "risk"
    name: ClassVar[str] = "DR"
    family: ClassVar[str] = "in one figure"
    headline: ClassVar[bool] = True

    def parts(self) -> tuple[tuple[Measure, float], ...]:
        by_interval = (IDSd if self.interval == "sd" else IDRank)(widths=self.widths)
        return (DBRL(), 0.25), (PRL(tolerance=self.tolerance), 0.25), (by_interval, 0.5)


class SCORE(_WithRisk):
    """Balance of loss and risk, the mean of PIL and DR: under about 30 a release is of interest.

    0.5 (PIL + DR), with the settings of DR. 0 would be a release that loses nothing and gives nothing away.
    The cost of its parts, which are not computed again: O(n^2 d) at worst.
    Source: Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for
    microdata, in Confidentiality, Disclosure and Data Access, North-Holland, 111-133.

    >>> SCORE().score(Comparison.of([[0.0], [1.0], [9.0]], [[0.0], [1.0], [9.0]])).value
    50.0
    """

    kind: ClassVar[str] = "balance"
    name: ClassVar[str] = "SCORE"
    family: ClassVar[str] = "in one figure"
    headline: ClassVar[bool] = True

    def parts(self) -> tuple[tuple[Measure, float], ...]:
        risk = DR(interval=self.interval, widths=self.widths, tolerance=self.tolerance)
        return (PIL(), 0.5), (risk, 0.5)
