"""Names, docstrings, comments and messages use the words of the field.

The list holds the words that the project gave up for terms of the handbook, of operations research and of
plain English (docs/glossary.md). A room is checked once it is in `CLEAN`.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "tacita"

# The rooms whose words were rewritten, as paths below src/tacita; add a room when it is finished.
CLEAN = (
    "app",
    "cli",
    "core",
    "datasets",
    "executors",
    "io",
    "kernels",
    "microdata",
    "plans",
    "report",
    "solvers",
    "tables",
    "testing",
    # the files that are in no room
    *(path.name for path in sorted(SOURCE.glob("*.py"))),
)

# Banned in names and in prose, with the words to use instead.
WORDS = {
    "asked": "requested, request, spec",
    "beside": "next to, extra, context",
    "caution": "warning",
    "cautions": "warnings",
    "dear": "expensive, costly",
    "dearer": "more expensive, costlier",
    "foretold": "predicted",
    "heard": "received, events",
    "insist": "accept",
    "insisted": "accepted",
    "insists": "accepts",
    "loner": "singleton",
    "loners": "singletons",
    "nought": "zero",
    "noughts": "zeros",
    "programme": "LP, MIP, linear program",
    "programmes": "LPs, MIPs, linear programs",
    "said": "declared, text",
    "told": "summary, stated",
    "whoever": "anyone who",
    "withheld": "suppressed",
    "withhold": "suppress",
    "withholding": "suppression",
    "withholds": "suppresses",
}
# Banned as a whole name: as prose they are plain English.
BARE = {
    "each": "the singular of the collection",
    "found": "what was found",
    "given": "the thing that is passed",
}
# Names that users, plans, files or other rooms know; they change together with these.
KNOWN = frozenset(
    (
        "beside",
        "insist",
        "may_be_withheld",
        # the former name of a method of plans
        "told",
        "withheld",
    )
)
# Words of file formats and of plans in messages and docstrings.
QUOTED = re.compile(
    r"`[^`]*`|'[^']*'|\"[^\"]*\"|\[[^\]]*\]|published or withheld|the status withheld|--\S+"
    # parameters of a docstring
    r"|^ *\w+(?:, \w+)* : ",
    re.M,
)


def banned_in_name(name: str) -> Iterator[str]:
    if name in KNOWN:
        return
    if name in BARE:
        yield f"the name {name}: use {BARE[name]}"
    for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name):
        if part.lower() in WORDS:
            yield f"the name {name}: use {WORDS[part.lower()]}"


def banned_in_prose(text: str) -> Iterator[str]:
    for word in re.findall(r"[A-Za-z]+", QUOTED.sub(" ", text)):
        if word.lower() in WORDS:
            yield f"the word {word}: use {WORDS[word.lower()]}"


def names_of(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The names that a node defines, with their lines."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.lineno, node.name
        case ast.arg():
            yield node.lineno, node.arg
        case ast.Name(ctx=ast.Store()):
            yield node.lineno, node.id
        case ast.Attribute(ctx=ast.Store()):
            yield node.lineno, node.attr
        case ast.ExceptHandler(name=str()):
            yield node.lineno, str(node.name)


def docstring_of(node: ast.AST) -> tuple[int, str] | None:
    """The line and the text of a docstring, without its examples."""
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    text = ast.get_docstring(node, clean=True)
    if text is None:
        return None
    return node.body[0].lineno, re.sub(r"^ *>>>.*?(?=\n\s*\n|\Z)", "", text, flags=re.M | re.S)


def messages_of(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts in a raise statement or in a call of a `print` method, with their lines."""
    prints = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "print"
    if not prints and not isinstance(node, ast.Raise):
        return
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.lineno, part.value


def former_names_of(node: ast.AST) -> Iterator[ast.expr]:
    """The targets under which a class keeps an attribute with its former name."""
    match node:
        case ast.Assign(value=ast.Call(func=ast.Name(id="renamed_attribute")), targets=targets):
            yield from targets


def findings(source: str) -> Iterator[tuple[int, str]]:
    tree = ast.parse(source)
    former = {target for node in ast.walk(tree) for target in former_names_of(node)}
    for node in ast.walk(tree):
        for line, name in () if node in former else names_of(node):
            yield from ((line, fault) for fault in banned_in_name(name))
        if (docstring := docstring_of(node)) is not None:
            yield from ((docstring[0], fault) for fault in banned_in_prose(docstring[1]))
        for line, text in messages_of(node):
            yield from ((line, fault) for fault in banned_in_prose(text))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield from ((token.start[0], fault) for fault in banned_in_prose(token.string))


@pytest.mark.parametrize("room", CLEAN)
def test_a_room_uses_the_words_of_the_field(room):
    path = SOURCE / room
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    assert files, f"{room} has no source files"
    faults = [
        f"src/tacita/{file.relative_to(SOURCE)}:{line}: {fault}"
        for file in files
        for line, fault in sorted(set(findings(file.read_text("utf-8"))))
    ]
    assert not faults, "\n" + "\n".join(faults)


@pytest.mark.parametrize(
    "source",
    [
        "told_alone = 1",
        "def f(asked): ...",
        "for each in (): ...",
        "class LonerCells: ...",
        "self.withheld_cells = 1",
        'def f():\n    """Whoever reads this."""',
        "x = 0  # nought",
        'raise ValueError(f"{n} cells are withheld.")',
        'Out.print("one caution")',
        "try: ...\nexcept OSError as said: ...",
    ],
)
def test_a_banned_word_is_named_wherever_it_stands(source):
    assert [line for line, _ in findings(source)]


@pytest.mark.parametrize(
    "source",
    [
        "retold = founder = 1",
        "each_one = found_in = 1",
        'def f():\n    """Each group that was found, given k.\n\n    >>> 1\n    told\n    """',
        'raise ValueError("Set `withheld`, or --insist.")',
        "withheld = table.withheld",
        'class Record:\n    cautions = renamed_attribute("cautions", "warnings")',
    ],
)
def test_other_words_parts_of_words_and_known_names_pass(source):
    assert list(findings(source)) == []
