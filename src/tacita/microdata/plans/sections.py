"""The sections of a plan for microdata: method, steps, measures, comparison, output."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self, cast

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from tacita.core.errors import ParameterError
from tacita.core.spec import registry
from tacita.core.spec.method import RecordMethod
from tacita.core.spec.params import Parameters
from tacita.core.spec.release_options import Missing, ReleaseOptions
from tacita.core.spec.roles import Kind, Names, Orders, Roles

if TYPE_CHECKING:
    from tacita.microdata.measures.measure import Measure


def _as_chain(value: object) -> object:
    # a list of methods is the same as their names joined by + (or, on a command line, by commas)
    if isinstance(value, list | tuple):
        return "+".join(map(str, value))
    return value.replace(",", "+") if isinstance(value, str) else value


def _as_measure(name: str) -> str:
    return registry.canonical(name, *registry.MEASURING)


def _as_measures(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_as_measure, names))


def _as_measures_or_all(names: tuple[str, ...]) -> tuple[str, ...]:
    return names if names == ("all",) else _as_measures(names)


def _as_axis(name: str) -> str:
    (spelled,) = registry.by_canonical({name: None}, *registry.MEASURING)
    return spelled


def _as_settings(settings: dict[str, Any]) -> dict[str, Any]:
    spelled = registry.by_canonical(settings, *registry.MEASURING)
    return {_as_measure(name): parameters for name, parameters in spelled.items()}


ChainName = Annotated[str, BeforeValidator(_as_chain), AfterValidator(registry.canonical_chain)]
ChainNames = Annotated[
    Names, AfterValidator(lambda names: tuple(registry.canonical_chain(name) for name in names))
]
AxisName = Annotated[str, AfterValidator(_as_axis)]
MeasureNames = Annotated[Names, AfterValidator(_as_measures)]


class MethodSection(Parameters):
    """A method and its parameters: keys that no section declares are parameters of the method.

    The value of `then` is joined to `method` at once, so a section that is read back has the chain only.

    >>> MethodSection(method="kc", then="mhm").method
    'kc+mhm'
    """

    model_config = ConfigDict(extra="allow")

    method: ChainName = Field(
        default="mdav",
        description="name of a method, see `tacita methods`; or several with +, each improving the last",
    )
    then: str | None = Field(
        default=None,
        description="method that improves the groups of the one named, such as mhm; or several with +",
    )

    @model_validator(mode="before")
    @classmethod
    def _then_joins_the_method(cls, values: Any) -> Any:
        if not isinstance(values, dict) or values.get("then") is None:
            return values
        if "method" not in values and cls.model_fields["method"].is_required():
            # the missing method is reported by the check of required fields
            return values
        first = values.get("method", cls.model_fields["method"].default)
        return {**values, "method": "+".join(map(str, map(_as_chain, (first, values["then"])))), "then": None}

    @model_validator(mode="after")
    def _method_takes_its_parameters(self) -> Self:
        self.build()
        return self

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the method."""
        return dict(self.model_extra or {})

    @property
    def chain(self) -> tuple[str, ...]:
        """The methods in the order in which they run."""
        return tuple(self.method.split("+"))

    @property
    def kind(self) -> str:
        """The kind of the method."""
        return registry.record_method(self.chain[0]).kind

    @property
    def takes(self) -> tuple[Kind, ...]:
        """The kinds of columns that the method works on."""
        return registry.record_method(self.chain[0]).takes

    def check_role_kinds(self, roles: Roles, missing: str) -> None:
        """Raise if a synthesis has no dependent columns, or another method has some."""
        kind = self.kind
        if kind == "synthesis" and not roles.dependent:
            raise ParameterError(
                f"{self.method}: wanted dependent columns to synthesise, got quasi-identifiers. Name "
                "dependent and independent columns (tacita synthesize), or choose a method of protect."
            )
        if kind != "synthesis" and roles.dependent:
            raise ParameterError(
                f"{self.method}: wanted quasi-identifiers to protect, got dependent columns. Name quasi "
                f"(tacita protect), or a synthesis: {', '.join(registry.names('synthesis'))}."
            )
        if kind == "dropping" and roles.quasi:
            raise ParameterError(
                f"{self.method}: wanted columns to drop under columns, got quasi-identifiers. The remaining "
                "columns do not change; leave out quasi."
            )
        drawing = self.build().draws_missing
        if kind == "synthesis" and missing in ("stratum", "merge"):
            also = ", 'drop' or 'level'" if drawing else " or 'drop'"
            raise ParameterError(
                f"{self.method}: missing must be 'refuse'{also} for a synthesis, got '{missing}': "
                "nothing can be drawn for records that miss a value."
            )
        columns = roles.dependent or roles.quasi
        if not isinstance(columns, str):
            self.build().check_columns(columns)
        relabels = kind in (*registry.CATEGORICAL, "dropping")
        if missing == "level" and not drawing and not relabels:
            able = [
                name for name in registry.names("synthesis") if registry.record_method(name).draws_missing
            ]
            raise ParameterError(
                f"{self.method}: missing 'level' treats missing values as a category, which this method "
                f"cannot. Choose another value, or {' or '.join(able)}."
            )
        if missing == "merge" and not relabels and self.build().group_size is None:
            raise ParameterError(
                f"{self.method}: missing 'merge' suppresses values until k records miss the same columns, "
                "but this method has no k. Choose another value, or a method that groups records (mdav)."
            )

    def build(self) -> RecordMethod:
        """The method, or a chain of methods, each with the parameters that it declares."""
        methods = [registry.record_method(name) for name in self.chain]
        if len(methods) == 1:
            return methods[0](**self.parameters)
        from tacita.microdata.methods.microaggregation.improvement import Chain

        other = [name for name, method in zip(self.chain, methods, strict=True) if method.kind != Chain.kind]
        if other:
            raise ParameterError(
                f"{self.method}: {other[0]} cannot be part of a chain. Only methods that group records can."
            )
        fields = registry.parameters_of(self.method)
        unknown = [name for name in self.parameters if name not in fields]
        if unknown:
            raise ParameterError(
                f"{self.method}: there is no parameter {', '.join(unknown)}. Known: {', '.join(fields)}."
            )
        parameters = [
            {name: value for name, value in self.parameters.items() if name in method.model_fields}
            for method in methods
        ]
        return Chain.of(
            [cast("Any", method)(**values) for method, values in zip(methods, parameters, strict=True)]
        )


