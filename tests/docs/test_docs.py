"""The documentation tells the truth: its examples run, its links lead somewhere, nothing is left out.

How a page is read, from top to bottom, in one folder and one namespace of its own:

- ```console: a line that begins with `$ ` is a command (a backslash at its end continues it). The lines
  below it are what it prints; where there are none, the output is not compared. `...` alone stands for
  any lines, and inside a line for any text. A command must succeed, unless `$ echo $?` follows.
- ```python: is run. With `>>>` it is a doctest; otherwise a ```text block right after it is what it prints.
- ```LANGUAGE FILE: is written to that file and not run.
- <!-- needs: NAME -->: the block below is left out where that public benchmark file is not at hand.

Other blocks are not run, and hold no command of tacita.
"""

import ast
import doctest
import importlib
import io
import os
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

import tacita
from tacita import datasets, registry
from tacita.cli import COMMANDS, console, run_command
from tacita.core import Roles
from tacita.executors.section import ExecutorSection
from tacita.io import InputSection
from tacita.microdata.plans.sections import (
    CompareSection,
    MeasureSection,
    OutputSection,
    ProtectSection,
    StepSection,
)
from tacita.microdata.verify import CHECKS
from tacita.tables.plans.sections import (
    AdjustSection,
    LinkedOutputSection,
    LinkedTableSection,
    SuppressSection,
    TableOutputSection,
    TableSection,
    TabulateSection,
)
from tacita.tables.verify.adjusted import CHECKS as OF_ADJUSTED

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# folders with parts of pages that docs/build.py puts together
PARTS = {"published"}
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if not PARTS & set(page.relative_to(DOCS).parts)]
RUN = [*PAGES, ROOT / "CONTRIBUTING.md"]
EXTENDING = DOCS / "extending"


def name_of(page):
    return page.relative_to(ROOT).as_posix()


@dataclass(frozen=True)
class Block:
    """A fenced part of a page; `line` is that of its first line of content."""

    language: str
    file: str
    text: str
    line: int
    needs: str
    follows_block: bool


def blocks(text):
    found = []
    lines = text.splitlines()
    at, needs, close = 0, "", False
    while at < len(lines):
        if fence := re.fullmatch(r"```(\w+) ?(\S*)", lines[at]):
            end = lines.index("```", at)
            body = "\n".join(lines[at + 1 : end]) + "\n"
            found.append(Block(fence[1], fence[2], body, at + 2, needs, close))
            at, needs, close = end, "", True
        elif lines[at].strip():
            note = re.fullmatch(r"<!-- needs: (\w+) -->", lines[at].strip())
            needs, close = (note[1] if note else ""), False
        at += 1
    return found


def commands(block):
    """The commands of a console block, each with the lines shown below it."""
    found = []
    continued = False
    for line in block.text.splitlines():
        if continued:
            found[-1][0] += line.strip()
        elif line.startswith("$ "):
            found.append([line[2:], []])
        else:
            assert found, "a console block begins with a command"
            found[-1][1].append(line)
        continued = (continued or line.startswith("$ ")) and line.endswith("\\")
        if continued:
            found[-1][0] = found[-1][0].removesuffix("\\")
    return found


def as_printed(text):
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"


def matches(shown, printed):
    """Whether an output is as shown, `...` standing for anything."""
    parts = [
        r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r"\n"
        for line in as_printed(shown).splitlines()
    ]
    return re.fullmatch("".join(parts), as_printed(printed)) is not None


