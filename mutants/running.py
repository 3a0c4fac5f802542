"""Each mutant in a forked process, against the tests that run its lines; the work tree is never edited."""

from __future__ import annotations

import ast
import gc
import os
import pickle
import resource
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from .making import MARK, Mutant, with_marks

Functions = dict[tuple[str, str], list[FunctionType]]

_MEMORY = 8 * 2**30


@dataclass(frozen=True)
class Limits:
    """Processes at a time; seconds of tests for a mutant (0: all); seconds before a test counts as hanging.

    Seconds are the processor's. A test that takes long without a mutant gets ten times as long.
    """

    processes: int = 2
    seconds: float = 10.0
    patience: float = 10.0


@dataclass(frozen=True)
class Fate:
    """What became of a mutant: the test that killed it, or None; how many tests could have."""

    mutant: Mutant
    killer: str | None
    tests: int


@dataclass
class Trail:
    """Which lines of the modules a test runs, and how long it takes."""

    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    lines: dict[str, set[tuple[str, int]]] = field(default_factory=lambda: defaultdict(set))
    failed: list[str] = field(default_factory=list)


class Bench:
    """A plug-in of pytest that collects tests once, then runs some of them for each mutant."""

    def __init__(
        self, mutants: list[Mutant], limits: Limits, told: Callable[[list[Fate], int], None]
    ) -> None:
        self.mutants, self.limits, self.told = mutants, limits, told
        self.fates: list[Fate] = []
        self.broken: list[str] = ["the collection of tests"]
        self._reports: list[Any] = []
        self._kills: dict[tuple[Path, str], Counter[str]] = defaultdict(Counter)
        self._finds: dict[Path, Counter[str]] = defaultdict(Counter)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep what a test says."""
        self._reports.append(report)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Instead of running all tests once: trace them, then run each mutant against those that touch it."""
        self._items = {item.nodeid: item for item in session.items}
        if session.testsfailed or not self._items:
            return True
        paths = {str(mutant.path) for mutant in self.mutants}
        self._functions = _functions(paths)
        _plant_once(session.items)
        # what is here already is nobody's rubbish: no child need look through it
        gc.freeze()
        trail = self._traced(paths)
        self.broken = trail.failed or self._failing_unharmed(trail)
        if not self.broken:
            self._run_all(trail)
        return True

    def _traced(self, paths: set[str]) -> Trail:
        """All tests once, in processes of their own: threads that they start would not survive a fork."""
        by_file: dict[str, list[pytest.Item]] = defaultdict(list)
        for name, item in self._items.items():
            by_file[name.partition("::")[0]].append(item)
        files = list(by_file.values())
        # a process without tests would have nothing to tell
        step = min(self.limits.processes, max(1, len(files)))
        whole, children = Trail(), []
        with tempfile.TemporaryDirectory() as folder:
            for number in range(step):
                items = [item for file in files[number::step] for item in file]
                child = os.fork()
                if not child:
                    with _silent_child(folder):
                        Path(f"{folder}/{number}").write_bytes(pickle.dumps(self._trace(paths, items)))
                children.append(child)
            for number, child in enumerate(children):
                os.waitpid(child, 0)
                part = pickle.loads(Path(f"{folder}/{number}").read_bytes())
                whole.seconds |= part.seconds
                whole.lines |= part.lines
                whole.failed += part.failed
        return whole

    def _failing_unharmed(self, trail: Trail) -> list[str]:
        """A test that fails as mutants are run, but without one: then every mutant would count as killed."""
        quickest = sorted(trail.seconds, key=lambda name: (trail.seconds[name], name))[:20]
        with tempfile.TemporaryDirectory() as folder:
            child = os.fork()
            if not child:
                with _silent_child(folder):
                    self._until_one_fails(quickest, trail, Path(folder))
            _, status = os.waitpid(child, 0)
            return [(Path(folder) / "killer").read_text()] if status else []

    def _trace(self, paths: set[str], items: list[pytest.Item]) -> Trail:
        trail = Trail()
        shared: dict[str, set[tuple[str, int]]] = defaultdict(set)
        ran: set[tuple[str, int]] = set()
        for path in paths:
            _watch(path, self._functions, lambda line, path=path: ran.add((path, line)))
        for item, following in zip(items, [*items[1:], None], strict=True):
            ran.clear()
            # of the processor, which means the same on a busy machine
            began = time.process_time()
            reports = self._run(item, following)
            trail.seconds[item.nodeid] = time.process_time() - began
            trail.lines[item.nodeid] = set(ran)
            if any(report.failed for report in reports):
                trail.failed.append(item.nodeid)
            if any(report.when == "setup" and report.duration > 0.01 for report in reports):
                # what a fixture of a module runs, it runs for all tests of that module
                shared[item.nodeid.partition("::")[0]] |= ran
        for name, lines in trail.lines.items():
            lines |= shared[name.partition("::")[0]]
        return trail

    def _run(self, item: pytest.Item, following: pytest.Item | None) -> list[Any]:
        self._reports.clear()
        item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
        return list(self._reports)

    def _run_all(self, trail: Trail) -> None:
        by_line: dict[tuple[str, int], set[str]] = defaultdict(set)
        by_file: dict[str, set[str]] = defaultdict(set)
        for name, lines in trail.lines.items():
            for path, line in lines:
                by_line[path, line].add(name)
                by_file[path].add(name)
        running: dict[int, tuple[Mutant, int, Any]] = {}
        try:
            for mutant in self.mutants:
                path = str(mutant.path)
                touching = {name for line in mutant.statements for name in by_line[path, line]}
                touching = touching or (set() if mutant.function else by_file[path])
                order = self._in_order(mutant, touching, trail)
                if not order:
                    self._end(mutant, None, 0)
                    continue
                folder = tempfile.TemporaryDirectory()
                child = os.fork()
                if not child:
                    with _silent_child(folder.name):
                        self._try_to_kill(mutant, order, trail, Path(folder.name))
                running[child] = (mutant, len(order), folder)
                if len(running) >= self.limits.processes:
                    self._wait(running)
            while running:
                self._wait(running)
        finally:
            for child, (_, _, folder) in running.items():
                os.kill(child, signal.SIGKILL)
                folder.cleanup()

    def _in_order(self, mutant: Mutant, touching: set[str], trail: Trail) -> list[str]:
        """Tests that found other faults of the function; then quick ones before many cases of one test.

        A test, some case of which found faults of the module, counts as quicker.
        """
        kills, finds = self._kills[mutant.path, mutant.function], self._finds[mutant.path]
        cases = Counter[str]()
        weight = {}
        for name in sorted(touching, key=lambda name: (trail.seconds[name], name)):
            test = name.partition("[")[0]
            cases[test] += 1
            weight[name] = cases[test] * trail.seconds[name] / (1 + finds[test])
        order = sorted(touching, key=lambda name: (-kills[name], weight[name], name))
        spent, chosen = 0.0, []
        for name in order:
            spent += trail.seconds[name]
            if chosen and 0 < self.limits.seconds < spent:
                break
            chosen.append(name)
        # file by file, since a file's fixtures go when another file comes
        files = {name.partition("::")[0]: at for at, name in reversed(list(enumerate(chosen)))}
        return sorted(chosen, key=lambda name: (not kills[name], files[name.partition("::")[0]]))

    def _try_to_kill(self, mutant: Mutant, order: list[str], trail: Trail, folder: Path) -> None:
        (folder / "killer").write_text(order[0])
        install(mutant, self._functions)
        self._until_one_fails(order, trail, folder)

    def _until_one_fails(self, order: list[str], trail: Trail, folder: Path) -> None:
        """Run tests in this process; the name of the last one that began stays in the folder."""
        for at, name in enumerate(order):
            (folder / "killer").write_text(name)
            # a test that hangs, or waits for ever, ends its process
            limit = max(self.limits.patience, 10 * trail.seconds[name])
            signal.setitimer(signal.ITIMER_PROF, limit)
            signal.setitimer(signal.ITIMER_REAL, 10 * limit)
            following = self._items[order[at + 1]] if at + 1 < len(order) else None
            if any(report.failed for report in self._run(self._items[name], following)):
                os._exit(1)

    def _wait(self, running: dict[int, tuple[Mutant, int, Any]]) -> None:
        child, status = os.wait()
        mutant, tests, folder = running.pop(child)
        name = (Path(folder.name) / "killer").read_text()
        folder.cleanup()
        self._end(mutant, name if status else None, tests)

    def _end(self, mutant: Mutant, killer: str | None, tests: int) -> None:
        if killer:
            self._kills[mutant.path, mutant.function][killer] += 1
            self._finds[mutant.path][killer.partition("[")[0]] += 1
        self.fates.append(Fate(mutant, killer, tests))
        self.told(self.fates, len(self.mutants))


