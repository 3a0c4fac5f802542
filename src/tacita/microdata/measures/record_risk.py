"""How likely each record is to be found, counted in classes that no single record shows through."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from tacita.core import Floats, Ints, Matrix, Microdata, Report, RunContext
from tacita.core.results.plot_data import RiskByRecord
from tacita.core.spec.roles import Kind
from tacita.microdata.statistics.sample_uniqueness import combined
from tacita.microdata.statistics.unit_counts import Company

from .evaluate import compared
from .risk.linkage import DBRL

# Upper ends of classes, in percent. Chances are 1/t of t candidates, most of which lie on an end.
_ENDS = (0.0, 5.0, 10.0, 20.0, 100 / 3, 50.0, 100.0)
# What lies on an end but for rounding lies on it.
_ROUNDING = 1e-9


def of_protected(
    before: Matrix,
    after: Matrix,
    names: Sequence[str],
    kinds: Sequence[Kind],
    recoded: Collection[str],
    report: Report,
    k: int,
    run: RunContext,
    units: Ints | None = None,
) -> RiskByRecord | None:
    """Chances of an attacker who knows the protected columns and links by distance, as DBRL does.

    Of t released records that are equally near the attacker picks one: 1/t if the own one is among them, else
    0. What a `recoded` value became is plain, so there the attacker looks for the new value; where all are
    recoded, t is how many records, or `units` where given, share their values. Links by distance are counted
    by records: of several records of a unit, the one that is near is found. None where DBRL is needed and was
    not requested.
    Records with a missing value are left out. The cost of DBRL where some columns are recoded and some are
    not, else O(n d log n).

    >>> x = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]])
    >>> z = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]])
    >>> of_protected(x, z, ["age"], ["nominal"], {"age"}, Report(()), 3, RunContext()).after
    (0, 0, 0, 0, 6, 0, 0)
    """
    complete = ~(np.isnan(before) | np.isnan(after)).any(axis=1)
    x, z = before[complete], after[complete]
    company = Company(units).taken(np.flatnonzero(complete))
    if len(x) < k or not names:
        return None
    known = np.array([name in recoded for name in names])
    if known.all():
        chances = _among_equals(_codes(z), company)
    else:
        linked = next((score.per_record for score in report if score.name == "DBRL"), None)
        if linked is None:
            return None
        if known.any():
            pair = compared(np.where(known, z, x), z, names, kinds)
            linked = DBRL().score(pair, run).per_record
        if linked is None:
            return None
        chances = linked
    as_it_was = _classes(_among_equals(_codes(x), company), k)
    return RiskByRecord(
        of="protected", columns=tuple(names), k=k, ends=_ENDS, before=as_it_was, after=_classes(chances, k)
    )


def of_unchanged(
    released: Microdata, names: Sequence[str], k: int, units: Ints | None = None
) -> RiskByRecord | None:
    """Chances of an attacker who knows the unchanged columns: 1/t of t records, or units, alike.

    O(n d log n).

    >>> import pyarrow as pa
    >>> file = Microdata.of(pa.table({"sex": [1] * 3 + [2] * 6}))
    >>> of_unchanged(file, ["sex"], 3).after
    (0, 0, 0, 6, 3, 0, 0)
    """
    if not names or released.n < k:
        return None
    codes = combined((released.codes([name]) for name in names), released.n)
    chances = _among_equals(codes, Company(units))
    return RiskByRecord(
        of="unchanged", columns=tuple(names), k=k, ends=_ENDS, before=(), after=_classes(chances, k)
    )


def _codes(values: Matrix) -> Ints:
    return combined((np.unique(column, return_inverse=True)[1] for column in values.T), len(values))


def _among_equals(codes: Ints, company: Company) -> Floats:
    return np.asarray(100.0 / company.sharing(codes))


def _classes(chances: Floats, k: int) -> tuple[int | None, ...]:
    """Number of chances in each class; None for a count that points to fewer than k records."""
    places = np.searchsorted(np.array(_ENDS), chances * (1 - _ROUNDING))
    counts = np.bincount(places, minlength=len(_ENDS)).tolist()
    return tuple(None if 0 < count < k else count for count in counts)