class Reader:
    """Someone who types in a page."""

    def __init__(self, page, text, folder):
        self.page, self.text, self.folder = page, text, folder
        self.names = {"__name__": "__main__"}
        self.exit_code = 0

    def read(self):
        at_hand = blocks(self.text)
        for block, following in pairwise([*at_hand, None]):
            if block.needs and not is_here(block.needs):
                continue
            if block.file:
                (self.folder / block.file).write_text(block.text, encoding="utf-8")
            elif block.language == "console":
                self.type_in(block)
            elif block.language == "python":
                shown = following if following and following.language == "text" else None
                self.run(block, shown if shown and shown.follows_block else None)
            else:
                assert not re.search(r"^(\$ )?tacita ", block.text, re.M), self.where(block, "is never run")

    def where(self, block, what):
        return f"{self.page}:{block.line} {what}"

    def type_in(self, block):
        for command, shown in commands(block):
            printed = io.StringIO()
            with redirect_stdout(printed), redirect_stderr(printed):
                if command == "echo $?":
                    print(self.exit_code)
                    self.exit_code = 0
                else:
                    assert self.exit_code == 0, self.where(block, f"fails before `{command}`")
                    self.exit_code = self.answer(shlex.split(command))
            if shown:
                same = matches("\n".join(shown), printed.getvalue())
                assert same, self.where(block, f"`{command}` prints\n{printed.getvalue()}")
        assert self.exit_code == 0, self.where(block, "ends in a failure")

    def answer(self, words):
        """Exit code of one command; only what a page needs is known."""
        match words:
            case ["tacita", *rest, ">", target]:
                with Path(target).open("w", encoding="utf-8") as file, redirect_stdout(file):
                    return run_command(rest)
            case ["tacita", *rest]:
                return run_command(rest)
            case ["python", script]:
                runpy.run_path(script, run_name="__main__")
            case ["cat", path]:
                print(Path(path).read_text(encoding="utf-8"), end="")
            case ["head", "-n", count, path]:
                print(*Path(path).read_text(encoding="utf-8").splitlines()[: int(count)], sep="\n")
            case ["ls", path]:
                print(*sorted(entry.name for entry in Path(path).iterdir()), sep="\n")
            case ["cmp", one, other]:
                return int(Path(one).read_bytes() != Path(other).read_bytes())
            case ["pip", "install", "."]:
                install(self.folder)
            case ["pytest", file]:
                return self.test(file)
            case _:
                raise AssertionError(f"{self.page}: the reader does not know `{shlex.join(words)}`")
        return 0

    def test(self, file):
        """Tests of the reader's own, in a process that finds what is installed as any other does."""
        paths = os.pathsep.join([str(self.folder), *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", file]
        environment = {**os.environ, "PYTHONPATH": paths}
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)
        print(done.stdout)
        return done.returncode

    def run(self, block, shown):
        printed = io.StringIO()
        if ">>>" in block.text:
            example = doctest.DocTestParser().get_doctest(
                block.text, self.names, self.page, self.page, block.line - 1
            )
            wanted = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            failed, _ = doctest.DocTestRunner(optionflags=wanted).run(
                example, out=printed.write, clear_globs=False
            )
            self.names.update(example.globs)
            assert not failed, printed.getvalue()
            return
        # as many empty lines before as on the page: a traceback then points there
        code = compile("\n" * (block.line - 1) + block.text, self.page, "exec")
        with redirect_stdout(printed):
            exec(code, self.names)
        if shown is not None:
            same = matches(shown.text, printed.getvalue())
            assert same, self.where(block, f"prints\n{printed.getvalue()}")


def is_here(benchmark):
    try:
        datasets.load(benchmark)
    except tacita.DataError:
        return False
    return True


def install(folder):
    """What pip leaves behind of a package with entry points, beside its modules."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    place = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    place.mkdir()
    (place / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {target}" for name, target in points.items())]
    (place / "entry_points.txt").write_text("\n".join(lines) + "\n")
    importlib.invalidate_caches()
    registry.locations.cache_clear()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in, 80 letters wide; what is imported or installed there is forgotten after."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(console.Out, "_width", 80)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]
    registry.locations.cache_clear()


# Pages whose examples take longest; `make test-long` runs them.
LONG_PAGES = ("docs/guide/scale.md", "docs/walkthroughs/household.md", "docs/walkthroughs/business.md")


def of_docstring(page):
    """A page that is written from docstrings, whose examples are run where they stand."""
    return page.parent.name in ("methods", "reference")


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page, marks=pytest.mark.long if of_docstring(page) or name_of(page) in LONG_PAGES else ()
        )
        for page in RUN
    ],
    ids=name_of,
)
def test_every_example_runs_and_prints_what_the_page_shows(page, folder):
    # the pages on extending share one folder: the last one packages the examples of all
    if page.parent == EXTENDING:
        for file, text in RECIPES.items():
            (folder / file).write_text(text, encoding="utf-8")
    Reader(name_of(page), page.read_text(encoding="utf-8"), folder).read()


class TestTheReader:
    @pytest.mark.parametrize(
        "lines",
        [
            ("```console", "$ tacita --version", "9.9.9", "```"),
            ("```console", "$ tacita nosuch", "```"),
            ("```console", "$ tacita nosuch", "$ echo $?", "0", "```"),
            ("```console", "$ rm -r data", "```"),
            ("```python", "print(1)", "```", "", "```text", "2", "```"),
            ("```python", ">>> 1 + 1", "3", "```"),
            ("```python", "1 / 0", "```"),
            ("```sh", "tacita protect", "```"),
        ],
    )
    def test_sees_a_page_that_is_wrong(self, folder, lines):
        with pytest.raises((AssertionError, ZeroDivisionError)):
            Reader("wrong.md", "\n".join(lines) + "\n", folder).read()

    def test_takes_three_dots_for_anything_and_nothing_else(self):
        assert matches("a\n...\nz", "a\nb\nc\nz\n")
        assert matches("a ... z", "a b z")
        assert not matches("a\n...\nz", "a\nb\n")
        assert not matches("a ... z", "a\nz")
        assert not matches("", "a")

    def test_joins_lines_that_end_in_a_backslash(self):
        block = Block("console", "", "$ tacita run \\\n    plan.toml\nout\n", 1, "", False)
        assert commands(block) == [["tacita run plan.toml", ["out"]]]


def prose(page):
    """A page without its code."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "code", text)


def anchors(page):
    """The headings of a page as a link names them."""
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def links(page):
    return re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", prose(page))


ALL_MARKDOWN = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]


