"""Tables drawn at random over methods and files keep what they promise, for a reader who attacks them."""

import ast
import sys
from pathlib import Path

import pytest

import fuzzing_tables as fuzzing
from effort import first_of
from tacita.core.spec import registry

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("first", first_of([0, 30], 1))
def test_tables_at_random_are_what_they_promise_to_another_reader(first, tmp_path):
    for seed in range(first, first + 8):
        assert fuzzing.judged(fuzzing.drawn(seed), tmp_path).wrong == [], seed


@pytest.mark.long
@pytest.mark.parametrize("first", range(48, 248, 50))
def test_many_more_tables_are_too(first, tmp_path):
    for seed in range(first, first + 50):
        assert fuzzing.judged(fuzzing.drawn(seed), tmp_path).wrong == [], seed


def published(outcome, tmp_path, **wanted):
    """A case with some features that is published, and nothing wrong with it."""
    for seed in range(300):
        made = fuzzing.drawn(seed)
        if set(wanted.get("features", ())) <= set(made.features) and not made.through:
            verdict = fuzzing.judged(made, tmp_path)
            assert verdict.wrong == []
            if verdict.outcome == outcome:
                return made
    raise AssertionError("no such case")


def found_in(made, tmp_path, monkeypatch, change):
    """What the reader says of the files when some of what they show was changed by hand."""
    honest = fuzzing._read

    def planted(case, folder):
        shown = honest(case, folder)
        change(shown)
        return shown

    monkeypatch.setattr(fuzzing, "_read", planted)
    return fuzzing.judged(made, tmp_path).wrong


def test_the_reader_finds_a_sensitive_cell_that_is_shown_and_a_value_that_is_not_true(tmp_path, monkeypatch):
    made = published("suppressed", tmp_path, features=["problem interval"])
    attack = fuzzing._Weighted(made, frozenset())
    cell = attack.cells[int(attack.sensitive.argmax())]
    value = float(attack.values[attack.sensitive.argmax()]) / attack.scale
    told = found_in(made, tmp_path, monkeypatch, lambda shown: shown.update({cell: value}))
    assert any("is shown" in each for each in told)
    monkeypatch.undo()

    def other(shown):
        shown[next(label for label, value in shown.items() if value)] += 1.0

    assert any("another value is shown" in each for each in found_in(made, tmp_path, monkeypatch, other))


def test_the_reader_finds_sums_that_do_not_add_up(tmp_path, monkeypatch):
    made = published("adjusted", tmp_path, features=["method rounding"])

    def other(shown):
        top = (fuzzing.TOTAL,) * len(made.case.dimensions)
        shown[top] += made.adjust["base"]

    assert any("do not add up" in each for each in found_in(made, tmp_path, monkeypatch, other))


def test_the_reader_uses_nothing_of_tacita_but_its_commands():
    tree = ast.parse(Path(fuzzing.__file__).read_text(encoding="utf-8"))
    imported = {
        (name, getattr(node, "module", None))
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in [each.name for each in node.names]
    }
    ours = {(name, module) for name, module in imported if f"{module or name}".startswith("tacita")}
    assert ours == {("run_command", "tacita.cli")}
    others = {(module or name).split(".")[0] for name, module in imported - ours}
    assert others <= {*sys.stdlib_module_names, "numpy", "pandas", "scipy", "openpyxl", "brute_force"}


def test_every_method_is_drawn_from_and_to_every_format():
    # gauss is for values that may be negative, which is another attacker
    assert {*fuzzing.METHODS, "gauss"} == {*registry.names(*registry.SUPPRESSING, *registry.ADJUSTING)}
    features = set().union(*(fuzzing.drawn(seed).features for seed in range(1000)))
    assert {f"method {name}" for name in fuzzing.METHODS} <= features
    assert {f"{source} to {target}" for source, target in fuzzing.PAIRS} <= features
    assert {f"through {name}" for name in fuzzing.LISTS} <= features
    assert features >= {
        "linked",
        "weighted",
        "units",
        "insiders",
        "strict",
        "zeros withhold",
        "problem exact",
    }
