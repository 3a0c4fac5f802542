"""One run as a file: what is read, which column is what, how it is protected, what goes where.

The command line and the web page build the same Plan, and `to_python` shows the script that does the same.
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
from tacita.core.spec.options import Missing, ReleaseOptions
from tacita.core.spec.params import Parameters
from tacita.core.spec.plan_document import Document, arguments_of, literal_of
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

# What a caller names, by the keys of [measure].
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
    """What is done to records, whatever file they come from: roles, steps or one method, measures, limits."""

    @classmethod
    def spoken_name(cls) -> str:
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
        given = values.get("roles") or {}
        given = given.model_dump(exclude_unset=True) if isinstance(given, Roles) else dict(given)
        if named := [name for name in ("quasi", "dependent", "independent") if given.get(name)]:
            raise ParameterError(
                f"Plan: {', '.join(named)} under [roles] and [[steps]] were both given. Each step names its "
                "own columns."
            )
        return {**values, "roles": RolesOfFile(**given)}

    @classmethod
    def asked(cls, **given: Any) -> Protection:
        """Make the request of arguments by name.

        Parameters
        ----------
        **given
            Roles, measures, steps and requirements; all other arguments go to [protect].

        Returns
        -------
        Protection
            The request.
        """
        roles = {name: given.pop(name) for name in tuple(given) if name in Roles.model_fields}
        measure = {_MEASURING[name]: given.pop(name) for name in tuple(given) if name in _MEASURING}
        measure["settings"] = measure.get("settings") or {}
        steps, require = tuple(given.pop("steps", ())), RequireSection.given(given.pop("require", None))
        if steps:
            # the defaults of a signature are no columns or method that somebody named
            roles = {name: value for name, value in roles.items() if value}
            given = {name: value for name, value in given.items() if (name, value) != ("method", "mdav")}
        return cls(roles=roles, protect=given, steps=steps, measure=measure, require=require)

    @classmethod
    def compared(cls, **given: Any) -> tuple[Protection, CompareSection]:
        """Make the request of a comparison of arguments by name.

        Parameters
        ----------
        **given
            As in `asked`, with lists of methods and parameters to try, and the measures on the axes.

        Returns
        -------
        protection : Protection
            What all trials share.
        compare : CompareSection
            The methods and parameters to try.
        """
        options = {name: given.pop(name) for name in tuple(given) if name in ReleaseOptions.model_fields}
        known = (*Roles.model_fields, *_MEASURING, "require")
        varied = {name: given.pop(name) for name in tuple(given) if name not in known}
        return cls.asked(**given, **options), CompareSection(**varied)

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
        around = self.protect
        self._refuse_half_pseudonyms()
        if not self.steps:
            around.refuse_other_roles(self.roles, around.missing)
            self._refuse_dropping([(around.build(), self.roles)])
            return (PlannedStep(around, self.roles, around.missing, around.round_integers),)
        around.refuse_to_step()
        found = []
        for step in self.steps:
            roles, missing = self._roles_of(step), step.missing or around.missing
            step.refuse_other_roles(roles, missing)
            whole = around.round_integers if step.round_integers is None else step.round_integers
            found.append(PlannedStep(step, roles, missing, whole))
        self._refuse_dropping([(each.section.build(), each.roles) for each in found])
        return tuple(found)

    def _refuse_half_pseudonyms(self) -> None:
        """Raise where there is a key and no column, or a column and no key."""
        names, key = self.roles.pseudonyms, self.protect.pseudonym_key
        if names and key is None:
            raise ParameterError(
                f"Protect: wanted the file of a key for the pseudonyms of {', '.join(names)} "
                "(pseudonym_key), got none. Write one with `tacita pseudonym-key FILE`, and keep it secret.",
                field="pseudonym_key",
            )
        if key is not None and not names:
            raise ParameterError(
                "Protect: got pseudonym_key, and no column to be replaced. Name it under pseudonyms.",
                field="pseudonym_key",
            )

    def _refuse_dropping(self, steps: Sequence[tuple[RecordMethod, Roles]]) -> None:
        """Raise where a column would leave that something else needs."""
        measured = self.measure
        refuse_needed(
            steps,
            {
                "[require] speaks of it": self.require.values,
                "[measure] speaks of it": (measured.settings, measured.domains),
            },
        )

    @property
    def anytime(self) -> bool:
        """Whether a method of it searches, and keeps the best it has when told that it is enough."""
        names = [name for step in self.planned for name in step.section.chain]
        return any(registry.record_method(name).anytime for name in names)

    def _roles_of(self, step: StepSection) -> Roles:
        """The roles of the file, with the columns of one step; kinds declared for the file hold in it too."""
        taken = set(step.columns)
        around = self.roles.model_dump(exclude={*OF_STEPS})
        # a stratum that is recoded is none meanwhile
        for name in ("strata", "confidential"):
            around[name] = tuple(column for column in around[name] if column not in taken)
        around["weight"] = None if around["weight"] in taken else around["weight"]
        looked_at = taken | set(step.independent)
        if step.kind == "dropping":
            return RolesOfFile(**around, **step.own_roles())
        return Roles(**around, **step.own_roles(), **_declared([self.roles, step], looked_at, [step]))

    @property
    def whole(self) -> Roles:
        """The roles of a release: of the columns that any step protects, each of the kind a step declares."""
        if not self.steps:
            return self.roles
        columns = tuple(dict.fromkeys(name for step in self.steps for name in step.columns))
        around = self.roles.model_dump(exclude={*OF_STEPS})
        if not columns:
            return RolesOfFile(**around)
        kinds = _declared([self.roles, *self.steps], set(columns), self.steps)
        return RolesOfSteps(**around, quasi=columns, **kinds)


def _for_its_method(values: Mapping[str, Any]) -> dict[str, Any]:
    """The roles as the one method takes them. Kinds that publish other labels take every value for a
    category, whatever it was declared to be; a method that takes categories alone those that nobody declared;
    one that drops has no columns to protect."""
    around, given = values.get("protect"), values.get("roles")
    method = around.get("method") if isinstance(around, dict) else getattr(around, "method", None)
    named = registry.meanings(str(method), *registry.PROTECTING)
    if len(named) != 1 or not isinstance(given, Roles | Mapping | None):
        return {}
    found = registry.record_method(named[0])
    if found.kind == "dropping" and not isinstance(given, Roles):
        return {"roles": RolesOfFile(**(given or {}))}
    if given is None:
        return {}
    if found.kind not in registry.CATEGORICAL and "numeric" in found.takes:
        return {}
    roles = given if isinstance(given, Roles) else Roles(**given)
    if isinstance(roles.quasi, str):
        return {}
    if found.kind in registry.CATEGORICAL:
        kinds: dict[str, Any] = {"numeric": (), "nominal": roles.quasi, "ordinal": {}}
    else:
        declared = (*roles.numeric, *roles.categorical)
        kinds = {"nominal": (*roles.nominal, *(name for name in roles.quasi if name not in declared))}
    return {"roles": roles.model_copy(update=kinds)}


def _declared(
    sources: Sequence[Roles | StepSection], columns: set[str], steps: Sequence[StepSection]
) -> dict[str, Any]:
    """The kinds of some columns, the last source first; what a step relabels is nominal, whatever it was, and
    what a step takes that works on categories alone, unless it was declared."""
    kinds: dict[str, tuple[Kind, tuple[str, ...]]] = {}
    for each in sources:
        kinds |= dict.fromkeys(each.numeric, ("numeric", ()))
        kinds |= dict.fromkeys(each.nominal, ("nominal", ()))
        kinds |= {name: ("ordinal", order) for name, order in each.ordinal.items()}
    relabelled = [step for step in steps if step.kind in registry.CATEGORICAL]
    kinds |= {name: ("nominal", ()) for step in relabelled for name in step.columns}
    alone = [name for step in steps if "numeric" not in step.takes for name in step.columns]
    kinds = dict.fromkeys(alone, ("nominal", ())) | kinds
    kinds = {name: kind for name, kind in kinds.items() if name in columns}
    return {
        "numeric": tuple(name for name, (kind, _) in kinds.items() if kind == "numeric"),
        "nominal": tuple(name for name, (kind, _) in kinds.items() if kind == "nominal"),
        "ordinal": {name: order for name, (kind, order) in kinds.items() if kind == "ordinal"},
    }


@documented
class Plan(Document, Protection):
    """A whole run: one method on the columns of [roles], or [[steps]] with columns of their own.

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
    # an empty [compare] says something: compare what [protect] says
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
                    "Plan: [compare] tries one method after the other, and cannot vary [[steps]]."
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

    def told(self) -> dict[str, Any]:
        """List the values that TOML keeps, in the order of a run.

        Returns
        -------
        dict
            Values that are not the defaults, by section.
        """
        values = super().told()
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
        around = self.roles.model_dump(mode="json", exclude_defaults=True)
        if self.steps:
            around["steps"] = [step.model_dump(mode="json", exclude_defaults=True) for step in self.steps]
        if self.require.values:
            around["require"] = self.require.values
        options = self.protect.model_dump(exclude_defaults=True, exclude={"method"})
        measuring = self.measure.model_dump(exclude_defaults=True)
        if "names" in measuring:
            measuring["measures"] = measuring.pop("names")
        targets = self.output.model_dump(mode="json", exclude={"path"}, exclude_none=True)
        lines = ["import tacita", "", f"data = tacita.read({literal_of(str(self.input.path))}{source})"]
        if self.output.path is not None:
            method = {} if self.steps else {"method": self.protect.method}
            arguments = {**around, **method, **options, **measuring}
            verb = "synthesize" if self.roles.dependent else "protect"
            if self.executor.in_parts:
                executor = {"executor": self.executor.model_dump(exclude_defaults=True)}
                places = f"{literal_of(str(self.input.path))}, {literal_of(str(self.output.path))}"
                named = arguments_of({**arguments, **executor, **targets})
                return f"import tacita\n\ntacita.protect_file({places}{named})"
            lines += [
                f"release = tacita.{verb}(data{arguments_of(arguments)})",
                f"tacita.save(release, {literal_of(str(self.output.path))}{arguments_of(targets)})",
            ]
        if self.compare is not None:
            chosen = {"method": (self.protect.method,), **self.compare.model_dump(exclude_defaults=True)}
            compared = arguments_of({**around, **options, **chosen, **measuring})
            lines.append(f"trials = tacita.compare_methods(data{compared})")
            if self.output.path is None:
                targets.pop("note", None)
                lines.append(f"tacita.save_comparison(trials{arguments_of(targets)})")
        return "\n".join(lines)
