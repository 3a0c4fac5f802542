"""The one shape of every plug-in: a frozen model with one verb, a kind, and the guarantees it declares."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from tacita.core.errors import ParameterError

from .params import Parameters
from .roles import Kind


class Method(Parameters):
    """A named way of doing one thing. Its fields are its parameters; running it stores nothing on it.

    Methods of records declare the kinds of columns they take, and which promises of earlier steps they keep
    by construction where they touch the same columns. `reads_missing` marks those for which a missing value
    is one more thing that a record shows: records that miss values stand among the others of their stratum.
    `anytime` marks searches that keep the best they have when a run says that it is enough; whoever waits for
    any other method can only cancel it.
    """

    kind: ClassVar[str]
    guarantees: ClassVar[tuple[str, ...]] = ()
    takes: ClassVar[tuple[Kind, ...]] = ("numeric",)
    keeps: ClassVar[tuple[str, ...]] = ()
    anytime: ClassVar[bool] = False
    reads_missing: ClassVar[bool] = False

    @property
    def reads(self) -> tuple[str, ...]:
        """Columns that stay as they are, and that the method and its promises look at."""
        return ()

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring."""
        return (inspect.getdoc(cls) or "").partition("\n")[0]

    def promised(self) -> tuple[str, ...]:
        """The guarantees that hold with this very setting."""
        return self.guarantees

    def promised_of_read(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of some promises that speak of the columns that it reads: all, unless a kind knows better."""
        return tuple(names)

    def keeping(self) -> tuple[str, ...]:
        """The promises of earlier steps that are kept with this very setting."""
        return self.keeps

    @property
    def group_size(self) -> int | None:
        """The k of a method that hides records, or their values, among k others."""
        k: int | None = getattr(self, "k", None)
        return k

    def refuse_columns(self, columns: Sequence[str]) -> None:
        """Raise where parameters that name columns do not fit those that the method is to change."""

    def refuse_strangers(self, parameter: str, named: Iterable[str], columns: Sequence[str]) -> None:
        """Raise where a parameter names columns that are not among those that the method is to change."""
        if unknown := [name for name in named if name not in columns]:
            raise ParameterError(
                f"{self.spoken_name()}: {parameter} names {', '.join(unknown)}, which is not protected here. "
                f"Name some of {', '.join(columns)}."
            )

    def own_parameters(self) -> dict[str, Any]:
        """The parameters in the form that a record keeps."""
        return self.model_dump(mode="json")

    @classmethod
    def parameter_schema(cls) -> dict[str, Any]:
        """The parameters as JSON schema, without the prose of the class itself."""
        schema = cls.model_json_schema()
        schema.pop("description", None)
        return schema
