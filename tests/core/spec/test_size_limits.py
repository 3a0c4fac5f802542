"""Texts that are small and would cost a parser minutes, or all its stack, are refused before it sees them."""

import json
import time
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita import api
from tacita.app.server import history
from tacita.core import DataError, Hierarchy, ParameterError
from tacita.core.spec.plan_document import parsed
from tacita.core.spec.schema_forms import value_of
from tacita.core.spec.size_limits import MOST_BYTES, MOST_LEVELS, MOST_PARTS, check_toml_depth, values_of_json
from tacita.io.hierarchies import from_nested, from_parents, from_prefixes, read_hierarchy
from tacita.microdata.methods.generalisation.generalise import Generalise
from tacita.microdata.plans.plan import Plan
from tacita.microdata.plans.requirements import RequireSection

DEEP = 150_000
BOMBS = {
    "a key of many parts": "a" + ".a" * DEEP + " = 1",
    "a key of quoted parts": '"a b"' + ' . "a b"' * DEEP + " = 1",
    "a header of many parts": "[a" + ".a" * DEEP + "]\nx = 1",
    "a header of a list": "[[a" + ".a" * DEEP + "]]\nx = 1",
    "a key in an inline table": "x = { a" + ".a" * DEEP + " = 1 }",
    "a key after a string with a quote more": 'x = { a = """b"""", c' + ".c" * DEEP + " = 1 }",
    "a key after a literal string with a quote more": "x = { a = '''b'''', c" + ".c" * DEEP + " = 1 }",
    "lists in lists": "x = " + "[" * DEEP + "]" * DEEP,
    "tables in tables": "x = " + "{ a = " * DEEP + "1" + " }" * DEEP,
    "a number of many digits": "x = " + "9" * 900_000,
    "more text than a plan has": "# " + "a" * MOST_BYTES,
    "a string without an end": 'x = "' + '\\"' * 400_000,
}


def within(seconds, function, *arguments):
    began = time.process_time()
    with pytest.raises(ParameterError) as problem:
        function(*arguments)
    assert time.process_time() - began < seconds
    return str(problem.value)


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_of_toml_is_refused_in_words_and_at_once(name, tmp_path):
    text = f"version = 1\n{BOMBS[name]}\n"
    assert len(within(5, Plan.from_toml, text)) < 400
    file = tmp_path / "bomb.toml"
    file.write_text(text)
    for reads in (api.load_plan, Plan.load, RequireSection.load):
        assert len(within(5, reads, file)) < 400


def test_a_plan_that_includes_a_bomb_of_requirements_is_refused(tmp_path):
    (tmp_path / "house.toml").write_text(BOMBS["a key of many parts"])
    (tmp_path / "plan.toml").write_text('version = 1\nrequire = "house.toml"\n[input]\npath = "a.csv"\n')
    assert "parts with dots" in within(5, api.load_plan, tmp_path / "plan.toml")


def test_a_large_file_is_not_read_to_its_end(tmp_path):
    with (tmp_path / "plan.toml").open("wb") as file:
        file.truncate(10**12)
    assert "1,000,000,000,000" in within(5, api.load_plan, tmp_path / "plan.toml")


def test_keys_and_levels_up_to_the_limits_are_read():
    assert parsed("a" + ".a" * (MOST_PARTS - 1) + " = 1.5 # " + "." * 99)
    assert parsed("x = " + "[" * (MOST_LEVELS - 1) + "]" * (MOST_LEVELS - 1))
    with pytest.raises(ParameterError, match="parts with dots"):
        parsed("a" + ".a" * MOST_PARTS + " = 1")
    with pytest.raises(ParameterError, match="nested too deep"):
        parsed("x = " + "[" * (MOST_LEVELS + 1) + "]" * (MOST_LEVELS + 1))


def test_what_stands_in_strings_and_comments_does_not_count():
    dots, brackets = "." * 1000, "[{" * 1000
    text = "\n".join(
        [
            f'a = "{dots}{brackets} \\" {dots}"',
            f"b = '{dots}{brackets}'",
            f'c = """\n{dots} "" {brackets}\n"{dots}"""""',
            f"d = '''\n{dots} '' {brackets}\n{dots}'''''",
            f"# {dots}{brackets} \" '''",
            "e = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5]",
        ]
    )
    assert parsed(text) == tomllib.loads(text)


def test_keys_in_tables_in_keys_are_counted_together():
    inside = "1"
    for _ in range(MOST_LEVELS - 10):
        inside = "{ a.b.c.d.e.f.g = " + inside + " }"
    with pytest.raises(ParameterError, match="nested too deep"):
        parsed(f"x = {inside}")