@pytest.mark.parametrize("page", ALL_MARKDOWN, ids=name_of)
def test_every_relative_link_leads_somewhere(page):
    for link in links(page):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if target == ROOT / "README.md" and not target.exists():
            continue
        assert target.exists(), f"{name_of(page)} links to {link}"
        if anchor:
            assert anchor in anchors(target), f"{name_of(page)} links to {link}"


def test_every_page_is_listed_in_the_index_or_in_that_of_its_folder():
    top = DOCS / "index.md"
    listed = set()
    for index in (top, *((top.parent / link).resolve() for link in links(top) if link.endswith("index.md"))):
        listed |= {(index.parent / link.partition("#")[0]).resolve() for link in links(index)}
    missing = [name_of(page) for page in PAGES if page != top and page.resolve() not in listed]
    assert not missing


def caution_names():
    """First arguments of every DisclosureWarning made in the code."""
    found = set()
    homes = (ROOT / "src" / "tacita" / folder for folder in ("core", "io", "microdata"))
    for path in (path for home in homes for path in home.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "DisclosureWarning":
                assert isinstance(node.args[0], ast.Constant), "the name of a warning stands in the code"
                found.add(node.args[0].value)
    return found


def test_every_warning_is_explained_and_no_other():
    pages = sorted((DOCS / "guide").glob("warnings*.md"))
    explained = [name for page in pages for name in re.findall(r"^### `([a-z-]+)`$", page.read_text(), re.M)]
    assert len(explained) == len(set(explained))
    assert set(explained) == caution_names() != set()


def test_every_guarantee_stands_in_the_threat_model_and_no_other():
    section = (DOCS / "threat-model.md").read_text().partition("## What is promised")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `([a-z-]+)` \|", section, re.M)) == set(CHECKS) != set()


@pytest.mark.parametrize("checks", [CHECKS, OF_ADJUSTED], ids=["records", "adjusted tables"])
def test_the_threat_model_words_each_promise_as_the_code_does(checks):
    rows = re.findall(r"^\| `([a-z-]+)` \| (.*?) \|", (DOCS / "threat-model.md").read_text(), re.M)
    promises = dict(rows)
    assert not [name for name, check in checks.items() if not promises[name].startswith(check.promise)]


MEASURES = {name for kind in registry.MEASURING for name in registry.BUILT_IN[kind]}


def test_every_measure_stands_in_the_threat_model_and_no_other():
    section = (DOCS / "threat-model.md").read_text().partition("| Measure |")[2].partition("\n\n")[0]
    named = re.findall(r"`(\w+)`", " ".join(line.split("|")[1] for line in section.splitlines()[2:]))
    assert len(named) == len(set(named))
    assert set(named) == MEASURES != set()


def test_the_page_on_loss_and_risk_names_every_measure():
    text = "".join((DOCS / "guide" / f"{page}.md").read_text() for page in ("measures", "measures-surveys"))
    assert not [name for name in MEASURES if name not in text]


def test_what_the_page_on_other_tools_names_of_ours_is_ours():
    page = (DOCS / "guide" / "other-tools.md").read_text()
    # the first column is theirs
    ours = "\n".join(line.partition("|")[2].partition("|")[2] for line in page.splitlines())
    methods = re.findall(r'method="([^"]+)"', ours)
    assert {"mdav", "gower", "recode", "noise"} <= set(methods)
    assert all(registry.lookup(name) for name in methods)
    assert set(re.findall(r'\["(\w+)"\]', ours)) <= MEASURES
    of_tables = ours[ours.rindex("read and written") :]
    here = {*registry.BUILT_IN["suppression"], *registry.BUILT_IN["adjustment"]}
    known = {*registry.BUILT_IN["rule"], *here, *TabulateSection.model_fields}
    assert {"p-percent", "optimal"} <= set(re.findall(r"`([a-z-]+)`", of_tables)) <= known
    keys = {*Roles.model_fields, *ProtectSection.model_fields, *StepSection.model_fields}
    named = re.findall(r"`(\w+)=`", ours)
    parameters = {key for name in methods for key in registry.lookup(name).model_fields}
    assert set(named) <= keys | parameters | {"steps"}


@pytest.mark.parametrize(
    ("section", "model"),
    [
        ("input", InputSection),
        ("executor", ExecutorSection),
        ("roles", Roles),
        ("protect", ProtectSection),
        ("measure", MeasureSection),
        ("compare", CompareSection),
        ("[steps]", StepSection),
        ("output", OutputSection),
    ],
)
def test_the_page_on_plans_lists_every_key_of_a_section_and_no_other(section, model):
    text = (DOCS / "guide" / "plans.md").read_text().partition(f"### `[{section}]`")[2].partition("\n##")[0]
    keys = {field.alias or name for name, field in model.model_fields.items()}
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.M)) == keys


