"""How far the sensitive values of those who share their keys are from those of everybody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from tacita.core import DataError, Floats, Hierarchy, Ints, ParameterError, RunContext
from tacita.core.results.score import Files
from tacita.core.spec.roles import Names
from tacita.io.hierarchies import from_nested

from .keys import KeyTable, roles_of
from .sensitive_values import AnswerMeasure, Answers

# Shares of this many classes and values are held at a time.
_CELLS = 4_000_000


def _as_tree(value: object) -> object:
    return from_nested("tree", value) if isinstance(value, Mapping) else value


Tree = Annotated[Hierarchy, BeforeValidator(_as_tree)]
Nodes = list[tuple[float, list[Ints]]]


class TCloseness(AnswerMeasure):
    """Largest distance of the sensitive values in a class of equal keys from those of the whole file.

    With q the shares of the values in the class and p those in the source: half of sum |q - p| (`equal`);
    sum over values in order of |sum of (q - p) up to it| / (m - 1) (`ordered`: numbers by size, others as
    `order` or the roles of the file say); the work of moving shares along a tree, sum over its inner nodes of
    their level / height times the smaller of what their children have too much and too little together
    (`hierarchical`). Missing keys and answers are values; a missing answer has no place in an order or a
    tree. 64-bit floating point throughout: products of counts cannot overflow. Where units are known, each
    counts once, shared evenly over its records, in q those of the class and in p those of the source; of a
    unit that is alone in its class each value is looked at by itself. Shares do not show a value that all
    units of a class have among other values: l_diversity and attribute_disclosure do. O(n log n + classes m).
    Source: Li, Li & Venkatasubramanian (2007), t-Closeness, ICDE, 106-115.

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffmm"), "age": [1, 2, 3, 3]}))
    >>> pair = Comparison.of_files(Files(data))
    >>> [TCloseness(keys=["sex"], column="age", kind=kind).score(pair).value for kind in ("equal", "ordered")]
    [0.5, 0.375]
    """

    model_config = ConfigDict(populate_by_name=True)

    name: ClassVar[str] = "t_closeness"
    span: ClassVar[tuple[float, float | None]] = (0.0, 1.0)
    limit_name: ClassVar[str] = "t"
    limit_type: ClassVar[Any] = Annotated[float, Field(gt=0, le=1)]

    sort: Literal["equal", "ordered", "hierarchical"] = Field(
        default="equal",
        alias="kind",
        description="how far two values are apart: equally, by order, or along a tree",
    )
    order: Names = Field(default=(), description="for ordered: the values from lowest to highest")
    tree: Tree | None = Field(default=None, description="for hierarchical: values under coarser ones, nested")

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> TCloseness:
        if self.sort == "hierarchical" and self.tree is None:
            raise ParameterError("TCloseness: tree is required for kind hierarchical.")
        if len(set(self.order)) != len(self.order):
            raise ParameterError("TCloseness: order must name each value once.")
        return self

    def of_classes(self, answers: Answers, run: RunContext) -> Floats:
        """The distance of each class, block by block."""
        n, m = answers.table.sizes.size, answers.overall.size
        order, tree = self._places(answers), self._tree(answers)
        block = max(1, _CELLS // max(1, m))
        by_class = np.empty(n)
        for start in range(0, n, block):
            some = np.arange(start, min(n, start + block))
            by_class[some] = _distances(answers.dense(some) - answers.overall, order, tree)
            run.report("comparing answers", int(some[-1]) + 1, n)
        self._of_lone(answers, by_class, order, tree, block)
        return by_class

    def of_class(self, answers: Answers) -> Floats:
        """The distance of each class."""
        return self.of_classes(answers, RunContext())

    def _of_lone(
        self, answers: Answers, distance_by_class: Floats, order: Ints | None, tree: Nodes | None, block: int
    ) -> None:
        """Of a unit of several values that is alone in its class the distance of the value farthest off."""
        lone = np.flatnonzero(answers.lone)
        distance_by_class[answers.classes[lone]] = 0.0
        for start in range(0, lone.size, block):
            some = lone[start : start + block]
            rows = np.zeros((some.size, answers.overall.size))
            rows[np.arange(some.size), answers.values[some]] = 1.0
            distances = _distances(rows - answers.overall, order, tree)
            np.maximum.at(distance_by_class, answers.classes[some], distances)

    def _places(self, answers: Answers) -> Ints | None:
        """The values from lowest to highest, for an ordered distance."""
        if self.sort != "ordered":
            return None
        roles = roles_of(answers.table.files)
        declared = self.order or (roles.ordinal.get(answers.name, ()) if roles is not None else ())
        if declared:
            place = {label: at for at, label in enumerate(declared)}
            rank = np.array([place.get(label, -1) for label in _labels(answers)])
            if absent := int((rank < 0).sum()):
                raise DataError(f"{absent} values of {answers.name} are not in the order")
            return np.argsort(rank)
        data = answers.table.holding(answers.name)
        if data.kind(answers.name) != "numeric":
            raise DataError(f"{answers.name} has no order; name its values from lowest to highest (order)")
        numbers = _one_of_each(answers, answers.table.numbers(answers.name))
        if np.isnan(numbers).any():
            raise DataError(f"answers of {answers.name} are missing, and have no place in its order")
        return np.argsort(numbers)

    def _tree(self, answers: Answers) -> Nodes | None:
        """The inner nodes: the level of each as a share of the height, and the values below its children."""
        if self.sort != "hierarchical":
            return None
        tree = self.tree
        assert tree is not None
        place = {label: at for at, label in enumerate(_labels(answers))}
        unknown = [label for label in place if label not in {tree.labels[leaf] for leaf in tree.leaves}]
        if unknown:
            raise DataError(f"{len(unknown)} values of {answers.name} are no leaves of the tree")
        below: list[list[int]] = [[] for _ in tree.labels]
        path = tree.ancestors()
        for leaf in tree.leaves.tolist():
            if tree.labels[leaf] in place:
                for above in path[leaf][path[leaf] >= 0].tolist():
                    below[above].append(place[tree.labels[leaf]])
        return [
            (
                float(tree.gives_way[children].max() / tree.height),
                [np.array(below[child], dtype=np.int64) for child in children.tolist() if below[child]],
            )
            for _, children in tree.sums()
        ]

    def reading(self, table: KeyTable) -> dict[str, str]:
        """Also how far two values are apart."""
        return {**super().reading(table), "kind": self.sort}

    def lacking(self, limit: float, files: Files) -> str:
        """The words for records in such classes."""
        return f"share their keys with values of {self.sensitive(files)} farther than {limit:g} from all"


def _one_of_each(answers: Answers, cells: Any) -> Any:
    """A cell of the file for each value; values that no record of it has are refused."""
    known, first = np.unique(answers.codes, return_index=True)
    if known.size < answers.overall.size:
        raise DataError(f"values of {answers.name} are no longer in the file, and have no place in its order")
    return cells[first]


def _labels(answers: Answers) -> list[str]:
    data = answers.table.holding(answers.name)
    rows = answers.table.files.rows
    outside = data is not answers.table.files.released and rows is not None
    order = rows if outside else np.arange(answers.table.n)
    first = _one_of_each(answers, order)
    return [str(cell) for cell in data.column(answers.name)[first.tolist()].to_list()]


def _distances(differences: Floats, order: Ints | None, tree: Nodes | None) -> Floats:
    """Of each class (a row of q - p) the distance."""
    if order is not None:
        steps = max(1, differences.shape[1] - 1)
        distances: Floats = np.abs(np.cumsum(differences[:, order], axis=1)).sum(axis=1) / steps
        return distances
    if tree is None:
        return np.abs(differences).sum(axis=1) / 2
    total = np.zeros(len(differences))
    for level, children in tree:
        surplus = np.column_stack([differences[:, values].sum(axis=1) for values in children] or [total * 0])
        total += level * np.minimum(np.maximum(surplus, 0).sum(axis=1), np.maximum(-surplus, 0).sum(axis=1))
    return total


class BetaLikeness(AnswerMeasure):
    """Largest relative gain of a sensitive value among those who share their keys.

    With q the share of a value in a class of equal keys and p that in the source: max over classes and
    values of (q - p) / p (`basic`). `enhanced` asks besides that no gain be above -ln p, which keeps frequent
    values from becoming certain; where one is, no beta holds, and there is no figure. Units, where they are
    known, count as in t_closeness. O(n log n).
    Source: Cao & Karras (2012), Publishing microdata with a robust privacy guarantee, PVLDB 5(11).

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffmm"), "ill": list("abbc")}))
    >>> BetaLikeness(keys=["sex"], column="ill").score(Comparison.of_files(Files(data))).value
    1.0
    """

    model_config = ConfigDict(populate_by_name=True)

    name: ClassVar[str] = "beta_likeness"
    limit_name: ClassVar[str] = "beta"
    limit_type: ClassVar[Any] = Annotated[float, Field(gt=0, allow_inf_nan=False)]

    sort: Literal["basic", "enhanced"] = Field(
        default="basic", alias="kind", description="enhanced bounds the gain of frequent values by -ln p"
    )

    def of_class(self, answers: Answers) -> Floats:
        """The largest gain in each class."""
        p = answers.overall[answers.values]
        gain = answers.shares / p - 1
        if self.sort == "enhanced" and (beyond := gain > -np.log(p) * (1 + 1e-12)).any():
            records = int(answers.table.records[np.unique(answers.classes[beyond])].sum())
            raise DataError(
                f"no beta holds: {records} records share their keys with a value that gains more than -ln p"
            )
        return np.maximum(0.0, answers.largest(gain))

    def reading(self, table: KeyTable) -> dict[str, str]:
        """Also which gains are bounded."""
        return {**super().reading(table), "kind": self.sort}


class DeltaDisclosure(AnswerMeasure):
    """Largest log ratio of the share of a sensitive value in a class of equal keys to its share in all.

    max over classes and the values that occur in them of |ln(q / p)|; a value that a class lacks is passed
    over, as usual, although its absence tells something. (ARX takes logarithms of base 2: divide by ln 2.)
    Units, where they are known, count as in t_closeness. O(n log n).
    Source: Brickell & Shmatikov (2008), The cost of privacy, KDD, 70-78.

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffmm"), "ill": list("abbc")}))
    >>> figure = DeltaDisclosure(keys=["sex"], column="ill").score(Comparison.of_files(Files(data))).value
    >>> bool(np.isclose(figure, np.log(2)))
    True
    """

    name: ClassVar[str] = "delta_disclosure"
    limit_name: ClassVar[str] = "delta"
    limit_type: ClassVar[Any] = Annotated[float, Field(gt=0, allow_inf_nan=False)]

    def of_class(self, answers: Answers) -> Floats:
        """The largest ratio in each class."""
        return answers.largest(np.abs(np.log(answers.shares / answers.overall[answers.values])))
