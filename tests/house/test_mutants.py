"""The mutation run itself: it makes the faults it should, kills what is tested and tells what is not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mutants.__main__ import HERE, MODULES, SPEAKING, known_equivalents
from mutants.making import mutants

ROOT = Path(__file__).parents[2]
SOURCE = '''"""A tiny verifier."""
LIMIT = 1.5


def fault(sizes: list[float], *, strict: bool = False) -> str | None:
    """What is wrong."""
    found = []
    for size in sizes:
        if size > LIMIT and size < 9:
            found.append(size)
    try:
        worst = max(found)
    except ValueError:
        return "none" if strict else None
    return f"{worst} is too large"


class Judge:
    def __init__(self, k):
        self.k = k

    @property
    def safe(self) -> bool:
        return self.k >= 3
'''
TEST = """from tiny import Judge, fault


def test_large_sizes_are_found():
    assert fault([1.0, 2.0]) == "2.0 is too large"


def test_small_sizes_pass():
    assert fault([0.2, 1.0]) is None


def test_three_are_safe_and_two_are_not():
    assert Judge(3).safe
    assert not Judge(2).safe
"""


@pytest.fixture
def tiny(tmp_path):
    (tmp_path / "tiny.py").write_text(SOURCE)
    (tmp_path / "test_tiny.py").write_text(TEST)
    return tmp_path


def ran(folder, *words):
    """What a run over the tiny verifier prints, and how it ends."""
    asked = ["--source", "tiny.py", "--tests", "test_tiny.py", "--processes", "1", *words]
    done = subprocess.run(
        [sys.executable, "-m", "mutants", *asked],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(folder)])},
        capture_output=True,
        text=True,
    )
    return done.stdout, done.returncode


def test_every_kind_of_fault_is_made_and_the_same_ones_again(tiny):
    made = mutants(tiny / "tiny.py")
    assert made == mutants(tiny / "tiny.py")
    assert len({mutant.source for mutant in made}) == len({mutant.key for mutant in made}) == len(made)
    for mutant in made:
        compile(mutant.source, "tiny.py", "exec")
    assert {(mutant.function, mutant.change) for mutant in made} >= {
        ("", "1.5 -> 15.0"),
        ("", "1.5 -> 0.15"),
        ("fault", "False -> True"),
        ("fault", "sizes -> ()"),
        ("fault", "size > LIMIT and size < 9 -> False"),
        ("fault", "size > LIMIT and size < 9 -> True"),
        ("fault", "size > LIMIT and size < 9 -> ((size > LIMIT) or (size < 9))"),
        ("fault", "size > LIMIT left out"),
        ("fault", "size > LIMIT -> (size >= LIMIT)"),
        ("fault", "9 -> 10"),
        ("fault", "found.append(size) -> pass"),
        ("fault", "max -> min"),
        ("fault", '"none" if strict else None -> (None)'),
        ("fault", 'f"{worst} is too large" -> None'),
        ("Judge.__init__", "self.k = k -> pass"),
        ("Judge.safe", "self.k >= 3 -> True"),
        ("Judge.safe", "self.k >= 3 -> (self.k > 3)"),
        ("Judge.safe", "self.k -> (self.k - 1)"),
    }


# faults that verifiers once had, or might have had unseen: each is made again, for a test to find
ONCE = {
    "a check that raises passes": ("_fault", 'f"cannot be checked ({type(problem).__name__})" -> None'),
    "holders are never joined": ("sets_known", "holder < 0 -> True"),
    "a gap in a float column moves": ("identical", "not old.is_null().equals(new.is_null()) left out"),
    "text of floats is not read again": ("same_text", "pa.types.is_float64(old.type) -> False"),
    "text of whole numbers is not read again": ("same_text", "pa.types.is_integer(old.type) -> False"),
    "dictionaries in structs": ("_walk", "yield from _walk(cells.field(i), in_memory) -> pass"),
    "metadata of nested fields": (
        "_field_speaks",
        "any((_field_speaks(child) for child in inner)) left out",
    ),
    "extremes in the footer": ("parquet_says_more", "false -> False"),
    "one rank too far": ("ranks_near", "100 -> 99"),
    "upper bounds in a general problem": ("Judge.__init__", "np.isfinite(table.high).any() left out"),
    "one compatible record short": ("_fault", "k -> (k - 1)"),
    "k-anonymity of records alone": ("k_anonymous", "units -> None"),
    "any range covers": ("_in_range", "ends[0] <= number <= ends[1] -> True"),
    "suppressed rows do not count": (
        "few_suppressed",
        "left + int(_suppressed(evidence).sum()) -> ((left) - (int(_suppressed(evidence).sum())))",
    ),
    "a hierarchy that is never broken": (
        "_up_and_down",
        "moved += level / height * np.minimum(more, less) -> pass",
    ),
    "as often as c times the tail": (
        "_alike",
        "ranked[:, 0] < settings[\"c\"] * tail -> (ranked[:, 0] <= settings['c'] * tail)",
    ),
    "disclosure on one side": (
        "broken",
        "np.abs(np.log2(np.where(present, shares, before) / before)) -> "
        "(np.log2(np.where(present, shares, before) / before))",
    ),
    "a person short by weight": ("persons_by_weight", "settings[\"k\"] -> (settings['k'] - 1)"),
    "others become anything": ("recoded_by_map", "a if rest is None else rest -> (a)"),
    "partners of another stratum": (
        "swapped_in_pairs",
        "swaps.stratum(pair[0]) != swaps.stratum(pair[1]) left out",
    ),
    "at risk and not swapped": ("swapped_as_stated", "missed -> False"),
    "records that come back whole": (
        "values_redrawn",
        "len(names) > 1 and limit < 1 and whole > (_MOST_RECORDS + _HAIR) * evidence.released.n -> False",
    ),
    "a record in two parts": ("claimed_parts", "seen != task.count left out"),
    "the reach itself": (
        "_too_far",
        "np.abs(shown - true) >= np.where(exact, reach, reach * (1 + _ROUNDING)) -> "
        "(np.abs(shown - true) > np.where(exact, reach, reach * (1 + _ROUNDING)))",
    ),
    "no limit without a ray": (
        "Attacker.reach",
        "float(\"inf\") if self._endless(cell, direction) else 0.0 -> (float('inf'))",
    ),
}


@pytest.fixture(scope="module")
def made():
    return {
        (mutant.function, mutant.change)
        for paths in MODULES.values()
        for path in paths
        for mutant in mutants(path)
    }


@pytest.mark.parametrize("what", ONCE)
def test_a_fault_that_once_was_is_made_again(what, made):
    assert ONCE[what] in made


def test_every_module_of_the_verifiers_has_mutants_made_of_it():
    tried = {path for paths in MODULES.values() for path in paths}
    for house in ("microdata", "tables"):
        assert tried.issuperset((ROOT / "src" / "tacita" / house / "verify").glob("*.py"))
    assert {path.name for path in tried if path.parent.name == "tables"} >= {"reading.py", "excel.py"}
    assert all(path.exists() for path in tried)


@pytest.mark.parametrize("house", MODULES)
def test_every_test_of_the_verifiers_is_run_against_their_mutants(house):
    told = set(SPEAKING[house])
    assert len(told) == len(SPEAKING[house])
    assert all(path.exists() for path in told)
    planted = (ROOT / "tests" / house / "verify").glob("test_*.py")
    assert told.issuperset(planted)


def test_every_known_equivalent_is_a_mutant_that_is_made_today():
    keys = {mutant.key for paths in MODULES.values() for path in paths for mutant in mutants(path)}
    assert known_equivalents(HERE / "equivalent.toml") <= keys


def test_how_far_the_work_is_does_not_count_as_a_verdict(tiny):
    before = len(mutants(tiny / "tiny.py"))
    telling = "        if size % 64 == 0:\n            run.report('sizes', size, 9)\n        if size > LIMIT"
    (tiny / "tiny.py").write_text(SOURCE.replace("        if size > LIMIT", telling))
    assert len(mutants(tiny / "tiny.py")) == before
    (tiny / "tiny.py").write_text(
        SOURCE.replace("        if size > LIMIT", telling.replace("run.", "found."))
    )
    assert len(mutants(tiny / "tiny.py")) > before


def test_what_tests_plant_once_is_there_before_the_first_mutant(tiny):
    counted = (
        "from functools import cache\n\n\n@cache\ndef plants():\n    with open('plants', 'a') as file:\n"
    )
    counted += "        file.write('planted ')\n    return [1.0, 2.0]\n\n\n"
    (tiny / "test_tiny.py").write_text(counted + TEST.replace("fault([1.0, 2.0])", "fault(plants())"))
    ran(tiny)
    assert (tiny / "plants").read_text() == "planted "


def test_a_run_kills_what_is_tested_and_lists_what_is_not(tiny):
    before = {path.name: path.read_bytes() for path in tiny.glob("*.*")}
    told, code = ran(tiny)
    assert code == 1
    assert "tiny.py:9, fault: size < 9 -> (size <= 9)" in told
    assert "tiny.py:9, fault: size > LIMIT -> (size >= LIMIT)" in told
    # killed: the sign for a fault, what guards it, a constant, the body of a loop, a property
    for killed in ('too large" -> None', "LIMIT and size < 9 -> False", "1.5 -> 15.0", "sizes -> ()"):
        assert killed not in told
    assert "Judge.safe" not in told
    assert {path.name: path.read_bytes() for path in tiny.glob("*.*")} == before


def test_functions_that_a_conftest_froze_are_mutated_too(tiny):
    (tiny / "conftest.py").write_text(
        "import gc\nimport tiny\n\n\ndef pytest_collection_finish(session):\n    gc.freeze()\n"
    )
    told, _ = ran(tiny)
    assert "no test runs it" not in told
    assert "sizes -> ()" not in told


def test_a_known_equivalent_counts_as_neither_and_a_stale_one_is_told(tiny):
    whole, _ = ran(tiny)
    lives = [line for line in whole.splitlines() if line.startswith("tiny.py:")]
    texts = SOURCE.splitlines()
    entries = []
    for line in lives:
        where, _, change = line.rpartition(" (")[0].partition(": ")
        place, _, function = where.partition(", ")
        text = texts[int(place.split(":")[1]) - 1].strip()
        entries.append((function.replace("top level", ""), text, change))
    (tiny / "known.toml").write_text(
        "\n".join(
            f"[[equivalent]]\nfile = 'tiny.py'\nfunction = '{function}'\nline = '''{text}'''\n"
            f"changes = ['''{change}''']\nreason = 'a test of the list'"
            for function, text, change in entries
        )
    )
    told, code = ran(tiny, "--equivalents", "known.toml")
    assert code == 0
    assert f"{len(lives)} more are known to change nothing" in told
    with (tiny / "known.toml").open("a") as file:
        file.write("\n[[equivalent]]\nfile = 'tiny.py'\nfunction = 'gone'\nline = 'x'\n")
        file.write("changes = ['x -> y']\nreason = 'none'\n")
    told, code = ran(tiny, "--equivalents", "known.toml")
    assert code == 1
    assert "an equivalent that matches nothing: tiny.py, gone, x, x -> y" in told


def test_tests_that_fail_without_a_mutant_end_the_run(tiny):
    (tiny / "test_tiny.py").write_text(TEST.replace("2.0 is", "3.0 is"))
    told, code = ran(tiny)
    assert code == 2
    assert "test_large_sizes_are_found" in told


def test_a_mutant_that_never_ends_counts_as_killed(tiny):
    (tiny / "tiny.py").write_text(
        "def upto(n: int) -> int:\n    while n > 0:\n        n -= 1\n    return n\n"
    )
    (tiny / "test_tiny.py").write_text(
        "from tiny import upto\n\n\ndef test_it_ends():\n    assert upto(3) == 0\n"
    )
    told, code = ran(tiny, "--patience", "0.5")
    assert code == 0
    assert "100.0 %" in told
