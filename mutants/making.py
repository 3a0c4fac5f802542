"""Mutants of a module, made from its syntax tree: one small fault each. Same source, same mutants."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

# what is replaced, by which text, and in a display or condition: which part is left out
Change = tuple[ast.AST, str] | tuple[ast.AST, str, str]

_COMPARED: dict[type, tuple[str, ...]] = {
    ast.Lt: ("<=", ">="),
    ast.LtE: ("<", ">"),
    ast.Gt: (">=", "<="),
    ast.GtE: (">", "<"),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
}
_COMPUTED: dict[type, str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.BitAnd: "|",
    ast.BitOr: "&",
}
_CALLED = {
    **{one: other for pair in (("min", "max"), ("any", "all"), ("minimum", "maximum")) for one, other in
       (pair, pair[::-1])},
    "ceil": "floor",
    "floor": "ceil",
    "rint": "floor",
    "union": "intersection",
    "intersection": "union",
    "concatenate": "vstack",
}  # fmt: skip
# calls that may have been forgotten: their argument stands alone
_FORGOTTEN = {"abs", "sort", "sorted", "unique", "rint"}
# arguments that may be None, for which records count then
_IGNORED, _NEED_ALL = {"units"}, {"isinstance", "distinct"}
# limits of which one less is accepted
_ONE_SHORT = {"k"}


@dataclass(frozen=True)
class Mutant:
    """One fault: where it stands, what it changes, and the whole source with it."""

    path: Path
    function: str
    line: str
    number: int
    change: str
    statements: frozenset[int]
    source: str = field(repr=False)

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What stays the same when lines move."""
        return self.path.name, self.function, self.line, self.change


def mutants(path: Path) -> list[Mutant]:
    """Every mutant of a module. A statement at its top level belongs to no function: ''."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    made: dict[str, Mutant] = {}
    alike = Counter[tuple[str, str, str]]()
    tree, raw = ast.parse(source), source.encode()
    for function, statement, returned in _statements(tree.body):
        for node, text, *left_out in _changes(function, statement, returned):
            number = node.lineno  # type: ignore[attr-defined]
            begin = starts[number - 1] + node.col_offset  # type: ignore[attr-defined]
            end = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
            mutated = (raw[:begin] + text.encode() + raw[end:]).decode()
            if mutated in made:
                continue
            line = lines[number - 1].strip()
            change = f"{_short(raw[begin:end].decode())} -> {_short(text)}"
            if left_out:
                change = f"{_short(left_out[0])} left out"
            alike[function, line, change] += 1
            if (several := alike[function, line, change]) > 1:
                change += f", number {several}"
            met = _meeting(function, statement, node, tree)
            made[mutated] = Mutant(path, function, line, number, change, met, mutated)
    return list(made.values())


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 100 else f"{words[:97]}..."


def _statements(
    body: list[ast.stmt], outer: str = "", function: str = "", returned: str = ""
) -> Iterator[tuple[str, ast.stmt, str]]:
    """Every statement at any depth, with the outermost function that holds it and what that returns."""
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            if not function:
                methods = [each for each in statement.body if isinstance(each, ast.FunctionDef)]
                yield from _statements(methods, f"{outer}{statement.name}.")
        elif isinstance(statement, ast.FunctionDef):
            if statement.name != "__repr__":
                name = function or f"{outer}{statement.name}"
                gives = ast.unparse(statement.returns) if statement.returns else ""
                if not function:
                    yield name, statement, gives
                yield from _statements(statement.body, outer, name, gives)
        elif not ast.unparse(statement).startswith("__all__") and not _is_progress(statement):
            yield function, statement, returned
            if function:
                for handler in getattr(statement, "handlers", []):
                    yield from _statements(handler.body, outer, function, returned)
                for part in ("body", "orelse", "finalbody"):
                    yield from _statements(getattr(statement, part, []), outer, function, returned)


def _is_progress(statement: ast.stmt) -> bool:
    """Whether a statement only tells how far the work is, which changes no verdict."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="run"), attr="report"))):
            return True
        case ast.If(body=body, orelse=[]):
            return all(map(_is_progress, body))
    return False


