"""Which column is what: the role of each, and for quasi-identifiers the kind of values they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import BeforeValidator, Field, model_validator

from tacita.core.errors import ParameterError

from .params import Parameters

Kind = Literal["numeric", "ordinal", "nominal"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def _as_names(value: object) -> object:
    # one column may be given by its bare name; a list means columns, whatever they are called
    if isinstance(value, set | frozenset):
        # a set has no order of its own, and the order of columns must not change from run to run
        return tuple(sorted(value))
    return (value,) if isinstance(value, str) else value


def _as_quasi(value: object) -> object:
    return value if isinstance(value, str) and value == "numeric" else _as_names(value)


def _as_orders(value: object) -> object:
    """Names, or "name=low<middle<high" as one word of a command line, or a mapping as it is."""
    if isinstance(value, Mapping):
        return value
    names = _as_names(value)
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        return names
    orders: dict[str, tuple[str, ...]] = {}
    for entry in names:
        name, _, levels = entry.partition("=")
        orders.update({name: tuple(levels.split("<"))} if "<" in levels else {entry: ()})
    return orders


def _as_hierarchies(value: object) -> object:
    """COLUMN=FILE as words of a command line, or a mapping from columns to files or to nested labels."""
    words = _as_names(value)
    if isinstance(words, list | tuple):
        parted = [str(word).partition("=") for word in words]
        if any(not sign or not column or not file for column, sign, file in parted):
            raise ParameterError("Roles: wanted a hierarchy as COLUMN=FILE.")
        value = {column: file for column, _, file in parted}
    if not isinstance(value, Mapping):
        return value
    return {column: Path(source) if isinstance(source, str) else source for column, source in value.items()}


Names = Annotated[tuple[str, ...], BeforeValidator(_as_names)]
Orders = Annotated[
    dict[str, Annotated[tuple[str, ...], BeforeValidator(_as_names)]], BeforeValidator(_as_orders)
]
Hierarchies = Annotated[dict[str, Any], BeforeValidator(_as_hierarchies)]
QuasiColumns = Annotated[Literal["numeric"] | tuple[str, ...], BeforeValidator(_as_quasi)]


# Roles that the steps of a plan give their own columns; all other roles are declared for the file.
OF_STEPS = ("quasi", "dependent", "independent", *KINDS)
# What a column may be in addition to its role.
_NEXT_TO_A_ROLE = (*KINDS, "unit_columns", "hierarchy")


class Roles(Parameters):
    """Which column is what; a column that is not named is released as it is.

    A new role is a field here. Unless code treats it specially, a column with it has no other role, cannot
    be dropped by a step and is listed under it in the report, by the name and the description of the field.

    >>> Roles(quasi="turnover", identifiers=["name"]).quasi
    ('turnover',)
    >>> Roles(quasi=["a"], strata=["a"])
    Traceback (most recent call last):
    tacita.core.errors.ParameterError: Roles: column a is named twice (quasi, strata). One role each, please.
    >>> Roles(quasi=["size"], ordinal="size=small<large").ordinal
    {'size': ('small', 'large')}
    """

    # a unit is often an identifier too: used for grouping, then left out or replaced
    together: ClassVar[tuple[set[str], ...]] = ({"identifiers", "unit"}, {"pseudonyms", "unit"})
    of_columns: ClassVar[bool] = True

    quasi: QuasiColumns = Field(
        default=(),
        description="columns to protect: names, or 'numeric' for every numeric column without another role",
    )
    numeric: Names = Field(
        default=(), description="columns of few whole numbers that are quantities, not codes, such as rooms"
    )
    nominal: Names = Field(default=(), description="quasi-identifiers that are categories without an order")
    ordinal: Orders = Field(
        default_factory=dict,
        description="quasi-identifiers that are ordered categories: by their numbers, or name=low<high",
    )
    dependent: Names = Field(default=(), description="for synthesis, instead of quasi: columns to draw anew")
    independent: Names = Field(
        default=(), description="for synthesis: columns that explain the dependent ones; released unchanged"
    )
    identifiers: Names = Field(default=(), description="columns that name a record; left out of the release")
    pseudonyms: Names = Field(
        default=(), description="columns that name a record; released as keyed pseudonyms (see pseudonym_key)"
    )
    confidential: Names = Field(
        default=(), description="sensitive columns; released, watched for homogeneity"
    )
    strata: Names = Field(default=(), description="groups never mix records of different strata")
    unit: str | None = Field(default=None, description="column naming the firm or household behind a record")
    unit_columns: Names = Field(
        default=(),
        description="columns that agree within a unit, such as the region of a household, and must after",
    )
    weight: str | None = Field(default=None, description="column of sampling weights")
    hierarchy: Hierarchies = Field(
        default_factory=dict,
        description="COLUMN=FILE, what values become when coarser: .csv as ARX has it, .hrc of tau-ARGUS",
    )

    @model_validator(mode="after")
    def _one_role_each(self) -> Roles:
        seen: dict[str, str] = {}
        for role, column in self._named():
            if column in seen and {seen[column], role} not in self.together:
                raise ParameterError(
                    f"Roles: column {column} is named twice ({seen[column]}, {role}). One role each, please."
                )
            seen.setdefault(column, role)
        if self.unit_columns and self.unit is None:
            raise ParameterError("Roles: unit_columns need the column that names the unit (unit).")
        if self.of_columns:
            self._something_to_do()
        return self

    def _something_to_do(self) -> None:
        if self.dependent and self.quasi:
            raise ParameterError(
                "Roles: quasi and dependent were both given. A run either protects quasi-identifiers or "
                "draws dependent columns anew; make two runs."
            )
        if self.dependent:
            return
        named = "quasi" in self.model_fields_set
        if self.independent or ("dependent" in self.model_fields_set and not named):
            raise ParameterError("Roles: dependent must name at least one column, got none.")
        if not named:
            raise ParameterError("Roles: quasi is required.")
        if self.quasi == ():
            raise ParameterError("Roles: quasi must name at least one column, got none. Nothing to protect.")

    @model_validator(mode="after")
    def _categories_are_quasi(self) -> Roles:
        kinds = {"numeric": self.numeric, "nominal": self.nominal, "ordinal": tuple(self.ordinal)}
        seen: dict[str, str] = {}
        for kind, names in kinds.items():
            for name in names:
                if name in seen:
                    raise ParameterError(
                        f"Roles: column {name} is named {seen[name]} and {kind}. One, please."
                    )
                seen[name] = kind
                looked_at = (*self.dependent, *self.independent) or self.quasi
                if self.of_columns and self.quasi != "numeric" and name not in looked_at:
                    raise ParameterError(
                        f"Roles: column {name} is named {kind} but is no quasi-identifier. Name it "
                        "under quasi as well; columns that are released as they are need no kind."
                    )
        for name, levels in self.ordinal.items():
            if len(set(levels)) != len(levels) or len(levels) == 1:
                raise ParameterError(
                    f"Roles: the order of column {name} must name two levels or more, each once, "
                    "from lowest to highest."
                )
        return self

    def _named(self) -> Iterable[tuple[str, str]]:
        for role in Roles.model_fields:
            if role not in _NEXT_TO_A_ROLE:
                yield from ((role, name) for name in self.columns_of(role))

    def columns_of(self, role: str) -> tuple[str, ...]:
        """The columns that a role names; of quasi = "numeric" those that were declared.

        >>> Roles(quasi=["a"], unit="firm").columns_of("unit"), Roles(quasi=["a"]).columns_of("strata")
        (('firm',), ())
        """
        columns = getattr(self, role)
        if role == "quasi" and columns == "numeric":
            return self.categorical
        return (columns,) if isinstance(columns, str) else tuple(columns or ())

    @property
    def categorical(self) -> tuple[str, ...]:
        """Quasi-identifiers declared nominal or ordinal."""
        return (*self.nominal, *self.ordinal)

    @property
    def named(self) -> frozenset[str]:
        """Every column that has a role."""
        return frozenset((*(column for _, column in self._named()), *self.unit_columns, *self.hierarchy))


class RolesOfFile(Roles):
    """Roles of a file whose steps name the columns to protect: kinds that are declared here hold in all."""

    of_columns: ClassVar[bool] = False

    @classmethod
    def display_name(cls) -> str:
        """As users call them."""
        return "Roles"


class RolesOfSteps(RolesOfFile):
    """Roles of all columns that some step protects: what one step changes may be a stratum of another."""

    of_columns: ClassVar[bool] = True

    together: ClassVar[tuple[set[str], ...]] = (
        *Roles.together,
        {"quasi", "strata"},
        {"quasi", "confidential"},
        {"quasi", "weight"},
    )
