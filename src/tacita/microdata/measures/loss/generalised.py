"""Loss of coarser values: the meaning of a released label, and the records that it still distinguishes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from tacita.core import Comparison, DataError, Floats, Hierarchy, Ints, RunContext, Score

from .survey_frame import Coded, Survey, SurveyLoss, combined, hierarchy_of


@dataclass(frozen=True, eq=False)
class Coarser:
    """The cells of a column that had a label: which, and what stands there now, -1 where nothing does.

    `sizes` and `counts` say of each label how many original labels it stands for, and how many records have
    one of these; `labels` is how many there are in all. Records that were left out have nothing.
    """

    before: Ints
    after: Ints
    sizes: Ints
    counts: Ints
    labels: int

    @classmethod
    def of(cls, survey: Survey, name: str) -> Coarser:
        """A label stands for what the hierarchy of its column has below it, or else for what it replaced."""
        coded = survey.coded(name)
        after = np.full(survey.source.n, -1, dtype=np.int64)
        after[survey.rows] = coded.after
        known = coded.before >= 0
        if not known.any():
            raise DataError(f"column {name} has no value")
        before, after = coded.before[known], after[known]
        counts = np.bincount(before, minlength=coded.size)
        there = after >= 0
        pairs = np.unique(after[there] * coded.size + before[there])
        new, old = np.divmod(pairs, coded.size)
        hierarchy = hierarchy_of(survey, name)
        if hierarchy is None:
            sizes = np.bincount(new, minlength=coded.size)
            held = np.bincount(new, counts[old], minlength=coded.size).astype(np.int64)
            return cls(before, after, sizes, held, int((counts > 0).sum()))
        places = _places(hierarchy, coded, name)
        _check_coarser_labels(hierarchy, places[new], places[old], name)
        own = np.zeros(len(hierarchy), dtype=np.int64)
        own[places[counts > 0]] = counts[counts > 0]
        sizes, held = _below(hierarchy, hierarchy.is_leaf.astype(np.int64)), _below(hierarchy, own)
        return cls(before, after, sizes[places], held[places], int(hierarchy.leaves.size))


def _places(hierarchy: Hierarchy, coded: Coded, name: str) -> Ints:
    known = {label: place for place, label in enumerate(hierarchy.labels)}
    if unknown := sum(label not in known for label in coded.labels):
        raise DataError(f"{unknown} of {coded.size} labels of column {name} are not in its hierarchy")
    return np.array([known[label] for label in coded.labels], dtype=np.int64)


def _check_coarser_labels(hierarchy: Hierarchy, new: Ints, old: Ints, name: str) -> None:
    """Raise where a label neither is nor stands above the one it replaced: it stands for something else."""
    parents = np.array(hierarchy.parents, dtype=np.int64)
    covered, at = old == new, old
    while (at >= 0).any():
        at = np.where(at >= 0, parents[at], -1)
        covered |= at == new
    if not covered.all():
        raise DataError(f"column {name} has labels that do not stand above those they replaced")


def _below(hierarchy: Hierarchy, own: Ints) -> Ints:
    """Of each label, the sum over itself and all below it."""
    held = own.copy()
    for place in np.argsort(-hierarchy.depths, kind="stable").tolist():
        if (parent := hierarchy.parents[place]) >= 0:
            held[parent] += held[place]
    return held


class _Coarsened(SurveyLoss):
    """A figure of each protected column of categories, in percent, and of all of them."""

    family: ClassVar[str] = "coarser values"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)

    def figure(self, survey: Survey, pair: Comparison, run: RunContext) -> Score:
        names = self.columns(survey)
        figures: dict[str, float] = {}
        lost = most = 0.0
        for name in names:
            seen: Coarser = pair.remember(("coarser", name), partial(Coarser.of, survey, name))
            cells, limit = self.cells(survey, name, seen)
            if limit > 0:
                figures[name] = 100 * float(cells.sum()) / limit
                lost, most = lost + float(cells.sum()), most + limit
        if not figures:
            return self.none("no column of categories has two labels")
        covers = tuple(figures) if len(figures) < len(survey.protected) else ()
        return self.result(self.of_all(figures, lost, most), per_attribute=figures, covers=covers)

    def columns(self, survey: Survey) -> tuple[str, ...]:
        """Which columns it speaks of; DataError where there are none."""
        if not survey.categories:
            raise DataError("no protected attribute is nominal or ordinal")
        return survey.categories

    def of_all(self, figures: dict[str, float], lost: float, most: float) -> float:
        """The score, out of the figures of columns, or of what was lost of the most that can be."""
        return float(np.mean(list(figures.values())))

    def cells(self, survey: Survey, name: str, seen: Coarser) -> tuple[Floats, float]:
        """What each cell of a column lost, and what all of them can."""
        raise NotImplementedError


class NormalisedCertainty(_Coarsened):
    """How much of their columns released labels stand for: 0 for single values, 100 for all of them.

    Normalised certainty penalty, or loss: mean over cells of (s - 1) / (D - 1), s the number of original
    labels that the released one stands for and D that of all; a cell without a value, or of a record left
    out, counts 1. A label stands for those below it in the hierarchy of its column; without one, for those
    that it replaced somewhere in the file. Mean over columns of categories. O(n d).
    Source: Iyengar (2002), KDD, 279-288; ARX calls it loss, Xu et al. (2006), KDD, 785-790, NCP.

    >>> import pyarrow as pa
    >>> from tacita.core import Microdata, Roles
    >>> from tacita.core.results.score import Files
    >>> towns = list("abcd"), ["ab", "ab", "c", "d"]
    >>> before, after = (Microdata.of(pa.table({"town": each})) for each in towns)
    >>> files = Files(after, before.with_roles(Roles(quasi="town", nominal="town")), np.arange(4))
    >>> round(NormalisedCertainty().score(Comparison.of_files(files)).value, 4)
    16.6667
    """

    name: ClassVar[str] = "NCP"
    headline: ClassVar[bool] = True
    with_coarser: ClassVar[bool] = True

    def cells(self, survey: Survey, name: str, seen: Coarser) -> tuple[Floats, float]:
        shares = (seen.sizes - 1) / max(seen.labels - 1, 1)
        return np.where(seen.after < 0, 1.0, shares[seen.after]), float(seen.before.size)


class EntropyLost(_Coarsened):
    """Share of the information in the categories, in bits, that the release no longer has.

    Non-uniform entropy: sum over cells of log2(c(S) / c(a)), c(a) the number of records with the original
    label a and c(S) that of those with any label that the released one stands for (as in NCP; a cell without
    a value stands for all), in percent of the sum of log2(n / c(a)) over the n cells that had a value. O(n
    d).
    Source: Gionis & Tassa (2009), IEEE Trans. Knowledge and Data Engineering 21(2), 206-219.

    >>> import pyarrow as pa
    >>> from tacita.core import Microdata, Roles
    >>> from tacita.core.results.score import Files
    >>> towns = list("abcd"), ["ab", "ab", "c", "d"]
    >>> before, after = (Microdata.of(pa.table({"town": each})) for each in towns)
    >>> files = Files(after, before.with_roles(Roles(quasi="town", nominal="town")), np.arange(4))
    >>> EntropyLost().score(Comparison.of_files(files)).value
    25.0
    """

    name: ClassVar[str] = "ENTROPY"

    def of_all(self, figures: dict[str, float], lost: float, most: float) -> float:
        return 100 * lost / most

    def cells(self, survey: Survey, name: str, seen: Coarser) -> tuple[Floats, float]:
        n = seen.before.size
        own = np.bincount(seen.before)[seen.before]
        held = np.where(seen.after < 0, n, seen.counts[seen.after])
        return np.log2(held / own), float(np.log2(n / own).sum())


class PrecisionLost(_Coarsened):
    """How far up their hierarchies values went on average: 0 not at all, 100 to the top.

    Mean over cells of level / height, the level the lowest at which the hierarchy shows the released label; a
    cell without a value, or of a record left out, counts 1. One less Sweeney's precision. Mean over the
    columns that have a hierarchy (roles). O(n d).
    Source: Sweeney (2002), Int. J. Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 571-588.

    >>> import pyarrow as pa
    >>> from tacita.core import Hierarchy, Microdata, Roles
    >>> from tacita.core.results.score import Files
    >>> before, after = (Microdata.of(pa.table({"town": each})) for each in (list("ab"), ["a", "Total"]))
    >>> source, rises = before.with_roles(Roles(quasi="town", nominal="town")), Hierarchy.flat("town", "ab")
    >>> files = Files(after, source, np.arange(2), hierarchies={"town": rises})
    >>> PrecisionLost().score(Comparison.of_files(files)).value
    50.0
    """

    name: ClassVar[str] = "PRECISION"

    def columns(self, survey: Survey) -> tuple[str, ...]:
        columns = tuple(name for name in super().columns(survey) if hierarchy_of(survey, name) is not None)
        if not columns:
            raise DataError("no protected column of categories has a hierarchy")
        return columns

    def cells(self, survey: Survey, name: str, seen: Coarser) -> tuple[Floats, float]:
        hierarchy = hierarchy_of(survey, name)
        assert hierarchy is not None
        lowest = np.full(len(hierarchy), hierarchy.height)
        for level in range(hierarchy.height, -1, -1):
            lowest[hierarchy.levels[level]] = level
        levels = lowest[_places(hierarchy, survey.coded(name), name)] / max(hierarchy.height, 1)
        return np.where(seen.after < 0, 1.0, levels[seen.after]), float(seen.before.size)


class _Classes(SurveyLoss):
    """A figure of the classes of records that share all protected values.

    Records without any of these values, or left out, were suppressed: they are no class.
    """

    family: ClassVar[str] = "coarser values"

    def figure(self, survey: Survey, pair: Comparison, run: RunContext) -> Score:
        sizes, suppressed = pair.remember("classes", lambda: _classes(survey))
        return self.result(self.of_classes(sizes, suppressed, survey.source.n))

    def of_classes(self, sizes: Ints, suppressed: int, n: int) -> float:
        """Out of the sizes of classes, and how many of n records were suppressed."""
        raise NotImplementedError


def _classes(survey: Survey) -> tuple[Ints, int]:
    if not survey.protected:
        raise DataError("no column was protected")
    codes = []
    for name in survey.protected:
        if survey.is_numeric(name):
            values = survey.values(name)[1]
            own = np.unique(values, return_inverse=True)[1].reshape(-1)
            codes.append(np.where(np.isnan(values), -1, own))
        else:
            codes.append(survey.coded(name).after)
    shown = np.any([code >= 0 for code in codes], axis=0)
    alike = combined(codes, [code[:0] for code in codes])[0][shown]
    return np.unique(alike, return_counts=True)[1], survey.source.n - int(shown.sum())


class Discernibility(_Classes):
    """Share of the pairs of records that protected columns no longer tell apart.

    100 (sum of |E|^2 over classes E of equal protected values + n s) / n^2, a record with itself a pair too;
    s records have none of these values or were left out, and count as alike to all. 100 / n: all differ; 100:
    none do. O(n d log n).
    Source: Bayardo & Agrawal (2005), ICDE, 217-228, in percent of n^2.

    >>> import pyarrow as pa
    >>> from tacita.core import Microdata, Roles
    >>> from tacita.core.results.score import Files
    >>> file = Microdata.of(pa.table({"town": list("aabc")})).with_roles(Roles(quasi="town", nominal="town"))
    >>> Discernibility().score(Comparison.of_files(Files(file, file, np.arange(4)))).value
    37.5
    """

    name: ClassVar[str] = "DISCERNIBILITY"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)

    def of_classes(self, sizes: Ints, suppressed: int, n: int) -> float:
        return 100 * (float((sizes.astype(np.float64) ** 2).sum()) + n * suppressed) / n**2


class ClassSize(_Classes):
    """How many records share their protected values, on average over such classes.

    n / (number of classes of equal protected values), records without any of these values, or left out, as
    one class. 1: all differ; n: none do. O(n d log n).
    Source: LeFevre, DeWitt & Ramakrishnan (2006), ICDE, 25; not divided by k, as in ARX.

    >>> import pyarrow as pa
    >>> from tacita.core import Microdata, Roles
    >>> from tacita.core.results.score import Files
    >>> file = Microdata.of(pa.table({"town": list("aabc")})).with_roles(Roles(quasi="town", nominal="town"))
    >>> round(ClassSize().score(Comparison.of_files(Files(file, file, np.arange(4)))).value, 4)
    1.3333
    """

    name: ClassVar[str] = "CLASS_SIZE"
    span: ClassVar[tuple[float, float | None]] = (1.0, None)
    measured_in: ClassVar[str] = "records"

    def of_classes(self, sizes: Ints, suppressed: int, n: int) -> float:
        return n / (sizes.size + (suppressed > 0))