@contextmanager
def _silent_child(folder: str) -> Iterator[None]:
    """A forked process from here on: no word, bounded memory, temporary files in a folder that goes."""
    status = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
        os.environ["PYTEST_DEBUG_TEMPROOT"] = tempfile.tempdir = folder
        yield
        status = 0
    finally:
        os._exit(status)


def _plant_once(items: list[pytest.Item]) -> None:
    """Call what test modules keep (functools.cache, no arguments): else every child would make it anew."""
    for module in dict.fromkeys(getattr(item, "module", None) for item in items):
        for each in list(vars(module).values()) if module else ():
            kept = getattr(each, "cache_info", None) and each.__module__ == module.__name__
            if kept and not signature(each).parameters:
                each()


def _functions(paths: set[str]) -> Functions:
    """Every function of some files, however it is wrapped or imported."""
    found: Functions = defaultdict(list)
    # what tests have frozen after their collection is not among the objects that are looked through
    gc.unfreeze()
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename in paths:
            found[each.__code__.co_filename, each.__code__.co_qualname].append(each)
    return found


def install(mutant: Mutant, functions: Functions) -> None:
    """Put a mutant in the place of what is loaded: whoever has imported a function has its mutant."""
    path = str(mutant.path)
    tree = ast.parse(mutant.source)
    if not mutant.function:
        _assign_again(tree, path, mutant.number)
        return
    code = compile(mutant.source, path, "exec", dont_inherit=True)
    body = next(_named(code, mutant.function))
    arguments = next(_arguments(tree, mutant.function.split(".")))
    for function in functions[path, mutant.function]:
        function.__code__ = body
        space = function.__globals__
        function.__defaults__ = tuple(_value(default, space) for default in arguments.defaults) or None
        named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        function.__kwdefaults__ = {each.arg: _value(default, space) for each, default in named if default}


