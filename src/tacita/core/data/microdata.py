"""Microdata: records with the roles of columns, parsed as numbers or categories on demand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tacita.core.arrays import Extent, Floats, Ints, Mask, numbered
from tacita.core.errors import DataError, ParameterError
from tacita.core.spec.params import Parameters
from tacita.core.spec.roles import Kind, Roles
from tacita.core.spec.setting_syntax import setting
from tacita.core.spec.suggestions import did_you_mean

from .column_metadata import Notes
from .global_statistics import Whole
from .levels import Levels, category_cells, nominal_levels, ordinal_levels, ranked_levels, ranks_of_text
from .number_parsing import UNTYPED, Parsed, looks_like_code, parse_numbers
from .spelling import Alike, alike

# Beyond this a double no longer holds every whole number.
_LARGEST_EXACT = 2**53

MISSING_TEXT = ("", "NA", "N/A", "NaN", "nan", "NULL", "null", ".")


def _declare_categories(column: str) -> str:
    nominal = setting("roles", "nominal", column)
    return f"A quasi-identifier of categories must be declared nominal or ordinal, for instance {nominal}."


class CsvDialect(Parameters):
    """How a text file spells its cells; kept, so that the release is spelled the same way."""

    delimiter: str = ","
    decimal: Literal[".", ","] = "."
    encoding: str = "utf-8"
    newline: Literal["\n", "\r\n"] = "\n"
    byte_order_mark: bool = False
    missing_values: tuple[str, ...] = MISSING_TEXT

    @property
    def missing_word(self) -> str:
        """The text of a missing value: empty, unless empty text is a value."""
        return "" if "" in self.missing_values else (*self.missing_values, "")[0]


@dataclass(frozen=True, eq=False)
class Microdata:
    """Records and the roles of their columns. The frame is never changed; `with_` methods return new ones.

    `dialect` is set if the cells are the text of a file: then numbers are parsed on demand, and all other
    cells keep their text. `notes` are the column metadata of a statistical package. `path` is the source
    file; for records that are only a part of it, `whole` has the statistics of the whole file.

    >>> import pyarrow as pa
    >>> data = Microdata.of(pa.table({"x": [1, 2], "name": ["a", "b"]}))
    >>> data.numbers("x").tolist(), data.kind("name")
    ([1.0, 2.0], 'nominal')
    """

    frame: nw.DataFrame[Any] = field(repr=False)
    roles: Roles | None = None
    dialect: CsvDialect | None = None
    source: str = "frame"
    fingerprint: str | None = None
    path: Path | None = None
    notes: Notes | None = None
    whole: Whole | None = None
    # the columns that quasi='numeric' left out
    skipped: tuple[str, ...] = ()
    # columns looked up and parsed so far; the frame never changes, so neither do they
    _series: dict[str, nw.Series[Any]] = field(default_factory=dict, repr=False)
    _numbers: dict[str, Floats] = field(default_factory=dict, repr=False)
    _kinds: dict[str, Kind] = field(default_factory=dict, repr=False)
    _parsed: dict[str, tuple[Parsed, bool]] = field(default_factory=dict, repr=False)
    _levels: dict[tuple[str, Kind, tuple[str, ...]], Levels] = field(default_factory=dict, repr=False)
    _missing: dict[str, Mask] = field(default_factory=dict, repr=False)
    _alike: dict[str, Alike] = field(default_factory=dict, repr=False)
    # half the memory of the arrays that callers get
    _codes: dict[str, npt.NDArray[np.int32]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, frame: Any, **fields: Any) -> Microdata:
        """Microdata from an eager data frame: pandas, polars, pyarrow, or another that narwhals supports."""
        if nw.dependencies.is_into_dataframe(frame):
            # check names first: narwhals refuses repeated ones with another message
            names = frame.column_names if isinstance(frame, pa.Table) else list(frame.columns)
            check_name_types(names)
            check_unique_names(names)
        try:
            eager = nw.from_native(frame, eager_only=True)
            if eager.implementation.name not in ("PANDAS", "POLARS", "PYARROW"):
                # hidden contents of other frames are not known
                raise TypeError
        except TypeError:
            raise DataError(
                f"Microdata: wanted a pandas, polars or pyarrow data frame, got {type(frame).__name__}. "
                "Collect a lazy frame first; read a file with tacita.read(path)."
            ) from None
        data = cls(frame=eager, **fields)
        if data.n == 0:
            raise DataError(f"{data.source}: wanted records, got none. There is nothing to protect.")
        return data

    @property
    def n(self) -> int:
        """The number of records."""
        return int(self.frame.shape[0])

    @property
    def columns(self) -> list[str]:
        """Names of all columns, in order."""
        return list(self.frame.columns)

    def column(self, name: str) -> nw.Series[Any]:
        """A column of the frame, cached: files may have thousands of columns."""
        if name not in self._series:
            self._series[name] = self.frame.get_column(name)
        return self._series[name]

    @property
    def native(self) -> Any:
        """The frame as the caller's own kind."""
        return self.frame.to_native()

    def with_frame(self, frame: nw.DataFrame[Any]) -> Microdata:
        """The same source with another frame, and empty caches."""
        looked_up: dict[str, Any] = {entry.name: {} for entry in fields(self) if entry.name.startswith("_")}
        return replace(self, frame=frame, **looked_up)

    def with_roles(self, roles: Roles) -> Microdata:
        """The same records with roles, checked against the columns; 'numeric' becomes names."""
        self.require(roles.named)
        if roles.quasi != "numeric":
            return replace(self, roles=roles)
        free = [name for name in self.columns if name not in roles.named]
        numeric = self.numeric_columns(free)
        quasi = numeric + roles.categorical
        if not quasi:
            raise ParameterError(
                f"{self.source}: {setting('roles', 'quasi', 'numeric')} found no numeric column without "
                "another role. Name the columns, or check delimiter and decimal sign."
            )
        skipped = tuple(name for name in free if name not in numeric)
        return replace(self, roles=roles.model_copy(update={"quasi": quasi}), skipped=skipped)

    def numeric_columns(self, names: Sequence[str]) -> tuple[str, ...]:
        """Those of some columns that hold numbers; one that is mostly numbers is refused, not passed over."""
        numeric = tuple(name for name in names if self.kind(name) == "numeric")
        for name in names:
            if name not in numeric and (parsed := self.words_as_numbers(name)) is not None:
                good = int((~np.isnan(parsed.values)).sum())
                check_numeric_columns(self.source, name, good, parsed.bad, parsed.first_bad)
        return numeric

    def words_as_numbers(self, column: str) -> Parsed | None:
        """What a column of text or of mixed objects holds as numbers; None for codes and for other types."""
        series = self.column(column)
        if series.dtype not in (nw.String, nw.Categorical, nw.Enum, nw.Object):
            return None
        dialect = self.dialect or CsvDialect()
        words = [None if cell is None or cell != cell else str(cell) for cell in series.to_list()]
        cells = pa.chunked_array([pa.array(words, pa.string())])
        if looks_like_code(cells):
            return None
        return parse_numbers(cells, dialect.decimal, dialect.missing_values)

    def require(self, names: Iterable[str]) -> None:
        """Raise where a column does not exist.

        The first line of a text file is shown only if it has one of the names: otherwise it may be a record.
        """
        wanted, known = set(names), set(self.columns)
        if wanted <= known:
            return
        message = f"{self.source}: there is no column {join_names(sorted(wanted - known))}. "
        names = [name for name in self.columns if not _is_number(name)]
        if self.dialect is None or wanted & known:
            near = did_you_mean(sorted(wanted - known), names)
            message += f"{near.lstrip()} Columns: {join_names(self.columns)}.".lstrip()
        else:
            # only a name that is nearly the one wanted: the first line may be a record
            near = did_you_mean(sorted(wanted), names, closeness=0.8)
            message += (
                f"The first line of the file has none of the names given.{near} Has the file a header line?"
            )
        if len(known) == 1:
            message += " The file has a single column: is the delimiter right?"
        raise ParameterError(message)

    @property
    def quasi(self) -> tuple[str, ...]:
        """Names of the columns that are replaced: quasi-identifiers, or the dependent ones of a synthesis."""
        if self.roles is None or isinstance(self.roles.quasi, str):
            raise ParameterError("Microdata: no quasi-identifiers were named yet; use with_roles first.")
        return self.roles.dependent or self.roles.quasi

    @property
    def used(self) -> tuple[str, ...]:
        """Names of the columns that a method reads: those it replaces, and independent ones."""
        return (*self.quasi, *(self.roles.independent if self.roles else ()))

    def kind(self, column: str) -> Kind:
        """Whether a column holds quantities or names; text such as 01 is a code, no quantity. O(n), once."""
        if column not in self._kinds:
            self._kinds[column] = self._find_kind(column)
        return self._kinds[column]

    def _find_kind(self, column: str) -> Kind:
        series = self.column(column)
        if series.dtype.is_numeric():
            return "numeric"
        if self.dialect is None or series.dtype != nw.String:
            return "nominal"
        parsed, codes = self._parse(column, self.dialect)
        quantities = parsed.bad == 0 and not np.isnan(parsed.values).all() and not codes
        return "numeric" if quantities else "nominal"

    def _parse(self, column: str, dialect: CsvDialect) -> tuple[Parsed, bool]:
        """The numbers that the cells of a file spell, and whether they look like codes. O(n), once."""
        if column not in self._parsed:
            cells = self.column(column).to_arrow()
            parsed = parse_numbers(cells, dialect.decimal, dialect.missing_values)
            parsed.values.setflags(write=False)
            self._parsed[column] = parsed, looks_like_code(cells)
        return self._parsed[column]

    def scale(self, column: str) -> Kind:
        """What a quasi-identifier is treated as: as declared, or else as numbers."""
        roles = self.roles
        if roles is not None and column in roles.nominal:
            return "nominal"
        return "ordinal" if roles is not None and column in roles.ordinal else "numeric"

    @property
    def scales(self) -> tuple[Kind, ...]:
        """The scales of all quasi-identifiers."""
        return tuple(self.scale(name) for name in self.quasi)

    def levels(self, column: str) -> Levels:
        """The categories of a quasi-identifier declared nominal or ordinal. O(n), once."""
        scale = self.scale(column)
        order = self.roles.ordinal.get(column, ()) if self.roles else ()
        if (column, scale, order) not in self._levels:
            self._levels[column, scale, order] = self._read_levels(column, scale, order)
        return self._levels[column, scale, order]

    def _read_levels(self, column: str, scale: Kind, declared: tuple[str, ...]) -> Levels:
        subject = f"{self.source}: column {column}"
        cells, own_order = category_cells(self.column(column), subject)
        missing = self.missing(column) | np.asarray(cells.is_null())
        if scale == "nominal":
            return nominal_levels(cells, missing)
        if declared or own_order:
            return ordinal_levels(cells, missing, declared or own_order or (), subject)
        if self.column(column).dtype.is_numeric():
            return ranked_levels(self.numbers(column), missing)
        # in a typed frame only null is missing, whatever the text
        text = self.dialect or CsvDialect(missing_values=())
        values = ranks_of_text(cells.cast(pa.string()), text.decimal, text.missing_values, subject)
        return ranked_levels(values, missing)

    def coded(self, columns: Sequence[str]) -> Floats:
        """Quasi-identifiers as an (n, d) array: numbers, or the codes of categories; NaN where missing."""
        keys = [
            self.numbers(name) if self.scale(name) == "numeric" else self.levels(name).codes
            for name in columns
        ]
        return np.ascontiguousarray(np.column_stack(keys)) if keys else np.empty((self.n, 0))

    def numbers(self, column: str) -> Floats:
        """A column as floats, NaN where missing. Text, infinite or huge values are refused. O(n), once."""
        if column not in self._numbers:
            values = self.floats(column)
            Extent.of(values).refuse(f"{self.source}: column {column}")
            values.setflags(write=False)
            self._numbers[column] = values
        return self._numbers[column]

    def floats(self, column: str) -> Floats:
        """A column as floats, including infinite and huge values, which partial counts need."""
        series = self.column(column)
        subject = f"{self.source}: column {column}"
        # tables have no roles
        advice = f" {_declare_categories(column)}" if self.roles is not None else ""
        if series.dtype.is_numeric():
            if not self.frame.implementation.is_pyarrow():
                series = series.cast(nw.Float64())
            # `safe=False` rounds whole numbers beyond 2^53, as parsing text does
            floats = series.to_arrow().cast(pa.float64(), safe=False)
            values = np.array(floats.to_numpy(zero_copy_only=False), dtype=np.float64)
        elif self.dialect is not None and series.dtype == nw.String:
            parsed, codes = self._parse(column, self.dialect)
            if parsed.bad:
                raise DataError(
                    f"{subject}: wanted numbers, got {parsed.bad} cells of other text (first in record "
                    f"{parsed.first_bad + 1}). Check the decimal sign, declare missing values, "
                    f"or leave the column out.{advice}"
                )
            if codes:
                raise DataError(
                    f"{subject}: wanted quantities, got codes: cells start with 0 before another digit, and "
                    "a mean of codes means nothing. Leave the column out, or drop the zeros if it counts."
                    f"{advice}"
                )
            values = parsed.values
        else:
            raise DataError(
                f"{subject}: wanted numbers, got {_type_name(series.dtype)}. Convert the column, or leave "
                f"it out.{advice}"
            )
        return values

    def matrix(self, columns: Sequence[str]) -> Floats:
        """Several columns as an (n, d) array, NaN where missing."""
        return np.ascontiguousarray(np.column_stack([self.numbers(column) for column in columns]))

    def is_integer(self, column: str) -> bool:
        """Whether all present values of a column are exact whole numbers."""
        if self.whole is not None and column in self.whole.integer:
            return self.whole.integer[column]
        values = self.numbers(column)
        present = values[~np.isnan(values)]
        if (np.abs(present) > _LARGEST_EXACT).any():
            return False
        return bool(present.size and (present == np.rint(present)).all())

    def codes(self, columns: Sequence[str]) -> Ints:
        """Number the distinct combinations of some columns 0, 1, 2, ...; a missing cell is its own value."""
        combined = np.zeros(self.n, dtype=np.int64)
        for column in columns:
            if column not in self._codes:
                self._codes[column] = column_codes(self.column(column)).astype(np.int32)
            codes = self._codes[column].astype(np.int64)
            combined = (
                numbered(combined * (int(codes.max(initial=0)) + 1) + codes) if len(columns) > 1 else codes
            )
        return combined

    def alike(self, column: str) -> Alike:
        """Number the records of a column so that values which mean the same share a number, however spelled.

        For counting who stands behind records: `ACME` and `acme ` are one firm. Missing cells are one value.
        O(n) and one look at each distinct spelling, once.

        >>> import pyarrow as pa
        >>> Microdata.of(pa.table({"firm": ["ACME", "acme ", "Bolt"]})).alike("firm")
        Alike(codes=array([0, 0, 1]), merged=1)
        """
        if column not in self._alike:
            self._alike[column] = self._find_alike(column)
            self._alike[column].codes.setflags(write=False)
        return self._alike[column]

    def _find_alike(self, column: str) -> Alike:
        series = self.column(column)
        if series.dtype.is_float():
            # minus zero is zero
            values = np.asarray(series.to_numpy(), dtype=np.float64) + 0.0
            return Alike(np.unique(values, return_inverse=True)[1].astype(np.int64), 0)
        codes = self.codes([column])
        if series.dtype.is_numeric():
            return Alike(codes, 0)
        first = np.unique(codes, return_index=True)[1]
        return alike(codes, series[first.tolist()].to_list())

    def missing(self, column: str) -> Mask:
        """A mask of the missing cells of a column. O(n), cached."""
        if column not in self._missing:
            self._missing[column] = self._find_missing(column)
            self._missing[column].setflags(write=False)
        return self._missing[column]

    def _find_missing(self, column: str) -> Mask:
        series = self.column(column)
        if self.dialect is not None and series.dtype == nw.String:
            if not self.dialect.missing_values:
                return np.zeros(self.n, dtype=bool)
            trimmed = series.str.strip_chars()
            return np.asarray(trimmed.is_in(list(self.dialect.missing_values)).to_numpy(), dtype=bool)
        empty = np.array(series.is_null().to_numpy(), dtype=bool)
        if series.dtype.is_float():
            empty |= np.asarray(series.is_nan().fill_null(False).to_numpy(), dtype=bool)
        return empty


