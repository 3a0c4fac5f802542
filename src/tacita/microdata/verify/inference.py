"""The promise that what was hidden does not follow from what is released beside it.

Three attacks on the finished file: values learnt from records that still show them, recodings undone by a
column that has them finer, and sums. What follows is filled in, and records that then stand with fewer than k
are counted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.core import Mask
from tacita.core.results.inferred_cells import ROW_ORDER, Determined, bare
from tacita.core.results.verdicts import Verdict

from .dependence import Dependence, dependences
from .evidence import Evidence, distinct
from .exposure import exposed_records
from .hidden import HiddenColumn, column_of, hides_categories, known_of, number_of, numbers_shown, targets_of
from .learning import Target
from .linear import relation
from .ranks import quantities

NAME = "withstands-inference"
# By this name it is recorded that a release gives back what it hid.
ACCEPTED = "keys-determined"
# What may be exposed where k is promised, of the records whose keys were changed, and a few in any case.
_EXPOSED, _A_FEW = 0.01, 2
# What may be given back of the changed cells of a column where no k is promised.
_MOST_OF_A_COLUMN = 0.5
# Fewer determined cells are not worth a word where no k is promised.
_WORTH = 3
# Of masked numbers, this share must come back from groups.
_OF_NUMBERS = 0.1
# Sets of columns that are named, those that give back most.
_NAMED, _WORTH_NAMING = 3, 0.1
_OF_K = frozenset(("k-anonymous", "k-anonymous-to-all"))
# What only leaves something out: there is nothing to undo.
_NOTHING_TO_UNDO = "dropped"
# Values that are drawn anew show nothing of those that stood there, which sums and copies may still tell.
_DRAWN = frozenset(("synthetic-cells", "values-redrawn"))


def speaks_of(guarantees: Sequence[str]) -> bool:
    """Whether a step hides cells that could be given back."""
    return bool(guarantees) and _NOTHING_TO_UNDO not in guarantees


def withstands_inference(evidence: Evidence) -> str | None:
    """What follows from other columns, where it is more than may; what hides nothing withstands all."""
    refused = [each for each in inferred(evidence) if each.refused]
    if not refused:
        return None
    told = "; ".join(each.text for each in refused)
    exposed = max((each.exposed or 0) for each in refused)
    k = evidence.claim.k
    return f"{told}; with these filled in, {exposed} records have fewer than k={k}" if exposed else told


def inferred(evidence: Evidence) -> tuple[Determined, ...]:
    """What follows of each protected column, looked for once."""
    if not evidence.inferred:
        evidence.inferred.append(_inferred(evidence))
    return evidence.inferred[0]


def advice(failed: Sequence[Verdict]) -> str:
    """What can be done where verdicts on inference failed.

    >>> found = Determined("region", (("weight",),), "suppressed", 14, 14, 7, True)
    >>> advice([Verdict(NAME, "", False, "", inferred=(found,))])
    'Leave out weight or make it coarser (a weight: calibrate it anew), or protect it together with region.'
    """
    refused = [each for verdict in failed for each in verdict.inferred if each.refused]
    return way_out(refused)


def way_out(found: Sequence[Determined]) -> str:
    """What can be done about cells that come back: of columns that tell something together, one is enough.

    >>> one = Determined("region", (("weight", "size"),), "suppressed", 14, 14, 7, True)
    >>> other = Determined("size", (("scale", "rooms"),), "suppressed", 9, 9, 7, True)
    >>> way_out([one, other]).split(" or make")[0]
    'Leave out weight and one of scale and rooms'
    """
    hidden = list(dict.fromkeys(each.column for each in found))
    sets = list(dict.fromkeys(bare(names, hidden) for each in found for names in each.columns))
    alone = [name for names in sets if len(names) == 1 for name in names if name != ROW_ORDER]
    several = [names for names in sets if len(names) > 1 and not {*alone, ROW_ORDER} & {*names}]
    told = []
    if alone or several:
        one_of = [f"one of {_listed(names, 'and')}" for names in several]
        leave = _listed([*alone, *one_of], "and") if alone or len(several) > 1 else _listed(several[0], "or")
        others = list(dict.fromkeys([*alone, *(name for names in several for name in names)]))
        it = "it" if len(others) == 1 else "them"
        told.append(
            f"Leave out {leave} or make {it} coarser (a weight: calibrate it anew), or "
            f"protect {it} together with {_listed(hidden, 'and')}."
        )
    if any(ROW_ORDER in names for names in sets):
        told.append("Shuffle the records (--shuffle).")
    return " ".join(told)


def _listed(names: Sequence[str], word: str) -> str:
    return f" {word} ".join([part for part in (", ".join(names[:-1]), *names[-1:]) if part])


def _inferred(evidence: Evidence) -> tuple[Determined, ...]:
    claim = evidence.claim
    if not speaks_of(claim.guarantees) or not claim.rows.size:
        return ()
    names = [name for name in claim.original.quasi if name in evidence.released.columns]
    # masked numbers show nothing that a group could have in common
    drawn = bool(_DRAWN & set(claim.guarantees))
    hiding = not drawn and hides_categories(evidence, names)
    columns = [column_of(evidence, name) for name in names] if hiding else []
    of_k = bool(_OF_K & set(claim.guarantees)) and (claim.k or 0) > 1
    # fewer values than k that a cell may have are too few
    most = (claim.k or 0) - 1 if of_k else 1
    targets = [
        target
        for column in columns
        for target in targets_of(column, masked=column.name in evidence.masked, most=most)
    ]
    found = dependences(targets, known_of(evidence, columns)) if targets else []
    numbers = _relations(evidence, names)
    alone = _exposed(evidence, columns, targets, found) if of_k and targets else None
    hidden = np.zeros(claim.rows.size, dtype=bool)
    for column in columns:
        hidden |= column.suppressed | column.changed
    bearable = max(_A_FEW, int(_EXPOSED * hidden.sum()))
    told = []
    for target, by in zip(targets, found, strict=True):
        if by:
            told.append(_told(target, by, alone, bearable))
    numbers += [] if drawn else _in_common(evidence, names)
    numbers.sort(key=lambda each: -each.cells / each.of)
    for number in numbers:
        if number.column not in {other.column for other in told}:
            told.append(number)
    return tuple(each for each in told if _worth_a_word(each))


def _worth_a_word(found: Determined) -> bool:
    """Of what leaves everybody with k there is nothing to say, nor of single cells that chance gives back."""
    if found.exposed is None:
        return found.cells >= _WORTH
    return found.exposed > _A_FEW or (found.exposed > 0 and 2 * found.cells >= found.of)


def _told(target: Target, by: Sequence[Dependence], exposed: Mask | None, most: int) -> Determined:
    every = np.logical_or.reduce([each.cells for each in by])
    certain = np.logical_or.reduce([each.found for each in by])
    cells, of = int(every.sum()), int(target.hidden.sum())
    hidden = "changed" if target.self_taught else "suppressed"
    count = None if exposed is None else int((exposed & every).sum())
    if exposed is None:
        refused = cells > _MOST_OF_A_COLUMN * of and cells >= _WORTH
    else:
        refused = int(exposed.sum()) > most and bool(count)
    return Determined(
        column=target.column,
        columns=_telling(by),
        hidden=hidden,
        cells=cells,
        of=of,
        exposed=count,
        refused=refused,
        narrowed=cells - int(certain.sum()),
    )


def _telling(by: Sequence[Dependence]) -> tuple[tuple[str, ...], ...]:
    """The columns that give back most, then those that add most to them; each once, whichever way it does."""
    named: list[tuple[str, ...]] = []
    left = np.logical_or.reduce([each.cells for each in by])
    worth = max(1, int(_WORTH_NAMING * left.sum()))
    while left.any() and len(named) < _NAMED:
        # of columns that do the same, that with fewest values stands last
        added = [int((each.cells & left).sum()) for each in by]
        if named and max(added) < worth:
            break
        best = by[len(by) - 1 - int(np.argmax(added[::-1]))]
        left &= ~best.cells
        named.append(best.columns)
    return tuple(dict.fromkeys(named))


def _in_common(evidence: Evidence, protected: Sequence[str]) -> list[Determined]:
    """Masked numbers that groups of records have in common, as of a grade that tells the pay."""
    original = evidence.claim.original
    if "coded" in evidence.claim.guarantees:
        return []
    wanted = [name for name in protected if original.scale(name) == "numeric" and name not in evidence.masked]
    targets = [each for name in wanted if (each := number_of(evidence, name)) is not None]
    if not targets:
        return []
    # masked columns tell of groups that were made of them
    found = dependences(targets, known_of(evidence, (), without=protected))
    told = [_told(target, by, None, 0) for target, by in zip(targets, found, strict=True) if by]
    return [each for each in told if each.cells >= _OF_NUMBERS * each.of]


def _relations(evidence: Evidence, protected: Sequence[str]) -> list[Determined]:
    """Columns of numbers that are computed from released ones."""
    original, rows = evidence.claim.original, evidence.claim.rows
    # what an earlier step gave other values has no originals to be computed
    wanted = [name for name in protected if original.scale(name) == "numeric" and name not in evidence.masked]
    if not wanted:
        return []
    read = {name: quantities(evidence, name) for name in evidence.released.columns}
    numbers = {name: column for name, column in read.items() if column is not None and name not in protected}
    of_protected = {
        name: original.numbers(name)[rows] for name in protected if original.scale(name) == "numeric"
    }
    shown = {name: numbers_shown(evidence, name) for name in of_protected}
    found = []
    for name in wanted:
        was = original.numbers(name)[rows]
        hidden = np.isfinite(was) & (was != shown[name])
        if not hidden.any() or not numbers:
            continue
        others = {other: column for other, column in shown.items() if other != name}
        beside = {**numbers, **{other: of_protected[other] for other in others}}
        told = relation(was, hidden, beside, others, shown[name])
        if told is not None and (cells := int(told.found.sum())) >= _WORTH:
            of = int(hidden.sum())
            refused = cells > _MOST_OF_A_COLUMN * of
            found.append(
                Determined(
                    column=name,
                    columns=(told.columns,),
                    hidden="changed",
                    cells=cells,
                    of=of,
                    exposed=None,
                    refused=refused,
                )
            )
    return found


def _exposed(
    evidence: Evidence,
    columns: Sequence[HiddenColumn],
    targets: Sequence[Target],
    found: Sequence[Sequence[Dependence]],
) -> Mask:
    """Records that stand with fewer than k originals once all that follows is filled in."""
    original = evidence.claim.original
    named = [
        original.codes([name])[evidence.claim.rows]
        for name in (original.roles.strata if original.roles else ())
    ]
    strata = distinct(np.zeros(evidence.claim.rows.size, dtype=np.int64), *named)
    units = None
    if original.roles is not None and original.roles.unit is not None and not isinstance(evidence.units, str):
        units = distinct(evidence.units)
    k, m = evidence.claim.k or 0, evidence.claim.terms.get("m")
    return exposed_records(columns, targets, found, strata, units, k, m)
