"""Random files of persons, with and without columns that give a protected one back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

KEYS = ["region", "size", "age", "job"]
SIZES = (1200, 400, 3000, 800, 8000)


def persons(seed: int, n: int = 1200) -> pd.DataFrame:
    """Keys of some categories, and columns beside that go along with them without determining them.

    A nearly unique income and an exactly unique number, a job that mostly follows from the schooling, a
    health that mostly depends on the age, hours, and a tenure that is nearly always the same.
    """
    rng = np.random.default_rng(seed)
    regions, jobs = int(rng.integers(6, 14)), int(rng.integers(5, 10))
    region = rng.choice(regions, n, p=rng.dirichlet(np.full(regions, 2.0)))
    age = rng.integers(0, 90, n)
    school = rng.integers(0, 6, n)
    job = np.where(rng.random(n) < 0.7, school % jobs, rng.choice(jobs, n, p=rng.dirichlet(np.ones(jobs))))
    # nobody's health says for sure how old they are
    health = np.where(rng.random(n) < 0.15, rng.integers(0, 6, n), age // 20 + rng.integers(0, 3, n))
    return pd.DataFrame(
        {
            "region": [f"R{each:02}" for each in region],
            "size": rng.integers(1, 6, n).astype(str),
            "age": age // 10,
            "job": [f"J{each}" for each in job],
            "school": school,
            "income": rng.lognormal(9 + 0.2 * school + 0.05 * region, 0.8).round(),
            "number": rng.permutation(n) + 10_000,
            "health": np.clip(health, 0, 5),
            "hours": rng.integers(0, 60, n),
            "tenure": np.where(rng.random(n) < 0.97, "own", "rent"),
            "years": age,
        }
    )


def suppressing(**more: Any) -> dict[str, Any]:
    """How keys are suppressed, as a default run does but for the search."""
    return {
        "quasi": KEYS,
        "nominal": KEYS,
        "method": "local-suppression",
        "k": 3,
        "measures": ["SUPPRESSED"],
        "options": 0,
        **more,
    }


@dataclass
class Persons:
    """Chance, a file, and the region, household size and age in years of each record."""

    rng: np.random.Generator
    frame: pd.DataFrame
    region: Any
    size: Any
    years: Any

    @property
    def n(self) -> int:
        """How many records."""
        return len(self.frame)


Planting = Callable[[Persons], tuple[dict[str, Any], set[str]]]
# Keys that are suppressed rather than the others: what is given back must have been hidden.
_SIZE_FIRST: dict[str, Any] = {"importance": {"size": 0.01}}
_REGION_FIRST: dict[str, Any] = {"importance": {"region": 0.01}}
_AGE_FIRST: dict[str, Any] = {"importance": {"age": 0.01}}


def _codes(frame: pd.DataFrame, name: str) -> Any:
    return frame[name].astype("category").cat.codes.to_numpy().astype(int)


def _weight(of):
    """Each weight belongs to one region and household size."""
    of.frame["w"] = np.round(100 + 7.31 * of.region + 1.13 * of.size, 2)
    return suppressing(**_REGION_FIRST), {"w"}


def _calibrated(of):
    """Weights are population over sample, by region and household size; the largest are trimmed."""
    cell = of.region * 5 + of.size
    sample = np.bincount(cell)
    weights = of.rng.integers(5_000, 90_000, sample.size) / np.maximum(1, sample)
    of.frame["w"] = np.round(np.minimum(weights[cell], np.quantile(weights[cell], 0.9)), 3)
    return suppressing(**_REGION_FIRST), {"w"}


def _calibrated_with_error(of):
    """The same, each weight by itself: neighbours in their order are of one region."""
    cell = of.region * 5 + of.size
    weights = np.sort(of.rng.uniform(50, 900, cell.max() + 1))[of.rng.permutation(cell.max() + 1)]
    of.frame["w"] = weights[cell] * (1 + of.rng.normal(0, 1e-6, of.n))
    return suppressing(**_REGION_FIRST), {"w"}


def _population(of):
    counts = of.rng.choice(np.arange(2_000, 90_000), of.region.max() + 1, replace=False)
    of.frame["population"] = counts[of.region]
    return suppressing(**_REGION_FIRST), {"population"}


def _population_with_errors(of):
    """One record in forty has the count of another region."""
    counts = of.rng.choice(np.arange(2_000, 90_000), of.region.max() + 1, replace=False)
    wrong = of.rng.random(of.n) < 0.025
    of.frame["population"] = counts[np.where(wrong, of.rng.permutation(of.region), of.region)]
    return suppressing(**_REGION_FIRST), {"population"}


def _coordinates(of):
    """Rounded, so that many stand on one point."""
    of.frame["east"] = (of.region % 4 + of.rng.integers(0, 3, of.n) / 10).round(1)
    of.frame["north"] = (of.region // 4 + of.rng.integers(0, 3, of.n) / 10).round(1)
    return suppressing(**_REGION_FIRST), {"east", "north"}


def _map(of):
    """To the metre, so that nobody stands where another does."""
    of.frame["east"] = (of.region % 4 * 3_000 + of.rng.uniform(0, 2_400, of.n)).round()
    of.frame["north"] = (of.region // 4 * 3_000 + of.rng.uniform(0, 2_400, of.n)).round()
    return suppressing(**_REGION_FIRST), {"east", "north"}


def _weight_and_scale(of):
    of.frame["group"], of.frame["scale"] = (of.size + of.region) % 5, of.region % 5
    return suppressing(**_SIZE_FIRST), {"group", "scale"}


def _equivalence_scale(of):
    """The modified scale of the OECD, by adults and children, beside the number of children."""
    children = np.minimum(of.size - 1, of.rng.integers(0, 4, of.n))
    of.frame["scale"] = (1 + 0.5 * (of.size - children - 1) + 0.3 * children).round(1)
    of.frame["children"] = children
    return suppressing(**_SIZE_FIRST), {"scale", "children"}


def _sum(of):
    children = np.minimum(of.size - 1, of.rng.integers(0, 4, of.n))
    of.frame["children"], of.frame["adults"] = children, of.size - children
    return suppressing(**_SIZE_FIRST), {"children", "adults"}


def _three_digits(of):
    first, second = of.rng.integers(0, 5, (2, of.n))
    of.frame["first"], of.frame["second"], of.frame["third"] = first, second, (of.size + first + second) % 5
    return suppressing(**_SIZE_FIRST), {"first", "second", "third"}


def _pair_of_some(of):
    """A pair of columns gives back the size of half of the records; of the others it says nothing."""
    own = of.rng.random(of.n) < 0.5
    of.frame["group"] = np.where(own, (of.size + of.region) % 5, of.rng.integers(0, 5, of.n))
    of.frame["scale"] = np.where(own, of.region % 5, 5 + of.rng.integers(0, 4, of.n))
    return suppressing(**_SIZE_FIRST), {"group", "scale"}


def _two_regions(of):
    """A weight leaves two regions."""
    of.frame["w"] = np.round(100 + 7.3 * (of.rng.permutation(of.region.max() + 1) // 2)[of.region], 1)
    return suppressing(**_REGION_FIRST), {"w"}


def _two_regions_by_two(of):
    """So do two columns, neither of which says much by itself."""
    halves = of.region.max() // 2 + 1
    half, other = of.region // 2, of.rng.integers(0, halves, of.n)
    of.frame["first"], of.frame["second"] = other, (half + other) % halves
    return suppressing(**_REGION_FIRST), {"first", "second"}


def _born(of, pattern):
    days = pd.to_timedelta(of.years * 365.25 + of.rng.integers(0, 365, of.n), unit="D")
    born = pd.Timestamp("2020-12-31") - days
    # age groups follow from the date exactly
    of.frame["age"] = ((pd.Timestamp("2021-01-01") - born).days // 3653).astype(int)
    of.frame["born"] = born.strftime(pattern)
    return suppressing(**_AGE_FIRST), {"born"}


def _birth_date(of):
    return _born(of, "%Y-%m-%d")


def _written_date(of):
    return _born(of, "%d/%m/%Y")


def _year_of_birth(of):
    of.frame["born"] = 2020 - of.years
    of.frame["age"] = of.years.astype(str)
    breaks = [0, 20, 40, 60, 90]
    how = {"quasi": ["age"], "nominal": ["age"], "method": "recode", "breaks": breaks, "measures": ["NCP"]}
    return how, {"born"}


def _fine_code(of):
    towns = of.rng.integers(0, 4, of.n)
    of.frame["town"] = [f"{each:02}{town:03}" for each, town in zip(of.region, towns, strict=True)]
    half = {each: f"{each[1:2]}x" for each in sorted(set(of.frame["region"]))}
    return {"quasi": ["region"], "method": "recode", "map": half, "measures": ["NCP"]}, {"town"}


def _code_beside_levels(of):
    """Regions are generalised, and a code of each stands beside."""
    of.frame["office"] = 700 + of.rng.permutation(of.region.max() + 1)[of.region]
    return {"quasi": KEYS, "k": 3, "method": "generalise", "measures": ["NCP"], **_REGION_FIRST}, {"office"}


def _code_beside_ranges(of):
    of.frame["office"] = 700 + of.rng.permutation(of.region.max() + 1)[of.region]
    how = {"quasi": KEYS, "k": 3, "method": "recode-local", "measures": ["NCP"], **_REGION_FIRST}
    return how, {"office"}


def _sorted(of):
    order = np.argsort(of.region, kind="stable")
    of.frame = of.frame.iloc[order].reset_index(drop=True)
    return suppressing(**_REGION_FIRST), {"the order of the records"}


def _some_weights(of):
    """Half of the weights belong to one region, the others to all of them."""
    own = of.rng.random(of.n) < 0.5
    of.frame["w"] = np.where(own, 500.0 + of.region, of.rng.integers(100, 130, of.n))
    return suppressing(**_REGION_FIRST), {"w"}


def _added_numbers(of):
    of.frame["benefits"] = of.rng.integers(0, 900, of.n)
    of.frame["total"] = of.frame["income"] + of.frame["benefits"]
    return {"quasi": ["income"], "method": "mdav", "k": 3, "measures": ["IL1"]}, {"benefits", "total"}


def _converted(of):
    """The same amount in another currency."""
    of.frame["dollars"] = (of.frame["income"] * 1.0837).round(2)
    return {"quasi": ["income"], "method": "noise", "measures": ["IL1"]}, {"dollars"}


def _divided(of):
    of.frame["each"], of.frame["heads"] = of.frame["income"] / of.size, of.size
    return {"quasi": ["income"], "method": "rank-swap", "measures": ["IL1"]}, {"each", "heads"}


def _category_code(of):
    of.frame["isco"] = 100 * (1 + of.rng.permutation(20)[_codes(of.frame, "job")]) + of.rng.integers(
        0, 9, of.n
    )
    how = {
        "quasi": ["job"],
        "nominal": ["job"],
        "method": "pram",
        "seed": 1 << 64,
        "measures": ["CATEGORIES"],
    }
    return how, {"isco"}


# How a planted column gives a key back, and what protects the key.
_PLANTS: dict[str, Planting] = {
    "weight": _weight,
    "population": _population,
    "coordinates": _coordinates,
    "weight and scale": _weight_and_scale,
    "three digits": _three_digits,
    "birth date": _birth_date,
    "written date": _written_date,
    "fine code": _fine_code,
    "sorted": _sorted,
    "some weights": _some_weights,
    "calibrated": _calibrated,
    "calibrated with error": _calibrated_with_error,
    "population with errors": _population_with_errors,
    "map": _map,
    "equivalence scale": _equivalence_scale,
    "sum": _sum,
    "pair of some": _pair_of_some,
    "two regions": _two_regions,
    "two regions by two": _two_regions_by_two,
    "year of birth": _year_of_birth,
    "code beside levels": _code_beside_levels,
    "code beside ranges": _code_beside_ranges,
    "added numbers": _added_numbers,
    "converted": _converted,
    "divided": _divided,
    "category code": _category_code,
}
PLANTS = tuple(_PLANTS)


def planted(seed: int, plant: str, n: int | None = None) -> tuple[pd.DataFrame, dict[str, Any], set[str]]:
    """A file, how it is protected, and the columns of which at least one must be named."""
    rng = np.random.default_rng(seed + 10_000)
    # few records teach little of pairs that leave two values
    frame = persons(seed, n or max(SIZES[seed % len(SIZES)], 1200 if plant == "two regions by two" else 0))
    years = frame.pop("years").to_numpy()
    region, size = _codes(frame, "region"), frame["size"].to_numpy().astype(int)
    of = Persons(rng, frame, region, size, years)
    how, names = _PLANTS[plant](of)
    return of.frame, how, names


def clean(seed: int) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A file in which nothing gives a protected key back, and how it is protected.

    Of 60 to 8 000 records, with what files of surveys have: weights that vary by region and household size
    and by much else, languages that most of a region speak, codes of three records each, sums of columns that
    nobody protects, gaps, dates, skewed categories and a frame of persons in the order of their numbers.
    """
    rng = np.random.default_rng(seed + 50_000)
    n = (1200, 60, 300, 3000, 8000)[seed % 5]
    frame = persons(seed, n)
    years = frame.pop("years").to_numpy()
    region, size = _codes(frame, "region"), frame["size"].to_numpy().astype(int)
    frame["sex"] = rng.choice(["m", "f"], n)
    frame["citizen"] = rng.choice(["own", "near", "far", "none"], n, p=[0.93, 0.04, 0.025, 0.005])
    # raked by region and size, then by response: no two cells share few weights, nor few cells one
    frame["weight"] = np.round((40 + 3 * region + 5 * size) * rng.gamma(20, 1 / 20, n), 2)
    spoken = rng.integers(0, 3, region.max() + 1)[region]
    frame["language"] = np.where(rng.random(n) < 0.85, spoken, rng.integers(0, 4, n))
    frame["status"] = np.select(
        [rng.random(n) < 0.1, years < 25, years < 66], [rng.integers(0, 4, n), 0, 1], default=2
    )
    frame["house"] = rng.permutation(n) // 3
    frame["wage"], frame["pension"] = (
        rng.integers(0, 5000, n),
        rng.integers(0, 900, n) * (years > rng.integers(0, 90, n)),
    )
    frame["earned"] = frame["wage"] + frame["pension"]
    frame["asked"] = (
        pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 200, n), unit="D")
    ).strftime("%Y-%m-%d")
    frame["rooms"] = np.where(rng.random(n) < 0.1, np.nan, np.clip(rng.poisson(1 + size * 0.8), 1, 9))
    if rng.random() < 0.5:
        frame = frame.drop(
            columns=[str(name) for name in rng.choice(list(frame.columns[4:]), 5, replace=False)]
        )
    keys = [name for name in (*KEYS, "sex", "citizen") if name in frame][: int(rng.integers(3, 7))]
    return frame, _ways(rng, frame, keys)


