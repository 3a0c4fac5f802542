"""What MkDocs does not do by itself for the site of `make docs`.

The pages are written for the repository's own view as well. So files beside docs/ become pages, links to them
are turned, fences that name a file get it as a title, and headings have the anchors that the repository gives
them.
"""

from __future__ import annotations

import posixpath
import re
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# page of the site -> file of the repository, which stays where those who look for it expect it
OUTSIDE = {
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "mutants.md": "mutants/README.md",
    "security.md": "SECURITY.md",
}
GLOSSARY = DOCS / "glossary.md"
# folders and pages whose terms are linked to the glossary
EXPLAINED = {"guide", "walkthroughs", "start.md", "tutorial.md", "cookbook.md", "threat-model.md"}
# words of the glossary that are also words of every sentence
EVERYDAY = {
    "release",
    "warning",
    "optimal",
    "gap",
    "hierarchy",
    "audit",
    "unit",
    "guarantee",
    "requirement",
    "utility",
}
# fences, code, headings, links, pictures and HTML, in which no term is linked
NOT_PROSE = re.compile(
    r"^```.*?^```|`[^`\n]*`|^#.*?$|!?\[[^\]]*\]\([^)]*\)|<[^>\n]*>|^:::.*?$|^\$ .*?$", re.S | re.M
)
REPORT_STYLE = ROOT / "src" / "tacita" / "report" / "templates" / "style.css"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill in what the navigation has too many of to list, and name anchors as the repository does."""
    for section in config.nav or []:
        for entry in section.get("For developers", []):
            if "Methods" in entry:
                entry["Methods"] += methods()
            if "Reference" in entry:
                entry["Reference"] += reference()
            if "Decisions" in entry:
                entry["Decisions"] = decisions()
    config.mdx_configs["toc"]["slugify"] = anchor
    return config


def methods() -> list[dict[str, list[dict[str, str]]]]:
    """Pages of methods by kind, as their own index lists them."""
    found = []
    for part in (DOCS / "methods" / "index.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        title = re.split(r":|\n", part, maxsplit=1)[0]
        pages = re.findall(r"^- \[([^\]]+)\]\(([^)]+)\)", part, re.M)
        found.append({title: [{name: f"methods/{file}"} for name, file in pages]})
    return found


def reference() -> list[str]:
    """Pages of the reference of Python, as their own index lists them."""
    index = (DOCS / "reference" / "index.md").read_text(encoding="utf-8")
    return [f"reference/{file}" for file in re.findall(r"^\[[^\]]+\]\(([^)]+)\)", index, re.M)]


def decisions() -> list[str]:
    """Pages of decisions, in their order."""
    return [f"decisions/{page.name}" for page in sorted((DOCS / "decisions").glob("*.md"))]


def anchor(title: str, separator: str) -> str:
    """The anchor of a heading, as a link in the repository names it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", separator)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files beside docs/, and the colours of the reports."""
    for page, origin in OUTSIDE.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / origin)))
    files.append(File.generated(config, "site/palette.css", content=palette()))
    return files


def palette() -> str:
    """The colours of the reports, for both schemes of the site."""
    light, dark = re.findall(r":root \{(.*?)\}", REPORT_STYLE.read_text(encoding="utf-8"), re.S)[:2]
    schemes = {"default": light, "slate": dark}
    return "\n".join(f'[data-md-color-scheme="{name}"] {{{body}}}' for name, body in schemes.items())


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    """Turn what only the repository's view understands."""
    here = posixpath.dirname(origin_of(page.file.src_uri))

    def turned(link: re.Match[str]) -> str:
        path, mark, place = link[2].partition("#")
        target = posixpath.normpath(posixpath.join(here, path))
        # the site has no source code: there the name of the module is enough
        if target.startswith("src/"):
            return link[1][1:-1]
        inside = {origin: page for page, origin in OUTSIDE.items()}.get(target, target.removeprefix("docs/"))
        start = posixpath.dirname(page.file.src_uri) or "."
        return f"{link[1]}({posixpath.relpath(inside, start)}{mark}{place})"

    text = re.sub(r"(\[[^\]]*\])\(((?!\w+:|#)[^)\s]+)\)", turned, markdown)
    if page.file.src_uri.partition("/")[0] in EXPLAINED:
        text = with_terms_linked(
            text, posixpath.relpath("glossary.md", posixpath.dirname(page.file.src_uri) or ".")
        )
    text = re.sub(r"^```(\w+) (\S+)$", r'```\1 title="\2"', text, flags=re.M)
    return re.sub(r"^<!-- needs: \w+ -->\n", "", text, flags=re.M)


@cache
def terms() -> dict[str, str]:
    """Terms of the glossary in small letters, plurals too, and the anchor of each."""
    titles = re.findall(r"^### (.+)$", GLOSSARY.read_text(encoding="utf-8"), re.M)
    anchors = {title.lower(): anchor(title, "-") for title in titles if title.lower() not in EVERYDAY}
    plurals = {re.sub("y$", "ie", term) + "s": place for term, place in anchors.items()}
    return plurals | anchors


def with_terms_linked(text: str, glossary: str) -> str:
    """The page, with the first use of each term linked to its entry."""
    # longer terms first: "sample unique" before "unique"
    choices = "|".join(map(re.escape, sorted(terms(), key=len, reverse=True)))
    pattern = re.compile(rf"{NOT_PROSE.pattern}|(?<![\w`-])(?P<term>{choices})(?![\w`-])", re.I | re.S | re.M)
    seen: set[str] = set()

    def linked(match: re.Match[str]) -> str:
        place = terms().get((match["term"] or "").lower())
        if place is None or place in seen:
            return match[0]
        seen.add(place)
        return f"[{match[0]}]({glossary}#{place})"

    return pattern.sub(linked, text)


def origin_of(page: str) -> str:
    """Path of a page's source from the root of the repository."""
    return OUTSIDE.get(page, f"docs/{page}")
