"""MDAV and linkage on a graphics card: the same groups and links as plain numpy, and how long they take.

Needs CuPy and a CUDA device, and of tacita no more than its source. With $TACITA_LARGE set, ten million
records too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

import numpy as np

from tacita.kernels import gpu
from tacita.kernels.gpu.linkage import Candidates
from tacita.kernels.gpu.mdav import group
from twins.mdav import mdav

from .mdav import survey
from .measuring import Result, wall_seconds


def results() -> Iterator[Result]:
    """Labels that differ from those of the twin, then seconds elapsed."""
    if reason := gpu.missing():
        print(f"Nothing is measured: {reason}.")
        return
    for k in (3, 5):
        x = survey(3000)
        differing = float((group(x, k, _silent) != mdav(x, k)).sum())
        yield Result(f"MDAV n=3000 d=8 k={k}, labels unlike the plain twin's", differing, "", None, "0")
    sizes = {100_000: "", 1_000_000: "6", **({10_000_000: "600"} if os.environ.get("TACITA_LARGE") else {})}
    for n, asked in sizes.items():
        surveyed = survey(n)
        seconds = wall_seconds(lambda points=surveyed: group(points, 3, _silent), 1)
        yield Result(f"MDAV n={n} d=8 k=3 on the card, seconds elapsed", seconds, "", None, asked)
    yield from _linkage()


def _linkage() -> Iterator[Result]:
    """All pairs: people of a file against its records in groups of four, and under noise."""
    for n in (2000, 100_000, 1_000_000):
        x = survey(n)
        order = np.argsort(x[:, 0], kind="stable")
        own = np.empty(n, dtype=np.int64)
        own[order] = np.arange(n) // 4
        noisy = x + 0.05 * np.random.default_rng(1).normal(size=x.shape)
        for kind, candidates, mine in (
            ("groups of 4", x[order].reshape(-1, 4, x.shape[1]).mean(axis=1), own),
            ("noise", noisy, np.arange(n)),
        ):
            repeats = np.full(len(candidates), n // len(candidates))
            link = partial(_links, x, candidates, repeats, mine)
            if n == 2000:
                differing = float((link() != _plain(x, candidates, repeats, mine)).sum())
                yield Result(f"links n={n} d=8, {kind}, unlike those of numpy", differing, "", None, "0")
            else:
                yield Result(
                    f"links n={n} d=8, {kind}, all pairs, seconds", wall_seconds(link, 1), "", None, ""
                )


def _links(x: np.ndarray, candidates: np.ndarray, repeats: np.ndarray, own: np.ndarray) -> np.ndarray:
    names, weights = np.zeros(x.shape[1], dtype=bool), np.ones(x.shape[1])
    return Candidates(candidates, repeats, weights, names, False).own_is_nearest(x, own)


def _plain(x: np.ndarray, candidates: np.ndarray, repeats: np.ndarray, own: np.ndarray) -> np.ndarray:
    found = np.empty(len(x))
    for i, row in enumerate(x):
        apart = np.zeros(len(candidates))
        for column, value in zip(candidates.T, row, strict=True):
            apart += (column - value) * (column - value)
        mine = apart[own[i]]
        nearer = bool((apart < mine * (1 - 1e-9)).any())
        found[i] = 0.0 if nearer else 1 / repeats[apart <= mine * (1 + 1e-9)].sum()
    return found


def _silent(_: float) -> None:
    return None
