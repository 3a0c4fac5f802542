"""The confidential page of the risk of keys: how many records share them, and which single records out."""

from __future__ import annotations

from dataclasses import dataclass

from tacita.core import Score
from tacita.core.results.risk_profile import RiskProfile
from tacita.core.spec import registry

from .pages import render

# The figures shown first, if they were measured.
_TILES = ("k_anonymity", "sample_uniques", "individual_risk_max", "global_risk", "population_unique", "suda2")


@dataclass(frozen=True)
class Bar:
    """A bar of a chart: its label and counts, and its length in percent of the longest."""

    words: str
    combinations: int
    records: int
    length: float


def risk_html(profile: RiskProfile) -> str:
    """A self-contained page, without figures of records or rare values. Confidential."""
    return render(
        "risk.html",
        profile=profile,
        tiles=[score for score in profile.report if score.name in _TILES],
        scores=[
            (score, registry.meaning_of(score.name, *registry.MEASURING), _extra_figures(score))
            for score in profile.report
        ],
        bars=_bars(profile),
        by_key=sorted(profile.by_key, key=lambda key: (key.uniques_without, -(key.contribution or 0))),
    )


def _extra_figures(score: Score) -> list[tuple[str, float]]:
    return [(name.replace("_", " "), value) for name, value in score.beside.items()]


def _bars(profile: RiskProfile) -> list[Bar]:
    longest = max(1, *(band.records for band in profile.bands))
    return [
        Bar(band.words, band.combinations, band.records, 100 * band.records / longest)
        for band in profile.bands
    ]
