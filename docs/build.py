"""Write one page per registry entry from its docstring and fields: `python docs/build.py`.

A test holds the committed pages against this, so that no page says what the code does not.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

# run as a file, only its own folder is known
sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments.document import table

from experiments import published
from tacita import registry
from tacita.core import Method
from tacita.core.display.number_format import span
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
    "withholding": "Withholding: single cells left empty, all others as they were",
    "masking": "Masking: other values in place of the original ones, without groups of k records",
    "synthesis": "Synthesis: dependent attributes drawn anew, given independent ones that are kept",
    "suppression": "Suppression: cells of a table that are withheld besides the sensitive ones",
    "adjustment": "Adjustment: other values in the cells of a table, none of them withheld",
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
        "## Published figures beside ours",
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


if __name__ == "__main__":
    PAGES.mkdir(exist_ok=True)
    for file, text in pages().items():
        (PAGES / file).write_text(text)
    print(f"{len(pages())} pages in {PAGES.name}/")
