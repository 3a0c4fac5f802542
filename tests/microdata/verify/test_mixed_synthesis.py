"""Broken syntheses of mixed data are caught by the promise they break, in the frame and in the file."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import tacita
from effort import one_form_each
from planting import Plant, cell, failed, judge, with_column
from seeds import SEED

FORMS = ("pyarrow", "csv", "parquet")
N = 240
K = 5
KEPT = {
    "rules": [
        "age < 15: wage = 0 and status = 'child'",
        "size <= 'small': grade = 1",
        "status = 'single': spouse = missing",
    ],
    "edits": ["wage + other = income", "tax <= wage", "2 * tax - wage <= 0.5"],
    "zeros": ["age < 15 and size = 'large'", "sex = 'm' and status = 'widow'"],
}
ROLES = {
    "dependent": ["status", "size", "grade", "wage", "other", "income", "tax", "spouse"],
    "independent": ["age", "sex"],
    "nominal": ["status", "sex"],
    "ordinal": {"size": ["small", "middle", "large"], "grade": []},
    "strata": ["region"],
}


def table():
    rng = np.random.default_rng(3)
    age, sex = rng.integers(5, 70, N), rng.choice(["m", "f"], N)
    child = age < 15
    grown = np.where(
        sex == "f", rng.choice(["single", "married", "widow"], N), rng.choice(["single", "married"], N)
    )
    status = np.where(child, "child", grown)
    size = np.where(child, rng.choice(["small", "middle"], N), rng.choice(["small", "middle", "large"], N))
    wage = np.where(child, 0, np.round(rng.lognormal(6, 1, N)) + 1)
    other = np.round(rng.exponential(50, N))
    tax = np.floor(wage * rng.uniform(0, 0.5, N))
    spouse = [
        None if each == "single" or i % 7 == 0 else int(a) + i % 11
        for i, (each, a) in enumerate(zip(status, age, strict=True))
    ]
    return pa.table(
        {
            "status": status,
            "size": size,
            "grade": np.where(size == "small", 1, rng.integers(1, 4, N)),
            "wage": wage,
            "other": other,
            "income": wage + other,
            "tax": tax,
            "spouse": pa.array(spouse, pa.float64()),
            "age": age,
            "sex": sex,
            "region": ["north" if i % 2 else "south" for i in range(N)],
            "note": [f"n{i}" for i in range(N)],
        }
    )


@pytest.fixture(scope="module")
def sound():
    options = {**ROLES, **KEPT, "seed": SEED, "measures": ["IL1"], "missing": "level", "method": "trees"}
    return tacita.synthesize(table(), **options)


def column(name, change):
    """Other cells in a column, out of the originals and the published ones."""

    def planted(made, claim):
        before = claim.original.native[name].take(pa.array(claim.rows)).to_pylist()
        after = change(before, made[name].to_pylist(), made)
        kind = made.schema.field(name).type
        return with_column(made, name, after, kind)

    return planted


def several(*changes):
    def planted(made, claim):
        for change in changes:
            made = change(made, claim)
        return made

    return planted


def first(made, condition):
    """The first row where a condition on the whole record holds."""
    return next(i for i, row in enumerate(made.to_pylist()) if condition(row))


def where(condition, name, value):
    """One cell of the first record of a kind."""

    def planted(made, claim):
        return cell(name, first(made, condition), value)(made, claim)

    return planted


def adult(row):
    return row["age"] >= 15


def child(row):
    return row["age"] < 15


def renamed(kind):
    """A column of another type."""

    def planted(made, _):
        return with_column(made, "other", made["other"].cast(kind), kind)

    return planted


PLANTS = {
    "a category that nobody has": Plant("synthetic-cells", cell("status", 3, "astronaut")),
    "another spelling of a category": Plant("synthetic-cells", cell("status", 3, "Child ")),
    "a level beyond the order": Plant("synthetic-cells", cell("size", 3, "huge")),
    "a grade that nobody has": Plant("synthetic-cells", cell("grade", 3, 9)),
    "numbers of another width": Plant("synthetic-cells", renamed(pa.float32()), ("pyarrow", "parquet")),
    "numbers as whole ones": Plant("synthetic-cells", renamed(pa.int64()), ("pyarrow", "parquet")),
    "numbers with needless zeros": Plant(
        "synthetic-cells",
        lambda made, _: with_column(
            made, "other", [f"{each:.2f}" for each in made["other"].to_pylist()], pa.string()
        ),
        ("csv",),
    ),
    "a column as it was": Plant("values-redrawn", column("other", lambda before, *_: before)),
    "a column as it was, with dust": Plant(
        "values-redrawn", column("other", lambda before, *_: [each + 1e-4 for each in before])
    ),
    "a column as it was in a stratum": Plant(
        "values-redrawn",
        column(
            "other",
            lambda before, after, _: [
                a if i % 2 else b for i, (a, b) in enumerate(zip(before, after, strict=True))
            ],
        ),
    ),
    "categories as they were": Plant("values-redrawn", column("status", lambda before, *_: before)),
    "gaps as they were": Plant("values-redrawn", column("spouse", lambda before, *_: before)),
    "three in four values as they were": Plant(
        "values-redrawn",
        column(
            "tax",
            lambda before, after, _: [
                a if i % 8 < 6 else b for i, (a, b) in enumerate(zip(before, after, strict=True))
            ],
        ),
    ),
    "the largest value": Plant(
        "extremes-hidden", column("other", lambda before, after, _: [max(before), *after[1:]])
    ),
    "a value beyond all": Plant("extremes-hidden", cell("other", 5, 99999.0)),
    "the largest but one": Plant(
        "extremes-hidden", column("tax", lambda before, after, _: [*after[:-1], sorted(before)[-2]])
    ),
    "a negative value": Plant("extremes-hidden", cell("other", 7, -1.0)),
    "the mean of four": Plant(
        "extremes-hidden",
        column("income", lambda before, after, _: [*after[:-1], float(np.mean(sorted(before)[-3:]))]),
    ),
    "an adult with a child's status and no gap": Plant("rules-kept", where(child, "status", "single")),
    "a child with a wage": Plant("rules-kept", where(child, "wage", 100.0)),
    "a child without a wage known": Plant("rules-kept", where(child, "wage", None)),
    "a large child": Plant("rules-kept", where(child, "size", "large")),
    "a small one of another grade": Plant(
        "rules-kept", where(lambda row: row["size"] == "small", "grade", 2)
    ),
    "somebody single with a spouse": Plant(
        "rules-kept", where(lambda row: row["status"] == "single", "spouse", 30.0)
    ),
    "a widow who is a man": Plant(
        "rules-kept", where(lambda row: row["sex"] == "m" and adult(row), "status", "widow")
    ),
    "a sum that is one too high": Plant("edits-kept", cell("income", 11, lambda value: value + 1)),
    "a sum that is a millionth off": Plant("edits-kept", cell("income", 11, lambda value: value + 1e-3)),
    "a part that changed": Plant("edits-kept", cell("other", 12, lambda value: value + 1)),
    "more tax than wage": Plant("edits-kept", where(adult, "tax", lambda value: value + 1e4)),
    "more than half of the wage as tax": Plant(
        "edits-kept",
        lambda made, _: with_column(
            made,
            "tax",
            [
                0.9 * w if i == first(made, adult) else t
                for i, (w, t) in enumerate(
                    zip(made["wage"].to_pylist(), made["tax"].to_pylist(), strict=True)
                )
            ],
        ),
    ),
    "all sums doubled": Plant(
        "edits-kept", column("income", lambda _, after, __: [2 * each for each in after])
    ),
    "an independent category changed": Plant(
        "others-identical", cell("sex", 2, lambda value: "f" if value == "m" else "m")
    ),
    "an independent number changed": Plant("others-identical", cell("age", 2, lambda value: value + 1)),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_sound_release_passes_in_every_form(form, sound):
    assert not failed(judge(form, sound.data, sound.claim))


@pytest.mark.parametrize(
    ("name", "form"),
    one_form_each({name: [form for form in FORMS if form in plant.forms] for name, plant in PLANTS.items()}),
)
def test_what_is_planted_is_found_by_its_promise(name, form, sound):
    plant = PLANTS[name]
    assert plant.breaks in failed(judge(form, plant.change(sound.data, sound.claim), sound.claim))


def rare_release(**changed):
    """A release of a file in which two originals of one stratum have a category, and three no number."""
    frame = table()
    status = ["rare" if i in (1, 3) else each for i, each in enumerate(frame["status"].to_pylist())]
    other = [None if i in (1, 3, 5) else each for i, each in enumerate(frame["other"].to_pylist())]
    frame = frame.set_column(0, "status", pa.array(status)).set_column(
        4, "other", pa.array(other, pa.float64())
    )
    options = {
        "dependent": ["status", "other"],
        "independent": ["age"],
        "nominal": ["status"],
        "strata": ["region"],
    }
    return tacita.synthesize(
        frame, **options, missing="level", method="trees", seed=SEED, measures=["IL1"], **changed
    )


RARE = {
    "a category of two": ("status", 1, "rare"),
    "the same in the other stratum": ("status", 0, "rare"),
    "a gap that three have": ("other", 1, None),
    "a gap where nobody has one": ("status", 1, None),
}


@pytest.mark.each_once
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", RARE)
def test_what_fewer_than_k_originals_have_is_found(case, form):
    made = rare_release(k=K, accept_risks=True)
    assert not failed(judge(form, made.data, made.claim))
    assert "labels-shared" in failed(judge(form, cell(*RARE[case])(made.data, made.claim), made.claim))


def test_a_gap_is_found_where_missing_is_no_level():
    frame = table().select(["status", "other", "age"])
    made = tacita.synthesize(
        frame,
        dependent=["status", "other"],
        independent=["age"],
        nominal=["status"],
        method="copula",
        seed=SEED,
        measures=["IL1"],
    )
    for name in ("status", "other"):
        assert "synthetic-cells" in failed(
            judge("pyarrow", cell(name, 4, None)(made.data, made.claim), made.claim)
        )


CLAIMS = {
    "no limit of what may come back": ("values-redrawn", lambda claim: without(claim, "max_unchanged")),
    "no rule": ("rules-kept", lambda claim: without(claim, "rules", "zeros")),
    "no edit": ("edits-kept", lambda claim: without(claim, "edits")),
    "no k": ("extremes-hidden", lambda claim: replace(claim, k=None)),
    "k of one": ("labels-shared", lambda claim: replace(claim, k=1)),
    "a larger k": ("extremes-hidden", lambda claim: replace(claim, k=30)),
    "a stricter rule": ("rules-kept", lambda claim: terms(claim, rules=["age < 40: wage = 0"])),
    "another zero": ("rules-kept", lambda claim: terms(claim, zeros=["status = 'married'"])),
    "another sum": ("edits-kept", lambda claim: terms(claim, edits=["wage + other = tax"])),
    "another order": ("edits-kept", lambda claim: terms(claim, edits=["wage <= tax"])),
    "a rule about what is missing": (
        "rules-kept",
        lambda claim: terms(claim, rules=["age > 20: spouse != missing"]),
    ),
    "an order of levels": ("rules-kept", lambda claim: terms(claim, rules=["age >= 15: size >= 'middle'"])),
    "a grade by its number": ("rules-kept", lambda claim: terms(claim, zeros=["grade = 2"])),
    "gaps not declared": ("synthetic-cells", lambda claim: replace(claim, missing_drawn=False)),
}


def without(claim, *names):
    return replace(claim, terms={name: value for name, value in claim.terms.items() if name not in names})


def terms(claim, **changed):
    return replace(claim, terms={**claim.terms, **changed})


@pytest.mark.parametrize("case", CLAIMS)
def test_a_claim_that_says_more_than_the_file_keeps_is_refuted(case, sound):
    breaks, change = CLAIMS[case]
    assert breaks in failed(judge("pyarrow", sound.data, change(sound.claim)))


def test_what_a_rule_gives_may_be_rare_and_extreme():
    frame = table()
    ages = [3 if i < 3 else max(age, 15) for i, age in enumerate(frame["age"].to_pylist())]
    wages = [-9.0 if i < 3 else wage + 5 for i, wage in enumerate(frame["wage"].to_pylist())]
    status = ["baby" if i < 3 else "grown" for i in range(N)]
    given = pa.table({"age": ages, "wage": wages, "status": status})
    made = tacita.synthesize(
        given,
        dependent=["wage", "status"],
        independent=["age"],
        nominal=["status"],
        method="trees",
        rules=["age < 15: wage = -9 and status = 'baby'"],
        max_unchanged=1,
        accept_risks=True,
        seed=SEED,
        measures=["IL1"],
    )
    assert made.data["wage"].to_pylist()[:3] == [-9.0] * 3
    assert made.data["status"].to_pylist()[:3] == ["baby"] * 3
