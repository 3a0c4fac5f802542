"""Hashes that depend on content alone: the same in every process, however a file is split."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tacita.core.data.spelling import plain_spelling

Hashes = npt.NDArray[np.uint64]

_MISSING = np.uint64(0x9E3779B97F4A7C15)


def mixed(values: Hashes) -> Hashes:
    """A pseudorandom number for each number (splitmix64).

    Source: Steele, Lea & Flood (2014), Fast splittable pseudorandom number generators, OOPSLA.

    >>> mixed(np.array([0, 1], dtype=np.uint64)).tolist()
    [16294208416658607535, 10451216379200822465]
    """
    z = values + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def fractions(numbers: npt.NDArray[np.integer], purpose: int) -> npt.NDArray[np.float64]:
    """A pseudorandom fraction in [0, 1) for each number, such as a record's; `purpose` seeds it."""
    salted = mixed(numbers.astype(np.uint64)) ^ np.uint64(purpose)
    return (mixed(salted) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def cells_of(table: pa.Table, columns: Sequence[str]) -> Hashes:
    """A hash of the cells of some columns in each record: the same cells, the same hash.

    O(n), with one hash per distinct value of a column. Without columns, 0 everywhere.
    """
    hashes = np.zeros(table.num_rows, dtype=np.uint64)
    for name in columns:
        hashes = mixed(hashes ^ _hashed(table[name].combine_chunks(), lambda value: value))
    return hashes


def alike_of(table: pa.Table, column: str) -> Hashes:
    """A hash of what each cell of a column means: equal for all spellings that `Microdata.alike` merges.

    O(n), with one hash per distinct text.

    >>> firms = alike_of(pa.table({"firm": ["ACME", "acme ", "Bolt"]}), "firm")
    >>> firms[0] == firms[1], firms[0] == firms[2]
    (np.True_, np.False_)
    """
    cells = table[column].combine_chunks()
    if pa.types.is_integer(cells.type):
        return mixed(np.asarray(cells.fill_null(0)).astype(np.uint64))
    if pa.types.is_floating(cells.type):
        # minus zero is zero
        values = np.asarray(cells.cast(pa.float64()).fill_null(0.0)) + 0.0
        return mixed(values.view(np.uint64))
    return _hashed(cells, (lambda value: value) if pa.types.is_decimal(cells.type) else plain_spelling)


def _hashed(cells: pa.Array, spelled: Callable[[object], object]) -> Hashes:
    """A hash for each cell, of the spelling of its value."""
    if pa.types.is_nested(cells.type):
        # Arrow cannot dictionary-encode lists and structs
        decoded = cells.to_pylist()
        return np.array(
            [_MISSING if value is None else _hash(spelled(value)) for value in decoded], dtype=np.uint64
        )
    coded = cells if pa.types.is_dictionary(cells.type) else cells.dictionary_encode()
    values = np.array([_hash(spelled(value)) for value in coded.dictionary.to_pylist()], dtype=np.uint64)
    places = np.asarray(coded.indices.cast(pa.int64()).fill_null(-1))
    hashes = np.full(places.size, _MISSING)
    hashes[places >= 0] = values[places[places >= 0]]
    return hashes


def _hash(value: object) -> int:
    # minus zero is zero
    plain = value + 0.0 if isinstance(value, float) else value
    return int.from_bytes(blake2b(repr(plain).encode(), digest_size=8).digest(), "little")
