"""From records to a table: sums over every combination of labels, and who stands behind each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacita.core import DataError, Hierarchy, Microdata, ParameterError, Table
from tacita.core.data.table import COUNTED
from tacita.core.spec.setting_syntax import setting
from tacita.tables.plans.dimensions import TOTAL, Division
from tacita.tables.rules import Rule, apply_rules, rules_of
from tacita.tables.rules.request_rules import Request

from .aggregation.parquet_aggregation import RecordParts
from .aggregation.partial_table import Portion, Summed
from .aggregation.table_request import TableRequest, check_distinct_keys
from .contributor_columns import is_kept


def tabulate(
    data: Any,
    dimensions: Sequence[str] | Mapping[str, Any] | Division,
    value: str | None = None,
    *,
    weight: str | None = None,
    unit: str | None = None,
    request: str | None = None,
    waiver: str | None = None,
    key: str | None = None,
    rules: Rule | Sequence[Rule] = (),
    depth: int = 3,
    prefixes: Mapping[str, Sequence[int]] | None = None,
    parents: Mapping[str, str] | None = None,
    total: str | Mapping[str, str] = TOTAL,
    margins: bool = True,
    **fields: Any,
) -> Table:
    """Sum a column of records, or count records, over all combinations of some columns.

    `dimensions` names columns, or maps each to its hierarchy (a nested dict, a Hierarchy, the path of an .hrc
    or .csv file, or None), or is a Division; `prefixes`, `parents` and `total` are its other parts. Without
    `value` the table counts. `unit` names the holding of a record: the contributions of a holding to a cell
    are summed before they are ranked. With `weight`, a contribution of weight w stands for w contributors of
    its size. `request` and `waiver` are columns that mark who requested protection and who waived it (0,
    false, no and empty mean neither; words other than these and 1, true and yes are refused). `key` is a
    column of keys in [0, 1), drawn once for every record: they determine the noise of the method cell-key, so
    that a cell has the same noise in every table. `depth` is how many of the largest contributions each cell
    keeps, or more where a rule uses more. Other fields are those of Table.cross.

    Sums are exact and rounded once: they are the same in whatever order records come. O(records log
    records), per combination of levels where units are named; O(records + cells depth) memory.

    >>> import pyarrow as pa
    >>> firms = pa.table({"region": list("aabb"), "size": list("slss"), "turnover": [1, 90, 5, 4]})
    >>> table = tabulate(firms, ["region", "size"], "turnover")
    >>> table.values.reshape(table.shape).tolist()
    [[90.0, 1.0, 91.0], [0.0, 9.0, 9.0], [90.0, 10.0, 100.0]]
    >>> table.contributors.count.tolist()
    [1, 1, 2, 0, 2, 2, 1, 3, 4]
    """
    source = data if isinstance(data, Microdata | RecordParts) else Microdata.of(data)
    division = (
        dimensions
        if isinstance(dimensions, Division)
        else Division.named(dimensions, prefixes=prefixes or {}, parents=parents or {}, total=total)
    )
    applied = rules_of(rules)
    if request is None and any(isinstance(rule, Request) for rule in applied):
        raise ParameterError(
            "tabulate: the rule request needs a column that marks who requested protection, and there is "
            "none: no cell would be sensitive by it. Name that column "
            f"({setting('table', 'request', 'COLUMN')})."
        )
    deepest = max(depth, *(rule.depth for rule in applied), 1)
    spec = TableRequest(
        division=division,
        value=value,
        weight=weight,
        unit=unit,
        request=request,
        waiver=waiver,
        key=key,
        depth=deepest,
    )
    source.require(spec.columns)
    if is_kept(source.columns):
        raise DataError(
            f"{source.source}: this is a list of cells that `tacita tabulate` wrote, and no file of records: "
            "each cell would count as one. Give it to `tacita suppress` or `tacita adjust`, or make the "
            "table from the records."
        )
    if not division.names or depth < 1:
        raise ParameterError("tabulate: wanted at least one dimension, and a depth of at least 1.")
    made, summed = source.summed(spec) if isinstance(source, RecordParts) else _summed(source, spec)
    values, contributors, keys = summed.behind(made, deepest)
    table = Table.cross(
        made,
        values.reshape([len(dimension) for dimension in made]),
        contributors=contributors,
        frequency=value is None,
        response=value or COUNTED,
        margins=margins,
        keys=keys,
        **fields,
    )
    return apply_rules(table, applied)


def _summed(data: Microdata, spec: TableRequest) -> tuple[list[Hierarchy], Summed]:
    """The dimensions of some records, and their sums."""
    whole = Portion(data, spec)
    looked = whole.looked()
    looked.check(spec, data.source)
    made = spec.dimensions(looked, data.source)
    if spec.key is not None:
        check_distinct_keys(spec, data.source, whole.different_keys().size, data.n)
    return made, whole.summed(made)