def _meeting(function: str, statement: ast.stmt, node: ast.AST, tree: ast.Module) -> frozenset[int]:
    """The statements, by their lines, of which a test must run one to meet a change."""
    if isinstance(statement, ast.FunctionDef):
        return frozenset([statement.body[0].lineno])
    if function:
        line = node.lineno if isinstance(statement, ast.Try) else statement.lineno  # type: ignore[attr-defined]
        return frozenset([line])
    names = {
        each.id
        for each in ast.walk(statement)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    return frozenset(
        inner.lineno
        for name, inner, _ in _statements(tree.body)
        if name and any(getattr(each, "id", None) in names for each in ast.walk(inner))
    )


def _changes(function: str, statement: ast.stmt, returned: str) -> Iterator[Change]:
    """All faults of one statement, but not those of the statements inside it."""
    yield from _dropped(statement)
    match statement:
        case ast.FunctionDef():
            for default in filter(None, (*statement.args.defaults, *statement.args.kw_defaults)):
                yield from _in_expression(default)
        case ast.Return(value=ast.expr() as value):
            plain = value.value if isinstance(value, ast.Constant) else ...
            if "None" in returned and plain is not None:
                yield value, "None"
            if returned == "bool":
                yield from ((value, str(word)) for word in (True, False) if plain is not word)
            if plain is ... or returned != "bool":
                yield from _in_expression(value, judged=returned == "bool")
        case ast.If() | ast.While():
            yield statement.test, "False"
            if isinstance(statement, ast.If):
                yield statement.test, "True"
            yield from _in_expression(statement.test, judged=True)
        case ast.For():
            yield statement.iter, "()"
            yield from _in_expression(statement.iter, listed=True)
        case ast.Assign() | ast.AugAssign() | ast.AnnAssign() | ast.Expr():
            if statement.value is not None:
                yield from _in_expression(statement.value, listed=not function)
        case ast.Try():
            for handler in statement.handlers:
                if isinstance(handler.body[0], ast.Return | ast.Pass):
                    continue  # has changes of its own, or is empty
                first, last = handler.body[0], handler.body[-1]
                whole = ast.copy_location(ast.Pass(), first)
                whole.end_lineno, whole.end_col_offset = last.end_lineno, last.end_col_offset
                yield whole, "pass"


def _dropped(statement: ast.stmt) -> Iterator[Change]:
    match statement:
        case ast.Expr(value=ast.Constant()):
            return
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break():
            yield statement, "pass"
        case ast.Assign(targets=[ast.Subscript() | ast.Attribute(), *_]):
            yield statement, "pass"


def _in_expression(node: ast.expr, *, listed: bool = False, judged: bool = False) -> Iterator[Change]:
    """Faults of an expression at any depth; words of messages are left alone.

    `listed`: parts of a display may be left out. `judged`: it has been made true and false as a whole.
    """
    if isinstance(node, ast.JoinedStr):
        return
    yield from _of_node(node, listed, judged)
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.keyword(arg="strict") if getattr(getattr(node, "func", None), "id", "") == "zip":
                continue
            case ast.keyword(arg="axis", value=ast.Constant(value=int() as axis)):
                yield child.value, str(1 - axis)
            case ast.keyword():
                yield from _in_expression(child.value)
            case ast.comprehension():
                yield from _in_expression(child.iter, listed=True)
                for condition in child.ifs:
                    yield condition, "True"
                    yield from _in_expression(condition)
            case ast.expr():
                tested = isinstance(node, ast.IfExp) and child is node.test
                yield from _in_expression(child, listed=isinstance(node, ast.Compare), judged=tested)


def _of_node(node: ast.expr, listed: bool, judged: bool) -> Iterator[Change]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            # the last is the contrary
            for other in _COMPARED[type(op)][: -1 if judged else None]:
                yield node, f"({ast.unparse(left)} {other} {ast.unparse(right)})"
            if not isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn):
                yield from ((side, f"({ast.unparse(side)} - 1)") for side in (left, right) if _is_limit(side))
        case ast.BoolOp(values=values):
            other = " or " if isinstance(node.op, ast.And) else " and "
            yield node, f"({other.join(f'({ast.unparse(value)})' for value in values)})"
            for left_out in range(len(values)):
                kept = [value for at, value in enumerate(values) if at != left_out]
                rest = ast.BoolOp(node.op, kept) if len(kept) > 1 else kept[0]
                yield node, f"({ast.unparse(rest)})", ast.unparse(values[left_out])
        case ast.BinOp(op=ast.Mult() | ast.Div(), right=ast.Constant(value=1)):
            return
        case ast.BinOp(left=left, right=right) if type(node.op) in _COMPUTED and not _is_text(node):
            yield node, f"(({ast.unparse(left)}) {_COMPUTED[type(node.op)]} ({ast.unparse(right)}))"
            if _is_limit(left):
                yield left, f"({ast.unparse(left)} - 1)"
        case ast.UnaryOp(op=ast.Not() | ast.Invert()) | ast.UnaryOp(op=ast.USub(), operand=ast.Name()):
            if not judged:
                yield node, f"({ast.unparse(node.operand)})"
        case ast.IfExp():
            yield node, f"({ast.unparse(node.body)})"
            yield node, f"({ast.unparse(node.orelse)})"
        case ast.Constant(value=value):
            yield from ((node, text) for text in _other_constants(value))
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            yield from _other_calls(node, name)
        case ast.Tuple(elts=several) | ast.List(elts=several) | ast.Set(elts=several) if listed:
            ends = {ast.Tuple: "()", ast.List: "[]", ast.Set: "{}"}[type(node)]
            # a register of many has tests of its own
            for left_out in range(len(several)) if 1 < len(several) <= 8 else ():
                kept = [ast.unparse(each) for at, each in enumerate(several) if at != left_out]
                yield node, f"{ends[0]}{', '.join(kept)},{ends[1]}", ast.unparse(several[left_out])
        case ast.Dict(keys=keys, values=values) if listed:
            for left_out in range(len(keys)) if 1 < len(keys) <= 8 else ():
                chosen = [at for at in range(len(keys)) if at != left_out]
                fewer = ast.Dict([keys[at] for at in chosen], [values[at] for at in chosen])
                yield node, ast.unparse(fewer), ast.unparse(keys[left_out] or values[left_out])


