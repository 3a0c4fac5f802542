"""Plans that measure the risk of the keys of a file before anything is protected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import ConfigDict, Field, model_validator

from tacita.core.errors import ParameterError
from tacita.core.spec.params import Parameters
from tacita.core.spec.plan_document import Document, arguments_of, literal_of
from tacita.core.spec.roles import Names
from tacita.io import InputSection

from .sections import MeasureSection


class RiskSection(Parameters):
    """[risk]: the keys of a file, and properties of the sample."""

    keys: Names = Field(min_length=1, description="columns an attacker may know")
    weight: str | None = Field(default=None, description="column of sampling weights")
    unit: str | None = Field(default=None, description="column naming the firm or household behind a record")
    sensitive: Names = Field(
        default=(), description="columns that nobody should learn; the worst of them counts"
    )
    fraction: float | None = Field(
        default=None, gt=0, le=1, description="share of the population in the file"
    )
    population: float | None = Field(default=None, gt=0, description="persons in the population")
    missing_as: Literal["category", "wildcard"] = Field(
        default="category", description="a missing key is a value of its own, or (wildcard) may be any value"
    )

    @model_validator(mode="after")
    def _one_population(self) -> RiskSection:
        if self.fraction is not None and self.population is not None:
            raise ParameterError("Risk: fraction and population say the same. Give one of them.")
        return self


class RiskOutputSection(Parameters):
    """[output] of a plan of risk; all of it is confidential."""

    model_config = ConfigDict(populate_by_name=True)

    json_report: Path | None = Field(default=None, alias="json", description="figures as JSON; confidential")
    report: Path | None = Field(default=None, description="figures as a web page; confidential")
    records: Path | None = Field(
        default=None,
        description="figures of single records, CSV or Parquet; confidential, for the reviewer only",
    )

    @property
    def targets(self) -> dict[str, Path | None]:
        """The files to write, by their names in messages."""
        return {"report": self.report, "JSON report": self.json_report, "records": self.records}


class RiskPlan(Document):
    """The risk of the keys of a file as a plan: a TOML file with a section [risk].

    >>> plan = RiskPlan.from_toml('''
    ... version = 1
    ... [input]
    ... path = "survey.csv"
    ... [risk]
    ... keys = ["sex", "age"]
    ... [output]
    ... json = "risk.json"
    ... ''')
    >>> plan.risk.keys, RiskPlan.from_toml(plan.to_toml()) == plan
    (('sex', 'age'), True)
    """

    paths: ClassVar[Mapping[str, Sequence[str]]] = {
        "input": ("path",),
        "output": ("json", "report", "records"),
    }

    input: InputSection
    risk: RiskSection
    measure: MeasureSection = Field(default_factory=MeasureSection)
    output: RiskOutputSection = Field(default_factory=RiskOutputSection)

    def to_python(self) -> str:
        """The script that does the same through the Python interface.

        >>> print(RiskPlan(input={"path": "a.csv"}, risk={"keys": "x"}).to_python())
        import tacita
        <BLANKLINE>
        data = tacita.read('a.csv')
        profile = tacita.risk_profile(data, keys=['x'])
        """
        source = arguments_of(self.input.model_dump(exclude={"path"}, exclude_defaults=True))
        risk = self.risk.model_dump(exclude_defaults=True)
        measuring = self.measure.model_dump(exclude_defaults=True)
        if "names" in measuring:
            measuring["measures"] = measuring.pop("names")
        targets = self.output.model_dump(mode="json", exclude_none=True)
        lines = [
            "import tacita",
            "",
            f"data = tacita.read({literal_of(str(self.input.path))}{source})",
            f"profile = tacita.risk_profile(data{arguments_of({**risk, **measuring})})",
        ]
        return "\n".join(
            [*lines, *([f"tacita.save_risk(profile{arguments_of(targets)})"] if targets else [])]
        )
