"""Several ways to protect the same records, tried and weighed: which ones no other beats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tacita.core.data.dataframes import Column, Framed
from tacita.core.data.saving import writer
from tacita.core.display.pareto_front import Point, pareto_front
from tacita.core.display.repr_html import Section, page
from tacita.core.errors import ParameterError
from tacita.core.spec.seeds import portable

from .score import Direction, Report, Score
from .uniqueness import Uniqueness

# What a table shows next to the two axes, where it was measured.
_COLUMNS = ("RELATIONS", "SCORE", "IL1", "DBRL", "PRL")
# Percent of the relations with unchanged columns beyond which a trial of the front is warned of.
_MOST_UNRELATED = 50.0


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One method with its parameters, and what came of it.

    Attributes
    ----------
    method : str
        Name of the method, or of several with + between.
    parameters : mapping
        Its parameters by name.
    report : Report, optional
        The scores; None where the trial failed or was not made.
    reason : str, optional
        Why there are no scores, why an axis has no figure, or that the search was stopped.
    on_front : bool, default=False
        Whether no other trial is better on both axes.
    groups : int, optional
        Number of groups that the method made.

    Examples
    --------
    >>> trial = Trial(method="mdav", report=Report((Score(name="IL1", value=5.69),)))
    >>> trial.value("IL1"), trial.value("DBRL")
    (5.69, None)
    """

    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    report: Report | None = None
    reason: str | None = None
    on_front: bool = False
    groups: int | None = None

    def score(self, name: str) -> Score | None:
        """Look up one score.

        Parameters
        ----------
        name : str
            Name of the measure.

        Returns
        -------
        Score or None
            None where it was not measured.
        """
        return next((score for score in self.report or () if score.name == name), None)

    def value(self, name: str) -> float | None:
        """Look up one figure.

        Parameters
        ----------
        name : str
            Name of the measure.

        Returns
        -------
        float or None
            None where it was not measured or could not be computed.
        """
        score = self.score(name)
        return None if score is None else score.value

    def as_dict(self) -> dict[str, Any]:
        """Convert the trial to values for JSON.

        Returns
        -------
        dict
            Numbers, texts, lists and dictionaries.
        """
        return {
            "method": self.method,
            "parameters": {name: self.parameters[name] for name in sorted(self.parameters)},
            "on_front": self.on_front,
            "reason": self.reason,
            "groups": self.groups,
            "scores": [score.as_dict() for score in self.report or ()],
        }


