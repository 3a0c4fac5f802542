"""Measures of loss and risk by class: `tacita.measures.DBRL()`."""
# Written by `python .ci/typed_api.py` from the registry.

from __future__ import annotations

# not from typing: what loads here loads before the command listens to Ctrl-C
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tacita.microdata.measures.loss.changed_values import (
        IL1,
        IL2,
        CategoriesChanged,
        GowerLoss,
        Suppressed,
    )
    from tacita.microdata.measures.loss.contingency_tables import (
        CramerChange,
        TablesOfOne,
        TablesOfThree,
        TablesOfTwo,
    )
    from tacita.microdata.measures.loss.distribution import PMSE, EnergyDistance, Hellinger, PropensityRatio
    from tacita.microdata.measures.loss.estimates import WeightedMove, WeightedOverlap
    from tacita.microdata.measures.loss.generalised import (
        ClassSize,
        Discernibility,
        EntropyLost,
        NormalisedCertainty,
        PrecisionLost,
    )
    from tacita.microdata.measures.loss.likelihood import CoefficientsOfModels
    from tacita.microdata.measures.loss.models import CoefficientOverlap, SubdomainCovariances, SubdomainMeans
    from tacita.microdata.measures.loss.moments import (
        EigenvalueChange,
        MahalanobisShift,
        MeanDifference,
        VarianceChange,
    )
    from tacita.microdata.measures.loss.probabilistic import (
        PIL,
        PILCorrelation,
        PILCovariance,
        PILMean,
        PILQuantile,
        PILVariance,
    )
    from tacita.microdata.measures.loss.relations import RelationsLost
    from tacita.microdata.measures.risk.anonymity import AllM, KAnonymity, SampleUniques
    from tacita.microdata.measures.risk.attackers import JournalistRisk, MarketerRisk, ProsecutorRisk
    from tacita.microdata.measures.risk.closeness import BetaLikeness, DeltaDisclosure, TCloseness
    from tacita.microdata.measures.risk.columns import Distinction, Separation
    from tacita.microdata.measures.risk.diversity import AlphaK, LDiversity
    from tacita.microdata.measures.risk.individual import (
        GlobalRisk,
        HouseholdRisk,
        IndividualRisk,
        IndividualRiskMax,
    )
    from tacita.microdata.measures.risk.interval import IDRank, IDSd
    from tacita.microdata.measures.risk.linkage import DBRL, DLD, DBRLAssigned
    from tacita.microdata.measures.risk.loglinear import ModelRisk
    from tacita.microdata.measures.risk.population import PopulationUnique
    from tacita.microdata.measures.risk.probabilistic import PRL, PRLBounds
    from tacita.microdata.measures.risk.sensitive_values import AttributeDisclosure
    from tacita.microdata.measures.risk.suda import SUDA2
    from tacita.microdata.measures.risk.transparency_attacks import ContiguityLinkage, RankSwapLinkage
    from tacita.microdata.measures.tradeoff import DR, SCORE

__all__ = [
    "DBRL",
    "DLD",
    "DR",
    "IL1",
    "IL2",
    "PIL",
    "PMSE",
    "PRL",
    "SCORE",
    "SUDA2",
    "AllM",
    "AlphaK",
    "AttributeDisclosure",
    "BetaLikeness",
    "CategoriesChanged",
    "ClassSize",
    "CoefficientOverlap",
    "CoefficientsOfModels",
    "ContiguityLinkage",
    "CramerChange",
    "DBRLAssigned",
    "DeltaDisclosure",
    "Discernibility",
    "Distinction",
    "EigenvalueChange",
    "EnergyDistance",
    "EntropyLost",
    "GlobalRisk",
    "GowerLoss",
    "Hellinger",
    "HouseholdRisk",
    "IDRank",
    "IDSd",
    "IndividualRisk",
    "IndividualRiskMax",
    "JournalistRisk",
    "KAnonymity",
    "LDiversity",
    "MahalanobisShift",
    "MarketerRisk",
    "MeanDifference",
    "ModelRisk",
    "NormalisedCertainty",
    "PILCorrelation",
    "PILCovariance",
    "PILMean",
    "PILQuantile",
    "PILVariance",
    "PRLBounds",
    "PopulationUnique",
    "PrecisionLost",
    "PropensityRatio",
    "ProsecutorRisk",
    "RankSwapLinkage",
    "RelationsLost",
    "SampleUniques",
    "Separation",
    "SubdomainCovariances",
    "SubdomainMeans",
    "Suppressed",
    "TCloseness",
    "TablesOfOne",
    "TablesOfThree",
    "TablesOfTwo",
    "VarianceChange",
    "WeightedMove",
    "WeightedOverlap",
]


def __dir__() -> list[str]:
    return sorted(__all__)


# hidden from type checkers, for which a name that is not listed is a mistake
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        from tacita.core.spec import registry

        if name in __all__:
            return registry.class_named(name, *registry.CLASSES["measures"])
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
