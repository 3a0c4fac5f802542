"""Methods by class: `tacita.methods.MDAV(k=3)`."""
# Written by `python .ci/typed_api.py` from the registry.

from __future__ import annotations

# not from typing: what loads here loads before the command listens to Ctrl-C
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tacita.microdata.methods.coding.rounding import Round
    from tacita.microdata.methods.coding.tails import BottomCode, TopCode
    from tacita.microdata.methods.dropping.drop import Drop
    from tacita.microdata.methods.generalisation.generalise import Generalise
    from tacita.microdata.methods.generalisation.local_recoding import RecodeLocal
    from tacita.microdata.methods.generalisation.mondrian import Mondrian
    from tacita.microdata.methods.local_suppression.local import LocalSuppression
    from tacita.microdata.methods.masking.households import RecordSwap
    from tacita.microdata.methods.masking.noise import CorrelatedNoise, Noise
    from tacita.microdata.methods.masking.orthogonal import ROMM
    from tacita.microdata.methods.masking.pram import PRAM
    from tacita.microdata.methods.masking.ranking import OneDims
    from tacita.microdata.methods.masking.shuffling import Shuffle
    from tacita.microdata.methods.masking.swapping import RankSwap
    from tacita.microdata.methods.microaggregation.best import Best
    from tacita.microdata.methods.microaggregation.blocks import Blocks
    from tacita.microdata.methods.microaggregation.brkga import BRKGA
    from tacita.microdata.methods.microaggregation.clustered import Clustered
    from tacita.microdata.methods.microaggregation.dfo import DFO
    from tacita.microdata.methods.microaggregation.genetic import GA
    from tacita.microdata.methods.microaggregation.gower import Gower
    from tacita.microdata.methods.microaggregation.gsms import GSMS, GSMST2
    from tacita.microdata.methods.microaggregation.imhm import IMHM
    from tacita.microdata.methods.microaggregation.kmeans_variants import (
        HMKM,
        KC,
        KCKW,
        HMeans1,
        HMeans2,
        KMeans1,
        KMeans2,
    )
    from tacita.microdata.methods.microaggregation.mdav import CBFS, MDAV, VMDAV, MaximumDistance
    from tacita.microdata.methods.microaggregation.mhm import (
        CBFSMHM,
        FDM,
        HM,
        MDAVMHM,
        MDMHM,
        MHM,
        NPNMHM,
        TSPMHM,
        Projection,
    )
    from tacita.microdata.methods.microaggregation.spanning import MSTC, MSTD
    from tacita.microdata.methods.microaggregation.ward import KWard
    from tacita.microdata.methods.recoding.recode import Recode
    from tacita.microdata.methods.synthesis.clusterwise import IPSOCluster
    from tacita.microdata.methods.synthesis.copula import Copula
    from tacita.microdata.methods.synthesis.fcrm import FCRM
    from tacita.microdata.methods.synthesis.ipso import GADP, IPSOA, IPSOB, IPSOC, IPSOQ, LinearRegression
    from tacita.microdata.methods.synthesis.trees import Trees
    from tacita.tables.adjustment.cellkey import CellKey
    from tacita.tables.adjustment.cta import CTA
    from tacita.tables.adjustment.rounding import Rounding
    from tacita.tables.adjustment.smallcounts import SmallCounts
    from tacita.tables.suppression.heuristics.gauss import Gauss
    from tacita.tables.suppression.heuristics.genetic import Genetic
    from tacita.tables.suppression.heuristics.hypercube import Hypercube
    from tacita.tables.suppression.heuristics.lagrangian import Lagrange
    from tacita.tables.suppression.heuristics.paths import CheapestPaths
    from tacita.tables.suppression.heuristics.threephase import ThreePhase
    from tacita.tables.suppression.large.constructive import Constructive
    from tacita.tables.suppression.large.hitas import HiTaS
    from tacita.tables.suppression.large.neighbourhood_search import Improve
    from tacita.tables.suppression.optimal.optimal import Optimal

__all__ = [
    "BRKGA",
    "CBFS",
    "CBFSMHM",
    "CTA",
    "DFO",
    "FCRM",
    "FDM",
    "GA",
    "GADP",
    "GSMS",
    "GSMST2",
    "HM",
    "HMKM",
    "IMHM",
    "IPSOA",
    "IPSOB",
    "IPSOC",
    "IPSOQ",
    "KC",
    "KCKW",
    "MDAV",
    "MDAVMHM",
    "MDMHM",
    "MHM",
    "MSTC",
    "MSTD",
    "NPNMHM",
    "PRAM",
    "ROMM",
    "TSPMHM",
    "VMDAV",
    "Best",
    "Blocks",
    "BottomCode",
    "CellKey",
    "CheapestPaths",
    "Clustered",
    "Constructive",
    "Copula",
    "CorrelatedNoise",
    "Drop",
    "Gauss",
    "Generalise",
    "Genetic",
    "Gower",
    "HMeans1",
    "HMeans2",
    "HiTaS",
    "Hypercube",
    "IPSOCluster",
    "Improve",
    "KMeans1",
    "KMeans2",
    "KWard",
    "Lagrange",
    "LinearRegression",
    "LocalSuppression",
    "MaximumDistance",
    "Mondrian",
    "Noise",
    "OneDims",
    "Optimal",
    "Projection",
    "RankSwap",
    "Recode",
    "RecodeLocal",
    "RecordSwap",
    "Round",
    "Rounding",
    "Shuffle",
    "SmallCounts",
    "ThreePhase",
    "TopCode",
    "Trees",
]


def __dir__() -> list[str]:
    return sorted(__all__)


# hidden from type checkers, for which a name that is not listed is a mistake
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        from tacita.core.spec import registry

        if name in __all__:
            return registry.class_named(name, *registry.CLASSES["methods"])
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
