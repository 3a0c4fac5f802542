"""Promises about numbers that were coded at the ends of a column or rounded to a base."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum

import numpy as np

from tacita.core import Floats

from .evidence import Evidence, publishes


def top_coded(evidence: Evidence) -> str | None:
    """Numbers up to the limit are the originals, those above it one number."""
    return _coded(evidence, 1)


def bottom_coded(evidence: Evidence) -> str | None:
    """Numbers down to the limit are the originals, those below it one number."""
    return _coded(evidence, -1)


def _coded(evidence: Evidence, sign: int) -> str | None:
    wrong = [
        name
        for name in evidence.claim.original.quasi
        if not publishes(
            evidence, name, np.where(evidence.emptied(name), np.nan, _expected(evidence, name, sign))
        )
    ]
    if wrong:
        return f"{len(wrong)} columns hold numbers that are not coded as declared: {', '.join(wrong)}"
    return None


def _expected(evidence: Evidence, name: str, sign: int) -> Floats:
    terms, old = evidence.claim.terms, evidence.originals(name)
    # whoever left in a later step was still among those who were coded
    later = evidence.claim.original.numbers(name)[evidence.claim.leaving_later]
    present = [value for value in (*old.tolist(), *later.tolist()) if value == value]
    if not present:
        return old
    told = terms.get("limit")
    if told is not None:
        limit = float(told[name] if isinstance(told, Mapping) else told)
    else:
        most = terms["count"] if terms.get("count") is not None else int(terms["share"] * len(present))
        from_the_end = sorted(present, reverse=sign > 0)
        limit = from_the_end[min(most, len(present) - 1)]
    coded = [value for value in present if sign * value > sign * limit]
    if not coded:
        return old
    middle = {"limit": limit, "mean": fsum(coded) / len(coded), "median": float(np.median(coded))}
    return np.where(sign * old > sign * limit, middle[terms["by"]], old)


def rounded_to_base(evidence: Evidence) -> str | None:
    """Each number is base times a whole number, beside the original or nearest to it."""
    base, by_chance = float(evidence.claim.terms["base"]), bool(evidence.claim.terms["random"])
    off, far = [], []
    for name in evidence.claim.original.quasi:
        old, new = evidence.originals(name), evidence.released.numbers(name)
        if (evidence.emptied(name) & ~np.isnan(new)).any():
            off.append(name)
            continue
        known = ~np.isnan(old) & ~evidence.emptied(name)
        times = np.rint(new[known] / base)
        whole = name in evidence.claim.rounded
        if not np.array_equal(np.rint(times * base) if whole else times * base, new[known]):
            off.append(name)
            continue
        apart = np.abs(times - old[known] / base)
        most = 1.0 if by_chance else 0.5
        if (apart > most * (1 + 1e-9) + 1e-12 * np.abs(times)).any():
            far.append(name)
    if off:
        return f"{len(off)} columns hold numbers that are no multiples of the base: {', '.join(off)}"
    if far:
        return f"{len(far)} columns hold multiples that are not the next to the originals: {', '.join(far)}"
    return None
