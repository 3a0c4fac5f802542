"""Every method, measure and format by kind and name, loaded only when used.

Adding one is a line here. Other packages add theirs as entry points in the group `tacita.KIND`:

    [project.entry-points."tacita.microaggregation"]
    mine = "my_package.module:MyMethod"
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, cast

from pydantic.fields import FieldInfo

from tacita.core.errors import ParameterError

from .method import Method, RecordMethod
from .method_aliases import ALIASES
from .suggestions import did_you_mean

BUILT_IN: dict[str, dict[str, str]] = {
    "microaggregation": {
        "mdav": "tacita.microdata.methods.microaggregation.mdav:MDAV",
        "hm": "tacita.microdata.methods.microaggregation.mhm:HM",
        "md": "tacita.microdata.methods.microaggregation.mdav:MaximumDistance",
        "vmdav": "tacita.microdata.methods.microaggregation.mdav:VMDAV",
        "cbfs": "tacita.microdata.methods.microaggregation.mdav:CBFS",
        "npn-mhm": "tacita.microdata.methods.microaggregation.mhm:NPNMHM",
        "md-mhm": "tacita.microdata.methods.microaggregation.mhm:MDMHM",
        "mdav-mhm": "tacita.microdata.methods.microaggregation.mhm:MDAVMHM",
        "cbfs-mhm": "tacita.microdata.methods.microaggregation.mhm:CBFSMHM",
        "mhm": "tacita.microdata.methods.microaggregation.mhm:MHM",
        "tsp-mhm": "tacita.microdata.methods.microaggregation.mhm:TSPMHM",
        "fdm": "tacita.microdata.methods.microaggregation.mhm:FDM",
        "projection": "tacita.microdata.methods.microaggregation.mhm:Projection",
        "clustered": "tacita.microdata.methods.microaggregation.clustered:Clustered",
        "gsms": "tacita.microdata.methods.microaggregation.gsms:GSMS",
        "gsms-t2": "tacita.microdata.methods.microaggregation.gsms:GSMST2",
        "mst-d": "tacita.microdata.methods.microaggregation.spanning:MSTD",
        "mst-c": "tacita.microdata.methods.microaggregation.spanning:MSTC",
        "kward": "tacita.microdata.methods.microaggregation.ward:KWard",
        "brkga": "tacita.microdata.methods.microaggregation.brkga:BRKGA",
        "ga": "tacita.microdata.methods.microaggregation.genetic:GA",
        "kmeans1": "tacita.microdata.methods.microaggregation.kmeans_variants:KMeans1",
        "kmeans2": "tacita.microdata.methods.microaggregation.kmeans_variants:KMeans2",
        "hmeans1": "tacita.microdata.methods.microaggregation.kmeans_variants:HMeans1",
        "hmeans2": "tacita.microdata.methods.microaggregation.kmeans_variants:HMeans2",
        "hmkm": "tacita.microdata.methods.microaggregation.kmeans_variants:HMKM",
        "dfo": "tacita.microdata.methods.microaggregation.dfo:DFO",
        "kc": "tacita.microdata.methods.microaggregation.kmeans_variants:KC",
        "kckw": "tacita.microdata.methods.microaggregation.kmeans_variants:KCKW",
        "imhm": "tacita.microdata.methods.microaggregation.imhm:IMHM",
        "gower": "tacita.microdata.methods.microaggregation.gower:Gower",
        "blocks": "tacita.microdata.methods.microaggregation.blocks:Blocks",
        "best": "tacita.microdata.methods.microaggregation.best:Best",
    },
    "recoding": {
        "recode": "tacita.microdata.methods.recoding.recode:Recode",
    },
    "generalisation": {
        "generalise": "tacita.microdata.methods.generalisation.generalise:Generalise",
        "recode-local": "tacita.microdata.methods.generalisation.local_recoding:RecodeLocal",
        "mondrian": "tacita.microdata.methods.generalisation.mondrian:Mondrian",
    },
    "coding": {
        "top-code": "tacita.microdata.methods.coding.tails:TopCode",
        "bottom-code": "tacita.microdata.methods.coding.tails:BottomCode",
        "round": "tacita.microdata.methods.coding.rounding:Round",
    },
    "withholding": {
        "local-suppression": "tacita.microdata.methods.local_suppression.local:LocalSuppression",
    },
    "dropping": {
        "drop": "tacita.microdata.methods.dropping.drop:Drop",
    },
    "masking": {
        "onedims": "tacita.microdata.methods.masking.ranking:OneDims",
        "noise": "tacita.microdata.methods.masking.noise:Noise",
        "correlated-noise": "tacita.microdata.methods.masking.noise:CorrelatedNoise",
        "romm": "tacita.microdata.methods.masking.orthogonal:ROMM",
        "rank-swap": "tacita.microdata.methods.masking.swapping:RankSwap",
        "shuffle": "tacita.microdata.methods.masking.shuffling:Shuffle",
        "pram": "tacita.microdata.methods.masking.pram:PRAM",
        "record-swap": "tacita.microdata.methods.masking.households:RecordSwap",
    },
    "synthesis": {
        "regression": "tacita.microdata.methods.synthesis.ipso:LinearRegression",
        "ipso-a": "tacita.microdata.methods.synthesis.ipso:IPSOA",
        "ipso-b": "tacita.microdata.methods.synthesis.ipso:IPSOB",
        "ipso-c": "tacita.microdata.methods.synthesis.ipso:IPSOC",
        "ipso-q": "tacita.microdata.methods.synthesis.ipso:IPSOQ",
        "ipso-cluster": "tacita.microdata.methods.synthesis.clusterwise:IPSOCluster",
        "fcrm": "tacita.microdata.methods.synthesis.fcrm:FCRM",
        "gadp": "tacita.microdata.methods.synthesis.ipso:GADP",
        "copula": "tacita.microdata.methods.synthesis.copula:Copula",
        "trees": "tacita.microdata.methods.synthesis.trees:Trees",
    },
    "suppression": {
        "optimal": "tacita.tables.suppression.optimal.optimal:Optimal",
        "lagrange": "tacita.tables.suppression.heuristics.lagrangian:Lagrange",
        "three-phase": "tacita.tables.suppression.heuristics.threephase:ThreePhase",
        "genetic": "tacita.tables.suppression.heuristics.genetic:Genetic",
        "network": "tacita.tables.suppression.heuristics.paths:CheapestPaths",
        "hypercube": "tacita.tables.suppression.heuristics.hypercube:Hypercube",
        "gauss": "tacita.tables.suppression.heuristics.gauss:Gauss",
        "constructive": "tacita.tables.suppression.large.constructive:Constructive",
        "hitas": "tacita.tables.suppression.large.hitas:HiTaS",
        "improve": "tacita.tables.suppression.large.neighbourhood_search:Improve",
    },
    "adjustment": {
        "rounding": "tacita.tables.adjustment.rounding:Rounding",
        "small-counts": "tacita.tables.adjustment.smallcounts:SmallCounts",
        "cell-key": "tacita.tables.adjustment.cellkey:CellKey",
        "cta": "tacita.tables.adjustment.cta:CTA",
    },
    "loss": {
        "IL1": "tacita.microdata.measures.loss.changed_values:IL1",
        "IL2": "tacita.microdata.measures.loss.changed_values:IL2",
        "PIL": "tacita.microdata.measures.loss.probabilistic:PIL",
        "PIL_mean": "tacita.microdata.measures.loss.probabilistic:PILMean",
        "PIL_variance": "tacita.microdata.measures.loss.probabilistic:PILVariance",
        "PIL_covariance": "tacita.microdata.measures.loss.probabilistic:PILCovariance",
        "PIL_correlation": "tacita.microdata.measures.loss.probabilistic:PILCorrelation",
        "PIL_quantile": "tacita.microdata.measures.loss.probabilistic:PILQuantile",
        "SMD": "tacita.microdata.measures.loss.moments:MeanDifference",
        "VARIANCE": "tacita.microdata.measures.loss.moments:VarianceChange",
        "EIGEN": "tacita.microdata.measures.loss.moments:EigenvalueChange",
        "MAHALANOBIS": "tacita.microdata.measures.loss.moments:MahalanobisShift",
        "HELLINGER": "tacita.microdata.measures.loss.distribution:Hellinger",
        "ENERGY": "tacita.microdata.measures.loss.distribution:EnergyDistance",
        "PMSE": "tacita.microdata.measures.loss.distribution:PMSE",
        "OVERLAP": "tacita.microdata.measures.loss.models:CoefficientOverlap",
        "SUB_mean": "tacita.microdata.measures.loss.models:SubdomainMeans",
        "SUB_covariance": "tacita.microdata.measures.loss.models:SubdomainCovariances",
        "GOWER_loss": "tacita.microdata.measures.loss.changed_values:GowerLoss",
        "CATEGORIES": "tacita.microdata.measures.loss.changed_values:CategoriesChanged",
        "SUPPRESSED": "tacita.microdata.measures.loss.changed_values:Suppressed",
        "WEIGHTED": "tacita.microdata.measures.loss.estimates:WeightedOverlap",
        "WEIGHTED_move": "tacita.microdata.measures.loss.estimates:WeightedMove",
        "TABLES_1": "tacita.microdata.measures.loss.contingency_tables:TablesOfOne",
        "TABLES_2": "tacita.microdata.measures.loss.contingency_tables:TablesOfTwo",
        "TABLES_3": "tacita.microdata.measures.loss.contingency_tables:TablesOfThree",
        "CRAMER": "tacita.microdata.measures.loss.contingency_tables:CramerChange",
        "GLM": "tacita.microdata.measures.loss.likelihood:CoefficientsOfModels",
        "RELATIONS": "tacita.microdata.measures.loss.relations:RelationsLost",
        "PMSE_mixed": "tacita.microdata.measures.loss.distribution:PropensityRatio",
        "NCP": "tacita.microdata.measures.loss.generalised:NormalisedCertainty",
        "ENTROPY": "tacita.microdata.measures.loss.generalised:EntropyLost",
        "PRECISION": "tacita.microdata.measures.loss.generalised:PrecisionLost",
        "DISCERNIBILITY": "tacita.microdata.measures.loss.generalised:Discernibility",
        "CLASS_SIZE": "tacita.microdata.measures.loss.generalised:ClassSize",
    },
    "risk": {
        "k_anonymity": "tacita.microdata.measures.risk.anonymity:KAnonymity",
        "all_m": "tacita.microdata.measures.risk.anonymity:AllM",
        "sample_uniques": "tacita.microdata.measures.risk.anonymity:SampleUniques",
        "l_diversity": "tacita.microdata.measures.risk.diversity:LDiversity",
        "alpha_k": "tacita.microdata.measures.risk.diversity:AlphaK",
        "t_closeness": "tacita.microdata.measures.risk.closeness:TCloseness",
        "beta_likeness": "tacita.microdata.measures.risk.closeness:BetaLikeness",
        "delta_disclosure": "tacita.microdata.measures.risk.closeness:DeltaDisclosure",
        "attribute_disclosure": "tacita.microdata.measures.risk.sensitive_values:AttributeDisclosure",
        "individual_risk": "tacita.microdata.measures.risk.individual:IndividualRisk",
        "individual_risk_max": "tacita.microdata.measures.risk.individual:IndividualRiskMax",
        "global_risk": "tacita.microdata.measures.risk.individual:GlobalRisk",
        "household_risk": "tacita.microdata.measures.risk.individual:HouseholdRisk",
        "prosecutor_risk": "tacita.microdata.measures.risk.attackers:ProsecutorRisk",
        "journalist_risk": "tacita.microdata.measures.risk.attackers:JournalistRisk",
        "marketer_risk": "tacita.microdata.measures.risk.attackers:MarketerRisk",
        "population_unique": "tacita.microdata.measures.risk.population:PopulationUnique",
        "model_risk": "tacita.microdata.measures.risk.loglinear:ModelRisk",
        "suda2": "tacita.microdata.measures.risk.suda:SUDA2",
        "distinction": "tacita.microdata.measures.risk.columns:Distinction",
        "separation": "tacita.microdata.measures.risk.columns:Separation",
        "DLD": "tacita.microdata.measures.risk.linkage:DLD",
        "DBRL": "tacita.microdata.measures.risk.linkage:DBRL",
        "DBRL_assigned": "tacita.microdata.measures.risk.linkage:DBRLAssigned",
        "PRL": "tacita.microdata.measures.risk.probabilistic:PRL",
        "PRL_bounds": "tacita.microdata.measures.risk.probabilistic:PRLBounds",
        "ID_sd": "tacita.microdata.measures.risk.interval:IDSd",
        "ID_rank": "tacita.microdata.measures.risk.interval:IDRank",
        "RSRL": "tacita.microdata.measures.risk.transparency_attacks:RankSwapLinkage",
        "MARL": "tacita.microdata.measures.risk.transparency_attacks:ContiguityLinkage",
        "DR": "tacita.microdata.measures.tradeoff:DR",
    },
    "balance": {
        "SCORE": "tacita.microdata.measures.tradeoff:SCORE",
    },
    "rule": {
        "minimum-frequency": "tacita.tables.rules.frequency:MinimumFrequency",
        "dominance": "tacita.tables.rules.concentration:Dominance",
        "p-percent": "tacita.tables.rules.concentration:PPercent",
        "pq": "tacita.tables.rules.concentration:PQ",
        "request": "tacita.tables.rules.request_rules:Request",
        "zero-cells": "tacita.tables.rules.frequency:ZeroCells",
        "listed": "tacita.tables.rules.request_rules:Listed",
    },
    "format": {
        "csv": "tacita.io.formats.csv:CSV",
        "parquet": "tacita.io.formats.parquet:Parquet",
        "stata": "tacita.io.formats.stata:Stata",
        "spss": "tacita.io.formats.spss:SPSS",
        "xport": "tacita.io.formats.xport:Xport",
        "sas": "tacita.io.formats.sas:SAS",
        "excel": "tacita.io.formats.excel:Excel",
        "tab": "tacita.io.tables.argus.tabular:Tab",
        "jj": "tacita.io.tables.argus.jj:JJ",
        "published-csv": "tacita.io.tables.csv:PublishedCSV",
        "published-excel": "tacita.io.tables.excel:PublishedExcel",
        "published-html": "tacita.io.tables.html:PublishedHTML",
    },
}

PROTECTING = (
    "microaggregation",
    "recoding",
    "generalisation",
    "coding",
    "withholding",
    "dropping",
    "masking",
    "synthesis",
)
# for these every value is a category, whatever it was declared to be, and a missing one no obstacle
CATEGORICAL = ("recoding", "generalisation", "withholding")
SUPPRESSING = ("suppression",)
ADJUSTING = ("adjustment",)
# Names that an error lists one by one; more would not be read.
_AT_A_GLANCE = 80
# So few are listed besides the nearest.
_FEW = 10
MEASURING = ("loss", "risk", "balance")
# The kinds whose classes a public module hands on.
CLASSES = {
    "methods": (*PROTECTING, *SUPPRESSING, *ADJUSTING),
    "measures": MEASURING,
    "tables": ("rule",),
}


@cache
def locations() -> dict[str, dict[str, str]]:
    """Kind -> name -> "module:Class", built-in first, then those of other packages.

    >>> "mdav" in locations()["microaggregation"]
    True
    """
    merged = {kind: dict(names) for kind, names in BUILT_IN.items()}
    # one look through all that is installed serves every kind
    points = entry_points()
    for kind, names in merged.items():
        for point in points.select(group=f"tacita.{kind}"):
            # a plug-in may add a name, never quietly replace one that users rely on
            names.setdefault(point.name, point.value)
    return merged


def names(*kinds: str) -> list[str]:
    """All names of some kinds, in the order of the registry.

    >>> names("loss")[:2]
    ['IL1', 'IL2']
    """
    return [name for kind in kinds for name in locations()[kind]]


def canonical(name: str, *kinds: str) -> str:
    """A name as the registry spells it, which plans and records keep.

    Users may write it in any case, or as a paper calls it (`ALIASES`).

    >>> canonical("Mdav", "microaggregation"), canonical("pil_MEAN", *MEASURING), canonical("M-d")
    ('mdav', 'PIL_mean', 'mst-d')
    """
    kinds = kinds or tuple(locations())
    known = names(*kinds)
    meant = _meant(name, *kinds)
    if meant is None:
        raise ParameterError(f"There is no method, measure or format named {name!r}. {_offered(name, known)}")
    return meant


def _offered(name: str, known: Sequence[str]) -> str:
    """The nearest names; where none is near, all of them, if they are few enough to read."""
    near = did_you_mean([name], known).lstrip()
    if len(known) > (_FEW if near else _AT_A_GLANCE):
        return f"{near} The list of methods has all {len(known)} names.".lstrip()
    return f"{near} Known: {', '.join(known)}.".lstrip()


def meanings(name: str, *kinds: str) -> list[str]:
    """The names that one may mean: itself, or in other capital letters; else what it is an alias of.

    >>> meanings("Mdav", "microaggregation"), meanings("mictsp", "microaggregation"), meanings("x", "risk")
    (['mdav'], ['tsp-mhm'], [])
    """
    if any(name in locations()[kind] for kind in kinds):
        return [name]
    if matches := in_any_case(name, names(*kinds)):
        return matches
    known = {alias: ours for kind in kinds for alias, ours in ALIASES.get(kind, {}).items()}
    return [known[alias] for alias in in_any_case(name, known)]


def aliases_of(kind: str, name: str) -> tuple[str, ...]:
    """What papers call something.

    >>> aliases_of("microaggregation", "md")
    ('DBFS',)
    """
    return tuple(alias for alias, ours in ALIASES.get(kind, {}).items() if ours == name)


def _meant(name: str, *kinds: str) -> str | None:
    candidates = meanings(name, *kinds)
    if len(candidates) > 1:
        raise ParameterError(
            f"{name!r} may be {' or '.join(candidates)}, which differ in capital letters alone. Write "
            "the one that is meant."
        )
    return candidates[0] if candidates else None


def by_canonical(values: Mapping[str, Any], *kinds: str) -> dict[str, Any]:
    """The same values under names as the registry spells them.

    An unknown name stays as it is, for the caller to report.

    >>> by_canonical({"dbrl": 20, "K_anonymity": 3}, *MEASURING)
    {'DBRL': 20, 'k_anonymity': 3}
    """
    canonical_values: dict[str, Any] = {}
    for name, value in values.items():
        spelled = _meant(name, *kinds) or name
        if spelled in canonical_values:
            raise ParameterError(f"{spelled} is named twice, in capital letters and without. Once is enough.")
        canonical_values[spelled] = value
    return canonical_values


def lookup(name: str, *kinds: str) -> type[Method]:
    """The class behind a name, in any case.

    >>> lookup("mdav", "microaggregation").__name__, lookup("MDAV").__name__
    ('MDAV', 'MDAV')
    """
    spelled = canonical(name, *kinds)
    location = next(
        location
        for kind in kinds or tuple(locations())
        if (location := locations()[kind].get(spelled)) is not None
    )
    module, _, attribute = location.partition(":")
    method_class: type[Method] = getattr(import_module(module), attribute)
    return method_class


def class_named(name: str, *kinds: str) -> type[Method]:
    """The built-in class of some name, among those of some kinds.

    >>> class_named("MDAV", "microaggregation").__name__
    'MDAV'
    """
    locations = (location for kind in kinds for location in BUILT_IN[kind].values())
    module = next(
        home for home, _, known in (location.partition(":") for location in locations) if known == name
    )
    method_class: type[Method] = getattr(import_module(module), name)
    return method_class


def name_of(method: Method, *kinds: str) -> str:
    """The name of a method that was built: its class is found by where the registry says that it is.

    >>> name_of(lookup("mdav")(k=3))
    'mdav'
    """
    made = type(method)
    kinds = kinds or tuple(locations())
    spelled = f"{made.__module__}:{made.__qualname__}"
    known = [(kind, name) for kind in kinds for name in locations()[kind]]
    # a plug-in may be registered where a module hands it on
    matches = [name for kind, name in known if locations()[kind][name] == spelled] or [
        name for kind, name in known if name not in BUILT_IN[kind] and lookup(name, kind) is made
    ]
    if matches:
        return matches[0]
    raise ParameterError(
        f"{made.__name__}: wanted a method of {', '.join(kinds)}, got one that is not registered as such. "
        f"Register it as an entry point of tacita.{kinds[0]}, or choose another."
    )


def named_with_params(
    method: str | Method | Sequence[str | Method], *kinds: str
) -> tuple[str, dict[str, Any]]:
    """A method as a plan has it: its name, and the parameters that were set where it was built.

    Of several, one after the other: their names with + between, and the parameters of all.

    >>> named_with_params(lookup("mdav")(k=4)), named_with_params(["mdav", lookup("hm")(k=4)])
    (('mdav', {'k': 4}), ('mdav+hm', {'k': 4}))
    """
    steps = [method] if isinstance(method, str | Method) else list(method)
    names: list[str] = []
    params: dict[str, Any] = {}
    for step in steps:
        if isinstance(step, str):
            names.append(step)
            continue
        names.append(name_of(step, *kinds))
        for name, value in step.model_dump(exclude_unset=True).items():
            if params.setdefault(name, value) != value:
                chain = "+".join(names)
                raise ParameterError(f"{chain}: {name} must be the same for all methods of a chain.")
    return "+".join(names), params


def record_method(name: str) -> type[RecordMethod]:
    """The class behind the name of a method that changes records, in any case.

    >>> record_method("mdav").takes
    ('numeric',)
    """
    return cast("type[RecordMethod]", lookup(name, *PROTECTING))


def canonical_chain(method: str) -> str:
    """A method, or a chain of methods with + between, as the registry spells them.

    >>> canonical_chain("MDAV+Best"), canonical_chain("mdav+HM+KM")
    ('mdav+best', 'mdav+hmkm')
    """
    words, spelled = method.split("+"), []
    while words:
        # a paper's name may have a + of its own
        several = (n for n in range(len(words), 1, -1) if meanings("+".join(words[:n]), *PROTECTING))
        taken = next(several, 1)
        spelled.append(canonical("+".join(words[:taken]), *PROTECTING))
        words = words[taken:]
    return "+".join(spelled)


def parameters_of(method: str) -> dict[str, FieldInfo]:
    """The fields of a method, or of a chain of methods with + between.

    >>> list(parameters_of("mdav"))
    ['k', 'end_rule', 'growth']
    """
    return {
        name: field
        for step in method.split("+")
        for name, field in lookup(step, *PROTECTING).model_fields.items()
    }


def kinds_of(names: Iterable[str], kinds: tuple[str, ...]) -> list[str]:
    """The kind of each name, one of some kinds; the first of them for names that are not there any more.

    >>> kinds_of(["IL1", "DR"], MEASURING)
    ['loss', 'risk']
    """
    return [next((kind for kind in kinds if name in locations()[kind]), kinds[0]) for name in names]


def meaning_of(name: str, *kinds: str) -> str:
    """What something is, in one line; nothing of what is not there any more, or was made by hand.

    >>> meaning_of("DLD", *MEASURING), meaning_of("IL9", *MEASURING)
    ('Share of released records whose nearest original record is their own.', '')
    """
    return lookup(name, *kinds).summary() if _meant(name, *kinds) else ""


def family_of(measure: str) -> str:
    """What a measure is listed under with others of its kind.

    >>> family_of("PIL_mean"), family_of("IL9")
    ('usual analyses', 'others')
    """
    known = _meant(measure, *MEASURING)
    return str(getattr(lookup(measure, *MEASURING), "family", "others")) if known else "others"


def is_headline(name: str) -> bool:
    """Whether a measure is one of the few that a reader should see first.

    >>> is_headline("SCORE"), is_headline("PIL_mean")
    (True, False)
    """
    known = any(name in locations()[kind] for kind in MEASURING)
    return known and bool(getattr(lookup(name, *MEASURING), "headline", False))


def describe(kind: str, name: str) -> dict[str, Any]:
    """What a user can know of a method without running it: for `tacita methods` and for forms."""
    method_class = lookup(name, kind)
    description = {
        "kind": kind,
        "name": name,
        "aliases": list(aliases_of(kind, name)),
        "summary": method_class.summary(),
        "parameters": method_class.parameter_schema(),
        "guarantees": list(method_class.guarantees),
    }
    if kind != "format":
        return description
    return description | {"endings": list(getattr(method_class, "endings", ()))}


def in_any_case(name: str, known: Iterable[str]) -> list[str]:
    """The known names that one may mean: itself, or else all that differ from it in capital letters alone.

    >>> in_any_case("mdav", ["mdav", "MDAV"]), in_any_case("Mdav", ["mdav", "MDAV", "hm"])
    (['mdav'], ['mdav', 'MDAV'])
    """
    names = list(dict.fromkeys(known))
    return (
        [name]
        if name in names
        else [candidate for candidate in names if candidate.casefold() == name.casefold()]
    )
