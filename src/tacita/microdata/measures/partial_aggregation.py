"""Figures told from what the parts of a file answer: a measure asks all of them, once or several times.

A file in memory is one part and a file beyond memory has many: the same questions are asked of both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tacita.core import Comparison, RunContext


@dataclass(frozen=True, eq=False)
class Part:
    """Records before and after, the number of the part that they are, and whether they are all."""

    pair: Comparison
    number: int
    run: RunContext
    alone: bool


class Question(ABC):
    """What is asked of every part. Equal questions are answered once."""

    @abstractmethod
    def answer(self, part: Part) -> Any:
        """What a part of one record at least says."""


Told = TypeVar("Told")
Key = TypeVar("Key")
# Asks one question after the other, is sent the answers of all parts in their order, and tells something.
Rounds = Generator[Question, Sequence[Any], Told]


def told_alone(rounds: Rounds[Told], pair: Comparison, run: RunContext) -> Told:
    """What is told of records that are all of them; a comparison remembers what it was asked before.

    >>> from tacita.microdata.measures.moments import spreads
    >>> told_alone(spreads(1), Comparison.of([[1.0], [3.0]], [[2.0], [2.0]]), RunContext()).scale.tolist()
    [1.4142135623730951]
    """
    part = Part(pair, 0, run, alone=True)

    def ask(questions: Sequence[Question]) -> list[Sequence[Any]]:
        return [(pair.remember(question, lambda q=question: q.answer(part)),) for question in questions]  # type: ignore[misc]

    return told_of_all({0: rounds}, ask)[0]


def told_of_all(
    rounds: Mapping[Key, Rounds[Told]], ask: Callable[[Sequence[Question]], Sequence[Sequence[Any]]]
) -> dict[Key, Told]:
    """What several tell that ask side by side: what they want to know at a time is asked in one go.

    `ask` has the answers of all parts to each of some questions. No question is asked twice.
    """
    answers: dict[Question, Sequence[Any]] = {}
    told: dict[Key, Told] = {}
    waiting: dict[Key, Question | None] = dict.fromkeys(rounds)
    while waiting:
        for key, question in list(waiting.items()):
            try:
                answer = None if question is None else answers[question]
                waiting[key] = rounds[key].send(answer)  # type: ignore[arg-type]
            except StopIteration as end:
                told[key] = end.value
                del waiting[key]
        new = [
            question
            for question in dict.fromkeys(waiting.values())
            if question is not None and question not in answers
        ]
        answers.update(zip(new, ask(new) if new else (), strict=True))
    return {key: told[key] for key in rounds}
