"""Verbs of the window of fuzzy c-regression: points, a run that is watched, many numbers of clusters."""

from __future__ import annotations

import json
import os
import queue
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tacita import api, datasets
from tacita.core import DataError, Floats, Microdata, ParameterError, RunContext, TacitaError, Trial
from tacita.io.points import points_text, read_points

from .job_context import JobContext

RELEASE = "release.csv"
SHOWN = "shown.json"
MEASURES = ("PIL", "DR", "SCORE")
MOST_CLUSTERS = 10
# Rounds are shown no closer than this, in seconds, unless the user steps.
_EVERY = 0.1
# Places along a curve.
_PLACES = 97
_DIGITS = 7


def points(request: Mapping[str, Any], _context: JobContext) -> dict[str, Any]:
    """Points of a text file; two of its columns go to `to`, the first two unless others are `chosen`."""
    data = read_points(request["path"], shown_as=request["shown_as"])
    chosen = request.get("chosen") or [0, 1]
    if not all(0 <= column < len(data.columns) for column in chosen) or len(set(chosen)) != 2:
        raise DataError(f"{data.source}: wanted two of its {len(data.columns)} columns.")
    Path(request["to"]).write_text(points_text(data, [data.columns[column] for column in chosen]))
    return {"columns": data.columns, "chosen": chosen}


def clouds(request: Mapping[str, Any], _context: JobContext) -> dict[str, Any]:
    """The example: five clouds, which need no protection."""
    data = Microdata.of(datasets.five_clouds())
    Path(request["to"]).write_text(points_text(data, data.columns))
    return {"columns": data.columns, "chosen": [0, 1]}


def watch(request: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """A run on the points of `path`, each round shown in `folder`; its synthetic points go there too.

    Those of points that were `loaded` only as a verified release. Of points that were clicked, those of the
    last round may be saved as they are.
    """
    folder, data, run = Path(request["folder"]), _points_of(request), context.run
    c = request["parameters"].get("c")
    if isinstance(c, int) and c > MOST_CLUSTERS:
        raise ParameterError(f"FCRM: c must be at most {MOST_CLUSTERS} here, got {c}.", field="c")
    showing = _Showing(context, run, request)
    try:
        release = api.synthesize(
            data,
            **_roles(request),
            method="fcrm",
            callback=showing.on_round,
            measures=("PIL", "DR", "SCORE"),
            context=run,
            **request["parameters"],
        )
    except TacitaError as error:
        showing.finish()
        if request["loaded"] or showing.last is None:
            raise
        released = showing.last.iteration.released[:, 0]
        (folder / RELEASE).write_text(_as_text(data, request["names"], released))
        return {"verified": False, "message": str(error)}
    showing.finish()
    api.save(release, folder / RELEASE)
    # points that were clicked are of no respondent: there is nothing to warn about
    warnings = [warning.text for warning in release.record.warnings] if request["loaded"] else []
    return {"verified": True, "message": " ".join(warnings)}


def sweep(request: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Loss and risk for every number of clusters; each is sent as it is made. Nothing is released."""
    data, trials = _points_of(request), []

    def report_trial(trial: Trial) -> None:
        figures = {name: trial.value(name) for name in MEASURES}
        trials.append({"c": trial.parameters["c"], **figures, "reason": trial.reason})
        context.tell("trial", **trials[-1])

    # figures of what would be refused are figures all the same
    parameters = {**request["parameters"], "max_leverage": 1, "max_unchanged": 1}
    clusters = list(range(1, MOST_CLUSTERS + 1))
    api.compare_methods(
        data,
        **_roles(request),
        method="fcrm",
        measures=MEASURES,
        context=replace(context.run, on_trial=report_trial),
        **{**parameters, "c": clusters},
    )
    return {"trials": trials}


def _points_of(request: Mapping[str, Any]) -> Microdata:
    return read_points(request["path"], names=request["names"], shown_as=request["shown_as"])


def _roles(request: Mapping[str, Any]) -> dict[str, Any]:
    independent, dependent = request["names"]
    return {"independent": independent, "dependent": dependent}


def _as_text(data: Microdata, names: Sequence[str], released: Floats) -> str:
    rows = zip(data.numbers(names[0]).tolist(), released.tolist(), strict=True)
    return f"{names[0]},{names[1]}\n" + "".join(f"{x!r},{y!r}\n" for x, y in rows)


class _Showing:
    """Shows rounds and waits between them: some seconds, or until the user requests the next.

    Words from the page: pause, go, step, and speed with `seconds`. At no seconds as many rounds are shown as
    can be looked at, and the last one always.
    """

    def __init__(self, context: JobContext, run: RunContext, request: Mapping[str, Any]) -> None:
        self._context, self._run = context, run
        self._place = Path(request["folder"]) / SHOWN
        self._waits, self._seconds = bool(request["waits"]), float(request["seconds"])
        low, high = (float(bound) for bound in request["view"])
        self._along = np.linspace(low, high, _PLACES).reshape(-1, 1)
        self._objectives: list[float] = []
        self._shown_at, self._is_shown = 0.0, True
        self.last: api.Round | None = None

    def on_round(self, seen: api.Round) -> None:
        """One round of the run, which goes on when this returns."""
        self.last, self._is_shown = seen, False
        self._objectives.append(seen.iteration.objective)
        self._listen(0.0)
        if self._waits or self._seconds or time.monotonic() - self._shown_at >= _EVERY:
            self._show(seen)
            self._wait()

    def finish(self) -> None:
        """The last round is shown whatever the speed."""
        if self.last is not None and not self._is_shown:
            self._show(self.last)

    def _wait(self) -> None:
        until = time.monotonic() + max(self._seconds, _EVERY if self._seconds else 0.0)
        while not self._run.should_stop():
            left = until - time.monotonic()
            if not self._waits and left <= 0:
                return
            if self._listen(_EVERY if self._waits else min(left, _EVERY)):
                return

    def _listen(self, seconds: float) -> bool:
        """Read a word, if one comes in time; whether it requests another round."""
        try:
            word = self._context.words.get(timeout=seconds) if seconds else self._context.words.get_nowait()
        except queue.Empty:
            return False
        if word["word"] == "speed":
            self._seconds = min(5.0, max(0.0, float(word["seconds"])))
        elif word["word"] in ("pause", "go", "step"):
            self._waits = word["word"] != "go"
            self._context.tell("pace", waits=self._waits)
        return word["word"] in ("go", "step")

    def _show(self, seen: api.Round) -> None:
        iteration = seen.iteration
        shown = {
            "iteration": iteration.iteration,
            "objective": iteration.objective,
            "change": iteration.change,
            **{name: seen.report[name].value for name in MEASURES},
            "objectives": self._objectives,
            "labels": iteration.labels.tolist(),
            "strength": np.round(iteration.memberships.max(axis=1), 3).tolist(),
            "released": _rounded(iteration.released[:, 0]),
            "along": _rounded(self._along[:, 0]),
            "curves": [_rounded(curve) for curve in iteration.curves(self._along)[:, :, 0]],
        }
        # a reader meanwhile gets the previous file or this one, never a part
        unfinished = self._place.with_suffix(".new")
        unfinished.write_text(json.dumps(shown))
        os.replace(unfinished, self._place)
        self._shown_at, self._is_shown = time.monotonic(), True
        self._context.tell("iteration", iteration=iteration.iteration, waits=self._waits)


def _rounded(values: Floats) -> list[float]:
    return [float(f"{value:.{_DIGITS}g}") for value in values.tolist()]
