"""What goes against advice: refused unless its risk is accepted, and then recorded by name."""

from __future__ import annotations

from collections.abc import Mapping

from tacita.core import ParameterError, RecordMethod, TacitaError
from tacita.core.spec.release_options import ReleaseOptions
from tacita.core.spec.seeds import is_guessable
from tacita.core.spec.setting_syntax import accepting, setting
from tacita.microdata.plans.plan import Protection


def against_advice(method: RecordMethod, seed: int | None, *, shuffle: bool) -> dict[str, TacitaError]:
    """The unwise choices of a run, known before it begins: the error for each, by name."""
    errors: dict[str, TacitaError] = {}
    who = method.display_name()
    if method.group_size == 2:
        errors["k-of-2"] = ParameterError(
            f"{who}: k must be at least 3, got 2: each of two members can compute the other. Raise k, "
            f"or {accepting('k-of-2')}."
        )
    if method.allows_singletons:
        errors["k-of-1"] = ParameterError(
            f"{who}: k is 1, so records may be unique by their keys: anyone who knows that a person is in "
            "the file finds them. Raise k; where a model of the population or of the whole file is enough, "
            f"{accepting('k-of-1')}."
        )
    if is_guessable(seed) and (shuffle or draws_protection(method)):
        what = "the order of the records" if not draws_protection(method) else "what was drawn"
        errors["guessable-seed"] = ParameterError(
            f"{who}: seed must be at least 2**64, got a smaller one: anyone who tries all small seeds undoes "
            f"{what}. Draw one ({setting('protect', 'seed', 'new')}), give none, or "
            f"{accepting('guessable-seed')}."
        )
    return errors


def accepted_of_plan(protection: Protection, seed: int | None) -> tuple[str, ...]:
    """Names of the unwise choices of a plan that are accepted; raises the error of one that is not."""
    section = protection.protect
    return tuple(
        dict.fromkeys(
            name
            for step in protection.planned
            for name in require_accepted(
                against_advice(step.section.build(), seed, shuffle=section.shuffle), section
            )
        )
    )


def draws_protection(method: RecordMethod) -> bool:
    """Whether drawn numbers hide values; those of a microaggregation only steer its search."""
    return method.kind != "microaggregation" and method.by_chance


def require_accepted(errors: Mapping[str, TacitaError], options: ReleaseOptions) -> tuple[str, ...]:
    """Names of the accepted errors; raises the first error that is not accepted.

    >>> require_accepted({"k-of-2": ParameterError("k must be at least 3")}, ReleaseOptions(accept="k-of-2"))
    ('k-of-2',)
    """
    for name, error in errors.items():
        if not options.accepts(name):
            error.accepted_as = name
            raise error
    return tuple(errors)
