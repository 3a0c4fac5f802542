"""The population behind a file that is a sample: how many persons share keys in it, and how many none."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import ConfigDict, Field

from tacita.core import DataError, Floats, Ints, RunContext, Score
from tacita.core.results.score import Files
from tacita.microdata.statistics.population_uniqueness import Estimator, Spectrum, estimated

from .keys import KeyMeasure, KeyTable, SharingMeasure, roles_of


class SampleMeasure(KeyMeasure):
    """Looks at the keys of a file as of a sample."""

    weight: str | None = Field(
        default=None, description="column of sampling weights; if not given, the one with that role"
    )
    fraction: float | None = Field(
        default=None, gt=0, le=1, description="share of the population in the file, in place of weights"
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


class PopulationUnique(SampleMeasure):
    """Share of the population that is estimated to be unique by its keys.

    100 / N times the estimated number of population uniques, from the number of classes of each size in the
    sample and the sampling fraction. `zayatz`: sample uniques times the chance, by the hypergeometric law,
    that one is unique in the population. `pitman`: Gamma(theta + 1) / Gamma(theta + alpha) N^alpha, fitted by
    maximum likelihood. `snb`: K b^a of K classes of 1 + negative binomial(a, b) records. `decision`, the rule
    of Dankar et al.: Pitman up to a fraction of 0.1, above it the smaller of the other two. Missing keys are
    values. Where units are known, classes are as large as they have units, and a unit that shows several
    combinations of keys counts in each. O(n log n) and some hundred evaluations of a likelihood.
    Source: Dankar, El Emam, Neisa & Roffey (2012), Estimating the re-identification risk of clinical data
    sets, BMC Medical Informatics and Decision Making 12:66; Hoshino (2001) on Pitman's formula.

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"town": list("aaabbbccd")}))
    >>> made = PopulationUnique(keys=["town"], fraction=0.3, model="zayatz")
    >>> round(made.score(Comparison.of_files(Files(data))).value, 2)
    2.0
    """

    model_config = ConfigDict(protected_namespaces=())

    name: ClassVar[str] = "population_unique"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)
    measured_in: ClassVar[str] = "%"
    of_the_worst: ClassVar[bool] = False

    model: Estimator = Field(
        default="decision", description="zayatz, pitman, snb, or the rule of Dankar et al."
    )
    population: float | None = Field(
        default=None, gt=0, description="persons in the population, in place of fraction"
    )

    def figure(self, table: KeyTable, run: RunContext) -> Score:
        """The estimate, and which model it is of."""
        spectrum = Spectrum.of(table.sizes)
        size = self._population(table, spectrum)
        run.report("estimating the population", 0, 1)
        chosen, uniques = estimated(self.model, spectrum, size)
        run.report("estimating the population", 1, 1)
        uniques = min(uniques, size)
        return self.result(
            100 * uniques / size,
            reading={"model": chosen},
            beside={"uniques": uniques, "population": size, "sample_uniques": spectrum.uniques},
        )

    def _population(self, table: KeyTable, spectrum: Spectrum) -> float:
        if self.population is not None:
            if self.population < table.people:
                what = "records" if table.units is None else "units"
                raise DataError(f"the population is declared smaller than the file of {table.people} {what}")
            if table.units is None:
                return self.population
            # persons show as many combinations as those of the file do
            return self.population * spectrum.n / table.people
        fraction = self.sampling_fraction(table)
        if fraction is None:
            raise DataError("neither weights nor a sampling fraction nor the size of the population is known")
        return spectrum.n / fraction

    def reading(self, table: KeyTable) -> dict[str, str]:
        """Also how the population was counted."""
        settings = super().reading(table)
        return (
            settings
            if self.population is None
            else {**settings, "population": f"{self.population:g} persons"}
        )
