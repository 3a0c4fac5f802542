"""Write one page per registry entry from its docstring and fields: `python docs/build.py`.

A test holds the committed pages against this, so that no page says what the code does not.
"""

from __future__ import annotations

import inspect
from pathlib import Path

from tacita import registry
from tacita.core import Method
from tacita.microdata.verify import CHECKS

PAGES = Path(__file__).parent / "methods"
KINDS = {
    "microaggregation": "Microaggregation: groups of at least k records, published as their means",
    "suppression": "Suppression: cells of a table that are withheld besides the sensitive ones",
    "loss": "Loss: how much of the data's message is gone",
    "risk": "Risk: how much an attacker finds out",
    "balance": "Balance of loss and risk",
}


def pages() -> dict[str, str]:
    """File name -> text of every page."""
    made = {"index.md": _index()}
    for kind, names in registry.BUILT_IN.items():
        for name in names:
            made[f"{name.lower()}.md"] = _page(kind, name)
    return made


def _index() -> str:
    lines = ["# Methods and measures", "", "Written by `python docs/build.py` from the code.", ""]
    for kind, names in registry.BUILT_IN.items():
        lines += [f"## {KINDS[kind]}", ""]
        lines += [f"- [{name}]({name.lower()}.md): {registry.lookup(name, kind).summary()}" for name in names]
        lines += [""]
    return "\n".join(lines)


def _page(kind: str, name: str) -> str:
    found = registry.lookup(name, kind)
    prose, _, example = (inspect.getdoc(found) or "").partition("\n>>> ")
    summary, _, body = prose.partition("\n")
    lines = [f"# {name}", "", f"*{summary}*", "", body.strip(), ""]
    if found.model_fields:
        lines += ["## Parameters", "", "| name | default | meaning |", "|---|---|---|"]
        lines += [
            f"| `{key}` | {field.default} | {field.description} |"
            for key, field in found.model_fields.items()
        ]
        lines += [""]
    if found.guarantees:
        lines += ["## What it promises", ""]
        lines += [f"- `{guarantee}`: {CHECKS[guarantee].promise}" for guarantee in found.guarantees]
        lines += ["", "Each is checked on the finished file by code that shares nothing with the method.", ""]
    lines += ["## Example", "", "```python", _imports(found), f">>> {example.strip()}", "```", ""]
    published = PAGES.parent / "published" / f"{name.lower()}.md"
    if published.exists():
        lines += [published.read_text()]
    return "\n".join(lines)


def _imports(found: type[Method]) -> str:
    """What the example of a docstring needs when it stands alone."""
    example = inspect.getdoc(found) or ""
    needed = ["import numpy as np"] if "np." in example else []
    core = [name for name in ("Comparison", "Partition") if f"{name}(" in example or f"{name}." in example]
    needed += [f"from tacita.core import {', '.join(core)}"] if core else []
    needed += [f"from {found.__module__} import {found.__name__}"]
    return "\n".join(f">>> {line}" for line in needed)


if __name__ == "__main__":
    PAGES.mkdir(exist_ok=True)
    for file, text in pages().items():
        (PAGES / file).write_text(text)
    print(f"{len(pages())} pages in {PAGES.name}/")
