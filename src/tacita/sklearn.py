"""Microaggregation as a transformer of scikit-learn, for pipelines that must not see single records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pyarrow as pa
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data

from tacita.microdata.plans.plan import Protection
from tacita.microdata.plans.sections import MethodSection
from tacita.microdata.release.release import make_release

from . import io
from .core import Matrix, ParameterError

__all__ = ["Microaggregator"]


class Microaggregator(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Gives every record the mean of its group of k or more; verified.

    `transform(X)` protects X itself, its records among each other. Nothing is learned by `fit`, which only
    looks at the columns and the parameters: no record is kept, and training and test data are protected each
    by itself. What becomes of a record therefore depends on those it comes with, and fewer than k records
    are refused. All checks of scikit-learn pass but the one that wants the same result record by record
    (`check_methods_subset_invariance`): a record by itself cannot be hidden.

    `method` is one that groups records, in any case; `parameters` are those it has besides `k`; `seed` steers
    methods that search by chance. X has numbers without gaps. There is no report and there are no warnings:
    use `tacita.protect` and `tacita.save` for what is to be published. The cost is that of the method, O(n^2)
    for MDAV.
    Source: Domingo-Ferrer & Torra (2005), Data Mining and Knowledge Discovery 11(2), 195-212.

    >>> Microaggregator(k=3).fit_transform([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]]).ravel().tolist()
    [2.0, 2.0, 2.0, 11.0, 11.0, 11.0]
    """

    def __init__(
        self,
        method: str = "mdav",
        *,
        k: int = 3,
        seed: int | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self.method = method
        self.k = k
        self.seed = seed
        self.parameters = parameters

    def fit(self, X: Any, y: Any = None) -> Self:
        """Look at the columns and the parameters; nothing of the records is kept."""
        self._taken_in(X, self._section(), reset=True)
        return self

    def transform(self, X: Any) -> Matrix:
        """Protect these records among each other; they keep their order."""
        section = self._section()
        x = self._taken_in(X, section, reset=False)
        names = [f"x{place}" for place in range(x.shape[1])]
        protection = Protection.from_arguments(
            quasi=names, measures=(), method=section.method, seed=self.seed, **section.parameters
        )
        release = make_release(io.as_microdata(pa.table(list(x.T), names=names)), protection, None)
        return np.column_stack([np.asarray(release.data[name], dtype=np.float64) for name in names])

    def _section(self) -> MethodSection:
        section = MethodSection(**{**(self.parameters or {}), "method": self.method, "k": self.k})
        if section.kind != "microaggregation":
            raise ParameterError(
                f"Microaggregator: wanted a method that groups records, got {section.method}, a "
                f"{section.kind}. See `tacita methods`."
            )
        return section

    def _taken_in(self, records: Any, section: MethodSection, *, reset: bool) -> Matrix:
        least = int(section.parameters["k"])
        matrix: Matrix = validate_data(self, records, reset=reset, dtype=np.float64, ensure_min_samples=least)
        return matrix

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # as of scikit-learn's own Normalizer: there is nothing to learn
        tags.requires_fit = False
        return tags
