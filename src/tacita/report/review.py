"""The confidential review of a release, for the people who decide whether it goes out."""

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
from tacita.core.spec.options import ReleaseOptions
from tacita.core.spec.roles import Roles
from tacita.core.spec.seeds import portable

from . import plots
from .pages import render
from .plots import Plot

# More tiles than this are a table again.
_TILES = 8
# Of the estimates that moved most.
_ESTIMATES = 40
# Who reads on after so many columns reads the JSON.
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
    "numeric": Entry("Numeric", (), "of these, few whole numbers that are quantities, as declared"),
    "nominal": Entry(
        "Nominal", (), "of these, categories; published as a group's most frequent, or next best"
    ),
    "ordinal": Entry(
        "Ordinal", (), "of these, ordered levels; published as a group's lower median, or next best"
    ),
    "dependent": Entry("Dependent", (), "drawn anew"),
    "independent": Entry("Independent", (), "explain the dependent ones; released unchanged"),
    "identifiers": Entry("Identifiers", (), "name a record; left out of the release"),
    "pseudonyms": Entry(
        "Pseudonyms", (), "named a record; replaced by keyed pseudonyms, which link files of one key"
    ),
    "confidential": Entry("Confidential", (), "sensitive; released unchanged, watched for homogeneity"),
    "strata": Entry("Strata", (), "released unchanged; groups never mix two of them"),
    "unit_columns": Entry("Of the unit", (), "agree within a unit, before and after"),
    "unit": Entry("Unit", (), "the firm or household behind a record; a group needs k different ones"),
    "weight": Entry("Weight", (), "sampling weight; released unchanged"),
}

# Roles of which nothing is said here, in the words of plans. A hierarchy says what values become.
ROLES |= {
    role: Entry(role.replace("_", " ").capitalize(), (), field.description or "")
    for role, field in Roles.model_fields.items()
    if role not in (*ROLES, "hierarchy")
}

# Where no step forms groups there are none to speak of.
WITHOUT_GROUPS = {
    "quasi": "protected",
    "nominal": "of these, categories",
    "ordinal": "of these, ordered levels",
    "strata": "released unchanged; each is looked at by itself",
    "unit": "the firm or household behind a record; where k is promised, k different ones are counted",
}

# What a release of one step without groups is, and what that means for a record.
MADE = {
    "recoding": ("recoded", "Values were made coarser by rule; how many records share them is not promised."),
    "generalisation": (
        "generalised",
        "Keys were made coarser, until every combination of them stands for k records or more.",
    ),
    "withholding": (
        "with cells withheld",
        "Cells of keys were left empty, until every record is one of k or more.",
    ),
    "dropping": ("kept as they were", "What stayed was not changed."),
    "coding": ("coded", "Numbers were coded, not grouped: no record is hidden among k others."),
    "masking": ("masked, not in groups", "Records were masked, not grouped: none is hidden among k others."),
}

# Where columns are drawn anew there are no groups to speak of.
OF_SYNTHESIS = {
    "strata": "released unchanged; each stratum was drawn by itself",
    "unit": "the firm or household behind a record; copula and trees count k of them",
    "confidential": "sensitive; released unchanged",
    "missing": "records that miss a dependent or independent value: refuse or drop",
}
_NOT_OF_SYNTHESIS = ("round_integers",)

# What can be asked for against advice.
INSISTED = {
    "k-of-2": "groups of two, where each member can compute the other",
    "k-of-1": "classes of one, where only a model of the population or of the whole file bounds the risk",
    "guessable-seed": "a seed that can be guessed, and with it all that was drawn",
    "keys-determined": "hidden cells that other released columns give back",
    "rounding-restores": "a masking so weak that rounding gives the originals back",
    "membership": "a synthesis that remembers unique records, and so tells who was in the file",
}


