"""Risks of a plan that are refused unless the user accepts them; accepted ones are recorded by name."""

from __future__ import annotations

from collections.abc import Mapping

from tacita.core import ParameterError, RecordMethod, TacitaError
from tacita.core.spec.seeds import is_guessable
from tacita.microdata.plans.plan import Protection


def against_advice(method: RecordMethod, seed: int | None, *, shuffle: bool) -> dict[str, TacitaError]:
    """The risks of a run before it begins, by name, each with the error that refuses it."""
    risks: dict[str, TacitaError] = {}
    who = method.spoken_name()
    if method.group_size == 2:
        risks["k-of-2"] = ParameterError(
            f"{who}: k must be at least 3, got 2: each of two members can compute the other. Raise k, or "
            "insist (--insist; it is recorded)."
        )
    if method.allows_singletons:
        risks["k-of-1"] = ParameterError(
            f"{who}: k is 1, so records may be unique by their keys: anyone who knows that a person is "
            "in the file finds the record. Raise k; or, if a model of the population or of the whole file is "
            "enough, insist (--insist; it is recorded)."
        )
    if is_guessable(seed) and (shuffle or draws_protection(method)):
        what = "the order of the records" if not draws_protection(method) else "the random draws"
        risks["guessable-seed"] = ParameterError(
            f"{who}: seed must be at least 2**64, got a smaller one: an attacker who tries all small seeds "
            f"undoes {what}. Let one be drawn (--seed new), give none, or insist (--insist; it is recorded)."
        )
    return risks


def accepted_of_plan(protection: Protection, seed: int | None) -> tuple[str, ...]:
    """The names of the accepted risks of a plan; raises if a risk is not accepted."""
    section = protection.protect
    return tuple(
        dict.fromkeys(
            name
            for step in protection.planned
            for name in insisted_on(
                against_advice(step.section.build(), seed, shuffle=section.shuffle), section.insist
            )
        )
    )


def draws_protection(method: RecordMethod) -> bool:
    """Whether random draws protect values; those of a microaggregation only guide its search."""
    return method.kind != "microaggregation" and method.by_chance


def insisted_on(risks: Mapping[str, TacitaError], insist: bool) -> tuple[str, ...]:
    """The names of the risks if they are accepted; raises the first error otherwise.

    >>> insisted_on({"k-of-2": ParameterError("k must be at least 3")}, insist=True)
    ('k-of-2',)
    """
    if not insist:
        for name, error in risks.items():
            error.accepted_as = name
            raise error
    return tuple(risks)
