"""What must hold in every record, as a user writes it: a tiny grammar, read and never evaluated as code.

condition   clause, or several with "and" between
clause      column = != < <= > >= value
value       a number, a 'label' or "label" of a category, or the word missing
rule        condition : condition            where the first holds, so does the second
edit        sum = <= >= sum
sum         terms with + or - between: a number, a column, or number * column
column      letters, digits, _ and . after a letter or _; any other name in backticks
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal, cast

from tacita.core.errors import ParameterError

Sign = Literal["=", "!=", "<", "<=", ">", ">="]

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?!\w))|(?P<name>[^\W\d][\w.]*)|`(?P<quoted>[^`]+)`"
    r"|'(?P<label>[^']*)'|\"(?P<other>[^\"]*)\"|(?P<sign><=|>=|!=|[=<>:+*-]))"
)
_SIGNS = ("=", "!=", "<", "<=", ">", ">=")
_OF_EDITS = ("=", "<=", ">=")
_PLUS_OR_MINUS = (("sign", "+"), ("sign", "-"))


@dataclass(frozen=True)
class Clause:
    """One comparison; a value of None stands for missing."""

    column: str
    sign: Sign
    value: float | str | None


Condition = tuple[Clause, ...]


@dataclass(frozen=True)
class Rule:
    """Where all of `where` holds, all of `then` does."""

    where: Condition
    then: Condition

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it speaks of, once."""
        return tuple(dict.fromkeys(clause.column for clause in (*self.where, *self.then)))


@dataclass(frozen=True)
class Edit:
    """The sum of coefficient times column stands in a relation to a constant."""

    terms: tuple[tuple[str, float], ...]
    sign: Sign
    constant: float

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it speaks of."""
        return tuple(name for name, _ in self.terms)


def condition_of(text: str, who: str) -> Condition:
    """A condition out of its words.

    >>> condition_of("age < 15 and status != 'child'", "Zeros")[1]
    Clause(column='status', sign='!=', value='child')
    """
    words = _Words(text, who, "\"age < 15 and status = 'married'\"")
    condition = words.condition()
    words.end()
    return condition


def rule_of(text: str, who: str) -> Rule:
    """A rule out of its words.

    >>> rule_of("age < 15: income = 0", "Rules").then
    (Clause(column='income', sign='=', value=0.0),)
    """
    words = _Words(text, who, '"age < 15: income = 0"')
    where = words.condition()
    words.sign([":"])
    then = words.condition()
    words.end()
    return Rule(where, then)


def edit_of(text: str, who: str) -> Edit:
    """An edit out of its words, all columns brought to the left.

    >>> edit_of("wage + transfers = income", "Edits").terms
    (('wage', 1.0), ('transfers', 1.0), ('income', -1.0))
    """
    words = _Words(text, who, '"wage + other = income"')
    terms: dict[str, float] = {}
    left = words.total(terms, 1.0)
    sign = words.sign(_OF_EDITS)
    right = words.total(terms, -1.0)
    words.end()
    kept = tuple((name, factor) for name, factor in terms.items() if factor)
    if not kept:
        raise words.fault("at least one column that does not cancel out")
    return Edit(kept, cast("Sign", sign), right - left)


class _Words:
    """The tokens of one text, taken one after the other; `example` is how such a text may look."""

    def __init__(self, text: str, who: str, example: str) -> None:
        self.text, self.who, self.example = text, who, example
        self.tokens = list(self._split())
        self.at = 0

    def _split(self) -> Iterator[tuple[str, str]]:
        place, end = 0, len(self.text.rstrip())
        while place < end:
            match = _TOKEN.match(self.text, place)
            if match is None:
                raise self.fault("columns, numbers, labels in quotes and signs of comparison")
            kind = str(match.lastgroup)
            yield {"quoted": "name", "other": "label"}.get(kind, kind), match[kind]
            place = match.end()

    def fault(self, wanted: str) -> ParameterError:
        """What was wanted instead; the text is the user's own words."""
        text = self.text if len(self.text) <= 60 else f"{self.text[:57]}..."
        return ParameterError(f"{self.who}: wanted {wanted}, got {text!r}. Write as in {self.example}.")

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def take(self, kind: str, wanted: str) -> str:
        token, value = self.peek()
        if token != kind:
            raise self.fault(wanted)
        self.at += 1
        return value

    def sign(self, known: Sequence[str]) -> str:
        token = self.peek()
        if token[0] != "sign" or token[1] not in known:
            raise self.fault(f"one of {' '.join(known)}")
        self.at += 1
        return token[1]

    def end(self) -> None:
        if self.peek()[0] != "end":
            raise self.fault("nothing more after it")

    def condition(self) -> Condition:
        clauses = [self.clause()]
        while self.peek() == ("name", "and"):
            self.at += 1
            clauses.append(self.clause())
        return tuple(clauses)

    def clause(self) -> Clause:
        column = self.take("name", "a column first")
        sign = cast("Sign", self.sign(_SIGNS))
        kind, word = self.peek()
        if kind == "label":
            self.at += 1
            return Clause(column, sign, word)
        if (kind, word) == ("name", "missing"):
            self.at += 1
            if sign not in ("=", "!="):
                raise self.fault("= or != before missing")
            return Clause(column, sign, None)
        return Clause(column, sign, self.number("a number, a label in quotes, or missing"))

    def number(self, wanted: str) -> float:
        negative = self.peek() == ("sign", "-")
        self.at += negative
        value = float(self.take("number", wanted))
        if not isfinite(value):
            raise self.fault("a number that is not too large")
        return -value if negative else value

    def total(self, terms: dict[str, float], side: float) -> float:
        """Adds the columns of a sum to `terms`; its constant."""
        constant, more = 0.0, True
        while more:
            factor = -1.0 if self.peek() == ("sign", "-") else 1.0
            self.at += self.peek() in _PLUS_OR_MINUS
            kind, _ = self.peek()
            if kind == "number":
                factor *= self.number("a number")
            if kind == "number" and self.peek() != ("sign", "*"):
                constant += factor
            else:
                self.at += kind == "number"
                name = self.take("name", "columns and numbers with + or - between")
                terms[name] = terms.get(name, 0.0) + side * factor
            more = self.peek() in _PLUS_OR_MINUS
        return constant