def review_html(release: RecordsRelease) -> str:
    """One page with nothing outside it: what was done, promised, found, lost and risked. Confidential."""
    record, scores = release.record, tuple(release.report)
    return render(
        "review.html",
        record=record,
        k=record.parameters.get("k"),
        drawn=names_of(record.roles.get("dependent")),
        unique=record.uniqueness,
        spared=_spared(record.uniqueness),
        became=MADE.get(record.steps[0].kind, MADE["masking"]),
        passed=all(verdict.passed for verdict in record.verdicts),
        refused=[] if _broken(record) else _refused(record),
        tiles=[score for score in headlines(scores) if score.value is not None][:_TILES],
        methods=[(name, registry.meaning_of(name, *registry.PROTECTING)) for name in record.method],
        parameters=_parameters(release),
        roles=_roles(release),
        options=_options(release),
        insisted=[(name, INSISTED.get(name, "")) for name in record.insisted],
        sizes=plots.group_sizes(record.group_sizes) if record.group_sizes else None,
        warnings=grouped(record.cautions, _all_columns(release)),
        steps=_steps(record) if len(record.steps) > 1 else [],
        fits=_searched(record.steps).get("search", {}).get("fits", [])[:_FITS],
        families=_families(scores),
        notes=release.report.notes,
        losses=_per_attribute(scores),
        recoded=any(step.kind == "recoding" for step in record.steps),
        risks=[(risk, plots.risk_by_record(risk)) for risk in record.risks],
        correlations=_related(record),
        attributes=[(summary, _drawn(summary)) for summary in record.summaries],
        estimates=sorted(record.estimates, key=lambda estimate: estimate.overlap)[:_ESTIMATES],
        user_missing=sorted(record.user_missing.items()),
    )


def _broken(record: Record) -> bool:
    """Whether a promise failed its check by a fault of the program, and the data are not the reason."""
    required = registry.names(*registry.MEASURING)
    failed = [verdict for verdict in record.verdicts if not verdict.passed]
    return any(not verdict.inferred and verdict.guarantee not in required for verdict in failed)


def _refused(record: Record) -> list[tuple[str, str]]:
    """Why a release was refused, and what was found of it."""
    return [
        ("other columns give back what was hidden", verdict.detail)
        if verdict.inferred
        else ("what is required is not met", f"{verdict.guarantee}: {verdict.detail}")
        for verdict in record.verdicts
        if not verdict.passed
    ]


