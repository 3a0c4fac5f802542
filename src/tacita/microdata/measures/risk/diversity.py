"""How varied the sensitive values are among those who share their keys."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import ConfigDict, Field

from tacita.core import Floats
from tacita.core.results.score import Direction, Files

from .keys import KeyTable
from .sensitive_values import AnswerMeasure, Answers


class LDiversity(AnswerMeasure):
    """Fewest well-represented sensitive values among those who share their keys.

    The least over classes of equal keys of: the number of distinct values (`distinct`); exp of the entropy
    of their shares (`entropy`); the largest l with r1 < c (r_l + ... + r_m), r1 >= r2 >= ... the counts of
    the values (`recursive`), 1 where there is none. A missing key and a missing answer are values of their
    own. Where units are known, each counts once, for one of its values, the most frequent first: so many
    values it takes until their units may be all of the class. Several diagnoses of one lone patient are
    l = 1, and so is a diagnosis that all patients of a class have. O(n log n).
    Source: Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam (2007), l-Diversity: privacy beyond
    k-anonymity, ACM Trans. Knowledge Discovery from Data 1(1).

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffmmm"), "ill": list("abcca")}))
    >>> pair = Comparison.of_files(Files(data))
    >>> kinds = ("distinct", "entropy", "recursive")
    >>> [round(LDiversity(keys=["sex"], column="ill", kind=kind).score(pair).value, 3) for kind in kinds]
    [2.0, 1.89, 1.0]
    """

    model_config = ConfigDict(populate_by_name=True)

    name: ClassVar[str] = "l_diversity"
    span: ClassVar[tuple[float, float | None]] = (1.0, None)
    direction: ClassVar[Direction] = "higher"
    limit_name: ClassVar[str] = "l"
    limit_type: ClassVar[Any] = Annotated[float, Field(gt=1, allow_inf_nan=False)]

    sort: Literal["distinct", "entropy", "recursive"] = Field(
        default="distinct", alias="kind", description="what is counted: values, their entropy, or recursively"
    )
    c: float = Field(
        default=2.0, gt=0, description="for recursive: how far the most frequent value may stand out"
    )

    def of_class(self, answers: Answers) -> Floats:
        """Well-represented values of each class."""
        if self.sort == "distinct":
            return answers.per_class((answers.votes > 0).astype(np.float64))
        if self.sort == "entropy":
            shares = answers.votes / answers.table.sizes[answers.classes]
            # a class of one value has entropy 0 to the last bit, two equal shares exactly log 2
            return np.exp(answers.per_class(-shares * np.log(np.where(shares > 0, shares, 1.0))))
        return self._recursive(answers)

    def _recursive(self, answers: Answers) -> Floats:
        order = np.lexsort([-answers.votes, answers.classes])
        counts, classes = answers.votes[order], answers.classes[order]
        first = np.searchsorted(classes, np.arange(answers.table.sizes.size))
        upto = np.concatenate([[0], np.cumsum(counts)])
        end = np.append(first[1:], counts.size)
        # what is left from each value on, the most frequent values first
        tail = upto[end[classes]] - upto[:-1]
        held = counts[first][classes] < self.c * tail
        below = np.bincount(classes[held], minlength=end.size)
        needed: Floats = np.maximum(answers.table.sizes * 0.0 + 1, below)
        return needed

    def reading(self, table: KeyTable) -> dict[str, str]:
        """Also what is counted."""
        c = {"c": f"{self.c:g}"} if self.sort == "recursive" else {}
        return {**super().reading(table), "kind": self.sort, **c}

    def lacking(self, limit: float, files: Files) -> str:
        """The words for records with too few values."""
        column = self.sensitive(files)
        return f"share their keys with too few values of {column} ({self.sort} l below {limit:g})"

    def promise(self, limit: float, files: Files) -> str:
        """What it means of a file."""
        keys, column = (
            ", ".join(self.key_names(files)) or "keys",
            self.sensitive(files, "and") or "the answer",
        )
        return f"Every combination of {keys} has {self.sort} l-diversity of at least {limit:g} in {column}."


class AlphaK(AnswerMeasure):
    """Largest share that a sensitive value has among those who share their keys.

    alpha = max over classes of equal keys and values of the share of the value in the class. In a class of
    fewer than k records it counts as 1. Where units are known, the share is that of the units which have the
    value, and a class needs k units. O(n log n).
    Source: Wong, Li, Fu & Wang (2006), (alpha, k)-anonymity, KDD, 754-759.

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffmmmm"), "ill": list("abccca")}))
    >>> AlphaK(keys=["sex"], column="ill").score(Comparison.of_files(Files(data))).value
    0.75
    """

    name: ClassVar[str] = "alpha_k"
    span: ClassVar[tuple[float, float | None]] = (0.0, 1.0)
    limit_name: ClassVar[str] = "alpha"
    limit_type: ClassVar[Any] = Annotated[float, Field(gt=0, le=1)]

    k: int = Field(default=2, ge=1, description="classes of fewer records (units) never pass")

    def of_class(self, answers: Answers) -> Floats:
        """The share of the most frequent value."""
        held = answers.counts / answers.table.sizes[answers.classes]
        return np.where(answers.table.sizes < self.k, 1.0, answers.largest(held))

    def lacking(self, limit: float, files: Files) -> str:
        """The words for records in such classes."""
        column = self.sensitive(files)
        return f"share their keys with fewer than {self.k}, or too many of one {column} (above {limit:g})"

    def promise(self, limit: float, files: Files) -> str:
        """What it means of a file."""
        keys, column = (
            ", ".join(self.key_names(files)) or "keys",
            self.sensitive(files, "and") or "the answer",
        )
        return (
            f"Every combination of {keys} stands for at least {self.k} {self.counted(files)}, and no value "
            f"of {column} has more than {limit:g} of them."
        )
