"""A plan: one run as a file, with input, roles of columns, protection, measures and output.

The command line and the web page build the same Plan, and `to_python` shows the equivalent script.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field, model_validator

from tacita.core.errors import ParameterError
from tacita.core.spec import registry
from tacita.core.spec.docstrings import documented
from tacita.core.spec.method import RecordMethod
from tacita.core.spec.params import Parameters
from tacita.core.spec.plan_document import Document, arguments_of, literal_of
from tacita.core.spec.release_options import Missing, ReleaseOptions
from tacita.core.spec.roles import OF_STEPS, Kind, Roles, RolesOfFile, RolesOfSteps
from tacita.executors.section import ExecutorSection
from tacita.io import InputSection, toml_of
from tacita.microdata.plans.requirements import RequireSection

from .required_columns import refuse_needed
from .sections import (
    CompareSection,
    MeasureSection,
    MethodSection,
    OutputSection,
    ProtectSection,
    StepSection,
)

# Arguments of callers and the keys of [measure] that they set.
_MEASURING = {"measures": "names", "without": "without", "domains": "domains", "settings": "settings"}
_ORDER = ("executor", "input", "roles", "protect", "steps", "measure", "compare", "require", "output")


@dataclass(frozen=True)
class PlannedStep:
    """A method with its parameters, and the roles of all columns while it runs."""

    section: MethodSection
    roles: Roles
    missing: Missing
    round_integers: bool


class Protection(Parameters):
    """How records are protected, independent of their file: roles, steps or one method, measures, limits."""

    @classmethod
    def display_name(cls) -> str:
        """Name of the request in messages."""
        return "Protect"

    roles: Roles
    protect: ProtectSection = Field(default_factory=ProtectSection)
    steps: tuple[StepSection, ...] = ()
    measure: MeasureSection = Field(default_factory=MeasureSection)
    require: RequireSection = Field(default_factory=RequireSection)

    @model_validator(mode="before")
    @classmethod
    def _steps_name_columns(cls, values: Any) -> Any:
        """With steps, roles are those of the file, and columns to protect those of the steps."""
        if not isinstance(values, dict):
            return values
        if isinstance(limits := values.get("require"), str | Path):
            values = {**values, "require": RequireSection.load(limits)}
        if not values.get("steps"):
            return {**values, **_for_its_method(values)}
        roles = values.get("roles") or {}
        roles = roles.model_dump(exclude_unset=True) if isinstance(roles, Roles) else dict(roles)
        if named := [name for name in ("quasi", "dependent", "independent") if roles.get(name)]:
            raise ParameterError(
                f"Plan: {', '.join(named)} under [roles] and [[steps]] were both given. Each step names its "
                "own columns."
            )
        return {**values, "roles": RolesOfFile(**roles)}

    @classmethod
    def asked(cls, **arguments: Any) -> Protection:
        """Make the request of arguments by name.

        Parameters
        ----------
        **arguments
            Roles, measures, steps and requirements; all other arguments go to [protect].

        Returns
        -------
        Protection
            The request.
        """
        roles = {name: arguments.pop(name) for name in tuple(arguments) if name in Roles.model_fields}
        measure = {_MEASURING[name]: arguments.pop(name) for name in tuple(arguments) if name in _MEASURING}
        measure["settings"] = measure.get("settings") or {}
        steps = tuple(arguments.pop("steps", ()))
        require = RequireSection.given(arguments.pop("require", None))
        if steps:
            # defaults of a signature are not values that the caller named
            roles = {name: value for name, value in roles.items() if value}
            default = ("method", "mdav")
            arguments = {name: value for name, value in arguments.items() if (name, value) != default}
        return cls(roles=roles, protect=arguments, steps=steps, measure=measure, require=require)

    @classmethod
    def compared(cls, **arguments: Any) -> tuple[Protection, CompareSection]:
        """Make the request of a comparison of arguments by name.

        Parameters
        ----------
        **arguments
            As in `asked`, with lists of methods and parameters to try, and the measures on the axes.

        Returns
        -------
        protection : Protection
            What all trials share.
        compare : CompareSection
            The methods and parameters to try.
        """
        options = {
            name: arguments.pop(name) for name in tuple(arguments) if name in ReleaseOptions.model_fields
        }
        known = (*Roles.model_fields, *_MEASURING, "require")
        varied = {name: arguments.pop(name) for name in tuple(arguments) if name not in known}
        return cls.asked(**arguments, **options), CompareSection(**varied)

    def trying(self, protect: ProtectSection, measure: MeasureSection) -> Protection:
        """Copy the request with one method of a comparison, which may take the columns for categories.

        Parameters
        ----------
        protect : ProtectSection
            The method with its parameters.
        measure : MeasureSection
            The measures to compute.

        Returns
        -------
        Protection
            The request of one trial.
        """
        varied = {"protect": protect, "measure": measure, "roles": self.roles}
        return self.model_copy(update={**varied, **_for_its_method(varied)})

    @property
    def planned(self) -> tuple[PlannedStep, ...]:
        """The steps in order; without [[steps]], the one of [protect]."""
        protect = self.protect
        self._refuse_half_pseudonyms()
        if not self.steps:
            protect.refuse_other_roles(self.roles, protect.missing)
            self._refuse_dropping([(protect.build(), self.roles)])
            return (PlannedStep(protect, self.roles, protect.missing, protect.round_integers),)
        protect.refuse_to_step()
        planned = []
        for step in self.steps:
            roles, missing = self._roles_of(step), step.missing or protect.missing
            step.refuse_other_roles(roles, missing)
            rounds = protect.round_integers if step.round_integers is None else step.round_integers
            planned.append(PlannedStep(step, roles, missing, rounds))
        self._refuse_dropping([(step.section.build(), step.roles) for step in planned])
        return tuple(planned)

    def _refuse_half_pseudonyms(self) -> None:
        """Raise if there is a key without a column, or a column without a key."""
        names, key = self.roles.pseudonyms, self.protect.pseudonym_key
        if names and key is None:
            raise ParameterError(
                f"Protect: wanted the file of a key for the pseudonyms of {', '.join(names)} "
                "(pseudonym_key), got none. Write one with `tacita pseudonym-key FILE`, and keep it secret.",
                field="pseudonym_key",
            )
        if key is not None and not names:
            raise ParameterError(
                "Protect: got pseudonym_key, but no column to replace. Name it under pseudonyms.",
                field="pseudonym_key",
            )

    def _refuse_dropping(self, steps: Sequence[tuple[RecordMethod, Roles]]) -> None:
        """Raise if a step drops a column that is needed elsewhere."""
        refuse_needed(
            steps,
            {
                "[require] uses it": self.require.values,
                "[measure] uses it": (self.measure.settings, self.measure.domains),
            },
        )

    @property
    def anytime(self) -> bool:
        """Whether a method can be stopped early and then returns the best solution so far."""
        names = [name for step in self.planned for name in step.section.chain]
        return any(registry.record_method(name).anytime for name in names)

    def _roles_of(self, step: StepSection) -> Roles:
        """The roles of the file with the columns of one step; scales declared for the file apply too."""
        changed = set(step.columns)
        of_file = self.roles.model_dump(exclude={*OF_STEPS})
        # a step that changes a stratum cannot use it as one
        for name in ("strata", "confidential"):
            of_file[name] = tuple(column for column in of_file[name] if column not in changed)
        of_file["weight"] = None if of_file["weight"] in changed else of_file["weight"]
        read = changed | set(step.independent)
        if step.kind == "dropping":
            return RolesOfFile(**of_file, **step.own_roles())
        return Roles(**of_file, **step.own_roles(), **_declared([self.roles, step], read, [step]))

    @property
    def whole(self) -> Roles:
        """The roles of a release: all columns that a step protects, with the scales that steps declare."""
        if not self.steps:
            return self.roles
        columns = tuple(dict.fromkeys(name for step in self.steps for name in step.columns))
        of_file = self.roles.model_dump(exclude={*OF_STEPS})
        if not columns:
            return RolesOfFile(**of_file)
        kinds = _declared([self.roles, *self.steps], set(columns), self.steps)
        return RolesOfSteps(**of_file, quasi=columns, **kinds)


def _for_its_method(values: Mapping[str, Any]) -> dict[str, Any]:
    """The roles as a single method reads them.

    Methods that publish other labels read every column as nominal, whatever was declared. Methods that take
    categories only read undeclared columns as nominal. A drop has no columns to protect.
    """
    protect, values_of_roles = values.get("protect"), values.get("roles")
    name = protect.get("method") if isinstance(protect, dict) else getattr(protect, "method", None)
    meanings = registry.meanings(str(name), *registry.PROTECTING)
    if len(meanings) != 1 or not isinstance(values_of_roles, Roles | Mapping | None):
        return {}
    method = registry.record_method(meanings[0])
    if method.kind == "dropping" and not isinstance(values_of_roles, Roles):
        return {"roles": RolesOfFile(**(values_of_roles or {}))}
    if values_of_roles is None:
        return {}
    if method.kind not in registry.CATEGORICAL and "numeric" in method.takes:
        return {}
    roles = values_of_roles if isinstance(values_of_roles, Roles) else Roles(**values_of_roles)
    if isinstance(roles.quasi, str):
        return {}
    if method.kind in registry.CATEGORICAL:
        kinds: dict[str, Any] = {"numeric": (), "nominal": roles.quasi, "ordinal": {}}
    else:
        declared = (*roles.numeric, *roles.categorical)
        kinds = {"nominal": (*roles.nominal, *(name for name in roles.quasi if name not in declared))}
    return {"roles": roles.model_copy(update=kinds)}


def _declared(
    sources: Sequence[Roles | StepSection], columns: set[str], steps: Sequence[StepSection]
) -> dict[str, Any]:
    """The scales of some columns; later sources take precedence.

    Columns that a step relabels are nominal. So are columns of a step for categories only, unless declared.
    """
    kinds: dict[str, tuple[Kind, tuple[str, ...]]] = {}
    for source in sources:
        kinds |= dict.fromkeys(source.numeric, ("numeric", ()))
        kinds |= dict.fromkeys(source.nominal, ("nominal", ()))
        kinds |= {name: ("ordinal", order) for name, order in source.ordinal.items()}
    relabelled = [step for step in steps if step.kind in registry.CATEGORICAL]
    kinds |= {name: ("nominal", ()) for step in relabelled for name in step.columns}
    categorical = [name for step in steps if "numeric" not in step.takes for name in step.columns]
    kinds = dict.fromkeys(categorical, ("nominal", ())) | kinds
    kinds = {name: kind for name, kind in kinds.items() if name in columns}
    return {
        "numeric": tuple(name for name, (kind, _) in kinds.items() if kind == "numeric"),
        "nominal": tuple(name for name, (kind, _) in kinds.items() if kind == "nominal"),
        "ordinal": {name: order for name, (kind, order) in kinds.items() if kind == "ordinal"},
    }


@documented
class Plan(Document, Protection):
    """A complete run: one method on the columns of [roles], or [[steps]] with their own columns.

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

    renamed: ClassVar[Mapping[str, str]] = {"engine": "executor"}
    paths: ClassVar[Mapping[str, Sequence[str]]] = {
        "input": ("path",),
        "roles": ("hierarchy",),
        "protect": ("pseudonym_key",),
        "output": ("path", "report", "json", "note"),
    }
    # an empty [compare] is written too: it compares the method of [protect]
    spoken: ClassVar[tuple[str, ...]] = ("compare",)

    input: InputSection
    executor: ExecutorSection = Field(default_factory=ExecutorSection)
    compare: CompareSection | None = None
    output: OutputSection = Field(default_factory=OutputSection)

    @model_validator(mode="after")
    def _says_what_to_do(self) -> Plan:
        if self.compare is not None:
            if self.executor.in_parts:
                raise ParameterError(
                    f"Plan: [compare] needs the whole file, and the executor {self.executor.name} works in "
                    "parts. Compare on a sample of the file, without an executor.",
                    field="executor",
                )
            if self.steps:
                raise ParameterError(
                    "Plan: [compare] compares single methods and cannot vary [[steps]]. Remove one of them."
                )
            self.compare.grid(self.protect)
            self.measure.including(self.compare.loss, self.compare.risk)
        elif self.output.path is None:
            missing = "output.path" if "output" in self.model_fields_set else "output"
            raise ParameterError(f"Plan: {missing} is required.")
        if self.output.path is not None:
            _ = self.planned
        return self

    @classmethod
    def from_values(cls, values: Mapping[str, Any], folder: Path) -> Plan:
        """Make a plan of the values of its TOML; requirements of an included file become its own.

        Parameters
        ----------
        values : mapping
            The sections by name.
        folder : Path
            Where relative paths start.

        Returns
        -------
        Plan
            The plan.
        """
        given = values.get("require")
        if isinstance(given, str):
            given = {"include": given}
        if isinstance(given, dict) and isinstance(given.get("include"), str):
            own = RequireSection(**{name: each for name, each in given.items() if name != "include"})
            values = {**values, "require": own.with_included(folder / given["include"]).values}
        return super().from_values(values, folder)

    def to_dict(self) -> dict[str, Any]:
        """List the values that TOML keeps, in the order of a run.

        Returns
        -------
        dict
            Values that are not the defaults, by section.
        """
        values = super().to_dict()
        return {name: values[name] for name in _ORDER if name in values}

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan file.

        Parameters
        ----------
        path : path
            The file (TOML).

        Returns
        -------
        Plan
            The plan.
        """
        place = Path(path)
        return cls.from_values(toml_of(place), place.parent)

    def to_python(self) -> str:
        """Write the script that does the same through the Python interface.

        A plan that compares has the comparison in its script, after the release if there is one.

        Returns
        -------
        str
            The script.

        Examples
        --------
        >>> print(Plan(input={"path": "a.csv"}, roles={"quasi": "x"}, output={"path": "b.csv"}).to_python())
        import tacita
        <BLANKLINE>
        data = tacita.read('a.csv')
        release = tacita.protect(data, quasi=['x'], method='mdav')
        tacita.save(release, 'b.csv')
        """
        source = arguments_of(self.input.model_dump(exclude={"path"}, exclude_defaults=True))
        common = self.roles.model_dump(mode="json", exclude_defaults=True)
        if self.steps:
            common["steps"] = [step.model_dump(mode="json", exclude_defaults=True) for step in self.steps]
        if self.require.values:
            common["require"] = self.require.values
        options = self.protect.model_dump(exclude_defaults=True, exclude={"method"})
        measuring = self.measure.model_dump(exclude_defaults=True)
        if "names" in measuring:
            measuring["measures"] = measuring.pop("names")
        targets = self.output.model_dump(mode="json", exclude={"path"}, exclude_none=True)
        lines = ["import tacita", "", f"data = tacita.read({literal_of(str(self.input.path))}{source})"]
        if self.output.path is not None:
            method = {} if self.steps else {"method": self.protect.method}
            arguments = {**common, **method, **options, **measuring}
            verb = "synthesize" if self.roles.dependent else "protect"
            if self.executor.in_parts:
                executor = {"executor": self.executor.model_dump(exclude_defaults=True)}
                paths = f"{literal_of(str(self.input.path))}, {literal_of(str(self.output.path))}"
                named = arguments_of({**arguments, **executor, **targets})
                return f"import tacita\n\ntacita.protect_file({paths}{named})"
            lines += [
                f"release = tacita.{verb}(data{arguments_of(arguments)})",
                f"tacita.save(release, {literal_of(str(self.output.path))}{arguments_of(targets)})",
            ]
        if self.compare is not None:
            grid = {"method": (self.protect.method,), **self.compare.model_dump(exclude_defaults=True)}
            compared = arguments_of({**common, **options, **grid, **measuring})
            lines.append(f"trials = tacita.compare_methods(data{compared})")
            if self.output.path is None:
                targets.pop("note", None)
                lines.append(f"tacita.save_comparison(trials{arguments_of(targets)})")
        return "\n".join(lines)