class ProtectSection(MethodSection, ReleaseOptions):
    """[protect]: the method, its parameters, and options of the release; with [[steps]] the options only."""

    model_config = ConfigDict(extra="allow")

    def check_no_method(self) -> None:
        """Raise if a method is named in addition to those of the steps."""
        named = [name for name in ("method",) if name in self.model_fields_set] + list(self.parameters)
        if named:
            raise ParameterError(
                f"Plan: {', '.join(named)} belongs to a step. With [[steps]], [protect] has only "
                f"{', '.join(ReleaseOptions.model_fields)}."
            )


class StepSection(MethodSection):
    """[[steps]]: a method, the columns it works on, and its parameters."""

    method: ChainName = Field(description="name of a method, see `tacita methods`; or several with +")
    quasi: Names = Field(default=(), description="columns to protect")
    dependent: Names = Field(default=(), description="for synthesis, instead of quasi: columns to draw anew")
    independent: Names = Field(default=(), description="for synthesis: columns that explain the dependent")
    numeric: Names = Field(
        default=(), description="columns of few whole numbers that are quantities, not codes"
    )
    nominal: Names = Field(default=(), description="columns that are categories without an order")
    ordinal: Orders = Field(default_factory=dict, description="columns that are ordered categories")
    missing: Missing | None = Field(default=None, description="as in [protect], for this step")
    round_integers: bool | None = Field(default=None, description="as in [protect], for this step")

    @model_validator(mode="after")
    def _has_columns(self) -> StepSection:
        if not self.quasi and not self.dependent and self.kind != "dropping":
            raise ParameterError(f"Step: {self.method} needs columns: quasi, or dependent for a synthesis.")
        return self

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that the step changes."""
        return self.dependent or self.quasi

    def own_roles(self) -> dict[str, tuple[str, ...]]:
        """The roles of the columns that the step names."""
        roles = {"quasi": self.quasi, "dependent": self.dependent, "independent": self.independent}
        return {name: columns for name, columns in roles.items() if columns}


class MeasureSection(Parameters):
    """[measure]: which figures of loss and risk to compute."""

    names: Annotated[Names, AfterValidator(_as_measures_or_all)] | None = Field(
        default=None,
        description="names of measures, or all; if not given, those that every attacker and purse allows",
    )
    without: MeasureNames = Field(default=(), description="names of measures to leave out")
    domains: Names = Field(default=(), description="columns that name parts of the population to look into")
    settings: Annotated[dict[str, dict[str, Any]], AfterValidator(_as_settings)] = Field(
        default_factory=dict, description="parameters of measures, by name"
    )

    @model_validator(mode="after")
    def _known(self) -> MeasureSection:
        names = self.names or ()
        for index, name in enumerate(names):
            if name in names[:index]:
                raise ParameterError(f"Measure: {name} is named twice. Once is enough.")
        self.build()
        return self

    def build(self) -> list[Measure]:
        """The measures, in the order of the registry or as named."""
        return [self._measure(name) for name in self._chosen()]

    def with_categories(self, *, coarser: bool) -> MeasureSection:
        """The same; if no measures are named, also those that are computed by default for categories."""
        if self.names is not None:
            return self
        known = [name for name in registry.names(*registry.MEASURING) if name not in self.without]
        measures = {name: self._measure(name) for name in known}
        return self.including(
            *(
                name
                for name, measure in measures.items()
                if measure.with_categories or (coarser and measure.with_coarser)
            )
        )

    def including(self, *names: str) -> MeasureSection:
        """The same with these measures added."""
        if left_out := [name for name in names if name in self.without]:
            raise ParameterError(
                f"Measure: {left_out[0]} cannot be left out, it is an axis of the comparison. "
                "Remove it from without, or compare by another measure."
            )
        return self.model_copy(update={"names": tuple(dict.fromkeys((*self._chosen(), *names)))})

    def _chosen(self) -> list[str]:
        if self.names is not None and self.names != ("all",):
            return [name for name in self.names if name not in self.without]
        known = [name for name in registry.names(*registry.MEASURING) if name not in self.without]
        return known if self.names else [name for name in known if self._measure(name).by_default]

    def _measure(self, name: str) -> Measure:
        return cast("Measure", registry.lookup(name, *registry.MEASURING)(**self.settings.get(name, {})))


class CompareSection(Parameters):
    """[compare]: methods to try and values of their parameters. Other keys are such lists of values."""

    model_config = ConfigDict(extra="allow")

    method: ChainNames = Field(default=(), description="names of methods; if not given, the one of [protect]")
    loss: AxisName = Field(default="PIL", description="measure on the axis of loss")
    risk: AxisName = Field(default="DR", description="measure on the axis of risk")

    @model_validator(mode="before")
    @classmethod
    def _lists(cls, values: dict[str, Any]) -> dict[str, Any]:
        # one value counts as a list of one
        return {
            name: value if name in cls.model_fields else tuple(value if _is_list(value) else (value,))
            for name, value in values.items()
        }

    @model_validator(mode="after")
    def _makes_sense(self) -> CompareSection:
        for axis, name in (("loss", self.loss), ("risk", self.risk)):
            if name not in (known := registry.names(axis)):
                raise ParameterError(
                    f"Compare: {axis} must be a measure of {axis}, got {name!r}. Known: {', '.join(known)}."
                )
        for name, values in {"method": self.method, **self.values}.items():
            if name != "method" and not values:
                raise ParameterError(f"Compare: {name} must have at least one value, got none.")
            if any(value in values[:index] for index, value in enumerate(values)):
                raise ParameterError(f"Compare: a value of {name} is given twice. Once is enough.")
        return self

    @property
    def values(self) -> dict[str, tuple[Any, ...]]:
        """The values to try of each parameter."""
        return dict(self.model_extra or {})

    def grid(self, protect: ProtectSection) -> list[tuple[str, dict[str, Any]]]:
        """Every method with every combination of the parameters it has, on top of those of [protect].

        >>> [trial for trial in CompareSection(method="mdav", k=[3, 5]).grid(ProtectSection())]
        [('mdav', {'k': 3}), ('mdav', {'k': 5})]
        """
        methods = self.method or (protect.method,)
        fields_of = {name: set(registry.parameters_of(name)) for name in methods}
        for name in self.values:
            if not any(name in fields for fields in fields_of.values()):
                raise ParameterError(
                    f"Compare: no method to be compared has a parameter {name}. "
                    f"Known: {', '.join(sorted(set().union(*fields_of.values())))}."
                )
        trials = []
        for method, fields in fields_of.items():
            base = {name: value for name, value in protect.parameters.items() if name in fields}
            varied = {name: values for name, values in self.values.items() if name in fields}
            trials += [
                (method, {**base, **dict(zip(varied, values, strict=True))})
                for values in product(*varied.values())
            ]
        return trials


class OutputSection(Parameters):
    """[output]: what is written where. Only `path` and `note` may be published."""

    path: Path | None = Field(default=None, description="the protected file; its ending says the format")
    report: Path | None = Field(default=None, description="review report as a web page; confidential")
    json_report: Path | None = Field(default=None, alias="json", description="the same as JSON; confidential")
    note: Path | None = Field(default=None, description="quality note, safe to publish")

    model_config = ConfigDict(populate_by_name=True)

    @property
    def targets(self) -> dict[str, Path | None]:
        """What is written where, by the words a message uses."""
        return {
            "output": self.path,
            "report": self.report,
            "JSON report": self.json_report,
            "quality note": self.note,
        }

    @property
    def public(self) -> tuple[Path | None, ...]:
        """What others may read."""
        return self.path, self.note


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple | range)