def _ways(rng: Any, frame: pd.DataFrame, keys: list[str]) -> dict[str, Any]:
    k = int(rng.choice((3, 5)))
    of_keys = {"quasi": keys, "nominal": keys, "k": k}
    suppress = {**of_keys, "method": "local-suppression", "measures": ["SUPPRESSED"], "options": 0}
    halves = {each: f"Q{int(each[1:]) // 5}" for each in sorted(set(frame["region"]))}
    ways: list[dict[str, Any]] = [
        suppress,
        suppress,
        {**suppress, "missing_as": "wildcard"},
        {**suppress, "m": 2},
        {**suppress, "strata": ["tenure"]} if "tenure" in frame else suppress,
        {**of_keys, "method": "generalise", "suppression_limit": 0.05, "measures": ["NCP"]},
        {**of_keys, "method": "recode-local", "measures": ["NCP"]},
        {**of_keys, "method": "mondrian", "measures": ["NCP"]},
        {"quasi": ["region"], "method": "recode", "map": {"region": halves}, "measures": ["NCP"]},
        {"quasi": ["job"], "nominal": ["job"], "method": "pram", "seed": 1 << 64, "measures": ["CATEGORIES"]},
    ]
    if "income" in frame:
        ways.append({"quasi": ["income"], "method": "mdav", "k": 3, "measures": ["IL1"]})
    return ways[int(rng.integers(len(ways)))]
