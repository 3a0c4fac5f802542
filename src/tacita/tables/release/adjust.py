"""From a table to audited adjusted values: let a method change them, and try to refute what it promises.

Values come out of here only after the audit, which shares no code with the methods. What a method reports of
its own values is checked too: the distance is added up again.
"""

from __future__ import annotations

from dataclasses import replace

from tacita.core import Adjusted, DataError, ParameterError, RunContext, Table, VerificationError
from tacita.core.spec.seeds import is_guessable
from tacita.core.spec.setting_syntax import setting
from tacita.tables.adjustment.adjustment_method import Adjustment
from tacita.tables.verify.adjusted import AdjustmentClaim, audit_adjusted, require_safe


def adjust(
    table: Table,
    method: Adjustment,
    *,
    accept_less_protection: bool = False,
    run: RunContext | None = None,
    name: str | None = None,
) -> AdjustmentClaim:
    """Replace the true values of a table, and audit the result; or raise. The options of `tacita.adjust`.

    `name` is the name of the method in the record. The cost of the method, and that of an audit.

    >>> from tacita.tables.adjustment.rounding import Rounding
    >>> found = adjust(Table.from_array([[4, 7], [2, 1]], frequency=True), Rounding(base=5))
    >>> found.adjusted.distance, found.audit.safe, found.audit.inferred.high[:2].tolist()
    (16.0, True, [9.0, 9.0])
    """
    run = run or RunContext()
    if method.leans_on_sensitive and not table.primary.any():
        raise DataError(
            f"{method.display_name()}: no cell is sensitive, so that nothing would change. Mark cells, by "
            "rules or in a column (primary), or choose another method."
        )
    made = _checked(table, method.adjust(table, run), method, name, run.seed)
    if made.drawn and is_guessable(run.seed) and not accept_less_protection:
        acceptance = setting("adjust", "insist", True)
        raise ParameterError(
            f"{method.display_name()}: seed must be at least 2**64, got a smaller one: anyone who tries all "
            f"small seeds undoes what was drawn. Draw one ({setting('adjust', 'seed', 'new')}), give none, "
            f"or accept the risk ({acceptance}), which is recorded."
        )
    if accept_less_protection:
        made = replace(made, parameters={**made.parameters, "insist": True})
    audit = audit_adjusted(table, made, method.promised(), run, accept_less_protection=accept_less_protection)
    return AdjustmentClaim(made, require_safe(audit))


def _checked(
    table: Table, reported: Adjusted, method: Adjustment, name: str | None, seed: int | None
) -> Adjusted:
    """The values of the method, where its report can be confirmed; VerificationError if not."""
    who = method.display_name()
    if reported.values.shape != (table.n,):
        raise VerificationError(f"{who}: the values do not have the shape of the table. They are refused.")
    changed = int((reported.values != table.values).sum())
    if changed != reported.changed:
        raise VerificationError(f"{who}: it changed other cells than it says. The values are refused.")
    return replace(reported, method=name or who, parameters=method.own_parameters(), seed=seed)