def _type_name(dtype: object) -> str:
    # an Enum would list its categories, which are data
    return type(dtype).__name__ if isinstance(dtype, nw.Enum) else str(dtype)


def column_codes(series: nw.Series[Any]) -> Ints:
    """Number the distinct values of one column; missing cells together get one number of their own."""
    try:
        encoded = series.to_arrow()
        if not pa.types.is_dictionary(encoded.type):
            encoded = encoded.dictionary_encode()
        indices = pa.chunked_array([encoded]).combine_chunks().indices
        # equal entries of one dictionary (allowed in Arrow) must share a code
        values = pa.chunked_array([encoded]).combine_chunks().dictionary
        canonical = np.asarray(values.dictionary_encode().indices.fill_null(len(values)))
        plain = np.asarray(indices.cast(pa.int64()).fill_null(-1), dtype=np.int64)
        codes = np.where(plain < 0, -1, canonical[plain] if len(values) else -1)
    except UNTYPED:
        # columns of mixed Python objects: Arrow has no type for them
        seen: dict[str, int] = {}
        codes = np.array([seen.setdefault(f"{type(v).__name__} {v!r}", len(seen)) for v in series.to_list()])
    return numbered(codes.astype(np.int64))


def check_unique_names(names: Sequence[str]) -> None:
    """Raise where two columns share a name, which would be ambiguous."""
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise DataError(
            f"Columns: every column needs a unique name, got {join_names(repeated, among=names)} more "
            "than once. Rename or drop the copies."
        )


