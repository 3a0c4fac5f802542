"""Small draws that the made-up surveys share: codes, quotas, sizes, holes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacita.core.errors import ParameterError

if TYPE_CHECKING:
    import pyarrow as pa

Texts = NDArray[np.str_]
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

_SYLLABLES = np.array([first + second for first in "bdlmnrstv" for second in "aeiou"])


def check_options(dataset: str, n: object, seed: object, missing: object) -> None:
    """Raise where the options of a survey are invalid.

    >>> check_options("business", 0, 1, 0.0)
    Traceback (most recent call last):
    tacita.core.errors.ParameterError: business: n must be a whole number of at least 1, got 0.
    """
    for option, value, least in (("n", n, 1), ("seed", seed, 0)):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
            raise ParameterError(
                f"{dataset}: {option} must be a whole number of at least {least}, got {value!r}."
            )
    if not isinstance(missing, int | float) or isinstance(missing, bool) or not 0 <= missing < 1:
        raise ParameterError(f"{dataset}: missing must be a share from 0 up to but not 1, got {missing!r}.")


def quota(shares: Sequence[float], n: int) -> Integers:
    """How many of `n` fall to each share: exact rather than drawn, so that no stratum comes out thin.

    >>> quota([0.5, 0.3, 0.2], 7).tolist()
    [4, 2, 1]
    """
    edges = np.rint(np.cumsum(np.asarray(shares) / np.sum(shares)) * n).astype(np.int64)
    return np.asarray(np.diff(edges, prepend=0))


def run_labels(sizes: Integers, n: int) -> Integers:
    """Label `n` places by the run they fall into; the last run used may be cut short.

    >>> run_labels(np.array([2, 3, 4]), 6).tolist()
    [0, 0, 1, 1, 1, 2]
    """
    return np.repeat(np.arange(len(sizes)), sizes)[:n]


def coded(letter: str, numbers: Integers, width: int) -> Texts:
    """Write numbers as codes of one length, one letter in front.

    >>> coded("G", np.array([7, 12]), 4).tolist()
    ['G0007', 'G0012']
    """
    digits = max(width, len(str(numbers.max())))
    return np.char.add(letter, np.char.zfill(numbers.astype(np.str_), digits))


def unique_numbers(generator: np.random.Generator, n: int) -> Texts:
    """`n` different registration numbers, each with at least one zero in front (at least 7 digits).

    >>> numbers = unique_numbers(np.random.default_rng(1), 500)
    >>> len(set(numbers.tolist())), {len(number) for number in numbers.tolist()}
    (500, {7})
    """
    space = 10 * max(n, 100_000)
    drawn = generator.choice(space, size=n, replace=False)
    return np.char.zfill(drawn.astype(np.str_), len(str(space - 1)) + 1)


def unique_words(generator: np.random.Generator, n: int) -> Texts:
    """`n` different pronounceable words without a meaning.

    >>> len(set(unique_words(np.random.default_rng(1), 500).tolist()))
    500
    """
    syllables = 3
    while len(_SYLLABLES) ** syllables < 2 * n:
        syllables += 1
    drawn = generator.choice(len(_SYLLABLES) ** syllables, size=n, replace=False)
    words = np.full(n, "", dtype="U1")
    for position in range(syllables):
        # All syllables have the same length, so different numbers give different words.
        words = np.char.add(words, _SYLLABLES[drawn // len(_SYLLABLES) ** position % len(_SYLLABLES)])
    return np.char.capitalize(words)


def whole(values: Floats) -> Integers:
    """Money as files hold it: whole units.

    >>> whole(np.array([1.2, 7.9])).tolist()
    [1, 8]
    """
    return np.rint(values).astype(np.int64)


def happens(generator: np.random.Generator, chance: Floats) -> NDArray[np.bool_]:
    """Draw an event per record, each with its own chance.

    >>> happens(np.random.default_rng(1), np.array([0.0, 1.0])).tolist()
    [False, True]
    """
    return generator.random(len(chance)) < chance


def to_table(
    columns: Mapping[str, NDArray[Any]], holes: Sequence[str], missing: float, seed: int
) -> pa.Table:
    """Make the table, with the share `missing` of the cells of each column in `holes` left empty.

    >>> to_table({"sales": np.array([1, 2, 3, 4])}, ["sales"], 0.5, seed=1)["sales"].null_count
    2
    """
    import pyarrow as pa

    # A separate random stream: missing values must not change the other values.
    generator = np.random.default_rng([seed, 1])
    arrays = {}
    for name, values in columns.items():
        empty = np.zeros(len(values), dtype=bool)
        if name in holes:
            empty[generator.permutation(len(values))[: round(missing * len(values))]] = True
        arrays[name] = pa.array(values, mask=empty)
    return pa.table(arrays)