def review_json(release: RecordsRelease) -> str:
    """The same as text for programs. Confidential.

    Columns keep the order of the file; whatever has no order of its own is sorted by name.
    """
    record = release.record
    content = {
        **release.report.as_dict(),
        "verdicts": [verdict.as_dict() for verdict in record.verdicts],
        "warnings": [asdict(warning) for warning in record.cautions],
        "uniqueness": record.uniqueness.as_dict(),
        "not_promised": list(record.not_promised),
        "record": {
            "source": record.source,
            "method": list(record.method),
            "parameters": _sorted(record.parameters),
            "roles": _sorted(record.roles),
            "options": _sorted(record.options),
            "insisted": list(record.insisted),
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
        "withdrawn": [asdict(step) for step in record.withdrawn],
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
    """What the last step that searched for the best found; nothing where none did."""
    return next(({"search": dict(step.search)} for step in reversed(steps) if step.search), {})


@dataclass(frozen=True)
class Told:
    """A step as the page shows it: the figures after it, and the promises that a later one took back."""

    step: StepRecord
    meaning: str
    scores: tuple[Score, ...]
    withdrawn: tuple[Withdrawn, ...]


def _steps(record: Record) -> list[Told]:
    shown = {score.name for score in headlines(record.steps[-1].report)[:_TILES]}
    return [
        Told(
            step,
            " then ".join(registry.meaning_of(name, *registry.PROTECTING) for name in step.method),
            tuple(score for score in step.report if score.name in shown),
            tuple(step for step in record.withdrawn if step.step == number),
        )
        for number, step in enumerate(record.steps, 1)
    ]


# What each kind of measure answers, as a heading.
_KINDS = {
    "loss": "Information loss: what the release no longer tells",
    "risk": "Disclosure risk: what an attacker finds out",
    "balance": "Balance of loss and risk",
}


def _families(scores: tuple[Score, ...]) -> list[tuple[str, list[tuple[str, list[tuple[Score, str]]]]]]:
    """Kinds of measures with their families, and each score with its meaning."""
    by_kind: dict[str, list[tuple[str, list[tuple[Score, str]]]]] = {}
    for family in families(scores):
        meant = [(score, registry.meaning_of(score.name, *registry.MEASURING)) for score in family.scores]
        by_kind.setdefault(_KINDS.get(family.kind, family.kind), []).append((family.name, meant))
    return list(by_kind.items())


def _drawn(summary: AttributeSummary) -> Plot:
    return plots.shares(summary) if summary.categories else plots.before_and_after(summary)


@dataclass(frozen=True)
class Related:
    """Correlations as the page shows them: three pictures, and the largest changes as text."""

    maps: tuple[Plot, Plot, Plot]
    shown: int
    columns: int
    largest: tuple[tuple[str, ...], ...]


def _related(record: Record) -> Related | None:
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
    return Related(plots.heatmaps(correlations), len(correlations.names), correlations.columns, largest)


def _spared(unique: Uniqueness) -> list[tuple[str, Left]]:
    """The columns without which fewest records are alone, those that change nothing left out."""
    saving = [
        (name, left) for name, left in unique.without.items() if left.below_k < unique.unchanged.below_k
    ]
    return sorted(saving, key=lambda saving: (saving[1].alone, saving[1].below_k))[:_COLUMNS]


def _attribute(summary: AttributeSummary) -> dict[str, Any]:
    shown = asdict(summary)
    # its last category says so
    del shown["others"]
    if summary.constant:
        # the mean of a constant column is every record's own value
        shown.update(mean_before=None, mean_after=None)
    return shown


def _sorted(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in sorted(values)}


def finite(content: Any) -> Any:
    """The same without NaN and infinity, which JSON does not know."""
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
        _as_it_came(
            replace(entry, value=names_of(roles.get(role)), meaning=other.get(role, entry.meaning)),
            release.record,
            columns,
        )
        for role, entry in ROLES.items()
    ]
    named = {column for entry in shown for column in entry.value}
    rest = [column for column in columns if column not in named]
    return [entry for entry in (*shown, Entry("Without a role", rest, "released unchanged")) if entry.value]


_AS_IT_WAS = "released unchanged"


def _as_it_came(entry: Entry, record: Record, columns: Sequence[str]) -> Entry:
    """A role in words that hold of this release: columns of it may be changed by a step, or left out."""
    if _AS_IT_WAS not in entry.meaning:
        return entry
    changed = {name for step in record.steps for name in step.columns if name not in step.as_they_were}
    there = [name for name in entry.value if name in columns]
    touched = [name for name in there if name in changed]
    gone = [name for name in entry.value if name not in columns]
    words = _AS_IT_WAS if len(touched) < len(there) else "protected by a step"
    if not there:
        words = "left out of the release"
    elif touched and len(touched) < len(there):
        words += f" but for {', '.join(touched)}"
    if there and gone:
        words += f" ({', '.join(gone)} left out)"
    return replace(entry, meaning=entry.meaning.replace(_AS_IT_WAS, words))


def names_of(value: Any) -> list[str]:
    if value is None:
        return []
    return [value] if isinstance(value, str) else list(value)


def _all_columns(release: RecordsRelease) -> set[str]:
    return {column for entry in _roles(release) for column in entry.value}


@dataclass(frozen=True)
class Losses:
    """Figures per attribute: a row for each attribute, a column for each measure that has them."""

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
    """How long the bar behind a figure is, in percent of its cell; the longest fills it."""
    return f"{100 * abs(value) / longest:.1f}" if value is not None and isfinite(value) and longest else "0"
