"""Plans that were run, as a tree: a node never changes, running makes a child, nothing is overwritten."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from typing import Any, Literal

from tacita.core.spec.schema_forms import text_of
from tacita.core.spec.size_limits import values_of_json

from .refusals import kept

State = Literal["running", "verified", "refused", "cancelled", "broken"]
_STATES = ("verified", "refused", "cancelled", "broken")

# Bytes of a project, and levels of values in values: plans stand in it.
MOST_BYTES = 64_000_000
_MOST_LEVELS = 60

# The confidential report of a run, in its folder.
REPORT = "report.html"

# What stands around a method in its section of a plan; the rest are its parameters.
_AROUND = ("method", "missing", "round_integers", "shuffle", "insist", "seed")


@dataclass(frozen=True)
class Node:
    """A plan that was run, and what came of it.

    `plan` has the sections of a plan but for its input and output, `basis` says by which file and roles it
    was made, `answer` is that of the worker, `refusal` why it refused. `files` says whether its release
    lies in the folder of the work, `reported` whether the report of a refused one does: those of a project
    that was opened again do not. `acknowledged` are warnings that were confirmed before the release left.
    """

    id: str
    parent: str | None
    plan: Mapping[str, Any]
    basis: str
    title: str
    state: State = "running"
    answer: Mapping[str, Any] = field(default_factory=dict)
    message: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    files: bool = False
    acknowledged: tuple[str, ...] = ()
    refusal: Mapping[str, Any] = field(default_factory=dict)
    reported: bool = False

    def score(self, name: str) -> float | None:
        """A figure by its name, None where it was not measured."""
        scores = self.answer.get("scores", ())
        return next((score["value"] for score in scores if score["name"] == name), None)


@dataclass(frozen=True)
class Branch:
    """A node as a list shows it: its depth, whether it is stale and whether it is chosen.

    `past` are the levels whose lines go on past it, to a node further down of the same parent.
    """

    node: Node
    depth: int
    stale: bool
    chosen: bool
    past: tuple[int, ...] = ()


class History:
    """The nodes of one work, and the one that is chosen."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}
        self.chosen: str | None = None

    def __iter__(self) -> Iterator[Node]:
        return iter(self._nodes.values())

    def __len__(self) -> int:
        return len(self._nodes)

    def find(self, identity: str | None) -> Node | None:
        """A node by its name."""
        return self._nodes.get(identity or "")

    @property
    def current(self) -> Node | None:
        """The chosen one."""
        return self.find(self.chosen)

    def choose(self, identity: str | None) -> None:
        """Go back, or forth, to a node; a name that is not there changes nothing."""
        if identity in self._nodes:
            self.chosen = identity

    def ground(self, identity: str | None) -> Node | None:
        """The node that others can be made of: itself, or the nearest above it that came to something."""
        node = self.find(identity)
        while node is not None and node.state != "verified":
            node = self.find(node.parent)
        return node

    def verified_on(self, basis: str) -> bool:
        """Whether some run that is not stale came to something."""
        return any(node.state == "verified" and node.basis == basis for node in self)

    def begin(self, plan: Mapping[str, Any], basis: str) -> Node:
        """A child of the chosen node, which is chosen from now on."""
        node = self.begin_trial(plan, basis, self.chosen)
        self.chosen = node.id
        return node

    def begin_trial(self, plan: Mapping[str, Any], basis: str, parent: str | None) -> Node:
        """A child of a node, while the chosen one stays chosen.

        What came to nothing has no children: they are those of what it was made of.
        """
        above = self.ground(parent)
        node = Node(
            id=self._free(),
            parent=None if above is None else above.id,
            plan=plan,
            basis=basis,
            title=title_of(plan),
        )
        self._nodes[node.id] = node
        return node

    def _free(self) -> str:
        return next(name for at in count(len(self._nodes) + 1) if (name := f"n{at}") not in self._nodes)

    def end(
        self,
        identity: str,
        state: State,
        *,
        answer: Mapping[str, Any] | None = None,
        message: str = "",
        fields: Mapping[str, str] | None = None,
        refusal: Mapping[str, Any] | None = None,
        reported: bool = False,
    ) -> Node:
        """Record what came of a node that ran; it does not change after that."""
        node = self._nodes[identity]
        if node.state != "running":
            raise ValueError("a node that has ended does not change")
        plan = dict(node.plan)
        section = "adjust" if "adjust" in plan else "protect"
        if answer and answer.get("seed") is not None and section in plan:
            # the seed that was drawn is part of the plan: the same plan gives the same bytes
            plan[section] = {**plan[section], "seed": answer["seed"]}
        self._nodes[identity] = replace(
            node,
            plan=plan,
            state=state,
            answer=answer or {},
            message=message,
            fields=fields or {},
            files=state == "verified",
            refusal=refusal or {},
            reported=reported,
        )
        return self._nodes[identity]

    def acknowledge(self, identity: str) -> None:
        """Record that the warnings of a node were read."""
        node = self._nodes[identity]
        names = tuple(warning["name"] for warning in node.answer.get("warnings", ()))
        self._nodes[identity] = replace(node, acknowledged=names)

    def branches(self, basis: str) -> list[Branch]:
        """All nodes as a tree, parents before their children, each in the order in which it was made."""
        children: dict[str | None, list[Node]] = {}
        for node in self:
            children.setdefault(node.parent, []).append(node)
        listed: list[Branch] = []
        waiting = [(node, 0) for node in reversed(children.get(None, []))]
        while waiting:
            node, depth = waiting.pop()
            listed.append(Branch(node, depth, node.basis != basis, node.id == self.chosen))
            waiting += [(child, depth + 1) for child in reversed(children.get(node.id, []))]
        return _joined(listed)

    def to_dict(self) -> dict[str, Any]:
        """As a project keeps it; what still runs is not in it."""
        gone = {"files": False, "reported": False}
        ended = [asdict(node) | gone for node in self if node.state != "running"]
        return {"chosen": self.chosen, "nodes": ended}

    @classmethod
    def of(cls, saved: Mapping[str, Any]) -> History:
        """Out of a project; what is no node of a project raises ValueError."""
        history = cls()
        try:
            for node in saved["nodes"]:
                if node["state"] not in _STATES or not str(node["id"]).isalnum():
                    raise ValueError("no node of a project")
                parent = node["parent"] if node["parent"] in history._nodes else None
                history._nodes[node["id"]] = Node(
                    id=node["id"],
                    parent=parent,
                    plan=dict(node["plan"]),
                    basis=str(node["basis"]),
                    title=str(node["title"]),
                    state=node["state"],
                    answer=dict(node["answer"]),
                    message=str(node["message"]),
                    fields=dict(node["fields"]),
                    files=False,
                    acknowledged=tuple(map(str, node["acknowledged"])),
                    # projects that were saved before have none
                    refusal=kept(node.get("refusal")),
                )
            history.choose(saved["chosen"])
        except (KeyError, TypeError, AttributeError):
            raise ValueError("no project") from None
        return history


