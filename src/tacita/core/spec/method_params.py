"""Types of the parameters of methods, for signatures such as `protect(..., **method_params)`.

Written by `python .ci/typed_api.py` from the registry, whose classes check the values. `k` is missing
here, since verbs have it in their own signatures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict


class MethodParams(TypedDict, total=False):
    """Parameters of methods that protect records."""

    aggregate: Literal["geometric", "mean", "maximum", "sum", "rank"]
    alpha: float
    alternations: int
    balance: float
    base: float
    beside: Sequence[str]
    block: int | None
    breaks: Sequence[float] | Mapping[str, Sequence[float]] | None
    by: Literal["component", "sum"] | Literal["limit", "mean", "median"]
    c: int
    centres: Literal["moving", "fixed"]
    certify: bool
    clusters: int | None
    columns: Sequence[str]
    count: int | None
    edits: Sequence[str]
    effort: float | None
    elite: float
    elite_gene: float
    end_rule: Literal["3k", "2k"]
    eps: float
    equalities: bool
    first: Literal["h-means", "k-means"]
    fitness: Literal["group", "overall"]
    functions: int
    gamma: float
    generations: int
    given_groups: str | None
    groups: int | None
    growth: Literal["seed", "centroid"]
    highest: float | None
    importance: Mapping[str, float]
    inside: str
    invariant: bool
    jointly: bool
    level: int | Mapping[str, int] | None
    limit: float | Mapping[str, float] | None
    lowest: float | None
    m: int | float | None
    map: Mapping[str, str | Mapping[str, str]] | None
    matrix: Mapping[str, Mapping[str, Mapping[str, float]]] | None
    max_advantage: float
    max_leverage: float
    max_unchanged: float
    memberships: Literal["joint", "separate"]
    missing_as: Literal["category", "wildcard"]
    missing_category: bool
    model: Literal["linear", "radial"]
    models: Mapping[str, Any]
    moves: int
    mutants: float
    mutation: float
    nodes: int
    nonnegative: bool
    openings: int
    options: int
    order: Literal["random", "file"] | bool | Sequence[str]
    origin: Literal["mdav", "random"] | Literal["mdav", "gsms-t2", "random"]
    others: str | None
    outliers: Literal["drop", "withhold"]
    p: float
    patience: int
    pd: float
    polish: bool
    population: int
    publish_matrix: bool
    quality: Literal[
        "loss",
        "discernability",
        "discernability-monotonic",
        "aecs",
        "precision",
        "precision-monotonic",
        "entropy",
        "entropy-monotonic",
        "normalised-entropy",
        "ambiguity",
        "height",
    ]
    random: bool
    rate: float
    reach: Literal["at-hand", "random"]
    recombine: bool
    records: Sequence[str]
    relaxed: bool
    relink: bool
    risk_columns: Sequence[str]
    rmax: int
    rounds: int
    rules: Sequence[str]
    search: Literal["golden-section", "all"]
    share: float | None
    shrink: bool
    similar: Sequence[Sequence[str]]
    similarity: float
    starts: int | None
    step: float
    strength: float
    suppression_limit: float
    surrogate: Literal["several", "kmeans1", "kmeans2", "hmeans1", "hmeans2", "hmkm", "kmhm"]
    systematic: bool
    time: float | None
    time_limit: float | None
    unknown: Literal["refuse", "keep", "drop"]
    weights: Sequence[float]
    zeros: Sequence[str]


class MethodParamGrid(TypedDict, total=False):
    """The same for `compare`: a value, or several to try."""

    aggregate: (
        Literal["geometric", "mean", "maximum", "sum", "rank"]
        | Sequence[Literal["geometric", "mean", "maximum", "sum", "rank"]]
    )
    alpha: float | Sequence[float]
    alternations: int | Sequence[int]
    balance: float | Sequence[float]
    base: float | Sequence[float]
    beside: Sequence[str] | Sequence[Sequence[str]]
    block: int | Sequence[int | None] | None
    breaks: (
        Sequence[float]
        | Mapping[str, Sequence[float]]
        | Sequence[Sequence[float] | Mapping[str, Sequence[float]] | None]
        | None
    )
    by: (
        Literal["component", "sum"]
        | Literal["limit", "mean", "median"]
        | Sequence[Literal["component", "sum"] | Literal["limit", "mean", "median"]]
    )
    c: int | Sequence[int]
    centres: Literal["moving", "fixed"] | Sequence[Literal["moving", "fixed"]]
    certify: bool | Sequence[bool]
    clusters: int | Sequence[int | None] | None
    columns: Sequence[str] | Sequence[Sequence[str]]
    count: int | Sequence[int | None] | None
    edits: Sequence[str] | Sequence[Sequence[str]]
    effort: float | Sequence[float | None] | None
    elite: float | Sequence[float]
    elite_gene: float | Sequence[float]
    end_rule: Literal["3k", "2k"] | Sequence[Literal["3k", "2k"]]
    eps: float | Sequence[float]
    equalities: bool | Sequence[bool]
    first: Literal["h-means", "k-means"] | Sequence[Literal["h-means", "k-means"]]
    fitness: Literal["group", "overall"] | Sequence[Literal["group", "overall"]]
    functions: int | Sequence[int]
    gamma: float | Sequence[float]
    generations: int | Sequence[int]
    given_groups: str | Sequence[str | None] | None
    groups: int | Sequence[int | None] | None
    growth: Literal["seed", "centroid"] | Sequence[Literal["seed", "centroid"]]
    highest: float | Sequence[float | None] | None
    importance: Mapping[str, float] | Sequence[Mapping[str, float]]
    inside: str | Sequence[str]
    invariant: bool | Sequence[bool]
    jointly: bool | Sequence[bool]
    level: int | Mapping[str, int] | Sequence[int | Mapping[str, int] | None] | None
    limit: float | Mapping[str, float] | Sequence[float | Mapping[str, float] | None] | None
    lowest: float | Sequence[float | None] | None
    m: int | float | Sequence[int | float | None] | None
    map: Mapping[str, str | Mapping[str, str]] | Sequence[Mapping[str, str | Mapping[str, str]] | None] | None
    matrix: (
        Mapping[str, Mapping[str, Mapping[str, float]]]
        | Sequence[Mapping[str, Mapping[str, Mapping[str, float]]] | None]
        | None
    )
    max_advantage: float | Sequence[float]
    max_leverage: float | Sequence[float]
    max_unchanged: float | Sequence[float]
    memberships: Literal["joint", "separate"] | Sequence[Literal["joint", "separate"]]
    missing_as: Literal["category", "wildcard"] | Sequence[Literal["category", "wildcard"]]
    missing_category: bool | Sequence[bool]
    model: Literal["linear", "radial"] | Sequence[Literal["linear", "radial"]]
    models: Mapping[str, Any] | Sequence[Mapping[str, Any]]
    moves: int | Sequence[int]
    mutants: float | Sequence[float]
    mutation: float | Sequence[float]
    nodes: int | Sequence[int]
    nonnegative: bool | Sequence[bool]
    openings: int | Sequence[int]
    options: int | Sequence[int]
    order: (
        Literal["random", "file"]
        | bool
        | Sequence[str]
        | Sequence[Literal["random", "file"] | bool | Sequence[str]]
    )
    origin: (
        Literal["mdav", "random"]
        | Literal["mdav", "gsms-t2", "random"]
        | Sequence[Literal["mdav", "random"] | Literal["mdav", "gsms-t2", "random"]]
    )
    others: str | Sequence[str | None] | None
    outliers: Literal["drop", "withhold"] | Sequence[Literal["drop", "withhold"]]
    p: float | Sequence[float]
    patience: int | Sequence[int]
    pd: float | Sequence[float]
    polish: bool | Sequence[bool]
    population: int | Sequence[int]
    publish_matrix: bool | Sequence[bool]
    quality: (
        Literal[
            "loss",
            "discernability",
            "discernability-monotonic",
            "aecs",
            "precision",
            "precision-monotonic",
            "entropy",
            "entropy-monotonic",
            "normalised-entropy",
            "ambiguity",
            "height",
        ]
        | Sequence[
            Literal[
                "loss",
                "discernability",
                "discernability-monotonic",
                "aecs",
                "precision",
                "precision-monotonic",
                "entropy",
                "entropy-monotonic",
                "normalised-entropy",
                "ambiguity",
                "height",
            ]
        ]
    )
    random: bool | Sequence[bool]
    rate: float | Sequence[float]
    reach: Literal["at-hand", "random"] | Sequence[Literal["at-hand", "random"]]
    recombine: bool | Sequence[bool]
    records: Sequence[str] | Sequence[Sequence[str]]
    relaxed: bool | Sequence[bool]
    relink: bool | Sequence[bool]
    risk_columns: Sequence[str] | Sequence[Sequence[str]]
    rmax: int | Sequence[int]
    rounds: int | Sequence[int]
    rules: Sequence[str] | Sequence[Sequence[str]]
    search: Literal["golden-section", "all"] | Sequence[Literal["golden-section", "all"]]
    share: float | Sequence[float | None] | None
    shrink: bool | Sequence[bool]
    similar: Sequence[Sequence[str]] | Sequence[Sequence[Sequence[str]]]
    similarity: float | Sequence[float]
    starts: int | Sequence[int | None] | None
    step: float | Sequence[float]
    strength: float | Sequence[float]
    suppression_limit: float | Sequence[float]
    surrogate: (
        Literal["several", "kmeans1", "kmeans2", "hmeans1", "hmeans2", "hmkm", "kmhm"]
        | Sequence[Literal["several", "kmeans1", "kmeans2", "hmeans1", "hmeans2", "hmkm", "kmhm"]]
    )
    systematic: bool | Sequence[bool]
    time: float | Sequence[float | None] | None
    time_limit: float | Sequence[float | None] | None
    unknown: Literal["refuse", "keep", "drop"] | Sequence[Literal["refuse", "keep", "drop"]]
    weights: Sequence[float] | Sequence[Sequence[float]]
    zeros: Sequence[str] | Sequence[Sequence[str]]


class SuppressionParams(TypedDict, total=False):
    """Parameters of methods that suppress cells."""

    bound: float
    cells: int
    changes: int
    generations: int
    guided: bool
    inside: str
    iterations: int
    mutation: float
    patience: int
    population: int
    rounds: int
    seconds: float
    solver: Literal["highs", "scip"]
    tries: int


class AdjustmentParams(TypedDict, total=False):
    """Parameters of methods that adjust tables."""

    base: float | int
    flex_point: float
    hidden: int
    keep_sums: bool
    largest: int
    monotone: bool
    norm: Literal[1, 2]
    power: float
    random: bool
    seconds: float
    share: float
    share_large: float | None
    stay: float
    variance: float
    weights: Literal["relative", "equal", "cost"]
    whole: bool
