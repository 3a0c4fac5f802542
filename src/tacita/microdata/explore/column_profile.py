"""Profile of a file before protection: its columns, suggested roles, and sample uniques."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from tacita.core import CsvDialect, Ints, Microdata, ParameterError, RunContext
from tacita.core.spec.deprecated import renamed_arguments
from tacita.core.spec.roles import Kind
from tacita.io import as_microdata
from tacita.microdata.statistics.unit_counts import Company, units_named

Role = Literal[
    "quasi", "dependent", "independent", "identifiers", "confidential", "strata", "unit", "weight", "other"
]
Reason = Literal[
    "all-different", "name", "name-repeated", "few-categories", "numbers", "category", "constant", "codes"
]

# Most values of a suggested stratum; more of them leave strata too small to form groups.
_MOST_STRATA = 30
_FEWEST_IN_STRATUM = 10
# Whole numbers of fewer values than this are likely codes.
_FEW_CODES = 10


@dataclass(frozen=True)
class ColumnProfile:
    """One column: its scale, the numbers of distinct and of missing values, whether all are whole numbers."""

    name: str
    kind: Kind
    distinct: int
    missing: int
    whole: bool


@dataclass(frozen=True)
class FileProfile:
    """Summary of a file. `rows` are its first records as text, if requested. Confidential."""

    source: str
    records: int
    columns: tuple[ColumnProfile, ...]
    fingerprint: str | None = None
    dialect: CsvDialect | None = None
    rows: tuple[tuple[str, ...], ...] = field(default=(), repr=False)


@renamed_arguments(run="context")
def describe_columns(data: Any, *, rows: int = 0, context: RunContext | None = None) -> FileProfile:
    """Describe the columns of a file: their kind, distinct and missing values. Confidential.

    O(n log n) a column.

    Parameters
    ----------
    data : data frame, path, or what `read` returned
        The records.
    rows : int, default=0
        Number of first records to show.
    context : RunContext, optional
        Listens to progress, and cancels the work.

    Returns
    -------
    FileProfile
        `columns` with name, kind, distinct and missing values of each, and the first `rows` as text.

    Raises
    ------
    ParameterError, DataError
        If the records cannot be read.

    See Also
    --------
    suggest_roles : What each column may be to an attacker.
    sample_uniqueness : How many records are unique.

    Examples
    --------
    >>> import pyarrow as pa
    >>> found = describe_columns(pa.table({"x": [1, 2, None], "town": ["a", "b", "b"]}), rows=1)
    >>> [(column.name, column.kind, column.distinct, column.missing) for column in found.columns], found.rows
    ([('x', 'numeric', 2, 1), ('town', 'nominal', 2, 0)], (('1', 'a'),))
    """
    data = as_microdata(data)
    shown = min(max(rows, 0), data.n)
    cells = [data.column(name)[:shown].to_list() for name in data.columns] if shown else []
    return FileProfile(
        source=data.source,
        records=data.n,
        columns=tuple(_columns(data, context or RunContext())),
        fingerprint=data.fingerprint,
        dialect=data.dialect,
        rows=tuple(
            tuple("" if cell is None else str(cell) for cell in row) for row in zip(*cells, strict=True)
        ),
    )


def _columns(data: Microdata, run: RunContext) -> Iterator[ColumnProfile]:
    # read once: a frame of thousands of columns builds the list on every access
    names = data.columns
    for done, name in enumerate(names):
        run.report("looking at columns", done, len(names))
        yield _column(data, name)
    run.report("looking at columns", 1, 1)


def _column(data: Microdata, name: str) -> ColumnProfile:
    numeric = data.kind(name) == "numeric"
    missing = np.isnan(data.numbers(name)) if numeric else data.missing(name)
    codes = _codes(data, name)[~missing]
    return ColumnProfile(
        name=name,
        kind="numeric" if numeric else "nominal",
        distinct=int(np.unique(codes).size),
        missing=int(missing.sum()),
        whole=numeric and data.is_integer(name),
    )


def _codes(data: Microdata, name: str) -> Ints:
    """Codes of the values of a column; numbers in order of size, however spelled. Missing is one value."""
    if data.kind(name) == "numeric":
        return np.unique(data.numbers(name), return_inverse=True)[1].astype(np.int64)
    return data.codes([name])


@dataclass(frozen=True)
class Guess:
    """The suggested role of a column and the reason for it. A person must check it.

    `count` is the number in the reason, such as that of distinct values.
    """

    column: str
    role: Role
    kind: Kind
    reason: Reason
    count: int

    @property
    def words(self) -> str:
        """The reason in words.

        >>> Guess("firm", "identifiers", "nominal", "all-different", 600).words
        '600 distinct values'
        """
        return _REASONS[self.reason].format(count=self.count)


_REASONS: Mapping[Reason, str] = {
    "all-different": "{count} distinct values",
    "name": "its name",
    "name-repeated": "its name, values repeat",
    "few-categories": "its name, {count} categories",
    "numbers": "numbers",
    "category": "{count} categories",
    "constant": "one value in all records",
    "codes": "few whole numbers: codes?",
}

# Parts of names in English, Portuguese, Catalan and Spanish, without accents.
_WEIGHT = ("weight", "wgt", "peso", "pes", "pond", "ponderador", "fnlwgt", "afnlwgt", "elevacao", "elevacion")
_IDENTIFIER = (
    *("id", "name", "nome", "nom", "nombre", "registration", "registo", "nif", "dni", "ssn", "email"),
    *("phone", "telefone", "telefon", "address", "morada", "adreca", "direccion", "passport"),
)
_UNIT = ("household", "hh", "group", "firm", "enterprise", "family", "agregado", "llar", "empresa", "hogar")
_STRATUM = ("region", "regiao", "regio", "stratum", "strata", "estrato", "estrat", "province", "nuts")
_CONFIDENTIAL = (
    *("profit", "debt", "wealth", "diagnosis", "disease", "illness", "health", "satisfaction", "religion"),
    *("outcome", "lucro", "divida", "riqueza", "diagnostico", "doenca", "benefici", "deute", "malaltia"),
    *("saude", "salut", "salud", "deuda", "enfermedad", "party", "partido", "crime", "conviction"),
)
_KEY = (
    *("sex", "gender", "age", "birth", "town", "municipality", "postcode", "zip", "education", "marital"),
    *("occupation", "nationality", "sexo", "sexe", "genero", "idade", "edat", "edad", "nascimento"),
    *("naixement", "nacimiento", "concelho", "municipi", "municipio", "profissao", "professio", "profesion"),
    *("year", "ano", "any", "educacao", "educacio", "educacion", "nacionalidade", "nacionalitat"),
)


def suggest_roles(data: Any) -> tuple[Guess, ...]:
    """Suggest what each column may be to an attacker, by its name and values.

    Suggestions are for a person to check, never to be used unseen. Values that all differ, and are no
    quantities, name a record. Of columns that a name marks as weight, the first is it. A name of units with
    values that repeat is the unit. Numbers are key variables unless their name sounds confidential. Other
    columns are released as they are. O(columns).

    Parameters
    ----------
    data : data frame, path, what `read` returned, or a FileProfile
        The records, or what `describe_columns` returned.

    Returns
    -------
    tuple of Guess
        For each column a role, and the reason for it.

    Raises
    ------
    ParameterError, DataError
        If the records cannot be read.

    Examples
    --------
    >>> from tacita import datasets
    >>> guesses = {guess.column: guess for guess in suggest_roles(datasets.load("business"))}
    >>> guesses["registration"].role, guesses["group_id"].role, guesses["turnover"].role
    ('identifiers', 'unit', 'quasi')
    """
    file = data if isinstance(data, FileProfile) else describe_columns(data)
    guesses: list[Guess] = []
    taken: set[Role] = set()
    for column in file.columns:
        role, reason, count = _guessed(column, file.records)
        if role in ("unit", "weight") and role in taken:
            # a file has one unit and one weight; the first column is taken
            role, reason = ("quasi", "numbers") if column.kind == "numeric" else ("other", "category")
        taken.add(role)
        guesses.append(Guess(column.name, role, column.kind, reason, count))
    return tuple(guesses)


def _guessed(column: ColumnProfile, n: int) -> tuple[Role, Reason, int]:
    words = _words(column.name)
    distinct, numeric = column.distinct, column.kind == "numeric"
    different = distinct == n - column.missing and distinct > 1
    if distinct <= 1:
        return "other", "constant", distinct
    if numeric and words & set(_WEIGHT):
        return "weight", "name", distinct
    names_someone = bool(words & set(_IDENTIFIER))
    if different and (not numeric or (names_someone and column.whole)):
        return "identifiers", "all-different", distinct
    if (names_someone or words & set(_UNIT)) and not different and distinct > n / 50:
        return "unit", "name-repeated", distinct
    if not numeric and words & set(_STRATUM) and distinct * _FEWEST_IN_STRATUM <= n:
        return ("strata", "few-categories", distinct) if distinct <= _MOST_STRATA else _key(numeric, distinct)
    if words & set(_CONFIDENTIAL):
        return "confidential", "name", distinct
    if words & set(_KEY):
        return _key(numeric, distinct)
    if numeric and column.whole and distinct < _FEW_CODES:
        return "other", "codes", distinct
    return ("quasi", "numbers", distinct) if numeric else ("other", "category", distinct)


def _key(numeric: bool, distinct: int) -> tuple[Role, Reason, int]:
    return ("quasi", "numbers", distinct) if numeric else ("quasi", "name", distinct)


def _words(name: str) -> set[str]:
    """The words of a column's name, in small letters without accents.

    >>> sorted(_words("Região_NUTS"))
    ['nuts', 'regiao']
    """
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    plain = unicodedata.normalize("NFKD", parted.lower()).encode("ascii", "ignore").decode()
    return {word for word in re.split(r"[^a-z]+", plain) if word}


@dataclass(frozen=True)
class ColumnExposure:
    """Number of sample uniques by a single column."""

    name: str
    alone: int


@dataclass(frozen=True)
class Exposure:
    """Counts of sample uniques before protection. Confidential.

    `below_3` and `below_5` count records whose combination of values fewer than 3 and 5 records have. With
    `unit`, units are counted: a record is unique if no other unit has its values.
    """

    records: int
    columns: tuple[str, ...]
    alone: int
    below_3: int
    below_5: int
    by_column: tuple[ColumnExposure, ...]
    unit: str | None = None


def sample_uniqueness(data: Any, *, columns: str | Sequence[str], unit: str | None = None) -> Exposure:
    """Count the records that are unique on some columns before anything is protected. Confidential.

    On all columns together and on each by itself; a missing value is a value. Uniqueness is that in the
    file: the population may have more records like these. A first look; `risk_profile` measures the same
    file in every way. O(n log n) a column.

    Parameters
    ----------
    data : data frame, path, or what `read` returned
        The records.
    columns : str or list of str
        Columns that an attacker may know.
    unit : str, optional
        The column of firms, households or patients. Then a record is unique where no other unit shares its
        values.

    Returns
    -------
    Exposure
        Numbers of records: `alone`, `below_3` and `below_5` that share their values, and `by_column`.

    Raises
    ------
    ParameterError
        If a column is missing, or none is named.

    See Also
    --------
    risk_profile : All measures of the risk of a file.

    Examples
    --------
    >>> import pyarrow as pa
    >>> frame = pa.table({"sex": list("ffmm"), "town": list("aabc")})
    >>> found = sample_uniqueness(frame, columns=["sex", "town"])
    >>> found.alone, found.below_3, [column.alone for column in found.by_column]
    (2, 4, [0, 2])
    """
    columns = [columns] if isinstance(columns, str) else columns
    if not columns:
        raise ParameterError("Exposure: name at least one column that an attacker may know.", field="columns")
    data = as_microdata(data)
    data.require([*columns, *([] if unit is None else [unit])])
    company = Company(None if unit is None else units_named(data, unit))
    combined = np.zeros(data.n, dtype=np.int64)
    single = []
    for name in columns:
        codes = _codes(data, name)
        single.append(ColumnExposure(name, int((company.sharing(codes) == 1).sum())))
        combined = np.unique(combined * (int(codes.max()) + 1) + codes, return_inverse=True)[1]
        combined = combined.astype(np.int64)
    sizes = company.sharing(combined)
    return Exposure(
        records=data.n,
        columns=tuple(columns),
        alone=int((sizes == 1).sum()),
        below_3=int((sizes < 3).sum()),
        below_5=int((sizes < 5).sum()),
        by_column=tuple(single),
        unit=unit,
    )
