"""Rules for sensitive cells as words: on a command line, and in a list of cells that keeps them.

A rule is its name, or its name with parameters of its own: minimum-frequency:threshold=3:margin=10. Several
have commas between.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tacita.core import Method, ParameterError
from tacita.core.spec import registry

# labels of cells, which no single word can hold
_UNSPOKEN = {"cells"}


def fields_of(words: Iterable[str]) -> dict[str, Any]:
    """The parameters that some rules have, by name.

    >>> list(fields_of(["p-percent:p=10", "request"]))
    ['p', 'coalition', 'share', 'margin']
    """
    return {
        name: field
        for word in words
        for name, field in registry.lookup(word.partition(":")[0].strip(), "rule").model_fields.items()
        if name not in _UNSPOKEN
    }


def build_rules(words: Sequence[str], parameters: Mapping[str, Any] | None = None) -> list[Any]:
    """Rules out of words. A shared parameter goes to every rule that has it and does not set it itself.

    >>> build_rules(["minimum-frequency:margin=10", "request"], {"margin": 40})
    [MinimumFrequency(threshold=3, margin=10.0, weighted=False), Request(share=0.0, margin=40.0)]
    """
    return [registry.lookup(name, "rule")(**params) for name, params in _requested(words, parameters or {})]


def rule_sections(words: Sequence[str], parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """The same as the [[rules]] of a plan: the name of each, and the parameters that were given.

    >>> rule_sections(["p-percent", "request:share=5"], {"p": "20"})
    [{'name': 'p-percent', 'p': 20.0}, {'name': 'request', 'share': 5.0}]
    """
    made = zip(_requested(words, parameters or {}), build_rules(words, parameters), strict=True)
    return [
        {"name": name, **rule.model_dump(mode="json", include={*params})} for (name, params), rule in made
    ]


def _requested(words: Sequence[str], shared: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The name of each rule, and its parameters: its own, or shared ones."""
    parts = [_parted(word) for word in words]
    fields = {name: registry.lookup(name, "rule").model_fields for name, _ in parts}
    takes = [{param for param in shared if param in fields[name] and param not in own} for name, own in parts]
    if idle := [param for param in shared if not any(param in taken for taken in takes)]:
        raise ParameterError(
            f"tabulate: no rule that is named has a parameter {', '.join(idle)}, or each says its own."
        )
    return [
        (name, {param: shared[param] for param in shared if param in taken} | own)
        for (name, own), taken in zip(parts, takes, strict=True)
    ]


def _parted(word: str) -> tuple[str, dict[str, str]]:
    """The rule that a word names, and the parameters that it sets."""
    name, *own = (part.strip() for part in word.split(":"))
    name = registry.canonical(name, "rule")
    params: dict[str, str] = {}
    for part in own:
        parameter, sign, value = (text.strip() for text in part.partition("="))
        if not sign or not parameter or not value or parameter in params or parameter in _UNSPOKEN:
            raise ParameterError(
                f"{name}: wanted parameters of a rule as NAME:PARAMETER=VALUE:PARAMETER=VALUE, each once, "
                "such as minimum-frequency:threshold=3:margin=10."
            )
        params[parameter] = value
    return name, params


def spell_rules(rules: Iterable[Method]) -> str:
    """The words that `build_rules` makes the same rules of, but for named cells.

    >>> spell_rules(build_rules(["p-percent"], {"p": 20}))
    'p-percent:p=20.0:coalition=1'
    """
    records = describe_rules(rules)
    return ",".join(
        ":".join([rule["name"], *(f"{name}={value}" for name, value in rule["parameters"].items())])
        for rule in records
    )


def describe_rules(rules: Iterable[Method]) -> list[dict[str, Any]]:
    """The name and the parameters of each rule, but for named cells, as a record keeps them.

    >>> describe_rules(build_rules(["p-percent"]))
    [{'name': 'p-percent', 'parameters': {'p': 15.0, 'coalition': 1}}]
    """
    names = {registry.lookup(name, "rule"): name for name in registry.names("rule")}
    return [
        {
            # a rule of somebody's own, which no registry knows
            "name": names.get(type(rule), rule.display_name()),
            "parameters": rule.model_dump(mode="json", exclude=_UNSPOKEN),
        }
        for rule in rules
    ]
