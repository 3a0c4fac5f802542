"""Random files of persons, with and without columns that give a protected one back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

KEYS = ["region", "size", "age", "job"]

# How a planted column gives a key back, and what protects the key.
PLANTS = (
    "weight",
    "population",
    "coordinates",
    "weight and scale",
    "three digits",
    "birth date",
    "written date",
    "fine code",
    "sorted",
    "some weights",
)


def persons(seed: int, n: int = 1200) -> pd.DataFrame:
    """Keys of some categories, and columns beside that go along with them without determining them.

    A nearly unique income and an exactly unique number, a job that mostly follows from the schooling, a
    health that depends on the age, hours, and a tenure that is nearly always the same.
    """
    rng = np.random.default_rng(seed)
    regions, jobs = int(rng.integers(6, 14)), int(rng.integers(5, 10))
    region = rng.choice(regions, n, p=rng.dirichlet(np.full(regions, 2.0)))
    age = rng.integers(0, 90, n)
    school = rng.integers(0, 6, n)
    job = np.where(rng.random(n) < 0.7, school % jobs, rng.choice(jobs, n, p=rng.dirichlet(np.ones(jobs))))
    return pd.DataFrame(
        {
            "region": [f"R{each:02}" for each in region],
            "size": rng.integers(1, 6, n).astype(str),
            "age": age // 10,
            "job": [f"J{each}" for each in job],
            "school": school,
            "income": rng.lognormal(9 + 0.2 * school + 0.05 * region, 0.8).round(),
            "number": rng.permutation(n) + 10_000,
            "health": np.clip(age // 20 + rng.integers(0, 3, n), 0, 5),
            "hours": rng.integers(0, 60, n),
            "tenure": np.where(rng.random(n) < 0.97, "own", "rent"),
            "years": age,
        }
    )


def planted(seed: int, plant: str) -> tuple[pd.DataFrame, dict[str, Any], set[str]]:
    """A file, how it is protected, and the columns of which at least one must be named."""
    rng = np.random.default_rng(seed + 10_000)
    frame = persons(seed)
    n = len(frame)
    years = frame.pop("years").to_numpy()
    region = frame["region"].astype("category").cat.codes.to_numpy().astype(int)
    size = frame["size"].to_numpy().astype(int)
    how: dict[str, Any] = suppressing()
    if plant == "weight":
        # each weight belongs to one region and household size
        frame["w"] = np.round(100 + 7.31 * region + 1.13 * size, 2)
        return frame, how, {"w"}
    if plant == "population":
        counts = rng.choice(np.arange(2_000, 90_000), region.max() + 1, replace=False)
        frame["population"] = counts[region]
        return frame, how, {"population"}
    if plant == "coordinates":
        east, north = region % 4 + rng.integers(0, 3, n) / 10, region // 4 + rng.integers(0, 3, n) / 10
        frame["east"], frame["north"] = east.round(1), north.round(1)
        return frame, how, {"east", "north"}
    if plant == "weight and scale":
        frame["group"] = (size + region) % 5
        frame["scale"] = region % 5
        return frame, {**how, "importance": {"size": 0.01}}, {"group", "scale"}
    if plant == "three digits":
        first, second = rng.integers(0, 5, (2, n))
        frame["first"], frame["second"], frame["third"] = first, second, (size + first + second) % 5
        return frame, {**how, "importance": {"size": 0.01}}, {"first", "second", "third"}
    if plant in ("birth date", "written date"):
        born = pd.Timestamp("2020-12-31") - pd.to_timedelta(
            years * 365.25 + rng.integers(0, 365, n), unit="D"
        )
        # age groups follow from the date exactly
        frame["age"] = ((pd.Timestamp("2021-01-01") - born).days // 3653).astype(int)
        frame["born"] = born.strftime("%Y-%m-%d" if plant == "birth date" else "%d/%m/%Y")
        return frame, how, {"born"}
    if plant == "fine code":
        frame["town"] = [
            f"{each[1:]}{town:03}" for each, town in zip(frame["region"], rng.integers(0, 4, n), strict=True)
        ]
        half = {each: f"{each[1:2]}x" for each in sorted(set(frame["region"]))}
        return frame, {"quasi": ["region"], "method": "recode", "map": half, "measures": ["NCP"]}, {"town"}
    if plant == "sorted":
        frame = frame.iloc[np.argsort(region, kind="stable")].reset_index(drop=True)
        return frame, how, {"the order of the records"}
    assert plant == "some weights"
    # half of the weights belong to one region, the others to all of them
    own = rng.random(n) < 0.5
    frame["w"] = np.where(own, 500.0 + region, rng.integers(100, 130, n))
    return frame, how, {"w"}


def suppressing() -> dict[str, Any]:
    return {
        "quasi": KEYS,
        "nominal": KEYS,
        "method": "local-suppression",
        "k": 3,
        "measures": ["SUPPRESSED"],
        "options": 0,
    }
