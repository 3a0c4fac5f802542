"""The population behind a file that is a sample: by weights, or by a sampling fraction."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from tacita.core import Floats, Ints
from tacita.core.results.score import Files

from .keys import KeyMeasure, KeyTable, SharingMeasure, roles_of


class SampleMeasure(KeyMeasure):
    """Looks at the keys of a file as of a sample."""

    weight: str | None = Field(
        None, description="column of sampling weights; if not given, the one with that role"
    )
    fraction: float | None = Field(
        None, gt=0, le=1, description="share of the population in the file, in place of weights"
    )

    def weight_name(self, files: Files) -> str | None:
        """The column of weights that was named, or that has the role."""
        roles = roles_of(files)
        return self.weight or (None if roles is None else roles.weight)

    def sampling_fraction(self, table: KeyTable) -> float | None:
        """The share of the population in the file; None where nothing tells."""
        if self.fraction is not None:
            return self.fraction
        name = self.weight_name(table.files)
        if name is None:
            return None
        weights = table.weights(name)
        if table.units is not None:
            first = np.unique(table.units, return_index=True)[1]
            weights = table.weights_of_units(weights)[first]
        return min(1.0, table.people / float(weights.sum()))

    def reading(self, table: KeyTable) -> dict[str, str]:
        """Also how the population was counted."""
        name = self.weight_name(table.files)
        by = f"weight {name}" if name is not None else "the file itself: neither weight nor fraction is known"
        if self.fraction is not None:
            by = f"sampling fraction {self.fraction:g}"
        return {**super().reading(table), "population": by}


class StandingMeasure(SampleMeasure, SharingMeasure):
    """Looks at whom each combination of keys stands for in the population.

    Where units are known, each counts once, with the mean weight of its records.
    """

    def standing(self, table: KeyTable) -> tuple[Ints, Floats]:
        """Of each record f and F: how many (units) share its keys in the file, and in the population."""
        f = table.sharing(self.missing_as)
        name = self.weight_name(table.files)
        if self.fraction is not None:
            return f, f / self.fraction
        if name is None:
            return f, f.astype(np.float64)
        # a weight below 1 would make fewer people than records
        return f, np.maximum(f, table.standing(self.missing_as, table.weights(name)))
