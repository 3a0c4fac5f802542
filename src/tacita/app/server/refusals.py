"""Why a run was refused, in the language of the page: which column, and the way out.

A worker sends names and figures (`tacita.app.worker.refusals`); the words are here. A saved project may hold
anything, so it is checked before a page shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tacita.core.display.number_format import figure
from tacita.core.spec.accepted_risks import OF_RECORDS

REASONS = ("inference", "requirement", "advice")
# Names by which a risk is accepted, of which the page has words.
ACCEPTED = OF_RECORDS
# Columns that a sentence lists one by one.
_AT_A_GLANCE = 8

Say = Callable[..., str]


@dataclass(frozen=True)
class Finding:
    """A sentence, and the detail of the verifier in English."""

    text: str
    detail: str = ""


@dataclass(frozen=True)
class Refusal:
    """What a page shows of a refusal: a title, what was found, the ways out."""

    reason: str
    title: str
    findings: tuple[Finding, ...]
    ways: tuple[str, ...]


def refusal_in(
    refusal: Mapping[str, Any], say: Say, *, message: str = "", plan: Mapping[str, Any] | None = None
) -> Refusal | None:
    """In words; nothing where the `message` of the child is all there is. `plan` is what was refused."""
    reason = refusal.get("reason")
    if reason not in REASONS:
        return None
    acceptance = (say("refused.insist", name=refusal["accepted_as"]),) if refusal.get("accepted_as") else ()
    if reason == "inference":
        inferred = refusal["given_back"]
        return Refusal(
            reason,
            say("refused.inference"),
            _given_back(inferred, say),
            (*_ways_of(inferred, say, plan or {}), *acceptance),
        )
    if reason == "requirement":
        findings = tuple(_unmet(verdict, say) for verdict in refusal["unmet"])
        return Refusal(
            reason,
            say("refused.requirement"),
            findings,
            (_way_of({e["kind"] for e in refusal["unmet"]}, say),),
        )
    name = refusal["accepted_as"]
    ways = (say(f"refused.{name}"),) if name in ACCEPTED and name != "keys-determined" else ()
    return Refusal(reason, say("refused.advice"), (Finding(accepted(name, say), message),), ways + acceptance)


def accepted(name: str, say: Say) -> str:
    """A risk that can be accepted, in words; the name alone where the page has none."""
    return say(f"accepted-risk.{name}") if name in ACCEPTED else name


def kept(saved: Any) -> dict[str, Any]:
    """A refusal out of a project; raises ValueError or TypeError where it is none."""
    if not saved:
        return {}
    refusal: dict[str, Any] = {"reason": str(saved["reason"])}
    if "accepted_as" in saved:
        refusal["accepted_as"] = str(saved["accepted_as"])
    if refusal["reason"] == "inference":
        refusal["given_back"] = [
            {
                "column": str(entry["column"]),
                "columns": [
                    [None if name is None else str(name) for name in names] for names in entry["columns"]
                ],
                "suppressed": bool(entry["suppressed"]),
                **{name: int(entry[name]) for name in ("cells", "of", "exposed", "narrowed")},
            }
            for entry in saved["given_back"]
        ]
    if refusal["reason"] == "requirement":
        refusal["unmet"] = [
            {
                **{name: str(entry[name]) for name in ("measure", "kind", "promise", "detail")},
                "columns": [str(name) for name in entry["columns"]],
            }
            for entry in saved["unmet"]
        ]
    if refusal["reason"] == "advice":
        refusal["accepted_as"] = str(saved["accepted_as"])
    return refusal


def _given_back(inferred: Sequence[Mapping[str, Any]], say: Say) -> tuple[Finding, ...]:
    return tuple(Finding(" ".join(_sentences(cells, say))) for cells in inferred)


def _sentences(determined: Mapping[str, Any], say: Say) -> list[str]:
    either, words = ", " + say("refused.or-from") + " ", (say("refused.with"), say("refused.and"))
    order = say("refused.row-order")
    sets = [[order if name is None else name for name in names] for names in determined["columns"]]
    key = "refused.suppressed" if determined["suppressed"] else "refused.changed"
    cells, of, exposed = (figure(determined[name]) for name in ("cells", "of", "exposed"))
    sentence = say(
        key,
        column=determined["column"],
        cells=cells,
        of=of,
        by=either.join(_together(names, *words) for names in sets),
    )
    few = [say("refused.narrowed", count=figure(determined["narrowed"]))] if determined["narrowed"] else []
    return [sentence, *few, *([say("refused.exposed", count=exposed)] if determined["exposed"] else [])]


def _ways_of(inferred: Sequence[Mapping[str, Any]], say: Say, plan: Mapping[str, Any]) -> list[str]:
    """What to do with columns that determine others: calibrate a weight, protect one released unchanged."""
    roles, steps = plan.get("roles", {}), plan.get("steps") or ()
    weight, protected = roles.get("weight"), {*roles.get("quasi", ())}
    protected |= {name for step in steps for name in step.get("quasi", ())}
    hidden = list(dict.fromkeys(cells["column"] for cells in inferred))
    sets = list(dict.fromkeys(_bare(names, hidden) for cells in inferred for names in cells["columns"]))
    # where the order of the records takes part, it is the one to go
    sets = [(None,) if None in names else names for names in sets]
    single = [names[0] for names in sets if len(names) == 1]
    # of columns that determine something together, one is enough
    several = [names for names in sets if len(names) > 1 and not {*single} & {*names}]
    every = [*single, *(name for names in several for name in names)]
    by = list(dict.fromkeys(name for name in every if name is not None))
    ways = []
    if by:
        choices = [name for name in single if name is not None]
        choices += [_listed([str(name) for name in names], "refused.or", say) for names in several]
        ways.append(say("refused.leave-out", columns=_listed(choices, "refused.and", say)))
    if bare := [name for name in by if name not in protected]:
        both = _listed(bare, "refused.and", say), _listed(hidden, "refused.and", say)
        ways.append(say("refused.together", columns=both[0], hidden=both[1]))
    if weight in by:
        ways.append(say("refused.weight", column=weight))
    if (None,) in sets:
        ways.append(say("refused.shuffle"))
    return ways


def _together(names: Sequence[str], word: str, last: str) -> str:
    """Columns that determine something only together."""
    first, others = list(names[:1]), list(names[1:])
    tail = f" {last} ".join(part for part in (", ".join(others[:-1]), *others[-1:]) if part)
    return f" {word} ".join(part for part in (*first, tail) if part)


def _bare(names: Sequence[str | None], hidden: Sequence[str]) -> tuple[str | None, ...]:
    """Those of some columns of which nothing is hidden, or all where there are none."""
    return tuple(name for name in names if name not in hidden) or tuple(names)


def _unmet(verdict: Mapping[str, Any], say: Say) -> Finding:
    text = say("refused.of-file", measure=verdict["measure"])
    if columns := verdict["columns"]:
        named = _listed(columns, "refused.and", say)
        text = say("refused.of-columns", measure=verdict["measure"], columns=named)
    return Finding(text, f"{verdict['promise'].rstrip('.')}: {verdict['detail']}")


def _way_of(kinds: set[str], say: Say) -> str:
    if "loss" not in kinds:
        return say("refused.protect-more")
    return say("refused.protect-less" if kinds == {"loss"} else "refused.another-method")


def _listed(names: Sequence[str], word: str, say: Say) -> str:
    shown = list(names[:_AT_A_GLANCE])
    if len(names) > len(shown):
        more = say("refused.more", count=len(names) - len(shown))
        return f"{', '.join(shown)} {more}"
    return f" {say(word)} ".join(part for part in (", ".join(shown[:-1]), *shown[-1:]) if part)