def check_numeric_columns(source: str, column: str, good: int, bad: int, first_bad: int) -> None:
    """Raise where quasi='numeric' would leave out a mostly numeric column because of some other cells."""
    if bad and good >= bad:
        raise DataError(
            f"{source}: {setting('roles', 'quasi', 'numeric')} would pass over column {column}, which has "
            f"{good} numbers and {bad} cells of other text (first in record {first_bad + 1}). Correct them, "
            "declare missing values, or name the columns one by one."
        )


def check_name_types(names: Sequence[object]) -> None:
    """Raise where a column name is not text (pandas allows numbers and tuples)."""
    odd = [name for name in names if not isinstance(name, str)]
    if odd:
        raise DataError(
            f"Columns: wanted names of text, got {len(odd)} of another type. "
            "Rename them first, for example frame.columns = frame.columns.map(str)."
        )


def check_header(names: Sequence[str], source: str) -> None:
    """Raise where a header holds numbers: without a header line the first record would be published in it."""
    numbers = sum(_is_number(name) for name in names)
    if numbers:
        raise DataError(
            f"{source}: wanted names in the first line, got {numbers} numbers. Has the file no header line? "
            "Add one; if these are names, let them begin with a letter."
        )


def join_names(names: Sequence[str], among: Sequence[str] = ()) -> str:
    """Names for a message; hidden if numbers are `among` them, since they may be a record then.

    >>> join_names(["turnover", "wages"]), join_names(["turnover", "12.5"])
    ('turnover, wages', '2 names (not shown, some are numbers as data would be)')
    """
    if not names:
        return "none"
    # with the wrong delimiter, one name may hold a whole record
    parts = [part for name in (*names, *among) for part in re.split(r"[,;\t|]", name)]
    if any(_is_number(part) for part in parts):
        return f"{len(names)} names (not shown, some are numbers as data would be)"
    return ", ".join(
        name if name and name.isprintable() and name == name.strip() else repr(name) for name in names
    )


def _is_number(name: str) -> bool:
    return re.fullmatch(r"\s*[+-]?[\d.,]*\d[\d.,]*([eE][+-]?\d+)?\s*", name) is not None
