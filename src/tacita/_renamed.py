"""Former names of public functions and classes: they work for one release, with a warning."""

from __future__ import annotations

# not from typing: what loads here loads before the command listens to Ctrl-C
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

FORMER = {
    "Run": "RunContext",
    "assess": "evaluate",
    "check": "check_requirements",
    "compare": "compare_methods",
    "compare_patterns": "compare_suppressions",
    "exposure": "sample_uniqueness",
    "guess_reading": "sniff_csv",
    "guess_roles": "suggest_roles",
    "link": "link_tables",
    "look_at_hierarchy": "hierarchy_coverage",
    "make_hierarchy": "build_hierarchy",
    "method": "get_method",
    "profile": "describe_columns",
    "read_argus": "read_tau_argus",
    "risk": "risk_profile",
    "run": "run_plan",
    "unpram": "estimate_pram_frequencies",
}


def former(name: str) -> Any:
    """What a former name stands for today; None where it is none."""
    from warnings import warn

    if name not in FORMER and name != "watch":
        return None
    today = FORMER.get(name, "synthesize(callback=...)")
    warn(f"tacita.{name} is tacita.{today} now.", DeprecationWarning, stacklevel=3)
    if name == "watch":
        return _watch
    import tacita

    return getattr(tacita, today)


def _watch(
    data: Any,
    *,
    on_round: Callable[[Any], None],
    measures: Sequence[str] = ("PIL", "DR", "SCORE"),
    **arguments: Any,
) -> Any:
    """`synthesize` by fuzzy c-regression, whose rounds a callback follows."""
    from tacita.api import synthesize

    return synthesize(data, callback=on_round, method="fcrm", measures=measures, **arguments)
