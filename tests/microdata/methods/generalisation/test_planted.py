"""What is wrong with a generalised file is found by the check that says so; good ones pass."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import tacita
from tacita.core import Microdata
from tacita.io.formats.csv import CSV
from tacita.microdata import verify

N = 240
NESTED = {"low": ["a0", "a1", "a2"], "high": ["a3", "a4", "a5"]}
MODEL = {"l_diversity": {"column": "s", "l": 2}}
METHODS = ("generalise", "recode-local", "mondrian")


def records(gaps=True):
    generator = np.random.default_rng(8)
    ages = generator.integers(20, 70, N)
    return pa.table(
        {
            "a": pa.array([f"a{i}" for i in generator.choice(6, N)]),
            "b": pa.array([f"b{i}" for i in generator.choice(3, N)], mask=gaps & (np.arange(N) % 9 == 0)),
            "age": pa.array([str(age // 10 * 10) for age in ages]),
            "s": pa.array([f"s{i}" for i in generator.choice(3, N)]),
            "region": pa.array(["n" if i % 3 else "s" for i in range(N)]),
            "unit": pa.array([f"u{i // 2}" for i in range(N)]),
            "income": pa.array(generator.normal(size=N)),
        }
    )


def release(method="generalise", **given):
    settings = {"k": 4, "models": MODEL, **given}
    if method == "generalise":
        settings = {"suppression_limit": 0.1, **settings}
    return tacita.protect(
        settings.pop("frame", records()),
        quasi=["a", "b", "age"],
        hierarchy={"a": NESTED},
        strata=["region"],
        unit="unit",
        identifiers=["unit"],
        method=method,
        measures=["k_anonymity"],
        **settings,
    )


def failed(data, claim):
    return {each.guarantee for each in verify.verify(Microdata.of(data), claim) if not each.passed}


@pytest.fixture(scope="module", params=METHODS)
def made(request):
    return release(request.param)


def test_a_good_release_passes(made):
    assert not failed(made.data, made.claim)
    assert made.data["income"].to_pylist() == [
        records()["income"][row].as_py() for row in made.claim.rows.tolist()
    ]


def changed(table, name, cells):
    return table.set_column(table.column_names.index(name), name, pa.array(cells, pa.string()))


def one_cell(name, value):
    def plant(table, claim):
        cells = table[name].to_pylist()
        at = next(i for i, cell in enumerate(cells) if cell != value)
        cells[at] = value
        return changed(table, name, cells), claim

    return plant


def originals(name, rows=None):
    def plant(table, claim):
        cells, old = table[name].to_pylist(), records()[name].to_pylist()
        for i, row in enumerate(claim.rows.tolist()[:rows]):
            cells[i] = old[row]
        return changed(table, name, cells), claim

    return plant


def emptied(table, claim):
    for name in ("a", "b", "age"):
        cells = table[name].to_pylist()
        cells[0] = None
        table = changed(table, name, cells)
    return table, claim


def swapped(name):
    def plant(table, claim):
        cells = table[name].to_pylist()
        return changed(table, name, cells[1:] + cells[:1]), claim

    return plant


def fewer(count):
    def plant(table, claim):
        return table.slice(count), replace(
            claim, rows=claim.rows[count:], dropped_rows=np.append(claim.dropped_rows, claim.rows[:count])
        )

    return plant


def terms(**given):
    return lambda table, claim: (table, replace(claim, terms={**claim.terms, **given}))


def of_claim(**given):
    return lambda table, claim: (table, replace(claim, **given))


# what was planted, and a promise that must fail
PLANTED = {
    "all originals of a": (originals("a"), "k-anonymous"),
    "all originals": (
        lambda table, claim: originals("age")(*originals("b")(*originals("a")(table, claim))),
        "k-anonymous",
    ),
    "one strange a": (one_cell("a", "a9"), "generalised"),
    "one strange b": (one_cell("b", "b9"), "generalised"),
    "one strange age": (one_cell("age", "ten"), "generalised"),
    "an empty label": (one_cell("a", ""), "generalised"),
    "one record alone by a": (one_cell("a", "a9"), "k-anonymous"),
    "one record alone by b": (one_cell("b", "b9"), "k-anonymous"),
    "keys of a record gone": (emptied, "k-anonymous"),
    "keys of a record withheld unasked": (emptied, "generalised"),
    "b missing in one": (one_cell("b", None), "generalised"),
    "a row that left unsaid": (
        lambda table, claim: (table.slice(1), replace(claim, rows=claim.rows[1:])),
        "rows-complete",
    ),
    "a row that left twice": (
        lambda table, claim: (table, replace(claim, dropped_rows=np.array([5, 5]))),
        "rows-complete",
    ),
    "a row that left and stayed": (
        lambda table, claim: (table, replace(claim, dropped_rows=claim.rows[:1])),
        "rows-complete",
    ),
    "a row that left from nowhere": (of_claim(dropped_rows=np.array([N + 3])), "rows-complete"),
    "too many left": (fewer(60), "few-suppressed"),
    "a harder model": (terms(models={"l_diversity": {"column": "s", "l": 9}}), "models-hold"),
    "a closer model": (terms(models={"t_closeness": {"column": "s", "t": 0.0}}), "models-hold"),
    "a stricter likeness": (terms(models={"beta_likeness": {"column": "s", "beta": 1e-6}}), "models-hold"),
    "an enhanced likeness": (
        terms(models={"beta_likeness": {"column": "s", "kind": "enhanced", "beta": 1e-6}}),
        "models-hold",
    ),
    "a stricter disclosure": (
        terms(models={"delta_disclosure": {"column": "s", "delta": 1e-6}}),
        "models-hold",
    ),
    "a recursive model": (
        terms(models={"l_diversity": {"column": "s", "kind": "recursive", "l": 3, "c": 0.01}}),
        "models-hold",
    ),
    "an entropy model": (
        terms(models={"l_diversity": {"column": "s", "kind": "entropy", "l": 3}}),
        "models-hold",
    ),
    "a larger k": (of_claim(k=200), "k-anonymous"),
    "no k": (of_claim(k=None), "k-anonymous"),
    "k of one": (of_claim(k=1), "k-anonymous"),
}


@pytest.mark.parametrize("plant", PLANTED)
def test_a_planted_failure_is_found_by_name(made, plant):
    change, guarantee = PLANTED[plant]
    data, claim = change(made.data, made.claim)
    assert guarantee in failed(data, claim)


OF_LEVELS = {
    "another level of a": terms(levels={"a": 0, "b": 0, "age": 0}),
    "a level too many": terms(levels={"a": 9, "b": 0, "age": 0}),
    "a column without level": terms(levels={"a": 0, "b": 0}),
    "no levels": terms(levels={}),
    "one value finer": originals("a", 3),
    "one left too many": fewer(1),
    "values of others": swapped("age"),
}


@pytest.mark.parametrize("plant", OF_LEVELS)
def test_a_planted_failure_of_levels_is_found(plant):
    good = release()
    levels = good.claim.terms["levels"]
    data, claim = OF_LEVELS[plant](good.data, good.claim)
    if claim.terms["levels"] == levels and data.equals(good.data):
        pytest.fail("nothing was planted")
    assert "levels-as-told" in failed(data, claim)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_release_of_every_method_is_written_and_verified(method, form, tmp_path):
    tacita.save(release(method), tmp_path / f"out.{form}")
    assert (tmp_path / f"out.{form}").stat().st_size


@pytest.mark.parametrize("method", METHODS)
def test_no_combination_of_keys_stands_less_than_k_times_in_its_stratum(method):
    data = release(method).data
    keys = list(zip(*(data[name].to_pylist() for name in ("region", "a", "b", "age")), strict=True))
    assert min(keys.count(key) for key in keys) >= 4


def test_withheld_records_are_none_or_k_and_keep_their_other_columns():
    seen = 0
    for seed in range(6):
        frame = records(gaps=False).take(np.random.default_rng(seed).permutation(N)[:150])
        made = release(frame=frame, outliers="withhold", models={}, suppression_limit=0.2)
        empty = [
            i
            for i in range(made.data.num_rows)
            if all(made.data[name][i].as_py() is None for name in ("a", "b", "age"))
        ]
        assert made.data.num_rows == 150
        assert len(empty) == made.record.steps[0].search["withheld"]
        regions = [made.data["region"][i].as_py() for i in empty]
        assert all(regions.count(region) >= 4 for region in regions)
        seen += len(empty)
    assert seen


def test_a_withheld_cell_of_a_text_file_does_not_show_what_stood_there(tmp_path):
    path = tmp_path / "in.csv"
    path.write_bytes(CSV().encode(Microdata.of(records(gaps=False))))
    made = release(frame=tacita.read(path), outliers="withhold", models={}, suppression_limit=0.3)
    assert made.record.steps[0].search["withheld"]
    assert {each.name for each in made.record.warnings} >= {"keys-withheld"}
    tacita.save(made, tmp_path / "out.csv")


def test_records_that_leave_are_counted_and_told():
    made = release()
    left = made.record.steps[0].search["suppressed"]
    assert left == N - made.record.records_out == made.claim.dropped_rows.size
    assert [each.count for each in made.record.warnings if each.name == "records-suppressed"] == [left][
        : left > 0
    ]


def test_the_same_input_gives_the_same_bytes(tmp_path):
    for method in METHODS:
        for name in ("one", "other"):
            tacita.save(release(method), tmp_path / f"{method}-{name}.parquet")
        one, other = ((tmp_path / f"{method}-{name}.parquet").read_bytes() for name in ("one", "other"))
        assert one == other


def test_local_recoding_is_never_worse_than_full_domain():
    for limit in (0.0, 0.1):
        found = release("recode-local", suppression_limit=limit, models={}).record.steps[0].search
        assert found["score"] <= found["full_domain"] + 1e-12


@pytest.mark.parametrize(
    ("models", "later"),
    [
        (MODEL, {"method": "pram", "quasi": ["s"], "nominal": ["s"]}),
        ({"k_map": {"k": 6, "weight": "income"}}, {"method": "round", "quasi": ["income"], "base": 0.5}),
    ],
    ids=["values of a class", "weights"],
)
def test_a_later_step_that_changes_what_a_model_speaks_of_withdraws_its_promise(models, later):
    frame = records(gaps=False)
    weights = pa.array(1 + np.abs(np.array(frame["income"])))
    frame = frame.set_column(frame.column_names.index("income"), "income", weights)
    steps = [{"method": "generalise", "quasi": ["a", "age"], "k": 4, "models": models}, later]
    made = tacita.protect(frame, steps=steps, identifiers=["unit"], hierarchy={"a": NESTED})
    assert [(each.guarantee, each.step, each.by) for each in made.record.withdrawn] == [("models-hold", 1, 2)]
    told = {each.guarantee for each in made.record.verdicts}
    assert "k-anonymous" in told
    assert "models-hold" not in told