@dataclass(frozen=True)
class Origin:
    """What all trials of a comparison share: the records and the rules around the method. Confidential.

    `uniqueness` is that of the first trial; who is unique on unchanged columns is the same in all of them.
    """

    source: str
    fingerprint: str | None
    records: int
    roles: Mapping[str, Any]
    options: Mapping[str, Any]
    seed: int | None
    versions: Mapping[str, str]
    uniqueness: Uniqueness
    path: Path | None = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class Trials(Framed):
    """All trials of a comparison, with the two measures that they are compared by.

    Trials are in order of method and parameters. Iterating yields them; as a data frame, the comparison has
    one row for each trial: its method, parameters and scores.

    Attributes
    ----------
    trials : tuple of Trial
        The trials.
    loss, risk : str
        Names of the measures on the two axes.
    origin : Origin, optional
        The records and the options that all trials share. Confidential.

    Examples
    --------
    >>> def tried(k, loss, risk):
    ...     scores = (Score(name="PIL", value=loss), Score(name="DR", value=risk))
    ...     return Trial(method="mdav", parameters={"k": k}, report=Report(scores))
    >>> trials = Trials.of([tried(10, 40.0, 5.0), tried(3, 10.0, 20.0), tried(5, 41.0, 9.0)])
    >>> [(trial.parameters["k"], trial.on_front) for trial in trials]
    [(3, True), (5, False), (10, True)]
    """

    trials: tuple[Trial, ...]
    loss: str = "PIL"
    risk: str = "DR"
    origin: Origin | None = None

    @classmethod
    def of(
        cls, trials: Iterable[Trial], *, loss: str = "PIL", risk: str = "DR", origin: Origin | None = None
    ) -> Trials:
        """Put trials in order and mark those that no other beats.

        Parameters
        ----------
        trials : iterable of Trial
            The trials, in any order.
        loss, risk : str
            Names of the measures on the two axes.
        origin : Origin, optional
            The records and the options that all trials share.

        Returns
        -------
        Trials
            The comparison; a trial without a figure for an axis has a reason.
        """
        weighed = [_with_reason(trial, (loss, risk)) for trial in sorted(trials, key=_order)]
        points = [_point(trial, loss, risk) for trial in weighed]
        return cls(
            trials=tuple(
                replace(trial, on_front=on_front)
                for trial, on_front in zip(weighed, pareto_front(points), strict=True)
            ),
            loss=loss,
            risk=risk,
            origin=origin,
        )

    def __iter__(self) -> Iterator[Trial]:
        return iter(self.trials)

    def __len__(self) -> int:
        return len(self.trials)

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods, each once."""
        return tuple(dict.fromkeys(trial.method for trial in self.trials))

    @property
    def on_map(self) -> tuple[Trial, ...]:
        """Trials that have a figure for both axes."""
        return tuple(trial for trial in self.trials if _point(trial, self.loss, self.risk) is not None)

    @property
    def off_map(self) -> tuple[Trial, ...]:
        """Trials that failed or lack a figure, each with its reason."""
        return tuple(trial for trial in self.trials if _point(trial, self.loss, self.risk) is None)

    @property
    def front(self) -> tuple[Trial, ...]:
        """Trials that no other beats, the least loss first."""
        return tuple(sorted((trial for trial in self.trials if trial.on_front), key=self._weight))

    @property
    def unrelated(self) -> tuple[Trial, ...]:
        """Trials of the front that lost most relations between protected and unchanged columns.

        Measures of protected columns alone do not see that loss. Empty where relations are an axis.
        """
        if "RELATIONS" in (self.loss, self.risk):
            return ()
        lost = ((trial, trial.value("RELATIONS")) for trial in self.front)
        return tuple(trial for trial, value in lost if value is not None and value > _MOST_UNRELATED)

    def _weight(self, trial: Trial) -> Point:
        point = _point(trial, self.loss, self.risk)
        assert point is not None, "a trial without figures is never on the front"
        return point

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the figures to show of each trial: both axes, then the usual ones that some trial has."""
        every = (score for trial in self.trials for score in trial.report or ())
        measured = {score.name for score in every if score.value is not None}
        others = (name for name in _COLUMNS if name in measured)
        return tuple(dict.fromkeys((self.loss, self.risk, *others)))

    @property
    def differing(self) -> tuple[str, ...]:
        """Names of the parameters that have more than one value."""
        names = sorted({name for trial in self.trials for name in trial.parameters})
        values = {
            name: [trial.parameters[name] for trial in self.trials if name in trial.parameters]
            for name in names
        }
        return tuple(name for name in names if any(value != values[name][0] for value in values[name]))

    def scale(self, name: str) -> Score | None:
        """Find a score of some measure, for its range, unit and direction.

        Parameters
        ----------
        name : str
            Name of the measure.

        Returns
        -------
        Score or None
            The score of the first trial that has one.
        """
        return next((score for trial in self.trials if (score := trial.score(name)) is not None), None)

    def direction(self, name: str) -> Direction:
        """Find which end of a measure is better.

        Parameters
        ----------
        name : str
            Name of the measure.

        Returns
        -------
        {"lower", "higher"}
            The better end; "lower" where no trial has a score.
        """
        score = self.scale(name)
        return "lower" if score is None else score.direction

    def as_dict(self) -> dict[str, Any]:
        """Convert the comparison to values for JSON.

        Returns
        -------
        dict
            Numbers, texts, lists and dictionaries.
        """
        return {
            "loss": self.loss,
            "risk": self.risk,
            "seed": None if self.origin is None else portable(self.origin.seed),
            "uniqueness": None if self.origin is None else self.origin.uniqueness.as_dict(),
            "trials": [trial.as_dict() for trial in self.trials],
        }

    def _columns(self) -> Iterable[Column]:
        measured = (score.name for trial in self.trials for score in trial.report or ())
        yield Column("method", str, [trial.method for trial in self.trials])
        for name in sorted({name for trial in self.trials for name in trial.parameters}):
            yield Column.of(name, [trial.parameters.get(name) for trial in self.trials])
        yield Column("on_front", bool, [trial.on_front for trial in self.trials])
        yield Column("groups_made", int, [trial.groups for trial in self.trials])
        yield Column("reason", str, [trial.reason for trial in self.trials])
        for name in dict.fromkeys((*self.columns, *measured)):
            yield Column(name, float, [trial.value(name) for trial in self.trials])

    def __repr__(self) -> str:
        axes = f"{self.loss} and {self.risk}"
        return f"<Trials: {len(self.trials)} trials, {len(self.front)} on the front of {axes}>"

    def save(
        self,
        *,
        report: str | Path | None = None,
        json_report: str | Path | None = None,
        force: bool = False,
    ) -> None:
        """Write the comparison as a page and as JSON, both confidential; both appear or none.

        Parameters
        ----------
        report : path, optional
            The page (HTML).
        json_report : path, optional
            The figures as JSON.
        force : bool, default=False
            Overwrite files.
        """
        writer("comparison")(self, report=report, json_report=json_report, force=force)

    def _repr_html_(self) -> str:
        names, figures = self.differing, self.columns
        tried = tuple(
            (
                trial.method,
                *(trial.parameters.get(name) for name in names),
                *(trial.value(name) for name in figures),
                "on the front" if trial.on_front else trial.reason or "",
            )
            for trial in self.trials
        )
        title = f"{len(self.trials)} trials, {len(self.front)} on the front of {self.loss} and {self.risk}"
        return page(title, [Section(("Method", *names, *figures, ""), tried)])


def _point(trial: Trial, loss: str, risk: str) -> Point | None:
    """Where a trial lies if lower is made better on both axes."""
    costs = [_cost(trial.score(name)) for name in (loss, risk)]
    return None if costs[0] is None or costs[1] is None else (costs[0], costs[1])


def _cost(score: Score | None) -> float | None:
    if score is None or score.value is None:
        return None
    return score.value if score.direction == "lower" else -score.value


def _with_reason(trial: Trial, axes: Sequence[str]) -> Trial:
    if trial.report is None:
        if trial.reason is None:
            raise ParameterError(f"Trial of {trial.method}: wanted a report or a reason why there is none.")
        return trial
    for name in axes:
        score = trial.score(name)
        if score is None:
            return replace(trial, reason=f"{name} was not measured")
        if score.value is None:
            return replace(trial, reason=f"{name} has no value: {score.reason}")
    return trial


def _order(trial: Trial) -> tuple[Any, ...]:
    """By method, then by the values of its parameters; numbers as numbers."""
    return trial.method, tuple((name, *_rank(trial.parameters[name])) for name in sorted(trial.parameters))


def _rank(value: object) -> tuple[int, float, str]:
    return (0, value, "") if isinstance(value, int | float) else (1, 0.0, str(value))
