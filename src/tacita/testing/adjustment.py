"""The laws of methods that adjust the values of a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from tacita.core import Adjusted, Cancelled, CellKeys, RunContext, Table
from tacita.testing import Findings

from .examples import SEED, StopAfter, nested, refusal


def there_is_a_finite_value_for_every_cell(method: Any) -> Findings:
    for where, table, adjusted in _adjusted(method):
        yield adjusted.values.shape == (table.n,), f"{where}: {adjusted.values.size} of {table.n} values."
        yield bool(np.isfinite(adjusted.values).all()), f"{where}: a value is not finite."


def its_promises_survive_an_audit_that_knows_nothing_of_it(method: Any) -> Findings:
    from tacita.tables.verify.adjusted import audit_adjusted

    for where, table, adjusted in _adjusted(method):
        audit = audit_adjusted(table, adjusted, method.promised())
        broken = [verdict.guarantee for verdict in audit.verdicts if not verdict.passed]
        yield bool(audit.verdicts), "It promises nothing that could be checked."
        yield not broken, f"{where}: it does not hold: {', '.join(broken)}."
        yield audit.safe, f"{where}: {audit.exposed} cells give too much away."


def what_it_promises_holds_of_every_file_that_is_written(method: Any) -> Findings:
    from tacita.core.spec import registry
    from tacita.tables.release.adjust import adjust
    from tacita.tables.verify.claim import encoded, verify_file

    claim = adjust(_counts(method, 2, 4, 4), method, run=RunContext(seed=SEED))
    for name in ("published-csv", "published-excel", "published-html"):
        form: Any = registry.lookup(name, "format")()
        content = encoded(claim, form)
        broken = [verdict.guarantee for verdict in verify_file(content, form, claim) if not verdict.passed]
        yield not broken, f"{name}: it does not hold: {', '.join(broken)}."


def its_distance_is_that_of_its_values_and_its_bound_lies_below(method: Any) -> Findings:
    for where, table, adjusted in _adjusted(method):
        changed = int((adjusted.values != table.values).sum())
        yield adjusted.changed == changed, f"{where}: {changed} cells changed, it says {adjusted.changed}."
        yield (adjusted.distance > 0) == (changed > 0), f"{where}: the distance is {adjusted.distance}."
        bound = adjusted.lower_bound
        yield (
            bound is None or 0 <= bound <= adjusted.distance * (1 + 1e-6) + 1e-6,
            f"{where}: its bound is above.",
        )


def the_same_seed_gives_the_same_values(method: Any) -> Findings:
    table = _counts(method, 7, 4, 4)
    one, other = (method.adjust(table, RunContext(seed=SEED)) for _ in range(2))
    yield np.array_equal(one.values, other.values), "The second time other values."


def the_order_of_labels_changes_no_promise(method: Any) -> Findings:
    from tacita.tables.verify.adjusted import audit_adjusted

    values = np.random.default_rng(3).integers(0, 12, size=(4, 3)).astype(float)
    for turned in (values, values.T, values[::-1]):
        secret = (turned > 0) & (turned < 3)
        table = _keyed(method, Table.from_array(turned, primary=secret, frequency=True))
        audit = audit_adjusted(table, method.adjust(table, RunContext(seed=SEED)), method.promised())
        yield audit.safe, f"{turned.shape[0]} x {turned.shape[1]}: it does not hold."


def a_table_of_zeros_stays_as_it_is(method: Any) -> Findings:
    if method.leans_on_sensitive:
        return
    adjusted = method.adjust(Table.from_array(np.zeros((3, 2)), frequency=True), RunContext(seed=SEED))
    yield not adjusted.values.any(), f"{int((adjusted.values != 0).sum())} zeros are not zero any more."


def cancelling_stops_it(method: Any) -> Findings:
    cancelled = RunContext(should_cancel=lambda: True)
    message = refusal(Cancelled, method.adjust, _counts(method, 1, 4, 4), cancelled)
    yield bool(message), "It runs on when it is cancelled."


def it_reports_to_the_end_of_its_work(method: Any) -> Findings:
    events: list[Any] = []
    method.adjust(_counts(method, 1, 4, 4), RunContext(on_progress=events.append))
    yield bool(events) and events[-1].share == 1, "The last progress it reports is not all of its work."


def stopped_early_it_keeps_its_promises(method: Any) -> Findings:
    from tacita.tables.verify.adjusted import audit_adjusted

    table = _counts(method, 5, 4, 4)
    for questions in (0, 1, 5):
        adjusted = method.adjust(table, RunContext(seed=SEED, should_stop=StopAfter(questions)))
        audit = audit_adjusted(table, adjusted, method.promised())
        yield audit.safe, f"Stopped at question {questions + 1}, it does not hold."


def _counts(method: Any, seed: int, *shape: int) -> Table:
    """Small counts, the smallest of them sensitive, with keys of the records behind each cell.

    Levels are zero, so that no sensitive cell may be computed exactly, except for methods that use levels.
    """
    values = np.random.default_rng(seed).integers(0, 12, size=shape).astype(float)
    return _keyed(method, Table.from_array(values, primary=(values > 0) & (values < 3), frequency=True))


def _keyed(method: Any, table: Table) -> Table:
    keys = CellKeys(
        np.linspace(0.0, 0.999, table.n) ** 2, table.values.astype(np.int64), table.values.astype(np.float64)
    )
    level = np.where(table.primary, 1.0 * method.leans_on_sensitive, 0.0)
    return replace(table, frequency=True, keys=keys, lower=level, upper=level)


def _adjusted(method: Any) -> Iterator[tuple[str, Table, Adjusted]]:
    """The adjusted values of tables of several shapes."""
    shapes = [(3, 3), (4, 4), (5, 2), (3, 3, 2)]
    tables = {" x ".join(map(str, shape)): _counts(method, seed, *shape) for seed, shape in enumerate(shapes)}
    regions = nested()
    secret = np.zeros(regions.n, dtype=bool)
    tables["regions and their parts"] = _keyed(method, replace(regions, primary=secret, forced=secret))
    for where, table in tables.items():
        if table.primary.any() or not method.leans_on_sensitive:
            yield where, table, method.adjust(table, RunContext(seed=SEED))
