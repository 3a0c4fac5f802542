"""Promises about one level for each key: that it is so, and that no other levels are better.

The proof is replayed here with sorting and plain sums: a node where too many records are suppressed closes
all below it, one that costs too much without suppression all above it, and what is left is looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np

from tacita.core import Floats, Ints, Mask

from .classes import allowed, fewest, settings_of
from .evidence import Evidence, distinct, sizes, unit_of_rows
from .file_models import behind, codes_together, least_kept, of_a_table, of_the_file, too_few_behind
from .generalisation import cells_of, failing, hierarchy_of, people_of, shown, strata_of
from .recoding import shown_at

Node = tuple[int, ...]
_CLOSE = 1e-9


class Nodes:
    """The records that a method saw, as codes of each key at each level, with shares of leaves."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence, self.rows = evidence, evidence.seen
        original = evidence.claim.original
        self.n = self.rows.size
        self.units = unit_of_rows(evidence, self.rows)
        # what shares are of: records, or units, of which a file has so many
        self.of = self.n if self.units is None else int(self.units.max()) + 1
        self.strata = strata_of(evidence, self.rows)
        self.stratum = distinct(*self.strata, np.zeros(self.n, dtype=np.int64))
        self.codes: list[list[Ints]] = []
        self.shares: list[list[Floats]] = []
        self.leaves: list[int] = []
        self.labels: list[list[list[str | None]]] = []
        for name in original.quasi:
            self._read(name)
        self.shape: Node = tuple(len(own) for own in self.codes)
        self.counts = [
            [np.bincount(codes, minlength=shares.size) for codes, shares in zip(own, of, strict=True)]
            for own, of in zip(self.codes, self.shares, strict=True)
        ]

    def _read(self, name: str) -> None:
        hierarchy = hierarchy_of(self.evidence, name)
        cells = cells_of(self.evidence.claim.original, name)
        own = [cells[row] for row in self.rows.tolist()]
        top = hierarchy.labels[hierarchy.top]
        missing = any(cell is None for cell in own)
        codes, shares, labels = [], [], []
        for level in range(hierarchy.height + 1):
            shown: dict[str | None, str | None] = {}
            shown.update(shown_at(hierarchy, level))
            if missing:
                shown[None] = top if level == hierarchy.height and level else None
            known = sorted({*shown.values()}, key=lambda label: (label is None, label))
            place = {label: at for at, label in enumerate(known)}
            under = np.bincount([place[label] for label in shown.values()])
            codes.append(np.array([place[shown.get(cell)] for cell in own], dtype=np.int64))
            shares.append(under / len(shown))
            labels.append(known)
        self.codes.append(codes)
        self.shares.append(shares)
        self.labels.append(labels)
        self.leaves.append(len(shown))

    def classes(self, node: Node) -> Ints:
        """Records of a stratum that show the same at a node."""
        keys = [own[level] for own, level in zip(self.codes, node, strict=True)]
        widths = [self.shares[j][level].size for j, level in enumerate(node)]
        if prod(widths) * self.n >= 1 << 62:
            return distinct(*self.strata, *keys)
        combined = self.stratum.copy()
        for key, width in zip(keys, widths, strict=True):
            combined = combined * width + key
        return np.unique(combined, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def gone(self, node: Node, classes: Ints) -> Mask:
        """Records in classes that may not stand."""
        wrong = failing(self.evidence, classes, self.rows, self.units)
        for (name, settings), table in zip(of_a_table(self.evidence.claim.terms), self.tables, strict=True):
            persons = np.zeros(wrong.size, dtype=np.int64)
            persons[classes] = behind(self._codes_with_persons(table, node), self.n)[0]
            wrong |= too_few_behind(name, settings, sizes(classes), persons)
        if of_the_file(self.evidence.claim.terms):
            counts = sizes(classes, self.units)
            wrong |= counts < least_kept(self.evidence.claim.terms, counts[~wrong], self.of)
        return wrong[classes]

    @cached_property
    def parted(self) -> bool:
        """Whether classes never share a unit, at any node, so that what two tell holds of both together."""
        if self.units is None:
            return True
        lowest = self.classes(tuple(0 for _ in self.shape))
        return int(sizes(lowest, self.units).sum()) == self.of

    def somebody_absent(self, node: Node) -> bool:
        """Whether persons of a population, of whom none may be known to be absent, are."""
        return any(
            settings.get("least", 0.0) > 0 and behind(self._codes_with_persons(table, node), self.n)[1]
            for (_, settings), table in zip(of_a_table(self.evidence.claim.terms), self.tables, strict=True)
        )

    @cached_property
    def tables(self) -> list[tuple[list[Ints], list[list[Ints]]]]:
        """Of each population: codes of strata, and of every key at every level, of records and persons."""
        original, tables = self.evidence.claim.original, []
        strata = original.roles.strata if original.roles else ()
        for _, settings in of_a_table(self.evidence.claim.terms):
            people = people_of(self.evidence, settings)
            parted = []
            for stratum, theirs in zip(strata, people.strata, strict=True):
                cells = cells_of(original, stratum)
                parted.append(codes_together([cells[row] for row in self.rows.tolist()], theirs))
            keys = []
            for j, name in enumerate(original.quasi):
                hierarchy = hierarchy_of(self.evidence, name)
                keys.append(
                    [
                        codes_together(
                            [self.labels[j][level][code] for code in own.tolist()],
                            people.shows(j, hierarchy, level),
                        )
                        for level, own in enumerate(self.codes[j])
                    ]
                )
            tables.append((parted, keys))
        return tables

    def _codes_with_persons(self, table: tuple[list[Ints], list[list[Ints]]], node: Node) -> list[Ints]:
        parted, keys = table
        return [*parted, *(own[level] for own, level in zip(keys, node, strict=True))]

    def score(self, node: Node, classes: Ints, gone: Mask) -> Floats:
        """The quality of a node with some records suppressed."""
        terms, n, s = self.evidence.claim.terms, self.n, int(gone.sum())
        name = terms["quality"]
        counts = sizes(classes).astype(np.float64)
        if name == "discernability-monotonic":
            return np.array([(counts**2).sum()])
        if name in ("discernability", "aecs"):
            kept = np.bincount(classes[~gone])
            kept = kept[kept > 0].astype(np.float64)
            return np.array(
                [(kept**2).sum() + n * s if name == "discernability" else n / (kept.size + (s > 0))]
            )
        if name == "ambiguity":
            covered = np.ones(n)
            for own, shares, level, leaves in zip(self.codes, self.shares, node, self.leaves, strict=True):
                covered *= shares[level][own[level]] * leaves
            return np.array([covered[~gone].sum() + s * float(prod(map(float, self.leaves)))])
        parts = [[self._part(j, level, gone) for j, level in enumerate(node)]]
        score: Floats = self._together(np.array(parts))[0]
        return score

    def _part(self, j: int, level: int, gone: Mask | None) -> float:
        """One key's part in the score."""
        terms, n = self.evidence.claim.terms, self.n
        name, codes, shares = terms["quality"], self.codes[j][level], self.shares[j][level]
        s = 0 if gone is None else int(gone.sum())
        if name == "loss":
            f = terms["balance"]
            of_suppressed, of_general = min(2 * f, 1.0), min(2 - 2 * f, 1.0)
            lost = float(shares[codes[gone]].sum()) if s else 0.0
            kept = float((self.counts[j][level] * shares).sum()) - lost
            least = of_general * n / self.leaves[j]
            total = kept * of_general + lost + of_suppressed * (s - lost)
            return max(0.0, (total - least) / (n - least)) if n - least > 0 else 0.0
        if name == "height":
            return float(level)
        if name.startswith("precision"):
            part = level / max(self.shape[j] - 1, 1)
            return part if name.endswith("monotonic") else ((n - s) * part + s) / n
        base = self.codes[j][0]
        own = self.counts[j][0]
        group = np.zeros(own.size, dtype=np.int64)
        group[base] = self.counts[j][level][codes]
        present = own > 0
        bits = -(own[present] * np.log2(own[present] / group[present])).sum()
        if s and not name.endswith("monotonic"):
            lost_counts = np.bincount(codes[gone])
            lost_counts = lost_counts[lost_counts > 0]
            bits -= (lost_counts * np.log2(lost_counts / s)).sum()
        if name == "normalised-entropy":
            most = -(own[present] * np.log2(own[present] / n)).sum()
            return float(bits / most) if most else 0.0
        return float(bits)

    def _together(self, parts: Floats) -> Floats:
        terms = self.evidence.claim.terms
        if terms["quality"] != "loss":
            precision = terms["quality"].startswith("precision")
            return (parts.mean(axis=1) if precision else parts.sum(axis=1))[:, None]
        importance = terms.get("importance", {})
        weights = np.array([importance.get(name, 1.0) for name in self.evidence.claim.original.quasi])
        parts = parts * weights / weights.max()
        scores: dict[str, Callable[[], Floats]] = {
            "rank": lambda: np.flip(np.sort(parts, axis=1), axis=1),
            "geometric": lambda: (np.prod(1 + parts, axis=1) ** (1 / parts.shape[1]) - 1)[:, None],
            "maximum": lambda: parts.max(axis=1)[:, None],
            "mean": lambda: parts.mean(axis=1)[:, None],
            "sum": lambda: parts.sum(axis=1)[:, None],
        }
        return scores[terms["aggregate"]]()

    def floors(self) -> Floats | None:
        """The score of every node by levels alone, nothing suppressed; None where classes decide."""
        if self.evidence.claim.terms["quality"] in (
            "discernability",
            "discernability-monotonic",
            "aecs",
            "ambiguity",
        ):
            return None
        own = [[self._part(j, level, None) for level in range(size)] for j, size in enumerate(self.shape)]
        return self._together(np.array(list(product(*own))))


def levels_as_declared(evidence: Evidence) -> str | None:
    """Each column is shown at its one level, and none left who stood in a class that may stand."""
    claim = evidence.claim
    levels = claim.terms.get("levels", {})
    if sorted(levels) != sorted(claim.original.quasi):
        return "the claim does not name a level for each column"
    nodes = Nodes(evidence)
    node = tuple(int(levels[name]) for name in claim.original.quasi)
    if any(not 0 <= level < size for level, size in zip(node, nodes.shape, strict=True)):
        return "the claim names a level that a hierarchy does not have"
    gone = nodes.gone(node, nodes.classes(node))
    released = claim.rows.size
    if claim.terms.get("outliers") == "drop" and (gone[:released].any() or not gone[released:].all()):
        return (
            f"{int(gone[:released].sum())} records stayed whose class may not stand, and "
            f"{int((~gone[released:]).sum())} left whose class may"
        )
    wrong = []
    for j, name in enumerate(claim.original.quasi):
        labels = nodes.labels[j][node[j]]
        wanted = [labels[code] for code in nodes.codes[j][node[j]][:released].tolist()]
        if claim.terms.get("outliers") == "withhold":
            wanted = [None if out else label for label, out in zip(wanted, gone.tolist(), strict=False)]
        if wanted != shown(evidence, name):
            wrong.append(name)
    if wrong:
        return f"{len(wrong)} columns are not shown at their level: {', '.join(wrong)}"
    return None


def optimum_proven(evidence: Evidence) -> str | None:
    """The proof holds: every node but the best is closed, costlier, or was examined and is worse."""
    proof = evidence.claim.terms.get("certificate")
    if proof is None or not proof["proven"]:
        return "there is no proof"
    nodes, terms = Nodes(evidence), evidence.claim.terms
    best, most = tuple(proof["best"]), allowed(terms, nodes.n)
    levels = terms.get("levels", {})
    if [levels.get(name) for name in evidence.claim.original.quasi] != list(best):
        return "the proof is about other levels than those shown"
    classes = nodes.classes(best)
    gone = nodes.gone(best, classes)
    score = nodes.score(best, classes, gone)
    if nodes.somebody_absent(best):
        return "a person of the population is known to be absent"
    if gone.sum() > most or np.abs(score - proof["score"]).max() > _CLOSE * max(1.0, np.abs(score).max()):
        return "the best node is not allowed, or has another score"
    kinds = set(_kinds(terms))
    whole = (nodes.parted or not kinds) and _whole(kinds, most)
    left = np.ones(nodes.shape, dtype=bool)
    left[best] = False
    for node in sorted(map(tuple, proof["too_many"]), key=sum, reverse=True):
        if not left[node]:
            continue
        classes = nodes.classes(node)
        counts = sizes(classes)
        # of more general classes none has fewer records, or units
        few = np.minimum(counts, sizes(classes, nodes.units)) < fewest(terms)
        short = int(counts[few].sum())
        if short <= most and not (whole and nodes.gone(node, classes).sum() > most):
            return "a node that the proof closes, with all below it, suppresses few enough"
        left[tuple(slice(0, level + 1) for level in node)] = False
    for node in sorted(map(tuple, proof["costlier"]), key=sum):
        above = tuple(slice(level, None) for level in node)
        if not left[above].any():
            continue
        classes = nodes.classes(node)
        if _below(nodes.score(node, classes, np.zeros(nodes.n, dtype=bool)), score):
            return "a node that the proof closes, with all above it, costs less"
        left[above] = False
    floors = nodes.floors()
    if floors is not None:
        left &= np.array([_below(floor, score) for floor in floors]).reshape(nodes.shape)
    for node in map(tuple, [*proof["refused"], *proof["worse"]]):
        if not left[node]:
            continue
        classes = nodes.classes(node)
        gone = nodes.gone(node, classes)
        stands = (
            gone.sum() <= most
            and not nodes.somebody_absent(node)
            and (terms.get("outliers") == "drop" or _stand(nodes, gone))
        )
        if stands and _below(nodes.score(node, classes, gone), score):
            return "a node that the proof calls worse is better"
        left[node] = False
    return (
        f"{int(left.sum())} nodes may be better, and the proof does not speak of them" if left.any() else None
    )


def _kinds(terms: Mapping[str, Any]) -> list[str]:
    """The kinds of models, by which it depends what one node tells of others."""
    return [
        settings.get("kind", "distinct" if name == "l_diversity" else name)
        for name, settings in settings_of(terms)
    ]


def _whole(kinds: set[str], most: int) -> bool:
    """Whether a node at which too much fails tells the same of all below it."""
    return kinds <= {"distinct", "k_map"} or (
        most == 0 and not kinds & {"delta_disclosure", "population_uniqueness"}
    )


def _stand(nodes: Nodes, gone: Mask) -> bool:
    """Whether suppressed records may form a class of their stratum."""
    if not gone.any():
        return True
    rows = nodes.rows[gone]
    classes = distinct(*(own[gone] for own in nodes.strata), np.zeros(rows.size, dtype=np.int64))
    units = None if nodes.units is None else nodes.units[gone]
    return not failing(nodes.evidence, classes, rows, units).any()


def _below(one: Floats, other: Floats) -> bool:
    """Whether a score is smaller, number by number from the first, by more than arithmetic loses."""
    for a, b in zip(one.tolist(), other.tolist(), strict=True):
        if abs(a - b) > _CLOSE * max(1.0, abs(b)):
            return bool(a < b)
    return False