def _other_constants(value: object) -> Iterator[str]:
    if isinstance(value, bool):
        yield str(not value)
    elif isinstance(value, int):
        yield str(value + 1)
        if value > 0:
            yield str(value - 1)
    elif isinstance(value, float):
        yield from (repr(value * 10), repr(value / 10)) if value else ("1.0",)


def _other_calls(node: ast.Call, name: str) -> Iterator[Change]:
    if name in _CALLED:
        other = ast.unparse(node.func).removesuffix(name) + _CALLED[name]
        yield node.func, other
    if name in _FORGOTTEN and node.args and not node.keywords:
        yield node, f"({ast.unparse(node.args[0])})"
    if isinstance(node.func, ast.Name) and name not in _NEED_ALL:
        yield from (
            (each, "None") for each in node.args if isinstance(each, ast.Name) and each.id in _IGNORED
        )


def _is_limit(node: ast.expr) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=name)):
            return name in _ONE_SHORT
    return False


def _is_text(node: ast.BinOp) -> bool:
    values = (getattr(side, "value", side) for side in (node.left, node.right))
    return any(isinstance(value, str | bytes | ast.JoinedStr) for value in values)


class _Marks(ast.NodeTransformer):
    """Has every statement of a function say its line before it runs."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self._mark(node)
        return node

    def _mark(self, node: ast.AST) -> None:
        for handler in getattr(node, "handlers", []):
            self._mark(handler)
        for part in ("body", "orelse", "finalbody"):
            marked: list[ast.stmt] = []
            for statement in getattr(node, part, None) or []:
                self._mark(statement)
                mark = ast.parse(f"{MARK}({statement.lineno})").body[0]
                marked += [ast.copy_location(mark, statement), statement]
            if marked:
                setattr(node, part, marked)


MARK = "__ran__"


def with_marks(source: str) -> ast.Module:
    """A module whose functions call MARK with the line of every statement that they run."""
    return ast.fix_missing_locations(_Marks().visit(ast.parse(source)))
