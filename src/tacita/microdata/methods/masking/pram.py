"""Categories that are exchanged for others by chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from tacita.core import Floats, Ints, Labels, Matrix, ParameterError, RunContext
from tacita.core.data.microdata import join_names

from .masking_method import CategoryMasking, Coded, Masked
from .transitions import check_matrix_size, check_probabilities, declared, draw, generated, invariant


def _as_matrices(value: object) -> object:
    """A mapping as it is, or words such as COLUMN:OLD:NEW=P from a command line."""
    if not isinstance(value, list | tuple):
        return value
    matrices: dict[str, dict[str, dict[str, Any]]] = {}
    for word in map(str, value):
        place, sign, probability = word.rpartition("=")
        parts = place.split(":")
        if not sign or len(parts) != 3:
            raise ParameterError("PRAM: wanted the matrix as COLUMN:OLD:NEW=P with commas between.")
        column, old, new = parts
        row = matrices.setdefault(column, {}).setdefault(old, {})
        if new in row:
            raise ParameterError(f"PRAM: the matrix of column {column} has an entry twice. Once is enough.")
        row[new] = probability
    return matrices


class Transition(NamedTuple):
    """What was drawn from in one stratum: columns, their categories (None: missing), and the matrix."""

    columns: tuple[str, ...]
    categories: tuple[tuple[str | None, ...], ...]
    matrix: Matrix


Matrices = Annotated[dict[str, dict[str, dict[str, float]]], BeforeValidator(_as_matrices)]


class PRAM(CategoryMasking):
    """Post-randomisation: every category is drawn anew, from probabilities that depend on it alone.

    A record with category i gets category j with probability R_ij. `matrix` writes R down for each column.
    Without it R is generated: P has a diagonal drawn from [pd, 1] and equal probabilities off it,
    Q_ij = f_j P_ji / sum_k f_k P_ki is its Bayes reverse given the frequencies f of the stratum, and
    R = alpha P Q + (1 - alpha) I. Then f R = f: expected frequencies are what they were, so that counts of
    the release can be used as they are. `invariant` makes the same of a written matrix, R = P Q.
    Columns are drawn one by one, or `jointly`, as one column of their combinations: then no combination
    comes out that nobody had. Each stratum has a matrix of its own. Missing values stay missing, unless they
    are a category of their own (`missing_category`; its name in a matrix is the empty text).

    Preserved: expected frequencies, where R is invariant; else `tacita.estimate_pram_frequencies` gives an
    unbiased estimate of them, with its standard error. Relations between columns weaken, unless they
    are drawn jointly.
    An attacker: most values are the true ones. What protects is that nobody knows which; a category that
    hardly anybody has still points to few records, and a record unique on many columns is likely to stay so.
    Recode rare categories first.

    O(n log m + m^3) a column of m categories. Draws of one run are independent of each other.
    Source: Gouweleeuw, Kooiman, Willenborg & De Wolf (1998), Post randomisation for statistical disclosure
    control, Journal of Official Statistics 14(4), 463-478; the generated matrix as in sdcMicro's pram,
    Templ, Kowarik & Meindl (2015), Journal of Statistical Software 67(4).

    >>> codes = np.arange(12.0).reshape(-1, 1) % 3
    >>> drawn = PRAM(pd=0.1, alpha=1).mask(codes, RunContext(seed=1))
    >>> set(drawn.ravel().tolist()) <= {0.0, 1.0, 2.0}, bool((drawn != codes).any())
    (True, True)
    """

    guarantees: ClassVar[tuple[str, ...]] = ("masked-cells", "drawn-from-matrix")
    reads_missing: ClassVar[bool] = True

    matrix: Matrices | None = Field(
        default=None,
        description="for each column and category the probabilities of what it becomes, COLUMN:OLD:NEW=P; "
        "if not given, one is generated",
    )
    pd: float = Field(
        default=0.8, ge=0, lt=1, description="least probability, before mixing, that a category stays"
    )
    alpha: float = Field(
        default=0.5,
        gt=0,
        le=1,
        description="share of the generated matrix, the rest leaves things as they are",
    )
    invariant: bool = Field(
        default=False,
        description="make a given matrix leave expected frequencies unchanged; a generated one does",
    )
    jointly: bool = Field(
        default=False, description="draw combinations of the columns instead of each by itself"
    )
    missing_category: bool = Field(
        default=False, description="draw missing values too, as a category of their own"
    )

    publish_matrix: bool = Field(
        default=False,
        description="show a given matrix in the quality note, for users who correct their counts",
    )

    @model_validator(mode="after")
    def _one_kind_of_matrix(self) -> PRAM:
        if self.publish_matrix and (self.matrix is None or self.invariant):
            raise ParameterError(
                "PRAM: publish_matrix needs a given matrix that is not made invariant: one that keeps "
                "frequencies gives these away exactly. Counts of such a release need no correction."
            )
        if self.matrix is None:
            return self
        if not self.matrix:
            raise ParameterError("PRAM: matrix must have at least one column, got none.")
        if making := [name for name in ("pd", "alpha") if name in self.model_fields_set]:
            raise ParameterError(
                f"PRAM: {' and '.join(making)} make a matrix, and one is given. Leave out one or the other."
            )
        if self.jointly:
            raise ParameterError(
                "PRAM: a given matrix is of single columns, and jointly draws their combinations. Leave out "
                "one or the other."
            )
        for column, rows in self.matrix.items():
            check_probabilities(column, rows, "PRAM")
        return self

    def promised(self) -> tuple[str, ...]:
        """Expected frequencies too, where the matrix is invariant."""
        kept = self.matrix is None or self.invariant
        return (*self.guarantees, "expected-frequencies") if kept else self.guarantees

    def check_columns(self, columns: Sequence[str]) -> None:
        """A given matrix has those that are drawn, and no others."""
        if self.matrix is None:
            return
        missing = [name for name in columns if name not in self.matrix]
        others = [name for name in self.matrix if name not in columns]
        if missing:
            raise ParameterError(
                f"PRAM: the matrix has columns, and {join_names(missing)} is not among them."
            )
        if others:
            raise ParameterError(
                f"PRAM: the matrix has column {join_names(others)}, which is not to be protected. Name it "
                "under quasi, or take it out of the matrix."
            )

    def redraw(self, coded: Coded, run: RunContext) -> Masked:
        """Each column, or all together, by a matrix of this stratum."""
        chance = run.protective_generator()
        n, d = coded.codes.shape
        values = coded.codes.copy()
        labels = np.zeros(n, dtype=np.int64)
        transitions: list[tuple[Transition, ...]] = []
        if self.jointly:
            if not self.missing_category:
                # a combination that misses a value becomes one that misses the same
                labels = np.unique(np.isnan(values), axis=0, return_inverse=True)[1].reshape(-1)
            for number in range(int(labels.max()) + 1):
                rows = np.flatnonzero(labels == number)
                values[rows], transition = self._together(coded, rows, chance)
                transitions.append((transition,))
        else:
            alone = []
            for j in range(d):
                values[:, j], transition = self._alone(coded, j, chance)
                alone.append(transition)
                run.report("masking records", j + 1, d)
            transitions.append(tuple(alone))
        return Masked(values, labels.astype(np.int64), {"transitions": tuple(transitions)})

    def _alone(self, coded: Coded, j: int, chance: np.random.Generator) -> tuple[Floats, Transition]:
        """One column. A missing value has the code after the last category, where it is one."""
        column, name, texts = coded.codes[:, j], coded.names[j], coded.texts[j]
        gaps = np.isnan(column)
        rows = np.flatnonzero(~gaps | self.missing_category)
        codes = np.where(gaps, len(texts), column)[rows].astype(np.int64)
        counts = np.bincount(codes, minlength=len(texts) + 1)
        names = (*texts, "") if self.missing_category else texts
        who = f"PRAM: column {name}"
        if self.matrix is None:
            chosen, matrix = self._generated(counts, chance, who)
        else:
            check_matrix_size(len(names), who)
            if name not in self.matrix:
                raise ParameterError(f"{who}: the matrix has columns, and this is not among them. Add it.")
            chosen = np.arange(len(names))
            held = (counts > 0).tolist()[: len(names)]
            matrix = declared(self.matrix[name], names, coded.in_file(j)[: len(names)], held, who)
            if self.invariant:
                matrix = invariant(matrix, counts[: len(names)] / counts.sum())
        values = column.copy()
        drawn = chosen[draw(np.searchsorted(chosen, codes), matrix, chance)]
        values[rows] = np.where(drawn == len(texts), np.nan, drawn)
        categories = [(None if code == len(texts) else texts[code],) for code in chosen.tolist()]
        return values, Transition((name,), tuple(categories), matrix)

    def _together(self, coded: Coded, rows: Labels, chance: np.random.Generator) -> tuple[Matrix, Transition]:
        """Combinations of all columns, those of some records."""
        cells = np.nan_to_num(coded.codes[rows], nan=-1.0)
        combinations, codes, counts = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
        _, matrix = self._generated(counts, chance, "PRAM: columns drawn jointly")
        drawn = combinations[draw(codes.reshape(-1).astype(np.int64), matrix, chance)]
        categories = [
            tuple(
                None if code < 0 else texts[int(code)] for code, texts in zip(row, coded.texts, strict=True)
            )
            for row in combinations.tolist()
        ]
        return np.where(drawn < 0, np.nan, drawn), Transition(coded.names, tuple(categories), matrix)

    def _generated(self, counts: Ints, chance: np.random.Generator, who: str) -> tuple[Ints, Matrix]:
        """The categories that somebody has, and a matrix of them."""
        held = np.flatnonzero(counts)
        check_matrix_size(held.size, who)
        diagonal = chance.uniform(self.pd, 1.0, held.size)
        return held, generated(counts[held] / counts.sum(), diagonal, self.alpha)
