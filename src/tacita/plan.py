"""One run as a file: what is read, which column is what, how it is protected, where it goes.

TOML, version 1; paths are relative to the plan file. The command line and the web page build the same
Plan, and `to_python` shows the script that does the same.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import tomli_w
from pydantic import BeforeValidator, ConfigDict, Field, PlainSerializer, model_validator

from . import registry
from .core.errors import ParameterError
from .core.method import Method
from .core.params import Parameters
from .core.roles import Names, Roles
from .core.seeds import as_seed, portable
from .io import InputOptions, content_of

if TYPE_CHECKING:
    from .microdata.measure import Measure


class InputSection(InputOptions):
    """[input]: the file and how to read it."""

    path: Path = Field(description="file of records: CSV or Parquet")


def _as_chain(value: object) -> object:
    # a list of methods and their names with + (or, on a command line, commas) between say the same
    if isinstance(value, list | tuple):
        return "+".join(map(str, value))
    return value.replace(",", "+") if isinstance(value, str) else value


ChainName = Annotated[str, BeforeValidator(_as_chain)]


def _as_seed(value: object) -> int | None:
    return as_seed(value, "Protect")


# "new" stands for the number that is drawn when it is read, so that whatever keeps a plan can repeat the run
Seed = Annotated[
    int | Literal["new"] | None, BeforeValidator(_as_seed), PlainSerializer(portable, when_used="json")
]


class ProtectSection(Parameters):
    """[protect]: the method, its parameters, and the rules around it. Other keys go to the method."""

    model_config = ConfigDict(extra="allow")

    method: ChainName = Field(
        "mdav",
        description="name of a method, see `tacita methods`; or several with +, each improving the last",
    )
    missing: Literal["refuse", "drop", "stratum"] = Field(
        "refuse",
        description="records with missing quasi-identifiers: refuse, drop, or group only among their like",
    )
    round_integers: bool = Field(False, description="publish whole numbers for columns of whole numbers")
    shuffle: bool = Field(False, description="give the released records a random order")
    insist: bool = Field(
        False,
        description="go on against advice (k = 2, a short seed, a masking that rounding undoes); recorded",
    )
    seed: Seed = Field(
        None, description="makes protective randomness repeatable; new draws one; confidential"
    )

    @model_validator(mode="after")
    def _method_takes_its_parameters(self) -> ProtectSection:
        self.build()
        return self

    @property
    def parameters(self) -> dict[str, Any]:
        """What goes to the method."""
        return dict(self.model_extra or {})

    @property
    def chain(self) -> tuple[str, ...]:
        """The methods in the order in which they run."""
        return tuple(self.method.split("+"))

    def refuse_other_roles(self, roles: Roles) -> None:
        """Raise where a synthesis has no dependent columns, or another method has them."""
        kind = registry.lookup(self.chain[0], *registry.PROTECTING).kind
        if kind == "synthesis" and not roles.dependent:
            raise ParameterError(
                f"{self.method}: wanted dependent columns to draw anew, got quasi-identifiers. Name "
                "dependent and independent columns (tacita synthesize), or a method that protects."
            )
        if kind != "synthesis" and roles.dependent:
            raise ParameterError(
                f"{self.method}: wanted quasi-identifiers to protect, got dependent columns. Name quasi "
                f"(tacita protect), or a synthesis: {', '.join(registry.names('synthesis'))}."
            )
        if kind == "synthesis" and self.missing == "stratum":
            raise ParameterError(
                f"{self.method}: missing must be 'refuse' or 'drop' for a synthesis, got 'stratum': nothing "
                "can be drawn for records that miss a value."
            )

    def build(self) -> Method:
        """The method, or chain of methods, each with those of the parameters that it has."""
        found = [registry.lookup(name, *registry.PROTECTING) for name in self.chain]
        if len(found) == 1:
            return found[0](**self.parameters)
        from .microdata.microaggregation.chain import Chain

        alone = [name for name, method in zip(self.chain, found, strict=True) if method.kind != Chain.kind]
        if alone:
            raise ParameterError(
                f"{self.method}: {alone[0]} cannot be part of a chain. Only methods that group records can."
            )
        fields = registry.parameters_of(self.method)
        unknown = [name for name in self.parameters if name not in fields]
        if unknown:
            raise ParameterError(
                f"{self.method}: there is no parameter {', '.join(unknown)}. Known: {', '.join(fields)}."
            )
        own = [{n: v for n, v in self.parameters.items() if n in method.model_fields} for method in found]
        return Chain.of([cast("Any", method)(**given) for method, given in zip(found, own, strict=True)])


class MeasureSection(Parameters):
    """[measure]: which figures of loss and risk to compute."""

    names: Names | None = Field(
        None,
        description="names of measures, or all; if not given, those that every attacker and purse allows",
    )
    without: Names = Field((), description="names of measures to leave out")
    domains: Names = Field((), description="columns that name parts of the population to look into")
    settings: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="parameters of measures, by name"
    )

    @model_validator(mode="after")
    def _known(self) -> MeasureSection:
        given = self.names or ()
        for place, name in enumerate(given):
            if name in given[:place]:
                raise ParameterError(f"Measure: {name} is named twice. Once is enough.")
        for name in {*self.without, *self.settings}:
            registry.lookup(name, *registry.MEASURING)
        self.build()
        return self

    def build(self) -> list[Measure]:
        """The measures, in the order of the registry or as named."""
        return [self._made(name) for name in self._chosen()]

    def including(self, *names: str) -> MeasureSection:
        """The same, with these measured in any case."""
        if left_out := [name for name in names if name in self.without]:
            raise ParameterError(
                f"Measure: {left_out[0]} cannot be left out, it is an axis of the comparison. "
                "Take it out of without, or compare by another measure."
            )
        return self.model_copy(update={"names": tuple(dict.fromkeys((*self._chosen(), *names)))})

    def _chosen(self) -> list[str]:
        if self.names is not None and self.names != ("all",):
            return [name for name in self.names if name not in self.without]
        known = [name for name in registry.names(*registry.MEASURING) if name not in self.without]
        return known if self.names else [name for name in known if self._made(name).by_default]

    def _made(self, name: str) -> Measure:
        return cast("Measure", registry.lookup(name, *registry.MEASURING)(**self.settings.get(name, {})))


class CompareSection(Parameters):
    """[compare]: methods to try and values of their parameters. Other keys are such lists of values."""

    model_config = ConfigDict(extra="allow")

    method: Names = Field((), description="names of methods; if not given, the one of [protect]")
    loss: str = Field("PIL", description="measure on the axis of loss")
    risk: str = Field("DR", description="measure on the axis of risk")

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
            if any(value in values[:place] for place, value in enumerate(values)):
                raise ParameterError(f"Compare: a value of {name} is given twice. Once is enough.")
        return self

    @property
    def values(self) -> dict[str, tuple[Any, ...]]:
        """The values to try of each parameter."""
        return dict(self.model_extra or {})

    def grid(self, protect: ProtectSection) -> list[tuple[str, dict[str, Any]]]:
        """Every method with every combination of the parameters it has, on top of those of [protect].

        >>> [made for made in CompareSection(method="mdav", k=[3, 5]).grid(ProtectSection())]
        [('mdav', {'k': 3}), ('mdav', {'k': 5})]
        """
        methods = self.method or (protect.method,)
        taken = {name: set(registry.parameters_of(name)) for name in methods}
        for name in self.values:
            if not any(name in fields for fields in taken.values()):
                raise ParameterError(
                    f"Compare: no method to be compared has a parameter {name}. "
                    f"Known: {', '.join(sorted(set().union(*taken.values())))}."
                )
        made = []
        for method, fields in taken.items():
            base = {name: value for name, value in protect.parameters.items() if name in fields}
            varied = {name: values for name, values in self.values.items() if name in fields}
            made += [
                (method, {**base, **dict(zip(varied, chosen, strict=True))})
                for chosen in product(*varied.values())
            ]
        return made


class OutputSection(Parameters):
    """[output]: what is written where. Only `path` and `note` may be published."""

    path: Path | None = Field(None, description="the protected file: CSV or Parquet")
    report: Path | None = Field(None, description="review report as a web page; confidential")
    json_report: Path | None = Field(None, alias="json", description="the same as JSON; confidential")
    note: Path | None = Field(None, description="quality note, safe to publish")

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


class Plan(Parameters):
    """A whole run.

    >>> plan = Plan.from_toml('''
    ... version = 1
    ... [input]
    ... path = "survey.csv"
    ... [roles]
    ... quasi = ["turnover"]
    ... [protect]
    ... k = 5
    ... [output]
    ... path = "protected.csv"
    ... ''')
    >>> plan.protect.build().k
    5
    >>> Plan.from_toml(plan.to_toml()) == plan
    True
    """

    version: Literal[1] = 1
    input: InputSection
    roles: Roles
    protect: ProtectSection = Field(default_factory=ProtectSection)
    measure: MeasureSection = Field(default_factory=MeasureSection)
    compare: CompareSection | None = None
    output: OutputSection = Field(default_factory=OutputSection)

    @model_validator(mode="after")
    def _says_what_to_do(self) -> Plan:
        if self.compare is not None:
            self.compare.grid(self.protect)
            self.measure.including(self.compare.loss, self.compare.risk)
        elif self.output.path is None:
            missing = "output.path" if "output" in self.model_fields_set else "output"
            raise ParameterError(f"Plan: {missing} is required.")
        if self.output.path is not None:
            self.protect.refuse_other_roles(self.roles)
        return self

    @classmethod
    def from_toml(cls, text: str, folder: Path | None = None) -> Plan:
        """Read a plan; relative paths are taken from `folder`."""
        values = parsed(text)
        if "version" not in values:
            raise ParameterError("Plan: version is required. Write version = 1 as the first line.")
        return cls(**with_paths(values, _PATHS, folder or Path()))

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan file."""
        return cls.from_toml(text_of(Path(path)), Path(path).parent)

    def to_toml(self, folder: Path | None = None) -> str:
        """The plan as TOML, defaults left out; paths relative to `folder` where they lie below it."""
        values = self.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude_none=True)
        # an empty [compare] says something: compare what [protect] says
        told = {key: part for key, part in values.items() if part or key == "compare"}
        return toml_of({"version": self.version, **told}, _PATHS, folder)

    def to_python(self) -> str:
        """The script that does the same through the Python interface.

        >>> print(Plan(input={"path": "a.csv"}, roles={"quasi": "x"}, output={"path": "b.csv"}).to_python())
        import tacita
        <BLANKLINE>
        data = tacita.read('a.csv')
        release = tacita.protect(data, quasi=['x'], method='mdav')
        tacita.save(release, 'b.csv')

        A plan that compares has the comparison in its script, after the release if there is one.
        """
        source = arguments_of(self.input.model_dump(exclude={"path"}, exclude_defaults=True))
        around = self.roles.model_dump(exclude_defaults=True)
        options = self.protect.model_dump(exclude_defaults=True, exclude={"method"})
        measuring = self.measure.model_dump(exclude_defaults=True)
        if "names" in measuring:
            measuring["measures"] = measuring.pop("names")
        targets = self.output.model_dump(mode="json", exclude={"path"}, exclude_none=True)
        lines = ["import tacita", "", f"data = tacita.read({literal_of(str(self.input.path))}{source})"]
        if self.output.path is not None:
            steps = {**around, "method": self.protect.method, **options, **measuring}
            verb = "synthesize" if self.roles.dependent else "protect"
            lines += [
                f"release = tacita.{verb}(data{arguments_of(steps)})",
                f"tacita.save(release, {literal_of(str(self.output.path))}{arguments_of(targets)})",
            ]
        if self.compare is not None:
            chosen = {"method": (self.protect.method,), **self.compare.model_dump(exclude_defaults=True)}
            lines.append(
                f"trials = tacita.compare(data{arguments_of({**around, **options, **chosen, **measuring})})"
            )
            if self.output.path is None:
                targets.pop("note", None)
                lines.append(f"tacita.save_comparison(trials{arguments_of(targets)})")
        return "\n".join(lines)


