"""The confidential review of a release, for the people who decide about its publication."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Any

from tacita.core import Microdata, ParameterError, Record, RecordsRelease, Score
from tacita.core.display.number_format import correlation
from tacita.core.results.grouped_warnings import grouped
from tacita.core.results.release import AttributeSummary, StepRecord, Withdrawn
from tacita.core.results.score import families, headlines
from tacita.core.results.uniqueness import Left, Uniqueness
from tacita.core.spec import registry
from tacita.core.spec.release_options import ReleaseOptions
from tacita.core.spec.roles import Roles
from tacita.core.spec.seeds import portable

from . import plots
from .pages import render
from .plots import Plot

# At most this many figures are shown as tiles.
_TILES = 8
# At most this many estimates, those that changed most.
_ESTIMATES = 40
# At most this many columns of a list; the JSON report has all.
_COLUMNS = 10
_FITS = 100


@dataclass(frozen=True)
class Entry:
    """A named setting with what it means."""

    name: str
    value: Any
    meaning: str


ROLES = {
    "quasi": Entry("Quasi-identifiers", (), "masked"),
    "numeric": Entry("Numeric", (), "of these, declared quantities that have few distinct whole numbers"),
    "nominal": Entry(
        "Nominal", (), "of these, categories; a group publishes its most frequent, or a close one"
    ),
    "ordinal": Entry(
        "Ordinal", (), "of these, ordered levels; a group publishes its lower median, or a close one"
    ),
    "dependent": Entry("Dependent", (), "replaced by synthetic values"),
    "independent": Entry("Independent", (), "predict the dependent ones; released unchanged"),
    "identifiers": Entry("Identifiers", (), "identify a record; left out of the release"),
    "pseudonyms": Entry(
        "Pseudonyms", (), "identified a record; replaced by keyed pseudonyms, which link files of one key"
    ),
    "confidential": Entry("Confidential", (), "sensitive; released unchanged, checked for homogeneity"),
    "strata": Entry("Strata", (), "released unchanged; no group spans two strata"),
    "unit_columns": Entry("Of the unit", (), "equal within a unit, before and after"),
    "unit": Entry("Unit", (), "the firm or household behind a record; a group needs k different ones"),
    "weight": Entry("Weight", (), "sampling weight; released unchanged"),
}

# The other roles, with the descriptions of plans, except hierarchies.
ROLES |= {
    role: Entry(role.replace("_", " ").capitalize(), (), field.description or "")
    for role, field in Roles.model_fields.items()
    if role not in (*ROLES, "hierarchy")
}

# The meanings where no step forms groups.
WITHOUT_GROUPS = {
    "quasi": "protected",
    "nominal": "of these, categories",
    "ordinal": "of these, ordered levels",
    "strata": "released unchanged; each is treated separately",
    "unit": "the firm or household behind a record; where k is promised, k different ones are counted",
}

# How a release of one step without groups is described, by the kind of the step.
MADE = {
    "recoding": ("recoded", "Values were made coarser by rule; no number of records per value is promised."),
    "generalisation": (
        "generalised",
        "Keys were made coarser, until at least k records share every combination of them.",
    ),
    "withholding": (
        "with cells suppressed",
        "Cells of keys were suppressed, until at least k records match every record.",
    ),
    "dropping": ("unchanged", "The remaining values were not changed."),
    "coding": ("coded", "Numbers were coded, not grouped: no record is hidden among k others."),
    "masking": ("masked, not in groups", "Records were masked, not grouped: none is hidden among k others."),
}

# The meanings in a synthetic release, which has no groups.
OF_SYNTHESIS = {
    "strata": "released unchanged; each stratum was drawn separately",
    "unit": "the firm or household behind a record; copula and trees count k of them",
    "confidential": "sensitive; released unchanged",
    "missing": "records without a dependent or independent value: refuse or drop",
}
_NOT_OF_SYNTHESIS = ("round_integers",)

# The risks that can be accepted.
ACCEPTED_RISKS = {
    "k-of-2": "groups of two, where each member can compute the other",
    "k-of-1": "classes of one, where only a model of the population or of the whole file bounds the risk",
    "guessable-seed": "a seed that can be guessed, and with it all that was drawn",
    "keys-determined": "suppressed cells that other released columns determine",
    "rounding-restores": "a masking so weak that rounding gives the originals back",
    "membership": "a synthesis that reproduces unique records, and so discloses who was in the file",
}


def review_html(release: RecordsRelease) -> str:
    """A self-contained page: what was done, promised, verified, lost and disclosed. Confidential."""
    record, scores = release.record, tuple(release.report)
    return render(
        "review.html",
        record=record,
        k=record.parameters.get("k"),
        drawn=names_of(record.roles.get("dependent")),
        unique=record.uniqueness,
        spared=_columns_worth_dropping(record.uniqueness),
        became=MADE.get(record.steps[0].kind, MADE["masking"]),
        passed=all(verdict.passed for verdict in record.verdicts),
        refused=[] if _broken(record) else _refused(record),
        tiles=[score for score in headlines(scores) if score.value is not None][:_TILES],
        methods=[(name, registry.meaning_of(name, *registry.PROTECTING)) for name in record.method],
        parameters=_parameters(release),
        roles=_roles(release),
        options=_options(release),
        accepted_risks=[(name, ACCEPTED_RISKS.get(name, "")) for name in record.accepted_risks],
        sizes=plots.group_sizes(record.group_sizes) if record.group_sizes else None,
        warnings=grouped(record.warnings, _all_columns(release)),
        steps=_steps(record) if len(record.steps) > 1 else [],
        fits=_searched(record.steps).get("search", {}).get("fits", [])[:_FITS],
        families=_families(scores),
        notes=release.report.notes,
        losses=_per_attribute(scores),
        recoded=any(step.kind == "recoding" for step in record.steps),
        risks=[(risk, plots.risk_by_record(risk)) for risk in record.risks],
        correlations=_correlation_view(record),
        attributes=[(summary, _plot_of(summary)) for summary in record.summaries],
        estimates=sorted(record.estimates, key=lambda estimate: estimate.overlap)[:_ESTIMATES],
        user_missing=sorted(record.user_missing.items()),
    )


def _broken(record: Record) -> bool:
    """Whether a promise failed by a fault of the program, not because of the data."""
    required = registry.names(*registry.MEASURING)
    failed = [verdict for verdict in record.verdicts if not verdict.passed]
    return any(not verdict.inferred and verdict.guarantee not in required for verdict in failed)


def _refused(record: Record) -> list[tuple[str, str]]:
    """The reasons for a refusal, with their details."""
    return [
        ("other columns determine suppressed values", verdict.detail)
        if verdict.inferred
        else ("a requirement is not met", f"{verdict.guarantee}: {verdict.detail}")
        for verdict in record.verdicts
        if not verdict.passed
    ]


def review_json(release: RecordsRelease) -> str:
    """The review as JSON. Confidential.

    Columns keep the order of the file; entries without an order are sorted by name.
    """
    record = release.record
    content = {
        **release.report.as_dict(),
        "verdicts": [verdict.as_dict() for verdict in record.verdicts],
        "warnings": [asdict(warning) for warning in record.warnings],
        "uniqueness": record.uniqueness.as_dict(),
        "not_promised": list(record.not_promised),
        "record": {
            "source": record.source,
            "method": list(record.method),
            "parameters": _sorted(record.parameters),
            "roles": _sorted(record.roles),
            "options": _sorted(record.options),
            "accepted_risks": list(record.accepted_risks),
            "seed": portable(record.seed),
            "records_in": record.records_in,
            "records_out": record.records_out,
            "groups": record.groups,
            "gap": record.gap,
            "group_sizes": {str(size): record.group_sizes[size] for size in sorted(record.group_sizes)},
            "strata": record.strata,
            "fingerprint": record.fingerprint,
            "release_fingerprint": record.release_fingerprint,
            "versions": _sorted(record.versions),
        },
        "steps": [_step(step) for step in record.steps],
        "withdrawn": [asdict(promise) for promise in record.withdrawn],
        **_searched(record.steps),
        "attributes": [_attribute(summary) for summary in record.summaries],
        "risk_by_record": [asdict(risk) for risk in record.risks],
        "correlations": asdict(record.correlations) if record.correlations else None,
        **({"estimates": [asdict(estimate) for estimate in record.estimates]} if record.estimates else {}),
        **({"user_missing": _sorted(record.user_missing)} if record.user_missing else {}),
    }
    return json.dumps(finite(content), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _step(step: StepRecord) -> dict[str, Any]:
    return {
        "method": list(step.method),
        "kind": step.kind,
        "columns": list(step.columns),
        "parameters": _sorted(step.parameters),
        "by_unit": step.by_unit,
        "groups": step.groups,
        "promises": list(step.promises),
        "scores": {score.name: score.value for score in step.report},
        **_searched((step,)),
    }


def _searched(steps: Sequence[StepRecord]) -> dict[str, Any]:
    """The search record of the last step that has one; else empty."""
    return next(({"search": dict(step.search)} for step in reversed(steps) if step.search), {})


@dataclass(frozen=True)
class StepView:
    """A step as the page shows it: the figures after it, and its promises that a later step withdrew."""

    step: StepRecord
    meaning: str
    scores: tuple[Score, ...]
    withdrawn: tuple[Withdrawn, ...]


def _steps(record: Record) -> list[StepView]:
    shown = {score.name for score in headlines(record.steps[-1].report)[:_TILES]}
    return [
        StepView(
            step,
            " then ".join(registry.meaning_of(name, *registry.PROTECTING) for name in step.method),
            tuple(score for score in step.report if score.name in shown),
            tuple(promise for promise in record.withdrawn if promise.step == number),
        )
        for number, step in enumerate(record.steps, 1)
    ]


# The heading of each kind of measure.
_KINDS = {
    "loss": "Information loss: what users of the release lose",
    "risk": "Disclosure risk: what an attacker can learn",
    "balance": "Balance of loss and risk",
}


def _families(scores: tuple[Score, ...]) -> list[tuple[str, list[tuple[str, list[tuple[Score, str]]]]]]:
    """Scores with their meanings, by kind and family of measures."""
    by_kind: dict[str, list[tuple[str, list[tuple[Score, str]]]]] = {}
    for family in families(scores):
        meant = [(score, registry.meaning_of(score.name, *registry.MEASURING)) for score in family.scores]
        by_kind.setdefault(_KINDS.get(family.kind, family.kind), []).append((family.name, meant))
    return list(by_kind.items())


def _plot_of(summary: AttributeSummary) -> Plot:
    return plots.shares(summary) if summary.categories else plots.before_and_after(summary)


@dataclass(frozen=True)
class CorrelationView:
    """Correlations as the page shows them: three heatmaps, and the largest changes as text."""

    maps: tuple[Plot, Plot, Plot]
    shown: int
    columns: int
    largest: tuple[tuple[str, ...], ...]


def _correlation_view(record: Record) -> CorrelationView | None:
    correlations = record.correlations
    if correlations is None:
        return None
    largest = tuple(
        (
            relation.one,
            relation.other,
            *(correlation(value) for value in (relation.before, relation.after, relation.change)),
        )
        for relation in correlations.largest
    )
    return CorrelationView(
        plots.heatmaps(correlations), len(correlations.names), correlations.columns, largest
    )


def _columns_worth_dropping(unique: Uniqueness) -> list[tuple[str, Left]]:
    """The columns whose removal leaves fewest unique records, without those that make no difference."""
    better = [
        (name, left) for name, left in unique.without.items() if left.below_k < unique.unchanged.below_k
    ]
    return sorted(better, key=lambda entry: (entry[1].alone, entry[1].below_k))[:_COLUMNS]


def _attribute(summary: AttributeSummary) -> dict[str, Any]:
    shown = asdict(summary)
    # the last category shows it already
    del shown["others"]
    if summary.constant:
        # the mean of a constant column is every record's own value
        shown.update(mean_before=None, mean_after=None)
    return shown


def _sorted(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in sorted(values)}


def finite(content: Any) -> Any:
    """The content with None in place of NaN and infinity, which JSON cannot hold."""
    if isinstance(content, float) and not isfinite(content):
        return None
    if isinstance(content, Mapping):
        return {name: finite(part) for name, part in content.items()}
    if isinstance(content, list | tuple):
        return [finite(part) for part in content]
    return content


def _parameters(release: RecordsRelease) -> list[Entry]:
    fields: dict[str, Any] = {}
    for name in release.record.method:
        try:
            fields |= registry.record_method(name).model_fields
        except ParameterError:
            continue
    return described(release.record.parameters, fields)


def described(values: Mapping[str, Any], fields: Mapping[str, Any]) -> list[Entry]:
    return [
        Entry(name, value, (fields[name].description or "") if name in fields else "")
        for name, value in sorted(values.items())
    ]


def _options(release: RecordsRelease) -> list[Entry]:
    settings = described(release.record.options, ReleaseOptions.model_fields)
    if not release.record.roles.get("dependent"):
        return settings
    return [
        replace(entry, meaning=OF_SYNTHESIS.get(entry.name, entry.meaning))
        for entry in settings
        if entry.name not in _NOT_OF_SYNTHESIS
    ]


def _roles(release: RecordsRelease) -> list[Entry]:
    roles = release.record.roles
    grouped = any(step.kind == "microaggregation" for step in release.record.steps)
    other = OF_SYNTHESIS if roles.get("dependent") else {} if grouped else WITHOUT_GROUPS
    columns = Microdata.of(release.data).columns
    shown = [
        _with_actual_meaning(
            replace(entry, value=names_of(roles.get(role)), meaning=other.get(role, entry.meaning)),
            release.record,
            columns,
        )
        for role, entry in ROLES.items()
    ]
    named = {column for entry in shown for column in entry.value}
    rest = [column for column in columns if column not in named]
    return [entry for entry in (*shown, Entry("Without a role", rest, "released unchanged")) if entry.value]


_UNCHANGED = "released unchanged"


def _with_actual_meaning(entry: Entry, record: Record, columns: Sequence[str]) -> Entry:
    """A role whose meaning says which of its columns a step changed or left out."""
    if _UNCHANGED not in entry.meaning:
        return entry
    changed = {name for step in record.steps for name in step.columns if name not in step.as_they_were}
    present = [name for name in entry.value if name in columns]
    touched = [name for name in present if name in changed]
    gone = [name for name in entry.value if name not in columns]
    words = _UNCHANGED if len(touched) < len(present) else "protected by a step"
    if not present:
        words = "left out of the release"
    elif touched and len(touched) < len(present):
        words += f" but for {', '.join(touched)}"
    if present and gone:
        words += f" ({', '.join(gone)} left out)"
    return replace(entry, meaning=entry.meaning.replace(_UNCHANGED, words))


def names_of(value: Any) -> list[str]:
    if value is None:
        return []
    return [value] if isinstance(value, str) else list(value)


def _all_columns(release: RecordsRelease) -> set[str]:
    return {column for entry in _roles(release) for column in entry.value}


@dataclass(frozen=True)
class Losses:
    """Figures by attribute: one row per attribute, one column per measure that has them."""

    scores: tuple[Score, ...]
    rows: tuple[tuple[str, tuple[tuple[float | None, str], ...]], ...]


def _per_attribute(scores: tuple[Score, ...]) -> Losses | None:
    summaries = headlines(score for score in scores if score.per_attribute)
    names = list(dict.fromkeys(name for score in summaries for name in score.per_attribute))
    figures = [(score.per_attribute, _longest(score)) for score in summaries]
    rows = tuple(
        (name, tuple((values.get(name), _bar(values.get(name), longest)) for values, longest in figures))
        for name in names
    )
    return Losses(summaries, rows) if rows else None


def _longest(score: Score) -> float:
    return max((abs(v) for v in score.per_attribute.values() if isfinite(v)), default=0.0)


def _bar(value: float | None, longest: float) -> str:
    """The length of the bar behind a figure, in percent of its cell; the longest fills it."""
    return f"{100 * abs(value) / longest:.1f}" if value is not None and isfinite(value) and longest else "0"
