"""What is wrong with a file from which records or columns left is found by the check that says so."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import planting
import tacita
from tacita.core import Microdata
from tacita.io.formats.csv import CSV
from tacita.io.formats.parquet import Parquet
from tacita.microdata import verify
from tacita.microdata.verify import dropping
from tacita.microdata.verify.evidence import Evidence

N = 60


def records():
    rng = np.random.default_rng(5)
    return pa.table(
        {
            "id": np.arange(N),
            "age": pa.array(rng.integers(20, 100, N), mask=np.arange(N) % 9 == 0),
            "sex": rng.choice(["m", "f"], N),
            "income": rng.lognormal(3, 1, N),
            "wage": rng.lognormal(2, 1, N),
        }
    )


def release():
    return tacita.protect(
        records(), method="drop", columns=["id"], records="age > 80", unknown="keep", measures=["IL1"]
    )


def in_steps():
    steps = [
        {"method": "round", "quasi": ["wage"], "base": 0.5},
        {"method": "drop", "columns": ["id"], "records": "age > 80", "unknown": "keep"},
        {"method": "mdav", "quasi": ["income"], "k": 3},
    ]
    return tacita.protect(records(), steps=steps, measures=["IL1"])


def failed(data, claim):
    return planting.failed(planting.judge("pyarrow", data, claim))


def claimed(**given):
    return lambda table, claim: (table, replace(claim, **given))


def terms(**given):
    return lambda table, claim: (table, replace(claim, terms={**claim.terms, **given}))


def without(name):
    def plant(table, claim):
        return table, replace(claim, terms={key: told for key, told in claim.terms.items() if key != name})

    return plant


def with_id(table, claim):
    return table.append_column("id", records()["id"].take(claim.rows)), claim


def one_more_left(table, claim):
    return table.slice(1), replace(
        claim, rows=claim.rows[1:], dropped_rows=np.append(claim.dropped_rows, claim.rows[0])
    )


def one_came_back(_, claim):
    """A record that was to leave stands in the file, in its place."""
    rows = np.sort(np.append(claim.rows, claim.dropped_rows[0]))
    return records().take(rows).drop_columns(["id"]), replace(
        claim, rows=rows, dropped_rows=claim.dropped_rows[1:]
    )


def exchanged(_, claim):
    """One who was to leave in place of one who was to stay."""
    rows = np.sort(np.append(claim.rows[1:], claim.dropped_rows[0]))
    dropped = np.sort(np.append(claim.dropped_rows[1:], claim.rows[0]))
    return records().take(rows).drop_columns(["id"]), replace(claim, rows=rows, dropped_rows=dropped)


def another_order(table, claim):
    order = np.arange(claim.rows.size)[::-1]
    return table.take(order), replace(claim, rows=claim.rows[order])


def two_swapped(table, claim):
    order = np.arange(claim.rows.size)
    order[[3, 4]] = [4, 3]
    return table.take(order), replace(claim, rows=claim.rows[order])


def swapped_unsaid(table, claim):
    order = np.arange(claim.rows.size)
    order[[3, 4]] = [4, 3]
    return table.take(order), claim


def changed(name):
    def plant(table, claim):
        cells = table[name].to_pylist()
        cells[2] = "x" if isinstance(cells[2], str) else 7
        return table.set_column(
            table.column_names.index(name), name, pa.array(cells, table[name].type)
        ), claim

    return plant


def all_are_there(_, claim):
    return records().drop_columns(["id"]), replace(
        claim, rows=np.arange(N), dropped_rows=np.zeros(0, dtype=np.int64)
    )


PLANTED = {
    "the column is there": (with_id, "columns-kept"),
    "another column is gone": (lambda table, claim: (table.drop_columns(["sex"]), claim), "columns-kept"),
    "columns in another order": (
        lambda table, claim: (table.select(table.column_names[::-1]), claim),
        "columns-kept",
    ),
    "a column that should leave stayed": (terms(columns=["sex"]), "columns-kept"),
    "the claim forgets its columns": (without("columns"), "columns-kept"),
    "the claim forgets its condition": (without("records"), "dropped-by-condition"),
    "the claim forgets how gaps are read": (without("unknown"), "dropped-by-condition"),
    "one more left": (one_more_left, "dropped-by-condition"),
    "one came back": (one_came_back, "dropped-by-condition"),
    "one for another": (exchanged, "dropped-by-condition"),
    "nobody left": (all_are_there, "dropped-by-condition"),
    "a milder condition": (terms(records=["age > 90"]), "dropped-by-condition"),
    "a stricter condition": (terms(records=["age > 70"]), "dropped-by-condition"),
    "a condition of others": (terms(records=["sex = 'm'"]), "dropped-by-condition"),
    "one condition more": (terms(records=["age > 80", "income < 5"]), "dropped-by-condition"),
    "no condition": (terms(records=[]), "dropped-by-condition"),
    "gaps were to leave": (terms(unknown="drop"), "dropped-by-condition"),
    "gaps were to be refused": (terms(unknown="refuse"), "dropped-by-condition"),
    "another order": (another_order, "dropped"),
    "two records swapped": (two_swapped, "dropped"),
    "two records swapped unsaid": (swapped_unsaid, "others-identical"),
    "a number changed": (changed("income"), "others-identical"),
    "a word changed": (changed("sex"), "others-identical"),
    "a record twice": (
        lambda table, claim: (
            pa.concat_tables([table.slice(0, 1), table]),
            replace(claim, rows=np.append(claim.rows[:1], claim.rows)),
        ),
        "rows-complete",
    ),
    "a record gone unsaid": (
        lambda table, claim: (table.slice(1), replace(claim, rows=claim.rows[1:])),
        "rows-complete",
    ),
    "a record gone from the file alone": (lambda table, claim: (table.slice(1), claim), "rows-complete"),
    "who left is forgotten": (claimed(dropped_rows=np.zeros(0, dtype=np.int64)), "rows-complete"),
    "who left is from nowhere": (claimed(dropped_rows=np.array([N + 1])), "rows-complete"),
    "they left later, in no step": (
        lambda table, claim: (table, replace(claim, dropped_later=claim.dropped_rows)),
        "rows-complete",
    ),
}


@pytest.fixture(scope="module")
def made():
    return release()


def test_a_good_release_passes(made):
    assert not failed(made.data, made.claim)


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_failure_is_found(name, made):
    plant, promise = PLANTED[name]
    assert promise in failed(*plant(made.data, made.claim))


@pytest.mark.parametrize("form", [CSV, Parquet])
@pytest.mark.parametrize(
    "name", ["one more left", "one came back", "one for another", "two records swapped", "a number changed"]
)
def test_a_planted_failure_is_found_in_the_bytes_of_a_file(name, form, made):
    plant, promise = PLANTED[name]
    table, claim = plant(made.data, made.claim)
    found = verify.verify_file(verify.WrittenFile(form().encode(Microdata.of(table)), form()), claim)
    assert promise in {each.guarantee for each in found if not each.passed}


def test_no_fault_names_a_value(made):
    for plant, _ in PLANTED.values():
        table, claim = plant(made.data, made.claim)
        for verdict in verify.verify(Microdata.of(table), claim):
            if not verdict.passed:
                assert not any(f"{value:.3f}" in verdict.detail for value in records()["income"].to_pylist())


def of_step(number, **given):
    def plant(table, claim):
        made = {name: change(claim.steps[number - 1]) for name, change in given.items()}
        steps = list(claim.steps)
        steps[number - 1] = replace(steps[number - 1], **made)
        return table, replace(claim, steps=tuple(steps))

    return plant


IN_STEPS = {
    "a step forgets who left": of_step(2, dropped_rows=lambda step: step.dropped_rows[1:]),
    "a step names others": of_step(
        2, dropped_rows=lambda step: np.append(step.dropped_rows[1:], step.rows[0])
    ),
    "a step names one twice": of_step(
        2, dropped_rows=lambda step: np.append(step.dropped_rows, step.dropped_rows[0])
    ),
    "a step names one from nowhere": of_step(2, dropped_rows=lambda step: np.append(step.dropped_rows, N)),
    "a step that takes nobody says that it did": of_step(3, dropped_rows=lambda _: np.array([0])),
    "who left later is forgotten": of_step(1, dropped_later=lambda step: step.dropped_later[1:]),
    "rows of a step are those of another": of_step(1, rows=lambda step: np.arange(step.rows.size)),
    "rows before the first": of_step(2, rows=lambda step: step.rows - N),
    "the whole forgets who left": lambda table, claim: (
        table,
        replace(claim, dropped_rows=claim.dropped_rows[1:]),
    ),
}


@pytest.fixture(scope="module")
def stepped():
    return in_steps()


def test_good_steps_pass(stepped):
    assert not failed(stepped.data, stepped.claim)
    assert stepped.claim.steps[0].dropped_later.size == stepped.claim.dropped_rows.size > 0


@pytest.mark.parametrize("name", IN_STEPS)
def test_steps_that_do_not_account_for_who_left_are_found(name, stepped):
    assert "rows-complete" in failed(*IN_STEPS[name](stepped.data, stepped.claim))


def test_a_method_without_a_rule_may_lose_nobody():
    made = tacita.protect(records(), quasi=["income"], k=3, identifiers=["id"], measures=["IL1"])
    fewer, claim = one_more_left(made.data, made.claim)
    claim = replace(claim, labels=claim.labels[1:])
    assert "rows-complete" in failed(fewer, claim)


CONDITIONS = [
    ["age = 44"],
    ["age != 44"],
    ["age < 44"],
    ["age <= 44"],
    ["age > 44"],
    ["age >= 44"],
    ["sex = 'm'"],
    ["sex != 'm'"],
    ["age = missing"],
    ["age != missing and sex = 'f'"],
    ["age > 60 and sex = 'f'"],
    ["sex = 'f' and age > 60"],
    ["age > 60", "sex = 'm'"],
    ["sex = 'm'", "age > 60"],
]


@pytest.mark.each_once
@pytest.mark.parametrize("asked", CONDITIONS, ids=" or ".join)
@pytest.mark.parametrize("unknown", ["keep", "drop"])
def test_good_releases_pass_and_one_for_another_does_not(asked, unknown):
    ages = pa.array([44 if i in (3, 5) else age for i, age in enumerate(records()["age"].to_pylist())])
    table = records().set_column(1, "age", ages)
    given = {"records": asked, "unknown": unknown, "measures": ["IL1"]}
    made = tacita.protect(table, method="drop", **given)
    assert not failed(made.data, made.claim)
    assert made.claim.dropped_rows.size
    for gone, back in ((0, 0), (-1, -1), (0, -1)):
        rows = np.sort(np.append(np.delete(made.claim.rows, gone), made.claim.dropped_rows[back]))
        claim = replace(made.claim, rows=rows, dropped_rows=np.setdiff1d(np.arange(N), rows))
        assert "dropped-by-condition" in failed(table.take(rows), claim)


def test_what_the_claim_lacks_is_said(made):
    lacking = {
        "records": (dropping.dropped_by_condition, "the claim does not say which records leave"),
        "unknown": (dropping.dropped_by_condition, "the claim does not say which records leave"),
        "columns": (dropping.dropped, "the claim does not say which columns leave"),
    }
    for name, (check, words) in lacking.items():
        table, claim = without(name)(made.data, made.claim)
        assert check(Evidence(Microdata.of(table), claim)) == words


def test_a_column_that_is_still_there_is_said(made):
    table, claim = with_id(made.data, made.claim)
    told = dropping.dropped(Evidence(Microdata.of(table), claim))
    assert told == "1 columns to drop are still released: id"


def test_refusing_is_kept_where_nobody_is_open_and_shuffling_is_allowed_where_it_was_said():
    for shuffle in (False, True):
        made = tacita.protect(
            records(), method="drop", records="income > 30", shuffle=shuffle, measures=["IL1"]
        )
        assert not failed(made.data, made.claim)
        assert failed(made.data, replace(made.claim, shuffled=False)) == ({"dropped"} if shuffle else set())


def test_whoever_left_later_is_neither_there_nor_gone_by_the_condition():
    drops = [{"method": "drop", "records": each} for each in ("income > 40", "sex = 'm'")]
    made = tacita.protect(records(), steps=drops, measures=["IL1"])
    assert not failed(made.data, made.claim)
    assert made.claim.steps[0].dropped_later.size
    assert "rows-complete" in failed(
        *of_step(1, dropped_later=lambda step: step.dropped_later[:0])(made.data, made.claim)
    )
