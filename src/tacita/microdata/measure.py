"""What all measures of loss and risk share: one scale, and a reason where there is no figure."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tacita.core import Comparison, Method, Run, Score
from tacita.core.score import Direction


class Measure(Method):
    """Compares original and released values. Subclasses say how, in `figures`."""

    span: ClassVar[tuple[float, float | None]] = (0.0, None)
    direction: ClassVar[Direction] = "lower"
    unit: ClassVar[str] = "%"

    def score(self, pair: Comparison, run: Run | None = None) -> Score:
        """Measure one release; where no original column varies there is nothing to measure."""
        name = type(self).__name__
        pair = pair.varying()
        if not pair.attributes:
            return self.none("no original column varies")
        per_attribute, per_record = self.figures(pair, run or Run())
        value = float(per_record.mean() if per_attribute is None else per_attribute.mean())
        named = (
            {} if per_attribute is None else dict(zip(pair.attributes, per_attribute.tolist(), strict=True))
        )
        return self._score(name, value, per_attribute=named, per_record=per_record)

    def none(self, reason: str) -> Score:
        """No figure, and why."""
        return self._score(type(self).__name__, None, reason=reason)

    def _score(self, name: str, value: float | None, **detail: object) -> Score:
        return Score(
            name=name,
            value=value,
            span=self.span,
            direction=self.direction,
            unit=self.unit,
            **detail,  # type: ignore[arg-type]
        )

    @abstractmethod
    def figures(
        self, pair: Comparison, run: Run
    ) -> tuple[npt.NDArray[np.float64] | None, npt.NDArray[np.float64]]:
        """Figures per attribute (None where it makes no sense) and per record; every column varies.

        The score is the mean over attributes, or over records where there are no attributes.
        """
