"""Column metadata of statistical packages: labels, codes of missing values, display formats."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any, Literal

import narwhals as nw
import numpy as np

from tacita.core.arrays import Ints, Mask

# The package that defines the codes of missing values and the display formats.
System = Literal["stata", "spss", "sas"]
Code = float | str


@dataclass(frozen=True, eq=False)
class ColumnNotes:
    """The metadata of a column: its label, labels of codes, display format and level of measurement.

    Where a value is missing for a stated reason, `codes` are the reasons in use and `kinds` holds for each
    record the place of its reason among them, -1 where there is a value or no reason. `weighs` says that the
    package counts each record as often as the column tells.
    """

    label: str | None = None
    values: Mapping[Code, str] = field(default_factory=dict)
    codes: tuple[Code, ...] = ()
    kinds: Ints | None = None
    display: str | None = None
    measure: str | None = None
    weighs: bool = False

    @property
    def user_missing(self) -> int:
        """The number of records whose value is missing for a stated reason.

        >>> ColumnNotes(codes=(-9.0,), kinds=np.array([-1, 0, 0])).user_missing
        2
        """
        return 0 if self.kinds is None else int((self.kinds >= 0).sum())


@dataclass(frozen=True, eq=False)
class Notes:
    """The metadata of the columns of a file, by name."""

    system: System
    columns: Mapping[str, ColumnNotes] = field(default_factory=dict)

    def of(self, column: str) -> ColumnNotes:
        """The metadata of a column, empty if there are none."""
        return self.columns.get(column, ColumnNotes())

    def shown(self, frame: nw.DataFrame[Any], rows: Ints, changed: Set[str], merged: Set[str]) -> Notes:
        """The metadata that a release may have: only of columns and codes that it shows. O(n d).

        `rows[i]` is the record that row i came from. Text in `changed` columns means something else now, so
        that its codes lose their labels. In `merged` columns promises count missing values as one, so that
        all of them are: reasons would tell records apart.

        >>> import pyarrow as pa
        >>> sex = ColumnNotes(values={1.0: "man", 2.0: "woman"})
        >>> notes = Notes("spss", {"sex": sex, "name": ColumnNotes(label="full name")})
        >>> frame = nw.from_native(pa.table({"sex": [2.0, 2.0]}), eager_only=True)
        >>> left = notes.shown(frame, np.arange(2), frozenset(), frozenset())
        >>> {name: dict(each.values) for name, each in left.columns.items()}
        {'sex': {2.0: 'woman'}}
        """
        return Notes(
            self.system,
            {
                name: _shown(self.columns[name], frame[name], rows, name in changed, name in merged)
                for name in frame.columns
                if name in self.columns
            },
        )


def _shown(notes: ColumnNotes, cells: nw.Series[Any], rows: Ints, changed: bool, merged: bool) -> ColumnNotes:
    codes, kinds = ((), None) if merged else _reasons(notes, _empty(cells), rows)
    text, number = cells.dtype in (nw.String, nw.Categorical, nw.Enum), cells.dtype.is_numeric()
    present: set[Code] = set()
    if number or (text and not changed):
        present = {value if text else float(value) for value in cells.unique().to_list() if value is not None}
    return ColumnNotes(
        label=notes.label,
        values={code: label for code, label in notes.values.items() if code in present or code in codes},
        codes=codes,
        kinds=kinds,
        display=None if text else notes.display,
        measure=None if text and notes.measure == "scale" else notes.measure,
        weighs=notes.weighs and number,
    )


def _empty(cells: nw.Series[Any]) -> Mask:
    empty = cells.is_null()
    if cells.dtype.is_float():
        empty = empty | cells.is_nan().fill_null(True)
    return np.asarray(empty.to_numpy(), dtype=bool)


def _reasons(notes: ColumnNotes, empty: Mask, rows: Ints) -> tuple[tuple[Code, ...], Ints | None]:
    """The reasons that rows still have, renumbered."""
    if notes.kinds is None:
        return (), None
    kinds = np.where(empty, notes.kinds[rows], -1)
    used, places = np.unique(kinds[kinds >= 0], return_inverse=True)
    if not used.size:
        return (), None
    kinds[kinds >= 0] = places
    return tuple(notes.codes[index] for index in used), kinds.astype(np.int64)