@pytest.mark.parametrize(
    ("title", "model"),
    [
        ("Keys of `[table]`", TableSection),
        ("Keys of `[suppress]`", SuppressSection),
        ("Keys of `[table]` of records", TabulateSection),
        ("Keys of `[output]` of a table", TableOutputSection),
        ("Keys of `[[tables]]`", LinkedTableSection),
        ("Keys of `[output]` of linked tables", LinkedOutputSection),
    ],
)
def test_the_page_on_tables_lists_every_key_of_a_section_and_no_other(title, model):
    pages = [(DOCS / "guide" / f"{name}.md").read_text() for name in ("table-plans", "linked-tables")]
    text = "\n\n".join(pages).partition(title)[2].strip().partition("\n\n")[2]
    keys = {field.alias or name for name, field in model.model_fields.items()}
    assert set(re.findall(r"^\| `(\w+)` \|", text.partition("\n\n")[0], re.M)) == keys


def test_the_page_on_adjusting_lists_every_key_and_no_other():
    page = (DOCS / "guide" / "adjusting-plans.md").read_text()
    text = page.partition("Keys of `[adjust]`")[2].partition("\n\n")[2]
    keys = re.findall(r"^\| `(\w+)` \|", text.partition("\n\n")[0], re.M)
    assert set(keys) == set(AdjustSection.model_fields)