def _watch(path: str, functions: Functions, ran: Callable[[int], None]) -> None:
    """Have the functions of a file tell each line that they run."""
    code = compile(with_marks(Path(path).read_text(encoding="utf-8")), path, "exec", dont_inherit=True)
    for (file, name), own in functions.items():
        body = next(_named(code, name), None) if file == path else None
        for function in own if body else ():
            function.__globals__[MARK] = ran
            function.__code__ = body


def _named(code: CodeType, name: str) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            if each.co_qualname == name:
                yield each
            yield from _named(each, name)


def _arguments(tree: ast.AST, names: list[str]) -> Iterator[ast.arguments]:
    for node in getattr(tree, "body", []):
        if getattr(node, "name", None) == names[0]:
            if len(names) == 1:
                yield node.args
            else:
                yield from _arguments(node, names[1:])


def _value(node: ast.expr, space: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(node), "<default>", "eval"), dict(space))


def _assign_again(tree: ast.Module, path: str, number: int) -> None:
    """Run one statement of a module anew, and hand its names to whoever imported them."""
    statement = next(each for each in tree.body if each.lineno <= number <= (each.end_lineno or 0))
    code = compile(ast.Module([statement], []), path, "exec")
    for home in [each for each in list(sys.modules.values()) if getattr(each, "__file__", None) == path]:
        before = dict(vars(home))
        exec(code, vars(home))
        for name in [name for name, old in before.items() if vars(home)[name] is not old]:
            for module in list(sys.modules.values()):
                if getattr(module, "__dict__", {}).get(name) is before[name]:
                    setattr(module, name, vars(home)[name])


def run(
    mutants: list[Mutant], tests: list[str], limits: Limits, told: Callable[[list[Fate], int], None]
) -> tuple[list[Fate], list[str]]:
    """The fates of mutants, and the tests that fail without any."""
    bench = Bench(mutants, limits, told)
    # who stops a run stops its children too
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    pytest.main(["-s", "-p", "no:cacheprovider", "-p", "no:terminal", *tests], plugins=[bench])
    return bench.fates, bench.broken
