"""Tables of tau-ARGUS (.tab with .rda and .hrc), and files of records (.asc, .csv with .rda)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from tacita.core import Contributors, DataError, Hierarchy, Table
from tacita.core.data.cell_layout import sums_of_leaves
from tacita.core.data.table import COUNTED
from tacita.io.hierarchies.hrc import format_hrc, from_digits, parse_hrc
from tacita.io.tables.table_format import CellsFormat

from .jj import shortest
from .metadata import Metadata, Variable, format_rda


@dataclass(frozen=True)
class TabFiles:
    """A table as files of tau-ARGUS. Confidential: they show which cells are sensitive."""

    tab: str = field(repr=False)
    rda: str
    hrc: Mapping[str, str]


class Tab(CellsFormat):
    """A table with its metadata and hierarchies, for tau-ARGUS.

    Labels, values, contributors, costs, levels and states; confidential. O(cells).
    Source: tau-ARGUS user's manual, version 4.2, files .tab, .rda and .hrc.

    >>> [path.name for path in Tab().encode(Table.from_array([[5, 3]]), Path("table.tab"))]
    ['table.tab', 'table.rda']
    """

    name: ClassVar[str] = "tab"
    endings: ClassVar[tuple[str, ...]] = (".tab",)

    def encode(self, table: Table, path: Path) -> dict[Path, bytes]:
        """The table, its metadata, and a file for each hierarchy."""
        files = encode_tab(table)
        hierarchies = {path.with_name(name): text.encode() for name, text in files.hrc.items()}
        return {path: files.tab.encode(), path.with_suffix(".rda"): files.rda.encode(), **hierarchies}


def encode_tab(table: Table, separator: str = ";") -> TabFiles:
    """A table as .tab, .rda and .hrc: labels, value, number and largest contributions, cost, levels, status.

    If sensitive cells are not known, the status is left out: a reader would take all cells for safe.

    >>> files = encode_tab(Table.from_array([[5, 3]], primary=[[True, False]], upper=20))
    >>> files.tab.splitlines()[0]
    '1;1;5;5;0;1;U'
    """
    hierarchies = {f"{d.name}.hrc": format_hrc(d) for d in table.dimensions if not d.is_flat}
    variables = [
        Variable(
            name=d.name,
            kind="dimension",
            total=d.labels[d.top],
            hierarchical=not d.is_flat,
            hierarchy=None if d.is_flat else f"{d.name}.hrc",
        )
        for d in table.dimensions
    ]
    columns: list[Any] = [
        [table.label(cell)[at] for cell in range(table.n)] for at in range(len(table.dimensions))
    ]
    if any(separator in label or '"' in label for labels in columns for label in labels):
        raise DataError(f"tab: labels hold the separator {separator!r} or a quote. Choose another separator.")
    if (table.primary & (table.sliding > 0)).any():
        raise DataError("tab: the format has no sliding levels, and this table has some. Write a JJ problem.")
    figures: list[tuple[str, str, Any]] = [
        (table.response, "value", table.values),
        ("cost", "cost", table.cost),
    ]
    if table.contributors is not None:
        figures.append(("frequency", "frequency", table.contributors.count))
        figures += [(f"top{at + 1}", "largest", top) for at, top in enumerate(table.contributors.largest.T)]
    figures += [("lower", "lower", table.lower), ("upper", "upper", table.upper)]
    for name, kind, figure in figures:
        columns.append([shortest(number) for number in figure])
        decimals = max((len(text.partition(".")[2]) for text in columns[-1]), default=0)
        variables.append(Variable(name=name, kind=kind, decimals=decimals))
    if table.judged:
        letters = {"primary": "U", "forced": "P"}
        columns.append([letters.get(state, "S") for state in table.states])
        variables.append(Variable(name="status", kind="status"))
    lines = [separator.join(row) for row in zip(*columns, strict=True)]
    metadata = Metadata(tuple(variables), separator)
    return TabFiles("\n".join([*lines, ""]), format_rda(metadata), hierarchies)


def decode_tab(tab: str, metadata: Metadata, hrc: Mapping[str, str] | None = None, **fields: Any) -> Table:
    """A table from .tab text; missing inner cells count as zero, missing sums are computed.

    `hrc` has the text of each file that HIERCODELIST names. Other fields are those of Table.cross.

    >>> from .metadata import parse_rda
    >>> table = Table.from_array([[5, 3]], primary=[[True, False]], upper=20)
    >>> files = encode_tab(table)
    >>> decode_tab(files.tab, parse_rda(files.rda)).upper.tolist() == table.upper.tolist()
    True
    """
    named = decode_records(tab, metadata)
    spanning = metadata.of("dimension")
    if not spanning or len(metadata.of("value")) != 1:
        raise DataError("tab: wanted dimensions (RECODEABLE) and one value (NUMERIC) in the metadata.")
    dimensions = [dimension_of(dimension, named[dimension.name], hrc or {}) for dimension in spanning]
    shape = tuple(len(dimension) for dimension in dimensions)
    cells = np.ravel_multi_index([_codes(d, named[d.name]) for d in dimensions], shape)
    if np.unique(cells).size != cells.size:
        raise DataError(f"tab: {cells.size - np.unique(cells).size} cells occur twice.")

    def everywhere(variable: Variable) -> np.ndarray:
        full = np.zeros(int(np.prod(shape)))
        full[cells] = _floats(named[variable.name], variable.name)
        return full

    response = metadata.of("value")[0]
    as_array = everywhere(response)
    inner = as_array.reshape(shape)[np.ix_(*(d.leaves for d in dimensions))]
    values = sums_of_leaves(dimensions, inner).reshape(-1)
    values[cells] = as_array[cells]
    optional: dict[str, Any] = {
        kind: everywhere(declared[0])
        for kind in ("cost", "lower", "upper")
        if (declared := metadata.of(kind))
    }
    if status := metadata.of("status"):
        letters = np.full(values.size, metadata.safe, dtype=object)
        letters[cells] = np.array(named[status[0].name], dtype=object)
        known = (metadata.safe, metadata.unsafe, metadata.protect)
        if strange := sum(letter not in known for letter in letters):
            raise DataError(
                f"tab: the status must be {', '.join(known)}, {strange} cells have another. Define "
                "the letters by SAFE, UNSAFE and PROTECT in the metadata, or change them."
            )
        optional["primary"] = letters == metadata.unsafe
        optional["forced"] = letters == metadata.protect
    if frequency := metadata.of("frequency"):
        tops = [everywhere(column) for column in metadata.of("largest")] or [np.zeros(values.size)]
        optional["contributors"] = _contributors(values, everywhere(frequency[0]), np.column_stack(tops))
    counted = response.name == COUNTED and bool((values == np.rint(values)).all())
    # counts of records equal the numbers of contributors; counts of units have a name
    optional["frequency"] = counted or (
        "contributors" in optional and bool((values == optional["contributors"].count).all())
    )
    unshaped = ("contributors", "frequency")
    full = {key: column if key in unshaped else column.reshape(shape) for key, column in optional.items()}
    return Table.cross(
        dimensions, values.reshape(shape), margins=True, response=response.name, **{**full, **fields}
    )


def decode_records(text: str, metadata: Metadata) -> dict[str, list[str]]:
    """Columns of text by name, from separated or fixed columns; there is no header line."""
    lines = [line for line in text.lstrip("\ufeff").splitlines() if line.strip()]
    names = [variable.name for variable in metadata.variables]
    if metadata.separator is None:
        spans = [(v.start, v.width) for v in metadata.variables]
        if any(start is None or width is None for start, width in spans):
            raise DataError("rda: without a SEPARATOR every variable needs its position and width.")
        rows = [[line[start - 1 : start - 1 + width].strip() for start, width in spans] for line in lines]  # type: ignore[operator]
    else:
        rows = [[word.strip().strip('"') for word in line.split(metadata.separator)] for line in lines]
        if wrong := sum(len(row) != len(names) for row in rows):
            raise DataError(
                f"tab: {wrong} lines do not have the {len(names)} columns of the metadata. "
                "Check the file, and the SEPARATOR of the metadata."
            )
    if rows and [word.lower() for word in rows[0]] == [name.lower() for name in names]:
        raise DataError("tab: the first line has column names. Files of tau-ARGUS have no header: remove it.")
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def dimension_of(variable: Variable, labels: Sequence[str], hrc: Mapping[str, str]) -> Hierarchy:
    """The dimension that a variable spans: by its hierarchy file, by its levels, or flat in order of labels.

    >>> dimension_of(Variable("nace", "dimension", levels=(1, 1)), ["01", "02"], {}).labels
    ('Total', '0', '01', '02')
    """
    if variable.hierarchy is not None:
        if variable.hierarchy not in hrc:
            raise DataError(f"rda: {variable.name} needs the hierarchy file {variable.hierarchy}.")
        return parse_hrc(hrc[variable.hierarchy], variable.name, variable.total, variable.lead)
    if variable.levels:
        longest = sum(variable.levels)
        finest = [label for label in labels if len(label) == longest and label != variable.total]
        return from_digits(variable.name, finest, variable.levels, variable.total)
    if variable.hierarchical:
        raise DataError(
            f"rda: {variable.name} is HIERARCHICAL, without HIERLEVELS or HIERCODELIST. Add "
            "one of them; or remove the word, and publish no subtotals."
        )
    return Hierarchy.flat(
        variable.name,
        list(dict.fromkeys(label for label in labels if label != variable.total)),
        variable.total,
    )


def _codes(dimension: Hierarchy, labels: list[str]) -> np.ndarray:
    index = {label: at for at, label in enumerate(dimension.labels)}
    if stray := sum(label not in index for label in labels):
        raise DataError(f"tab: {stray} labels of {dimension.name} are not in its hierarchy.")
    return np.array([index[label] for label in labels], dtype=np.int64)


def _floats(texts: list[str], name: str) -> np.ndarray:
    try:
        return np.array([float(text or 0) for text in texts])
    except ValueError:
        raise DataError(f"tab: column {name} wants numbers, with a point as decimal sign.") from None


def _contributors(values: np.ndarray, frequency: np.ndarray, tops: np.ndarray) -> Contributors:
    unknown_holders = np.full(tops.shape, -1, dtype=np.int64)
    count = np.rint(frequency).astype(np.int64)
    total = np.abs(values)
    # no contributor waived protection, also where the largest contribution is unknown
    unwaived = np.where((count > 0) & (tops[:, 0] <= 0), total, tops[:, 0])
    return Contributors(
        total=total,
        count=count,
        largest=tops,
        holders=unknown_holders,
        frequency=frequency,
        requested=np.zeros(values.size),
        open=unwaived,
    )
