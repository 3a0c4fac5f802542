"""Write pages from docstrings: `python docs/build.py`.

One page per entry of the registry, and the reference of Python by groups of public names. A test holds the
committed pages against this, so that no page says what the code does not.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent, fill
from types import ModuleType
from typing import Any, NamedTuple

# run as a file, only its own folder is known
sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments.document import table

import tacita
from experiments import published
from tacita import registry
from tacita.core import Method
from tacita.core.display.number_format import span
from tacita.core.spec.docstrings import sections_of
from tacita.microdata.measures.measure import Measure
from tacita.microdata.verify import CHECKS
from tacita.tables.verify.adjusted import CHECKS as OF_ADJUSTED

PAGES = Path(__file__).parent / "methods"
KINDS = {
    "microaggregation": "Microaggregation: groups of at least k records, published as their means",
    "coding": "Coding: other numbers in place of numbers, at the ends of a column or in all of it",
    "recoding": "Recoding: coarser values, the same for everybody who had the same",
    "dropping": "Dropping: columns, and records that meet a condition, leave the file",
    "generalisation": "Generalisation: coarser keys, until every combination stands for k records",
    "withholding": "Local suppression: single cells left empty, all others unchanged",
    "masking": "Masking: other values in place of the original ones, without groups of k records",
    "synthesis": "Synthesis: dependent attributes drawn anew, given independent ones that are kept",
    "suppression": "Cell suppression: cells of a table that are suppressed besides the sensitive ones",
    "adjustment": "Adjustment: other values in the cells of a table, none of them suppressed",
    "loss": "Loss: how much of the data's message is gone",
    "risk": "Risk: how much an attacker finds out",
    "balance": "Balance of loss and risk",
    "rule": "Rules: which cells of a table are sensitive",
    "format": "Formats: which files are read and written",
}


def pages() -> dict[str, str]:
    """File name -> text of every page."""
    made = {"index.md": _index()}
    for kind, names in registry.BUILT_IN.items():
        for name in names:
            made[f"{name.lower()}.md"] = _page(kind, name)
    return made


def _index() -> str:
    told = (
        "One page for each, with its formula, cost, source and an example. `tacita methods` lists them, and "
        "those of installed packages too. Which one to take: [Comparing methods](../guide/compare.md). These "
        "pages are written from the code, by `python docs/build.py`."
    )
    lines = ["# Methods and measures", "", told, ""]
    for kind, names in registry.BUILT_IN.items():
        lines += [f"## {KINDS[kind]}", ""]
        lines += [f"- [{name}]({name.lower()}.md): {registry.lookup(name, kind).summary()}" for name in names]
        lines += [""]
    return "\n".join(lines)


def _page(kind: str, name: str) -> str:
    found = registry.lookup(name, kind)
    prose, _, example = found.prose.partition("\n>>> ")
    summary, _, body = prose.partition("\n")
    lines = [f"# {name}", "", f"*{summary}*", "", body.strip(), ""]
    if aliases := registry.aliases_of(kind, name):
        also = ", ".join(f"`{alias}`" for alias in aliases)
        lines += [
            f"Also known as {also} ([from the papers](../reproduced/papers.md)); either name works.",
            "",
        ]
    if issubclass(found, Measure):
        scale = span(*found.span) + (", in percent" if found.measured_in == "%" else "")
        lines += [
            f"{kind.capitalize()}: {found.family}. {found.direction.capitalize()} is better; {scale}.",
            "",
        ]
    image = PAGES.parent / "images" / f"{kind}-{name}.svg"
    if image.exists():
        lines += [f"![Made-up records before and after](../images/{image.name})", ""]
    if found.model_fields:
        lines += ["## Parameters", "", "| name | default | meaning |", "|---|---|---|"]
        lines += [
            f"| `{field.alias or key}` | {default} | {field.description} |"
            for key, field in found.model_fields.items()
            for default in [field.get_default(call_default_factory=True)]
        ]
        lines += [""]
    if found.guarantees:
        lines += ["## What it promises", ""]
        checks = OF_ADJUSTED if kind == "adjustment" else CHECKS
        lines += [f"- `{guarantee}`: {checks[guarantee].promise}" for guarantee in found.guarantees]
        lines += ["", "Each is checked on the finished file by code that shares nothing with the method.", ""]
    lines += _published(name)
    lines += ["## Example", "", "```python", _imports(found), f">>> {example.strip()}", "```", ""]
    by_hand = PAGES.parent / "published" / f"{name.lower()}.md"
    lines += [by_hand.read_text()] if by_hand.exists() else []
    return "\n".join(lines)


def _published(name: str) -> list[str]:
    """What was printed of a method beside ours, from the numbers that `python -m experiments` wrote."""
    if name not in published.SOURCES:
        return []
    found = json.loads((PAGES.parent / "reproduced" / "microaggregation.json").read_text())["losses"]
    printed = [one for one in found if one["method"] == name and one["published"] is not None]
    rows = [[one["file"], one["k"], f"{one['published']:g}", one["ours"]] for one in printed]
    head = ["file", "k", "published", "ours"]
    # settings other than the defaults, and what the defaults give
    if settings := printed[0]["settings"]:
        usual = {
            (one["file"], one["k"]): one["ours"]
            for one in found
            if one["method"] == name and not one["settings"]
        }
        rows = [[*row, usual[row[0], row[1]]] for row in rows]
        said = " ".join(f"{key}={value}" for key, value in settings.items())
        head = [*head[:-1], f"ours, {said}", "ours by default"]
    told = f"IL1 in percent. Published: {published.SOURCES[name]}. More, and why some differ: "
    more = (
        "[all methods side by side](../reproduced/microaggregation.md); what the numbered documents are: "
        "[from the papers](../reproduced/papers.md)."
    )
    return [
        "## Published figures and ours",
        "",
        told + more,
        "",
        table(head, rows),
        "",
    ]


def _imports(found: type[Method]) -> str:
    """What the example of a docstring needs when it stands alone."""
    example = found.prose
    needed = ["import numpy as np"] if "np." in example else []
    needed += ["import pyarrow as pa"] if "pa." in example else []
    needed += ["from pathlib import Path"] if "Path(" in example else []
    needed += ["from tacita.io.tables.published_table import Shown"] if "Shown." in example else []
    values = ("Comparison", "Contributors", "Partition", "RunContext", "Table")
    core = [name for name in values if f"{name}(" in example or f"{name}." in example]
    core = [name for name in core if f"import {name}\n" not in example]
    needed += [f"from tacita.core import {', '.join(core)}"] if core else []
    needed += [f"from {found.__module__} import {found.__name__}"]
    return "\n".join(f">>> {line}" for line in needed)


class Group(NamedTuple):
    """A page of the reference: what it is about, and its names below `tacita`."""

    title: str
    about: str
    names: str


REFERENCE = Path(__file__).parent / "reference"
# where an example imports a name from, the first that has it
PUBLIC = (tacita, tacita.core, tacita.io)
GROUPS = {
    "records": Group(
        "Protect records",
        "Verbs that protect the records of a frame or a file, and what they take.",
        "protect synthesize protect_file compare_methods evaluate check_requirements "
        "estimate_pram_frequencies new_pseudonym_key get_method Plan run_plan save save_comparison",
    ),
    "tables": Group(
        "Protect tables",
        "Verbs from records or cells to a published table.",
        "tabulate read_table suppress adjust audit link_tables compare_suppressions save_table save_tables "
        "save_adjusted save_adjusted_tables save_cells read_tau_argus",
    ),
    "results": Group(
        "Results",
        "What the verbs return. Each result has a short `repr`, saves itself, and becomes a data frame.",
        "Release Report Score Trials Trial RiskProfile Table SuppressedTable AdjustedTable Pattern Adjusted "
        "Partition",
    ),
    "files": Group(
        "Files and hierarchies",
        "Reading and writing files, and hierarchies of the values of a column.",
        "read sniff_csv build_hierarchy hierarchy_coverage save_hierarchy io.read io.InputOptions "
        "io.InputSection io.format_of io.by_ending io.as_microdata io.write_frame io.write_all io.content_of "
        "io.fingerprint_of io.toml_of",
    ),
    "look": Group(
        "Look at data",
        "What a file shows before anything is protected. All results are confidential.",
        "describe_columns suggest_roles sample_uniqueness risk_profile save_risk",
    ),
    "running": Group(
        "Progress and errors",
        "How a run is followed and stopped, and how it fails.",
        "RunContext Progress interruptible TacitaError ParameterError DataError VerificationError "
        "RequirementError Cancelled",
    ),
}


def reference() -> dict[str, str]:
    """File name -> text of every page of the reference."""
    made = {"index.md": _reference_index()}
    for file, group in GROUPS.items():
        lines = [f"# {group.title}", "", group.about, ""]
        for name in group.names.split():
            lines += _entry(name)
        made[f"{file}.md"] = "\n".join(lines)
    return made


def _reference_index() -> str:
    lines = [
        "# Reference",
        "",
        "Every public name of Python, written from the docstrings by `python docs/build.py`; "
        "`help(tacita.protect)` shows the same. Classes of methods, measures and rules (`tacita.methods`, "
        "`tacita.measures`, `tacita.tables`) have [a page each](../methods/index.md). How to begin: "
        "[Python](../guide/python.md).",
        "",
    ]
    for file, group in GROUPS.items():
        lines += [f"## {group.title}", "", f"[{group.title}]({file}.md): {group.about}", ""]
        lines += [f"- {_linked(name)}: {_summary(public(name))}" for name in group.names.split()]
        lines += [""]
    return "\n".join(lines)


def public(name: str) -> Any:
    """What a name below `tacita` stands for; results of tables are among the tables."""
    found: Any = tacita
    for part in name.split("."):
        found = getattr(found, part) if hasattr(found, part) else getattr(tacita.tables, part)
    return found


def members(found: type) -> Iterator[tuple[str, Any]]:
    """Public functions and properties of a class, without those of a base that has an entry of its own."""
    listed = {public(name) for group in GROUPS.values() for name in group.names.split()} - {found}
    seen = set(getattr(found, "__dataclass_fields__", {}))
    for base in found.__mro__:
        if base in listed or not base.__module__.startswith("tacita"):
            continue
        for name, value in vars(base).items():
            documented = inspect.isfunction(getattr(value, "__func__", value)) or isinstance(value, property)
            if documented and not name.startswith("_") and name not in seen:
                seen.add(name)
                # a former name works, and is not recommended
                if "former name of" not in _summary(value):
                    yield name, value


def _entry(name: str) -> list[str]:
    """A function or a class with its members."""
    found = public(name)
    shown = name if hasattr(tacita, name.partition(".")[0]) else f"tables.{name}"
    lines = [f"## {name}", "", *_signature(f"tacita.{shown}", found), *_described(found)]
    if not inspect.isclass(found):
        return lines
    bases = [base.__name__ for base in found.__mro__[1:] if _linked(base.__name__) != f"`{base.__name__}`"]
    if bases:
        lines += [f"It has all that {_linked(bases[0])} has.", ""]
    kept = dict(members(found))
    properties = [(key, value) for key, value in kept.items() if isinstance(value, property)]
    if properties:
        lines += ["| property | meaning |", "|---|---|"]
        lines += [f"| `{key}` | {_cell(_summary(value))} |" for key, value in properties] + [""]
    for key, value in kept.items():
        if not isinstance(value, property):
            lines += [f"### {name}.{key}", "", *_signature(key, getattr(found, key))]
            lines += _described(getattr(value, "__func__", value))
    return lines


def _signature(name: str, found: Any) -> list[str]:
    """A call with names and defaults; types are in the table of parameters."""
    parts, starred = [], False
    for parameter in inspect.signature(found).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred |= parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        default = parameter.default
        # what a function or a factory gives has no short spelling
        plain = default is None or isinstance(default, str | int | float | tuple)
        shown = repr(default) if plain else "..."
        stars = {parameter.VAR_KEYWORD: "**", parameter.VAR_POSITIONAL: "*"}.get(parameter.kind, "")
        parts.append(f"{stars}{parameter.name}" + ("" if default is parameter.empty else f"={shown}"))
    call = fill(f"{name}({', '.join(parts)})", 100, subsequent_indent="    ", break_long_words=False)
    return ["```text", call, "```", ""]


def _described(found: Any) -> list[str]:
    """A docstring as Markdown."""
    prose, sections = sections_of(inspect.getdoc(found) or "")
    # an indented block needs no double colon here
    lines = [prose.strip().replace("::\n", ":\n"), ""]
    for title, text in sections.items():
        if title in ("Parameters", "Attributes"):
            lines += [f"| {title.lower()[:-1]} | type | meaning |", "|---|---|---|"]
            for head, body in _entries(text):
                names, _, kind = head.partition(" : ")
                codes = ", ".join(f"`{name}`" for name in names.split(", "))
                lines.append(f"| {codes} | {_cell(_coded(kind))} | {_cell(body)} |")
        elif title == "Examples":
            lines += ["```python", *_needed(text, found), text.strip(), "```"]
        elif title == "See Also":
            lines += ["**See also**", ""]
            entries = (entry.partition(" : ") for entry in text.splitlines())
            lines += [f"- {_linked(name)}: {meaning}" for name, _, meaning in entries]
        elif title in ("References", "Notes"):
            lines += [f"**{title}**: {' '.join(text.split())}"]
        else:
            lines += [f"**{title}**", ""]
            lines += [f"- {_coded(head)}: {' '.join(body.split())}" for head, body in _entries(text)]
        lines += [""]
    return lines


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """Lines without indentation, each with the text that is indented below it."""
    for part in re.split(r"\n(?=\S)", dedent(text).strip("\n")):
        head, _, body = part.partition("\n")
        yield head, dedent(body).strip()


def _summary(found: Any) -> str:
    return (inspect.getdoc(found) or "").partition("\n")[0]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _coded(kind: str) -> str:
    """A type, whose set of options is code: braces mean something to Markdown."""
    return re.sub(r"(\{[^}]*\})", r"`\1`", kind)


def _linked(name: str) -> str:
    """A name as a link to where the reference has it."""
    top = name.removeprefix("tacita.")
    for file, group in GROUPS.items():
        names = group.names.split()
        if top in names or top.partition(".")[0] in names:
            return f"[`{name}`]({file}.md#{re.sub(r'[^a-z0-9_-]', '', top.lower())})"
    return f"`{name}`"


def _needed(example: str, found: Any) -> Iterator[str]:
    """Imports of what an example uses of the module that it stands in."""
    code = "\n".join(line[4:] for line in example.splitlines() if re.match(r"(>>>|\.\.\.)( |$)", line))
    made, used = set(dir(builtins)), []
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                used.append(name)
            case (
                ast.Name(id=name)
                | ast.arg(arg=name)
                | ast.FunctionDef(name=name)
                | ast.ExceptHandler(name=name)
            ):
                made.add(str(name))
            case ast.alias(name=name, asname=other):
                made.add(other or name)
    known = vars(sys.modules[inspect.unwrap(found).__module__])
    for name in sorted(set(used) - made):
        value = known[name]
        if isinstance(value, ModuleType):
            other = "" if value.__name__ == name else f" as {name}"
            yield f">>> import {value.__name__}{other}"
        else:
            homes = [home.__name__ for home in PUBLIC if getattr(home, name, None) is value]
            # where a class of the standard library is defined differs by version
            inside = value.__module__.startswith("tacita.")
            home = value.__module__ if inside else value.__module__.partition(".")[0]
            yield f">>> from {(*homes, home)[0]} import {name}"


if __name__ == "__main__":
    for folder, texts in ((PAGES, pages()), (REFERENCE, reference())):
        folder.mkdir(exist_ok=True)
        for file, text in texts.items():
            (folder / file).write_text(text)
        print(f"{len(texts)} pages in {folder.name}/")
