"""What the whole file, and the population that its records are of, must satisfy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from tacita.core import Ints, Mask, ParameterError
from tacita.core.spec.params import Parameters
from tacita.microdata.statistics.population_uniqueness import Estimator, Spectrum, estimated

from .key_hierarchies import Population

# room for what arithmetic on shares loses
_SLACK = 1e-12


class AverageRisk(Parameters):
    """The average record of the file is found with at most this probability.

    classes / records: the mean over records of 1 / class size; of units, where these are named.
    Source: El Emam & Dankar (2008), JAMIA 15(5), 627-637.
    """

    risk: float = Field(gt=0, le=1, allow_inf_nan=False, description="largest mean of 1 / class size")

    def holds(self, kept: Spectrum, population: float) -> bool:
        """Whether classes of these sizes satisfy it."""
        return bool(kept.classes.sum() <= (self.risk + _SLACK) * kept.n)


class SampleUniqueness(Parameters):
    """At most this share of the records stand alone by their keys. Source: Dalenius (1986), JOS 2(3).

    Of units, where these are named: one counts in each class that its records are in.
    """

    share: float = Field(ge=0, lt=1, allow_inf_nan=False, description="largest share of records alone")

    def holds(self, kept: Spectrum, population: float) -> bool:
        """Whether classes of these sizes satisfy it."""
        return kept.uniques <= (self.share + _SLACK) * kept.n


class PopulationUniqueness(Parameters):
    """At most this share of the population is estimated to stand alone by the keys of the file.

    The population has (records, or units, of the input) / fraction persons, whatever is suppressed. An
    estimate of zero from a file in which records stand alone is not believed.
    Source: Dankar, El Emam, Neisa & Roffey (2012), BMC Medical Informatics and Decision Making 12:66.
    """

    share: float = Field(gt=0, lt=1, allow_inf_nan=False, description="largest share of persons alone")
    fraction: float = Field(
        gt=0, le=1, allow_inf_nan=False, description="share of the population in the input"
    )
    estimator: Estimator = Field(
        default="decision", description="zayatz, pitman, snb, or the rule of Dankar et al."
    )

    def holds(self, kept: Spectrum, population: float) -> bool:
        """Whether classes of these sizes satisfy it."""
        if not kept.uniques:
            return True
        persons = population / self.fraction
        return 0 < estimated(self.estimator, kept, persons)[1] <= (self.share + _SLACK) * persons


OfTheFile = AverageRisk | SampleUniqueness | PopulationUniqueness


def least_size(models: Sequence[OfTheFile], sizes: Ints, n: int) -> int:
    """The size from which on classes stay, so that a file of those that do satisfies the models.

    Smaller ones go; classes of one size stay or go together, since nothing tells which of them should. n:
    records, or units, of the input. O(classes log classes), and one look at the models for each size that is
    tried.
    """
    every = Spectrum.of(sizes)
    for at, least in enumerate(every.sizes.tolist()):
        kept = Spectrum(every.sizes[at:], every.classes[at:])
        if all(model.holds(kept, n) for model in models):
            return int(least)
    return int(every.sizes.max(initial=0)) + 1


class KMap(Parameters):
    """Every class stands for at least k persons of the population, however few of them are in the file.

    They are counted in a table of the population, or estimated by the sum of the weights of the class.
    Source: Sweeney (2002), IJUFKS 10(5), 557-570; El Emam & Dankar (2008), JAMIA 15(5), 627-637.
    """

    k: int = Field(ge=2, description="fewest persons of the population behind a class")
    population: Path | None = Field(
        default=None, description="file of the population, with the keys as columns"
    )
    weight: str | None = Field(
        default=None, description="column of sampling weights, in place of a population"
    )

    @model_validator(mode="after")
    def _makes_sense(self) -> KMap:
        if (self.population is None) == (self.weight is None):
            raise ParameterError("KMap: wanted either population (a file) or weight (a column), one of them.")
        return self

    def fails(self, records: Ints, persons: Ints) -> Mask:
        """Which classes have too few persons behind them."""
        return persons < self.k


class DeltaPresence(Parameters):
    """Nobody can say of a person of the population that she is in the file, or is not, with much certainty.

    least <= (records of the class in the file) / (persons of the class in the population) <= most. Where
    least is above 0, no class of the population may be without a record of the file.
    Source: Nergiz, Atzori & Clifton (2007), SIGMOD, 665-676.
    """

    population: Path = Field(description="file of the population, the records among it, with the keys")
    least: float = Field(
        default=0.0, ge=0, le=1, allow_inf_nan=False, description="smallest share in the file"
    )
    most: float = Field(ge=0, le=1, allow_inf_nan=False, description="largest share in the file")

    @model_validator(mode="after")
    def _makes_sense(self) -> DeltaPresence:
        if self.least > self.most:
            raise ParameterError(f"DeltaPresence: least is {self.least:g}, more than most, {self.most:g}.")
        return self

    def fails(self, records: Ints, persons: Ints) -> Mask:
        """Which classes have too small or too large a share of their persons in the file."""
        slack = 1e-12
        share = records / np.maximum(persons, 1)
        return np.asarray((persons < records) | (share < self.least - slack) | (share > self.most + slack))


OfAPopulation = KMap | DeltaPresence


class Shown:
    """A population at the levels of a lattice: how many persons stand behind what classes show."""

    def __init__(
        self, population: Population, codes: Sequence[tuple[npt.NDArray[np.int32], Ints]], strata: int
    ) -> None:
        self.counts = population.counts
        self.strata = population.strata.astype(np.int32)
        self.rows: list[list[npt.NDArray[np.int32]]] = []
        self.sizes: list[list[int]] = []
        for own, (levels, sizes) in zip(population.leaves, codes, strict=True):
            # at the top nothing tells a value that no record has from others
            beyond = [0 if at and size == 1 else size for at, size in enumerate(sizes.tolist())]
            self.rows.append(
                [
                    np.append(level, other)[own].astype(np.int32)
                    for level, other in zip(levels, beyond, strict=True)
                ]
            )
            self.sizes.append([size + 1 for size in sizes.tolist()])
        self.widest = strata + 1

    def behind(self, node: Sequence[int], classes: npt.NDArray[np.int32]) -> tuple[Ints, bool]:
        """Persons behind each class, and whether some are behind none. O(keys (classes + persons)).

        classes: (keys + 1, classes) codes that each shows at the node, its stratum last; all different.
        """
        from tacita.kernels.records.classes import classes_of, summed

        own = np.vstack([*(self.rows[j][level] for j, level in enumerate(node)), self.strata])
        sizes = [self.sizes[j][level] for j, level in enumerate(node)] + [self.widest]
        rows = np.ascontiguousarray(np.hstack([classes, own]), dtype=np.int32)
        counted = classes_of(rows, np.arange(len(rows)), np.array(sizes, dtype=np.int64))
        shown = classes.shape[1]
        persons = summed(counted.of[shown:], self.counts, counted.first.size)
        return persons[:shown], counted.first.size > shown
