"""Whether identifiers were replaced: by words that tell persons apart and say nothing else of them."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import Ints, Microdata
from tacita.core.data.number_parsing import UNTYPED
from tacita.core.results.release import Claim

from .cells import as_array
from .evidence import Evidence, distinct, no_category, one_each

PROMISE = (
    "Every identifier to be replaced is a pseudonym, the same for equal ones and for no others; no column "
    "shows the identifiers."
)
_WORD = re.compile("p[a-z2-7]{12,51}")


def promised(claim: Claim, *, finished: bool) -> tuple[str, ...]:
    """The promise of pseudonyms, where the finished file has them."""
    roles = claim.original.roles
    return ("identifiers-replaced",) if finished and roles is not None and roles.pseudonyms else ()


def identifiers_replaced(evidence: Evidence) -> str | None:
    """Pseudonyms where identifiers were, one for each; no column of the release shows the identifiers."""
    claim = evidence.claim
    roles, before = claim.original.roles, claim.identified
    if before is None or roles is None or set(before.columns) != set(roles.pseudonyms):
        return "the claim does not say what the identifiers were"
    for name in before.columns:
        if name not in evidence.released.columns:
            return f"column {name} of pseudonyms is gone"
        if fault := _fault(evidence, before, name):
            return f"column {name}: {fault}"
    return None


def _fault(evidence: Evidence, before: Microdata, name: str) -> str | None:
    rows = evidence.claim.rows
    absent = no_category(before, name)[rows]
    if wrong := int((absent != evidence.gaps_shown(name)).sum()):
        return f"{wrong} records show a pseudonym and had no identifier, or the reverse"
    there = np.flatnonzero(~absent)
    words = _texts(evidence.released, name)
    if words is None:
        return "its pseudonyms are no text"
    shown = words.take(pa.array(there))
    pseudonyms = set(shown.to_pylist())
    if wrong := sum(_WORD.fullmatch(word) is None for word in pseudonyms):
        return f"{wrong} of its {len(pseudonyms)} words are no pseudonyms"
    if len({len(word) for word in pseudonyms}) > 1:
        return "its pseudonyms differ in length"
    old = one_each(before, name)[rows][there]
    new = np.asarray(shown.dictionary_encode().indices, dtype=np.int64)
    if fault := _one_to_one(old, new):
        return fault
    source = _texts(before, name)
    if source is None:
        return "its identifiers cannot be compared"
    source = _plain(source.take(pa.array(rows[there])))
    # a file whose identifiers are pseudonyms already is no exception
    if known := len(pseudonyms & set(source.to_pylist())):
        return f"{known} of its words are identifiers of the source"
    for other in evidence.released.columns:
        texts = None if other == name else _texts(evidence.released, other)
        if texts is None:
            continue
        same = int(pc.sum(pc.fill_null(pc.equal(_plain(texts.take(pa.array(there))), source), False)).as_py())
        if 2 * same > there.size:
            return f"column {other} shows the identifier of {same} records. Name it as an identifier too"
    return None


def _one_to_one(old: Ints, new: Ints) -> str | None:
    pairs, names, words = distinct(old, new).max() + 1, distinct(old).max() + 1, distinct(new).max() + 1
    if pairs > words:
        return f"{pairs - words} identifiers share the pseudonym of another"
    if pairs > names:
        return f"{pairs - names} identifiers have several pseudonyms"
    return None


def _texts(data: Microdata, name: str) -> pa.Array | None:
    """The cells of a column as they read, None where they cannot be read."""
    try:
        cells = as_array(data.column(name))
        plain = cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells
        return plain.cast(pa.large_string())
    except (*UNTYPED, pa.ArrowException):
        return None


def _plain(texts: pa.Array) -> pa.Array:
    return pc.utf8_lower(pc.utf8_trim_whitespace(texts))
