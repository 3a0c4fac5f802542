"""How many of a population are unique by their keys, estimated from a sample of it."""

from __future__ import annotations

from typing import ClassVar

from pydantic import ConfigDict, Field

from tacita.core import DataError, Run, Score
from tacita.microdata.statistics.population_uniqueness import Estimator, Spectrum, estimated

from .keys import KeyTable
from .population_counts import SampleMeasure


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

    model: Estimator = Field("decision", description="zayatz, pitman, snb, or the rule of Dankar et al.")
    population: float | None = Field(
        None, gt=0, description="persons in the population, in place of fraction"
    )

    def figure(self, table: KeyTable, run: Run) -> Score:
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
                raise DataError(
                    f"the population is said to be smaller than the file of {table.people} {what}"
                )
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
        told = super().reading(table)
        return told if self.population is None else {**told, "population": f"{self.population:g} persons"}
