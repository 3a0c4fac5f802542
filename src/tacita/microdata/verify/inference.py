"""The promise that protected values cannot be inferred from other released columns.

Three attacks on the finished file: values learnt from records that still show them, recodings undone by a
column with finer values, and sums. Inferred values are filled in, and the records that then have fewer than k
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
# Name of the accepted risk that other columns determine protected values.
ACCEPTED = "keys-determined"
# With a promise of k: largest share of exposed records among those with changed keys, and a minimum.
_EXPOSED = 0.01
_A_FEW = 2
# Without a promise of k: largest share of inferred cells among the changed ones of a column.
_MOST_OF_A_COLUMN = 0.5
# Without a promise of k: fewer inferred cells are not reported.
_WORTH = 3
# Share of the masked numbers of a column that groups must determine to be reported.
_OF_NUMBERS = 0.1
# Sets of columns that a message names at most, and the smallest share of cells that one must add.
_NAMED = 3
_WORTH_NAMING = 0.1
_OF_K = frozenset(("k-anonymous", "k-anonymous-to-all"))
# Steps that only remove records or columns have no protected values.
_NOTHING_TO_UNDO = "dropped"
# Synthetic values: only sums and copies can determine the originals.
_DRAWN = frozenset(("synthetic-cells", "values-redrawn"))


def speaks_of(guarantees: Sequence[str]) -> bool:
    """Whether a step protects cells that could be inferred."""
    return bool(guarantees) and _NOTHING_TO_UNDO not in guarantees


def withstands_inference(evidence: Evidence) -> str | None:
    """The cells that other columns determine, if they are more than allowed."""
    refused = [column for column in inferred(evidence) if column.refused]
    if not refused:
        return None
    texts = "; ".join(column.text for column in refused)
    exposed = max((column.exposed or 0) for column in refused)
    k = evidence.claim.k
    return f"{texts}; with these filled in, {exposed} records have fewer than k={k}" if exposed else texts


def inferred(evidence: Evidence) -> tuple[Determined, ...]:
    """The cells of each protected column that other columns determine; computed once."""
    if not evidence.inferred:
        evidence.inferred.append(_inferred(evidence))
    return evidence.inferred[0]


def advice(failed: Sequence[Verdict]) -> str:
    """Advice for failed verdicts on inference.

    >>> region = Determined("region", (("weight",),), "suppressed", 14, 14, 7, True)
    >>> advice([Verdict(NAME, "", False, "", inferred=(region,))])
    'Leave out weight or make it coarser (a weight: calibrate it anew), or protect it together with region.'
    """
    refused = [column for verdict in failed for column in verdict.inferred if column.refused]
    return way_out(refused)


def way_out(determined: Sequence[Determined]) -> str:
    """Advice for inferred cells; of columns that determine cells together, removing one is enough.

    >>> one = Determined("region", (("weight", "size"),), "suppressed", 14, 14, 7, True)
    >>> other = Determined("size", (("scale", "rooms"),), "suppressed", 9, 9, 7, True)
    >>> way_out([one, other]).split(" or make")[0]
    'Leave out weight and one of scale and rooms'
    """
    hidden = list(dict.fromkeys(target.column for target in determined))
    sets = list(dict.fromkeys(bare(names, hidden) for target in determined for names in target.columns))
    single = [name for names in sets if len(names) == 1 for name in names if name != ROW_ORDER]
    several = [names for names in sets if len(names) > 1 and not {*single, ROW_ORDER} & {*names}]
    sentences = []
    if single or several:
        one_of = [f"one of {_listed(names, 'and')}" for names in several]
        leave = (
            _listed([*single, *one_of], "and") if single or len(several) > 1 else _listed(several[0], "or")
        )
        others = list(dict.fromkeys([*single, *(name for names in several for name in names)]))
        it = "it" if len(others) == 1 else "them"
        sentences.append(
            f"Leave out {leave} or make {it} coarser (a weight: calibrate it anew), or "
            f"protect {it} together with {_listed(hidden, 'and')}."
        )
    if any(ROW_ORDER in names for names in sets):
        sentences.append("Shuffle the records (--shuffle).")
    return " ".join(sentences)


def _listed(names: Sequence[str], word: str) -> str:
    return f" {word} ".join([part for part in (", ".join(names[:-1]), *names[-1:]) if part])


def _inferred(evidence: Evidence) -> tuple[Determined, ...]:
    claim = evidence.claim
    if not speaks_of(claim.guarantees) or not claim.rows.size:
        return ()
    names = [name for name in claim.original.quasi if name in evidence.released.columns]
    # synthetic and masked numbers have no common value in a group
    drawn = bool(_DRAWN & set(claim.guarantees))
    hiding = not drawn and hides_categories(evidence, names)
    columns = [column_of(evidence, name) for name in names] if hiding else []
    of_k = bool(_OF_K & set(claim.guarantees)) and (claim.k or 0) > 1
    # with k, a cell with fewer than k possible values is exposed
    most = (claim.k or 0) - 1 if of_k else 1
    targets = [
        target
        for column in columns
        for target in targets_of(column, masked=column.name in evidence.masked, most=most)
    ]
    sources = dependences(targets, known_of(evidence, columns)) if targets else []
    numbers = _relations(evidence, names)
    exposed = _exposed(evidence, columns, targets, sources) if of_k and targets else None
    hidden = np.zeros(claim.rows.size, dtype=bool)
    for column in columns:
        hidden |= column.suppressed | column.changed
    allowed = max(_A_FEW, int(_EXPOSED * hidden.sum()))
    determined = []
    for target, by in zip(targets, sources, strict=True):
        if by:
            determined.append(_determined(target, by, exposed, allowed))
    numbers += [] if drawn else _in_common(evidence, names)
    numbers.sort(key=lambda number: -number.cells / number.of)
    for number in numbers:
        if number.column not in {other.column for other in determined}:
            determined.append(number)
    return tuple(column for column in determined if _is_reported(column))


def _is_reported(column: Determined) -> bool:
    """Not if all records keep k, nor for single cells that chance may explain."""
    if column.exposed is None:
        return column.cells >= _WORTH
    return column.exposed > _A_FEW or (column.exposed > 0 and 2 * column.cells >= column.of)


def _determined(target: Target, by: Sequence[Dependence], exposed: Mask | None, most: int) -> Determined:
    narrowed = np.logical_or.reduce([dependence.cells for dependence in by])
    certain = np.logical_or.reduce([dependence.determined for dependence in by])
    cells, of = int(narrowed.sum()), int(target.hidden.sum())
    hidden = "changed" if target.self_taught else "suppressed"
    count = None if exposed is None else int((exposed & narrowed).sum())
    if exposed is None:
        refused = cells > _MOST_OF_A_COLUMN * of and cells >= _WORTH
    else:
        refused = int(exposed.sum()) > most and bool(count)
    return Determined(
        column=target.column,
        columns=_sources(by),
        hidden=hidden,
        cells=cells,
        of=of,
        exposed=count,
        refused=refused,
        narrowed=cells - int(certain.sum()),
    )


def _sources(by: Sequence[Dependence]) -> tuple[tuple[str, ...], ...]:
    """The sets of columns that determine most cells, then those that add most to these."""
    named: list[tuple[str, ...]] = []
    left = np.logical_or.reduce([dependence.cells for dependence in by])
    worth = max(1, int(_WORTH_NAMING * left.sum()))
    while left.any() and len(named) < _NAMED:
        # among equal sets, the last one has the fewest values
        added = [int((dependence.cells & left).sum()) for dependence in by]
        if named and max(added) < worth:
            break
        best = by[len(by) - 1 - int(np.argmax(added[::-1]))]
        left &= ~best.cells
        named.append(best.columns)
    return tuple(dict.fromkeys(named))


def _in_common(evidence: Evidence, protected: Sequence[str]) -> list[Determined]:
    """Masked numbers that are the same within groups of records, as the pay of a grade."""
    original = evidence.claim.original
    if "coded" in evidence.claim.guarantees:
        return []
    wanted = [name for name in protected if original.scale(name) == "numeric" and name not in evidence.masked]
    targets = [target for name in wanted if (target := number_of(evidence, name)) is not None]
    if not targets:
        return []
    # masked columns are excluded: they show the groups that were made of them
    sources = dependences(targets, known_of(evidence, (), without=protected))
    determined = [_determined(target, by, None, 0) for target, by in zip(targets, sources, strict=True) if by]
    return [column for column in determined if column.cells >= _OF_NUMBERS * column.of]


def _relations(evidence: Evidence, protected: Sequence[str]) -> list[Determined]:
    """Numeric columns that can be computed from released ones."""
    original, rows = evidence.claim.original, evidence.claim.rows
    # columns that an earlier step masked have no originals to compute
    wanted = [name for name in protected if original.scale(name) == "numeric" and name not in evidence.masked]
    if not wanted:
        return []
    read = {name: quantities(evidence, name) for name in evidence.released.columns}
    numbers = {name: column for name, column in read.items() if column is not None and name not in protected}
    of_protected = {
        name: original.numbers(name)[rows] for name in protected if original.scale(name) == "numeric"
    }
    shown = {name: numbers_shown(evidence, name) for name in of_protected}
    determined = []
    for name in wanted:
        original_values = original.numbers(name)[rows]
        hidden = np.isfinite(original_values) & (original_values != shown[name])
        if not hidden.any() or not numbers:
            continue
        others = {other: column for other, column in shown.items() if other != name}
        context = {**numbers, **{other: of_protected[other] for other in others}}
        linear = relation(original_values, hidden, context, others, shown[name])
        if linear is not None and (cells := int(linear.determined.sum())) >= _WORTH:
            of = int(hidden.sum())
            refused = cells > _MOST_OF_A_COLUMN * of
            determined.append(
                Determined(
                    column=name,
                    columns=(linear.columns,),
                    hidden="changed",
                    cells=cells,
                    of=of,
                    exposed=None,
                    refused=refused,
                )
            )
    return determined


def _exposed(
    evidence: Evidence,
    columns: Sequence[HiddenColumn],
    targets: Sequence[Target],
    sources: Sequence[Sequence[Dependence]],
) -> Mask:
    """Records with fewer than k originals once all inferred cells are filled in."""
    original = evidence.claim.original
    strata_codes = [
        original.codes([name])[evidence.claim.rows]
        for name in (original.roles.strata if original.roles else ())
    ]
    strata = distinct(np.zeros(evidence.claim.rows.size, dtype=np.int64), *strata_codes)
    units = None
    if original.roles is not None and original.roles.unit is not None and not isinstance(evidence.units, str):
        units = distinct(evidence.units)
    k, m = evidence.claim.k or 0, evidence.claim.terms.get("m")
    return exposed_records(columns, targets, sources, strata, units, k, m)
