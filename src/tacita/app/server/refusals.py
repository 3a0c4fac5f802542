"""Why a run was refused, in the language of the page: which column, and the way out.

A worker tells names and figures (`tacita.app.worker.refusals`); the words are here. A project that was saved
may bring anything, so it is checked before a page shows it.
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
    """A sentence, and what the verifier says of it in English."""

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
    told: Mapping[str, Any], say: Say, *, message: str = "", plan: Mapping[str, Any] | None = None
) -> Refusal | None:
    """In words; nothing where the `message` of the child is all there is. `plan` is what was refused."""
    reason = told.get("reason")
    if reason not in REASONS:
        return None
    insisting = (say("refused.insist", name=told["accepted_as"]),) if told.get("accepted_as") else ()
    if reason == "inference":
        found = told["given_back"]
        return Refusal(
            reason,
            say("refused.inference"),
            _given_back(found, say),
            (*_ways_of(found, say, plan or {}), *insisting),
        )
    if reason == "requirement":
        findings = tuple(_unmet(each, say) for each in told["unmet"])
        return Refusal(
            reason, say("refused.requirement"), findings, (_way_of({e["kind"] for e in told["unmet"]}, say),)
        )
    name = told["accepted_as"]
    ways = (say(f"refused.{name}"),) if name in ACCEPTED and name != "keys-determined" else ()
    return Refusal(reason, say("refused.advice"), (Finding(accepted(name, say), message),), ways + insisting)


def accepted(name: str, say: Say) -> str:
    """A risk that can be accepted, in words; the name alone where the page has none."""
    return say(f"accepted-risk.{name}") if name in ACCEPTED else name


def kept(told: Any) -> dict[str, Any]:
    """What a project says of a refusal; raises ValueError or TypeError where it is none."""
    if not told:
        return {}
    found: dict[str, Any] = {"reason": str(told["reason"])}
    if "accepted_as" in told:
        found["accepted_as"] = str(told["accepted_as"])
    if found["reason"] == "inference":
        found["given_back"] = [
            {
                "column": str(each["column"]),
                "columns": [
                    [None if name is None else str(name) for name in names] for names in each["columns"]
                ],
                "suppressed": bool(each["suppressed"]),
                **{name: int(each[name]) for name in ("cells", "of", "exposed", "narrowed")},
            }
            for each in told["given_back"]
        ]
    if found["reason"] == "requirement":
        found["unmet"] = [
            {
                **{name: str(each[name]) for name in ("measure", "kind", "promise", "detail")},
                "columns": [str(name) for name in each["columns"]],
            }
            for each in told["unmet"]
        ]
    if found["reason"] == "advice":
        found["accepted_as"] = str(told["accepted_as"])
    return found


def _given_back(found: Sequence[Mapping[str, Any]], say: Say) -> tuple[Finding, ...]:
    return tuple(Finding(" ".join(_sentences(each, say))) for each in found)


def _sentences(found: Mapping[str, Any], say: Say) -> list[str]:
    either, words = ", " + say("refused.or-from") + " ", (say("refused.with"), say("refused.and"))
    order = say("refused.row-order")
    sets = [[order if name is None else name for name in names] for names in found["columns"]]
    key = "refused.suppressed" if found["suppressed"] else "refused.changed"
    cells, of, exposed = (figure(found[name]) for name in ("cells", "of", "exposed"))
    told = say(
        key,
        column=found["column"],
        cells=cells,
        of=of,
        by=either.join(_together(names, *words) for names in sets),
    )
    few = [say("refused.narrowed", count=figure(found["narrowed"]))] if found["narrowed"] else []
    return [told, *few, *([say("refused.exposed", count=exposed)] if found["exposed"] else [])]


def _ways_of(found: Sequence[Mapping[str, Any]], say: Say, plan: Mapping[str, Any]) -> list[str]:
    """What to do with the columns that tell of others: a weight can be calibrated, a bare one protected."""
    roles, steps = plan.get("roles", {}), plan.get("steps") or ()
    weight, protected = roles.get("weight"), {*roles.get("quasi", ())}
    protected |= {name for step in steps for name in step.get("quasi", ())}
    hidden = list(dict.fromkeys(each["column"] for each in found))
    sets = list(dict.fromkeys(_bare(names, hidden) for each in found for names in each["columns"]))
    # where the order of the records takes part, it is the one to go
    sets = [(None,) if None in names else names for names in sets]
    alone = [names[0] for names in sets if len(names) == 1]
    # of columns that tell something together, one is enough
    several = [names for names in sets if len(names) > 1 and not {*alone} & {*names}]
    every = [*alone, *(name for names in several for name in names)]
    by = list(dict.fromkeys(name for name in every if name is not None))
    ways = []
    if by:
        each_of = [name for name in alone if name is not None]
        each_of += [_listed([str(name) for name in names], "refused.or", say) for names in several]
        ways.append(say("refused.leave-out", columns=_listed(each_of, "refused.and", say)))
    if bare := [name for name in by if name not in protected]:
        both = _listed(bare, "refused.and", say), _listed(hidden, "refused.and", say)
        ways.append(say("refused.together", columns=both[0], hidden=both[1]))
    if weight in by:
        ways.append(say("refused.weight", column=weight))
    if (None,) in sets:
        ways.append(say("refused.shuffle"))
    return ways


def _together(names: Sequence[str], word: str, last: str) -> str:
    """Columns that tell something only together."""
    first, others = list(names[:1]), list(names[1:])
    tail = f" {last} ".join(part for part in (", ".join(others[:-1]), *others[-1:]) if part)
    return f" {word} ".join(part for part in (*first, tail) if part)


def _bare(names: Sequence[str | None], hidden: Sequence[str]) -> tuple[str | None, ...]:
    """Those of some columns of which nothing is hidden, or all where there are none."""
    return tuple(name for name in names if name not in hidden) or tuple(names)


def _unmet(found: Mapping[str, Any], say: Say) -> Finding:
    text = say("refused.of-file", measure=found["measure"])
    if columns := found["columns"]:
        named = _listed(columns, "refused.and", say)
        text = say("refused.of-columns", measure=found["measure"], columns=named)
    return Finding(text, f"{found['promise'].rstrip('.')}: {found['detail']}")


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
