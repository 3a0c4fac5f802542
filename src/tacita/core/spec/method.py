"""The one shape of every plug-in: a frozen model with one verb, a kind, and the guarantees it declares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from tacita.core.errors import ParameterError

from .docstrings import documented, written
from .params import Parameters
from .roles import Kind


class Method(Parameters):
    """A named way of doing one thing. Its fields are its parameters; running it stores nothing on it.

    `anytime` marks searches that return their best result so far when a run is stopped; any other method can
    only be cancelled.

    `prose` is the docstring as written in the source. What `help` shows is composed from it and from the
    fields; see `docstrings`.
    """

    kind: ClassVar[str]
    guarantees: ClassVar[tuple[str, ...]] = ()
    anytime: ClassVar[bool] = False
    prose: ClassVar[str] = ""

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        super().__pydantic_init_subclass__(**options)
        cls.prose = written(cls)
        documented(cls)

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring."""
        return cls.prose.partition("\n")[0]

    def promised(self) -> tuple[str, ...]:
        """The guarantees that hold with this very setting."""
        return self.guarantees

    def own_parameters(self) -> dict[str, Any]:
        """The parameters in the form that a record keeps."""
        return self.model_dump(mode="json")

    @classmethod
    def parameter_schema(cls) -> dict[str, Any]:
        """The parameters as JSON schema, without the prose of the class itself."""
        schema = cls.model_json_schema()
        schema.pop("description", None)
        return schema


class RecordMethod(Method):
    """A method that changes the records of a file. All that a release requires of one is declared here.

    The attributes of the class are its abilities; each kind, and each method of it, sets those that differ
    from the defaults.

    takes          kinds of columns that it works on
    keeps          promises of earlier steps that it keeps by construction where it touches the same columns
    by_chance      what it publishes depends on drawn numbers: of the operating system, without a seed
    roundable      published numbers may be rounded to whole ones without breaking a promise
    unit_aware     it sees to households or firms by itself, where a column of units is named
    whole_units    the records of a unit change together, and the column of units is required
    reads_missing  a missing value is one more thing that a record shows, not a stratum of its own
    draws_missing  a missing value is a level like others, which may be drawn too
    """

    takes: ClassVar[tuple[Kind, ...]] = ("numeric",)
    keeps: ClassVar[tuple[str, ...]] = ()
    by_chance: ClassVar[bool] = True
    roundable: ClassVar[bool] = False
    unit_aware: ClassVar[bool] = False
    whole_units: ClassVar[bool] = False
    reads_missing: ClassVar[bool] = False
    draws_missing: ClassVar[bool] = False

    @property
    def reads(self) -> tuple[str, ...]:
        """Columns that stay as they are, and that the method and its promises look at."""
        return ()

    @property
    def context_columns(self) -> tuple[str, ...]:
        """Columns that stay as they are, and whose numbers the method uses; no promise speaks of them."""
        return ()

    @property
    def populations(self) -> tuple[Path, ...]:
        """Files of the population that it counts keys in."""
        return ()

    @property
    def dropped_columns(self) -> tuple[str, ...]:
        """Columns that leave the file."""
        return ()

    @property
    def drops_records(self) -> bool:
        """Whether records may leave the file with this very setting."""
        return False

    @property
    def allows_singletons(self) -> bool:
        """Whether a record may be the only one with its keys."""
        return False

    @property
    def missing_keys(self) -> str | None:
        """How its promise reads a missing key, "category" or "wildcard"; None where none speaks of it."""
        return None

    @property
    def needs_whole_file(self) -> str:
        """Why its promises do not survive that a file is cut into parts; empty where they do."""
        return ""

    @property
    def group_size(self) -> int | None:
        """The k, a parameter, of a method that hides records, or their values, among k others."""
        k: int | None = getattr(self, "k", None)
        return k

    def promised_of_read(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of some promises that speak of the columns that it reads: all, unless a kind knows better."""
        return tuple(names)

    def keeping(self) -> tuple[str, ...]:
        """The promises of earlier steps that are kept with this very setting."""
        return self.keeps

    def check_columns(self, columns: Sequence[str]) -> None:
        """Raise where parameters that name columns do not fit those that the method is to change."""

    def check_column_names(self, parameter: str, named: Iterable[str], columns: Sequence[str]) -> None:
        """Raise where a parameter names columns that are not among those that the method is to change."""
        if unknown := [name for name in named if name not in columns]:
            raise ParameterError(
                f"{self.display_name()}: {parameter} names {', '.join(unknown)}, which is not protected "
                f"here. Name some of {', '.join(columns)}."
            )