def test_every_promise_of_an_adjusted_table_stands_in_the_threat_model_and_no_other():
    section = (DOCS / "threat-model.md").read_text().partition("### Adjusted tables")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `([a-z-]+)` \|", section, re.M)) == set(OF_ADJUSTED) != set()


def test_the_page_on_python_and_the_reference_name_everything_public():
    pages = [DOCS / "guide" / "python.md", *sorted((DOCS / "reference").glob("*.md"))]
    text = "\n".join(page.read_text() for page in pages)
    assert not [name for name in tacita.__all__ if f"`{name}`" not in text and f"tacita.{name}" not in text]


def test_every_command_is_shown_somewhere():
    shown = "\n".join(page.read_text(encoding="utf-8") for page in RUN)
    assert not [name for name in COMMANDS if f"$ tacita {name}" not in shown]


@pytest.mark.parametrize(
    "page", [page for page in ALL_MARKDOWN if page.parent.name == "decisions"], ids=name_of
)
def test_a_decision_has_its_three_parts_and_fits_on_a_page(page):
    titles = re.findall(r"^## (.*)$", page.read_text(), re.M)
    assert titles == ["Context", "Decision", "Consequences"]
    assert len(prose(page).split()) <= 500


def test_no_page_names_a_folder_of_the_machine_it_was_written_on():
    for page in ALL_MARKDOWN:
        assert not re.search(r"(^|[^\w.])/(work|root|home|Users)/", page.read_text(encoding="utf-8"), re.M)


RECIPES = {
    block.file: block.text
    for page in sorted(EXTENDING.glob("*.md"))
    for block in blocks(page.read_text(encoding="utf-8"))
    if block.file
}
ENTRY_POINTS = tomllib.loads(RECIPES["pyproject.toml"])["project"]["entry-points"]


def test_there_is_a_recipe_for_every_kind_of_the_registry_and_all_of_them_are_used():
    measures = {f"tacita.{kind}" for kind in registry.MEASURING}
    assert {f"tacita.{kind}" for kind in registry.BUILT_IN} - measures == set(ENTRY_POINTS) - measures
    assert measures & set(ENTRY_POINTS)
    names = {name for points in ENTRY_POINTS.values() for name in points}
    typed_in = RECIPES["office.toml"] + (EXTENDING / "packages.md").read_text().partition("## Use it")[2]
    assert all(name in RECIPES["test_office.py"] for name in names)
    assert all(f'"{name}"' in typed_in or f" {name}" in typed_in or f".{name}" in typed_in for name in names)


@pytest.mark.parametrize(
    ("file", "name"),
    [target.split(":") for points in ENTRY_POINTS.values() for target in points.values()],
)
def test_a_recipe_is_one_file_that_needs_no_sibling(file, name):
    tree = ast.parse(RECIPES[f"{file}.py"])
    assert name in [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    used = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    ours = {module for module in used if module.startswith("tacita.")}
    assert all(
        re.fullmatch(r"tacita\.core|tacita\..*\.(\w+_method|measure|rule|record_format)", module)
        for module in ours
    )
    assert len(RECIPES[f"{file}.py"].splitlines()) <= 50
