"""What the whole file must satisfy, by the sizes of its classes: risk on average, how many stand alone."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from tacita.core import Ints
from tacita.core.spec.params import Parameters
from tacita.microdata.statistics.population_uniqueness import Estimator, Spectrum, estimated

# room for what arithmetic on shares loses
_SLACK = 1e-12


class AverageRisk(Parameters):
    """Whoever looks for an average record of the file finds it with at most this probability.

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
    estimator: Estimator = Field("decision", description="zayatz, pitman, snb, or the rule of Dankar et al.")

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
