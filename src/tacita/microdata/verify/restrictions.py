"""Promises about what every record keeps: rules, what never occurs, sums and orders of columns.

Read again from the words of the claim and tried on the published cells, labels as they are spelled.
"""

from __future__ import annotations

import numpy as np

from tacita.core import Floats, Mask, Microdata
from tacita.core.spec.conditions import Clause, Condition, condition_of, edit_of, rule_of

from .categories import sorting_keys
from .cells import as_array
from .dropping import SIGNS
from .evidence import Evidence
from .mixed import UNKNOWN, is_numeric, published_keys, published_numbers, words_of

# Sums are kept to this share of what is added.
_SUMS = 1e-9


def rules_kept(evidence: Evidence) -> str | None:
    """Where a condition holds, what follows from it does; no record is what never occurs."""
    terms = evidence.claim.terms
    rules = [rule_of(text, "Rules") for text in terms.get("rules", ())]
    zeros = [condition_of(text, "Zeros") for text in terms.get("zeros", ())]
    if not rules and not zeros:
        return "the claim declares no rule"
    cells = _Cells(evidence)
    for number, rule in enumerate(rules, 1):
        if broken := int((cells.hold(rule.where) & ~cells.hold(rule.then)).sum()):
            return f"{broken} records break rule {number}"
    for number, zero in enumerate(zeros, 1):
        if records := int(cells.hold(zero).sum()):
            return f"{records} records have the impossible combination number {number}"
    return None


def edits_kept(evidence: Evidence) -> str | None:
    """Sums and orders of published numbers."""
    edits = [edit_of(text, "Edits") for text in evidence.claim.terms.get("edits", ())]
    if not edits:
        return "the claim declares no edit"
    for number, edit in enumerate(edits, 1):
        total = np.full(evidence.released.n, -edit.constant, dtype=np.longdouble)
        size = np.full(evidence.released.n, abs(edit.constant), dtype=np.longdouble)
        for name, factor in edit.terms:
            term = np.longdouble(factor) * published_numbers(evidence, name)
            total, size = total + term, size + np.abs(term)
        off = {"=": np.abs(total), "<=": total, ">=": -total}[edit.sign] > _SUMS * size
        if broken := int(off.sum()):
            return f"{broken} records break edit {number}"
    return None


class _Cells:
    """Published cells by column, read when a condition asks for them."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.original: Microdata = evidence.claim.original
        self.read: dict[str, Floats | list[object]] = {}

    def hold(self, condition: Condition) -> Mask:
        """Where all clauses of a condition do."""
        holds = np.ones(self.evidence.released.n, dtype=bool)
        for clause in condition:
            holds &= self.clause(clause)
        return holds

    def clause(self, clause: Clause) -> Mask:
        name, compare = clause.column, SIGNS[clause.sign]
        if is_numeric(self.original, name):
            numbers = self.numbers(name)
            if clause.value is None:
                return np.asarray(compare(np.isnan(numbers), True))
            return np.asarray(~np.isnan(numbers) & compare(numbers, clause.value))
        keys = self.keys(name)
        if clause.value is None:
            return np.array([compare(key is None, True) for key in keys])
        wanted = self.key_of(name, clause.value)
        return np.array(
            [key is not None and key is not UNKNOWN and bool(compare(key, wanted)) for key in keys]
        )

    def numbers(self, name: str) -> Floats:
        if name not in self.read:
            self.read[name] = published_numbers(self.evidence, name)
        numbers = self.read[name]
        assert isinstance(numbers, np.ndarray)
        return numbers

    def keys(self, name: str) -> list[object]:
        if name not in self.read:
            self.read[name] = published_keys(self.evidence, name)
        keys = self.read[name]
        assert isinstance(keys, list)
        return keys

    def key_of(self, name: str, value: float | str) -> object:
        """The key of a label; of a number, that of the category which is spelled so or means it."""
        keys = sorting_keys(self.original, name)
        if isinstance(value, float) and any(isinstance(key, float) for key in keys):
            return value
        label = value if isinstance(value, str) else f"{value:.15g}"
        words = words_of(as_array(self.original.column(name)))
        declared = self.original.roles.ordinal.get(name, ()) if self.original.roles else ()
        if label in declared:
            return declared.index(label)
        return next(key for key, word in zip(keys, words, strict=True) if str(word) == label)