KEYS = st.lists(st.sampled_from(["a", "b-c", '"d.e [f"', "'g.h #'", '"\\""']), min_size=1, max_size=14)
VALUES = st.recursive(
    st.sampled_from(['"x"', "'''y'''", '"""z"""', '"""""z"""', "1.5", "1979-05-27T07:32:00.5Z", "true"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda given: f"[ {', '.join(given)} ]"),
        st.tuples(KEYS, inner).map(lambda given: f"{{ {'.'.join(given[0])} = {given[1]} }}"),
    ),
    max_leaves=6,
)


@given(st.lists(st.tuples(KEYS, VALUES), min_size=1, max_size=4))
def test_keys_are_refused_by_their_parts_and_by_nothing_else(lines):
    text = "\n".join(f"k{at}.{'.'.join(keys)} = {value} # a.b.c" for at, (keys, value) in enumerate(lines))
    deepest = _most_parts(tomllib.loads(text))
    longest = max(len(keys) + 1 for keys, _ in lines)
    if longest > MOST_PARTS:
        with pytest.raises(ParameterError, match="parts with dots"):
            check_toml_depth(text, "Plan")
    elif deepest <= MOST_PARTS:
        check_toml_depth(text, "Plan")


def _most_parts(values):
    """Steps down to the deepest value: at least the parts of the longest key."""
    inner = values.values() if isinstance(values, dict) else values if isinstance(values, list) else ()
    return max((1 + _most_parts(each) for each in inner), default=0)


def test_a_plan_of_nothing_but_faults_is_answered_shortly():
    text = "version = 1\n" + "".join(f"{'k' * 300}{at} = 1\n" for at in range(3000))
    assert len(within(10, Plan.from_toml, text)) < 3000


@pytest.mark.parametrize("text", ["[" * DEEP + "]" * DEEP, "[" * DEEP, '{"a":' * DEEP, '"' + '\\"' * DEEP])
def test_json_is_bounded_alike(text):
    assert len(within(5, lambda: Generalise(models=text))) < 400
    began = time.process_time()
    assert value_of({"type": "object"}, text) == text
    with pytest.raises(ValueError, match="no JSON"):
        history.opened(text)
    assert time.process_time() - began < 5


def test_json_within_bounds_is_read():
    values = {"l_diversity": {"column": "[{[{" * 50, "l": 3}}
    assert values_of_json(json.dumps(values), "Models") == values


class TestHierarchies:
    def test_an_hrc_file_of_one_line_of_signs_is_refused_at_once(self, tmp_path):
        (tmp_path / "bomb.hrc").write_text("@" * 2_000_000 + "a\n")
        began = time.process_time()
        with pytest.raises(DataError, match="is deeper than the line above"):
            read_hierarchy(tmp_path / "bomb.hrc")
        assert time.process_time() - began < 5

    def test_an_hrc_file_of_many_steps_is_refused(self, tmp_path):
        (tmp_path / "deep.hrc").write_text("".join("@" * depth + f"n{depth}\n" for depth in range(2000)))
        with pytest.raises(DataError, match="at most 250 steps"):
            read_hierarchy(tmp_path / "deep.hrc")

    def test_a_line_of_many_levels_is_refused_at_once(self, tmp_path):
        (tmp_path / "wide.csv").write_text(";".join(f"n{level}" for level in range(300_000)) + "\n")
        began = time.process_time()
        with pytest.raises(DataError, match="at most 250 steps"):
            read_hierarchy(tmp_path / "wide.csv")
        assert time.process_time() - began < 5

    def test_nested_labels_and_long_codes_are_refused(self):
        nested = None
        for level in range(3000):
            nested = {f"n{level}": nested}
        with pytest.raises(DataError, match="at most 250 steps"):
            from_nested("region", nested)
        with pytest.raises(DataError, match="at most 250 steps"):
            from_prefixes("code", ["1" * 5000, "2" * 5000])

    def test_steps_are_told_from_circles(self):
        labels = [f"n{at}" for at in range(20_000)]
        began = time.process_time()
        with pytest.raises(DataError, match="at most 250 steps"):
            from_parents("region", labels, [*labels[1:], None])
        with pytest.raises(DataError, match="are their own ancestors"):
            from_parents("region", labels, [*labels[1:], labels[0]])
        assert time.process_time() - began < 5

    def test_as_many_steps_as_may_be_are_read(self):
        labels = tuple(f"n{at}" for at in range(251))
        assert Hierarchy("deep", labels, (-1, *range(250))).height == 250
        with pytest.raises(DataError, match="at most 250 steps"):
            Hierarchy("deep", (*labels, "more"), (-1, *range(251)))