_PATHS = {"input": ("path",), "output": ("path", "report", "json", "note")}


def with_paths(values: dict[str, Any], paths: Mapping[str, Sequence[str]], folder: Path) -> dict[str, Any]:
    """Sections as they were read; `paths` names the keys of each that are paths, taken from `folder`."""
    placed = dict(values)
    for section, keys in paths.items():
        if isinstance(part := values.get(section), dict):
            placed[section] = {
                key: folder / value if key in keys and isinstance(value, str) else value
                for key, value in part.items()
            }
    return placed


def toml_of(values: dict[str, Any], paths: Mapping[str, Sequence[str]], folder: Path | None) -> str:
    """Sections as TOML; `paths` names the keys of each that are paths, relative to `folder` if below it."""
    for section, keys in paths.items():
        for key in keys:
            if key in values.get(section, {}):
                values[section][key] = _relative(Path(values[section][key]), folder)
    return tomli_w.dumps(values)


def _relative(path: Path, folder: Path | None) -> str:
    if folder is not None and path.absolute().is_relative_to(folder.absolute()):
        return path.absolute().relative_to(folder.absolute()).as_posix()
    return path.as_posix()


def arguments_of(values: Mapping[str, Any]) -> str:
    """Arguments by name as a script has them, after a first one.

    >>> arguments_of({"k": 3, "quasi": ("x", "y")})
    ", k=3, quasi=['x', 'y']"
    """
    return "".join(f", {name}={literal_of(value)}" for name, value in values.items())


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple | range)


def literal_of(value: Any) -> str:
    """As a script has it."""
    return repr(list(value)) if isinstance(value, tuple) else repr(value)


def text_of(path: Path) -> str:
    """The text of a plan file."""
    try:
        # editors on Windows put a byte order mark first
        return content_of(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ParameterError(f"{path.name}: a plan is a UTF-8 text file, this is not.") from None


def parsed(text: str) -> dict[str, Any]:
    """The values of a TOML text."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ParameterError(f"Plan: this is not valid TOML ({problem}).") from None
    except RecursionError:
        raise ParameterError("Plan: values are nested too deep for any plan. Check the brackets.") from None