def title_of(plan: Mapping[str, Any]) -> str:
    """A node in a few words: its methods and their parameters.

    >>> title_of({"protect": {"method": "mdav", "k": 5, "seed": "1"}})
    'mdav k=5'
    >>> title_of({"steps": [{"method": "recode", "quasi": ["town"]}, {"method": "mdav", "k": 3}]})
    'recode, mdav k=3'
    >>> title_of({"suppress": {"method": "optimal", "problem": "exact", "time": 9}})
    'optimal exact time=9'
    """
    section = plan.get("suppress") or plan.get("adjust") or plan.get("protect", {})
    steps = plan.get("steps") or [section]
    return ", ".join(_titled(step) for step in steps)


def _titled(section: Mapping[str, Any]) -> str:
    apart = (*_AROUND, "problem", "quasi", "dependent", "independent", "numeric", "nominal", "ordinal")
    plain = {name: value for name, value in section.items() if name not in apart}
    settings = [
        f"{name}={text_of(value)}" for name, value in plain.items() if isinstance(value, str | int | float)
    ]
    named = [str(section.get("method", "mdav")), *([section["problem"]] if "problem" in section else [])]
    return " ".join([*named, *settings])


def project(work: Any, table: Mapping[str, Any] | None = None) -> str:
    """A work as a file that can be opened again: plans, seeds, verdicts, figures; no data. Confidential.

    `table` has the settings of a table.
    """
    source = work.source
    values = {
        "project": "tacita",
        "version": 1,
        "kind": work.kind,
        "source": None
        if source is None
        else {"shown_as": source.shown_as, "options": source.options, "fingerprint": source.fingerprint},
        "roles": work.roles,
        "kinds": work.kinds,
        "declared": work.declared,
        "ending": work.ending,
        "said": table,
        "history": work.history.to_dict(),
    }
    return json.dumps(values, indent=1)


def opened(text: str) -> dict[str, Any]:
    """A project that was saved: raises ValueError where it is none."""
    try:
        values = values_of_json(text, "Project", most_bytes=MOST_BYTES, most_levels=_MOST_LEVELS)
    except ValueError:
        raise ValueError("no JSON") from None
    if not isinstance(values, dict) or values.get("project") != "tacita" or values.get("version") != 1:
        raise ValueError("no project")
    values = {"declared": {}, "ending": None, "said": None, "source": None, **values}
    shapes: dict[str, Any] = {
        "roles": dict,
        "kinds": dict,
        "declared": dict,
        "ending": str | None,
        "source": dict | None,
    }
    shapes["said"] = dict if values.get("kind") == "tables" else object
    if not all(name in values and isinstance(values[name], shape) for name, shape in shapes.items()):
        raise ValueError("no project")
    if not isinstance(values["declared"].get("hierarchy", {}), dict):
        raise ValueError("no project")
    if not isinstance(values["declared"].get("pseudonym_key", ""), str):
        raise ValueError("no project")
    return {**values, "history": History.of(values.get("history", {}))}


def _joined(branches: list[Branch]) -> list[Branch]:
    """With the lines that go past each, found from below: a line is open until its parent is met."""
    joined: list[Branch] = []
    unmet: set[int] = set()
    for branch in reversed(branches):
        unmet = {level for level in unmet if level < branch.depth}
        joined.append(replace(branch, past=tuple(sorted(unmet))))
        if branch.depth:
            unmet.add(branch.depth - 1)
    return joined[::-1]
