"""An attacker with a group-by: which hidden keys do released columns give back? In pandas, nothing of tacita.

The attacker groups the records by some released columns and sees in each group which values of a key those
that still show it have. How large a group must be to be believed is told by how often that is true, which an
attacker would not know: none with a group-by does better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

# So often a belief must be true beyond what guessing gives, of so many hidden cells at least.
_TRUE, _FEWEST = 0.95, 20
# A few values say little where a guess is among them so often.
_BY_CHANCE = 0.35


@dataclass(frozen=True)
class Attack:
    """Columns that were believed, by key, and records that agree with fewer than k originals then."""

    believed: tuple[tuple[str, tuple[str, ...]], ...]
    exposed: tuple[int, ...]


def attack(
    truth: pd.DataFrame, released: pd.DataFrame, keys: Sequence[str], k: int, sizes: Sequence[int] = (1, 2)
) -> Attack:
    """Group by so many columns; frames have the same records in the same order."""
    shown = released.astype(str).where(released.notna()).astype(object)
    had = truth[list(keys)].astype(str).astype(object)
    beliefs: dict[tuple[int, str], frozenset[str]] = {}
    believed = []
    for key in keys:
        hidden = shown[key].isna()
        others = [name for name in shown if name != key and shown[name].nunique() > 1]
        for size in sizes:
            # where hardly two records agree on a column, no combination with it repeats
            usable = [name for name in others if size == 1 or shown[name].nunique() < 0.9 * len(shown)]
            for names in combinations(usable, size):
                found = _beliefs(shown, had[key], hidden, key, list(names), k)
                if found:
                    believed.append((key, names))
                for row, values in found.items():
                    left = beliefs.get((row, key), values) & values
                    beliefs[row, key] = left or values
    return Attack(tuple(believed), tuple(_exposed(shown, had, beliefs, keys, k)))


def _beliefs(
    shown: pd.DataFrame, had: pd.Series, hidden: pd.Series, key: str, names: list[str], k: int
) -> dict[int, frozenset[str]]:
    """Values that hidden cells may have, by groups of as many records as it takes to be true."""
    group = shown.groupby(names).ngroup().to_numpy()
    teaching = ~hidden.to_numpy() & (group >= 0)
    share = shown.loc[teaching, key].value_counts(normalize=True).to_dict()
    taught = pd.DataFrame({"group": group[teaching], "value": shown.loc[teaching, key].to_numpy()})
    sizes = taught["group"].value_counts().to_dict()
    values = {each: frozenset(own) for each, own in taught.groupby("group")["value"].unique().items()}
    guessed = {each: sum(share[value] for value in own) for each, own in values.items()}
    rows = [row for row in np.flatnonzero(hidden.to_numpy()) if group[row] in sizes]
    truth, groups = had.to_numpy(), [group[row] for row in rows]
    chance = np.array([guessed[each] for each in groups])
    few = np.array([len(values[each]) for each in groups])
    support = np.array([sizes[each] for each in groups])
    true = np.array([truth[row] in values[each] for row, each in zip(rows, groups, strict=True)])
    telling = (few == 1) | ((few < k) & (chance <= _BY_CHANCE))
    for fewest in (1, 2, 4, 8, 16, 32, 64):
        mine = telling & (support >= fewest)
        if mine.sum() < _FEWEST:
            return {}
        expected = chance[mine].mean()
        if (true[mine].mean() - expected) >= _TRUE * (1 - expected):
            return {int(rows[at]): values[groups[at]] for at in np.flatnonzero(mine)}
    return {}


def _exposed(
    shown: pd.DataFrame,
    had: pd.DataFrame,
    beliefs: dict[tuple[int, str], frozenset[str]],
    keys: Sequence[str],
    k: int,
) -> list[int]:
    """Records of which the truth is among fewer than k originals that agree with all that is believed."""
    found = []
    originals, cells = ({key: side[key].to_numpy() for key in keys} for side in (had, shown))
    gone = {key: shown[key].isna().to_numpy() for key in keys}
    for row in sorted({row for row, _ in beliefs}):
        agree = np.ones(len(had), dtype=bool)
        for key in keys:
            values = beliefs.get((row, key), ()) if gone[key][row] else (cells[key][row],)
            if values:
                agree &= np.logical_or.reduce([originals[key] == value for value in values])
        if agree[row] and agree.sum() < k:
            found.append(row)
    return found
