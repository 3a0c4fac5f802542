"""What all maskings share: the checks before, and what they hand back."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tacita.core import DataError, Floats, Labels, Mask, Matrix, RecordMethod, RunContext
from tacita.core.arrays import as_matrix
from tacita.core.spec.roles import Kind


@dataclass(frozen=True, repr=False)
class Masked:
    """Masked values; where each column was grouped by itself, also the group of each cell.

    Of categories, `labels` has one number a record that a promise speaks of (who changed places with whom,
    which matrix was drawn from), and `witness` what the verifier needs in addition to the parameters.
    """

    values: Matrix
    labels: Labels | None = None
    witness: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Coded:
    """Columns of categories in one stratum, as a masking of categories sees them.

    `codes` number the categories of each column, NaN where a value is missing; `texts` has their names in
    the order of the codes. `units` numbers the firm or household behind each record, and `read` the values
    of the columns that the method reads, a missing one as a value of its own. `present` tells of each
    category of a column, and last of missing values, whether some record of the whole file has it.
    """

    codes: Matrix
    names: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]
    units: Labels | None = None
    read: Mapping[str, Labels] = field(default_factory=dict)
    present: tuple[Mask, ...] = ()

    def in_file(self, j: int) -> list[bool]:
        """The same of one column; without a file around, of these records."""
        occurs: list[bool] = (
            self.present[j] if self.present else held(self.codes[:, j], len(self.texts[j]))
        ).tolist()
        return occurs


def held(column: Floats, categories: int) -> Mask:
    """Which categories stand in a column of codes, and last whether a value is missing.

    >>> held(np.array([0.0, np.nan, 2.0]), 3).tolist()
    [True, False, True, True]
    """
    codes = np.where(np.isnan(column), categories, column).astype(np.int64)
    return np.bincount(codes, minlength=categories + 1) > 0


class Masking(RecordMethod):
    """Replaces the values of records by others. Subclasses say how, in `change`.

    Never promises groups of k: whatever records share, they share by chance or column by column. The values
    come in on their own scale; a masking may not depend on the unit of measurement.
    """

    kind: ClassVar[str] = "masking"
    guarantees: ClassVar[tuple[str, ...]] = ("masked-cells",)
    roundable: ClassVar[bool] = True

    @property
    def needs_whole_file(self) -> str:
        return "it is scaled to, and promises something of, all records of a stratum"

    def mask(
        self,
        x: npt.ArrayLike,
        run: RunContext | None = None,
        *,
        units: npt.ArrayLike | None = None,
        beside: npt.ArrayLike | None = None,
    ) -> Matrix:
        """Values to publish in place of x, an (n, d) array; the rows stay where they are.

        `units` names the firm or household behind each record, for methods that count them; `beside` holds
        columns that are released as they are, for methods that look at them.
        """
        return self.masked(x, run, units=units, beside=beside).values

    def masked(
        self,
        x: npt.ArrayLike,
        run: RunContext | None = None,
        *,
        units: npt.ArrayLike | None = None,
        beside: npt.ArrayLike | None = None,
    ) -> Masked:
        """The same, with the group of each cell where there are groups."""
        matrix = as_matrix(x, self.display_name())
        n, d = matrix.shape
        context = self._context(np.empty((n, 0)) if beside is None else np.asarray(beside), n)
        self._check_record_count(n, d, context.shape[1])
        steered = run or RunContext()
        made = self.change(matrix, units, context, steered)
        steered.report("masking records", 1, 1)
        return made

    def _check_record_count(self, n: int, d: int, beside: int = 0) -> None:
        needed = self.fewest(d + beside)
        if n < needed:
            raise DataError(
                f"{self.display_name()}: {d} columns need at least {needed} records (a stratum), got {n}. "
                "Merge strata or mask fewer columns."
            )

    def _context(self, beside: npt.NDArray[Any], n: int) -> Matrix:
        if beside.size == 0:
            return np.empty((n, 0))
        context = as_matrix(beside, self.display_name())
        if context.shape[0] != n:
            raise DataError(
                f"{self.display_name()}: wanted a context of {n} records, got {context.shape[0]}."
            )
        return context

    def fewest(self, columns: int) -> int:
        """How many records it takes; with fewer, the result would nearly be the originals."""
        return 3

    @abstractmethod
    def change(self, x: Matrix, units: npt.ArrayLike | None, beside: Matrix, run: RunContext) -> Masked:
        """Masked values of x (finite, C order, enough records; `beside` may have no columns)."""


class CategoryMasking(Masking):
    """Replaces categories by others that are there. Subclasses say how, in `redraw`.

    Sees codes with the names of the categories, one stratum at a time. `whole_units` is True where the
    records of a unit are treated together by the method itself.
    """

    takes: ClassVar[tuple[Kind, ...]] = ("nominal", "ordinal")
    roundable: ClassVar[bool] = False

    def change(self, x: Matrix, units: npt.ArrayLike | None, beside: Matrix, run: RunContext) -> Masked:
        """Codes alone, for categories that have no names."""
        texts, codes = [], np.empty_like(x)
        values = [np.unique(column, return_inverse=True) for column in x.T]
        for j, (levels, places) in enumerate(values):
            texts.append(tuple(f"{value:g}" for value in levels.tolist()))
            codes[:, j] = places.reshape(-1)
        names = tuple(f"column {j + 1}" for j in range(x.shape[1]))
        owners = None if units is None else np.unique(np.asarray(units), return_inverse=True)[1].reshape(-1)
        made = self.redraw(Coded(codes=codes, names=names, texts=tuple(texts), units=owners), run)
        back = [
            levels[column.astype(np.int64)] for (levels, _), column in zip(values, made.values.T, strict=True)
        ]
        return Masked(np.column_stack(back), made.labels, made.witness)

    def redrawn(self, coded: Coded, run: RunContext) -> Masked:
        """Codes to publish in place of those of a stratum, refused where it has too few records."""
        self._check_record_count(*coded.codes.shape)
        return self.redraw(coded, run)

    @abstractmethod
    def redraw(self, coded: Coded, run: RunContext) -> Masked:
        """The same of a stratum that is large enough; each code is one that some record of the file has."""
