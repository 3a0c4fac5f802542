"""A seed that can be guessed undoes what it drew: it is refused where it protects, unless insisted on."""

import json
import tomllib

import numpy as np
import pyarrow as pa
import pytest

import tacita
from seeds import SEED
from tacita import ParameterError, RunContext
from tacita.cli import run_command
from tacita.core.spec.seeds import as_seed
from tacita.report import review_json

SMALL = 407


def table(n=60):
    rng = np.random.default_rng(0)
    s = rng.normal(size=n)
    return pa.table({"s": s, "x": rng.integers(10_000, 99_999, n), "y": rng.integers(100, 999, n)})


PROTECTED = {"quasi": ["x", "y"], "measures": ["IL1"]}
DRAWN = {"dependent": ["x", "y"], "independent": ["s"], "measures": ["IL1"]}
VERBS = {
    "noise": lambda **o: tacita.protect(table(), **PROTECTED, method="noise", **o),
    "rank-swap": lambda **o: tacita.protect(table(), **PROTECTED, method="rank-swap", **o),
    "ipso-c": lambda **o: tacita.synthesize(table(), **DRAWN, method="ipso-c", **o),
    "a shuffled mdav": lambda **o: tacita.protect(table(), **PROTECTED, shuffle=True, **o),
}


def undo_noise(released, seeds, alpha):
    """What an attacker makes of released columns of whole numbers: nothing of the originals goes in.

    He draws the noise of every seed again. Its size he has from the released variance, up to the chance
    covariance of noise and data, so he tries sizes near it; noise taken away, whole numbers are left.
    """
    n, d = released.shape
    for seed in seeds:
        drawn = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,))).standard_normal((n, d))
        column = released[:, 0]
        # z = x + a e has var z = var x + 2 a cov(x, e) + a^2 var e, and a^2 = alpha var x: one unknown, a
        e = drawn[:, 0]
        c = np.cov(column, e)
        # var x = var z - 2 a cov(z, e) + a^2 var e
        roots = np.roots([c[1, 1] - 1 / alpha, -2 * c[0, 1], c[0, 0]])
        for size in roots[np.isreal(roots) & (roots.real > 0)].real:
            guess = column - size * e
            if np.abs(guess - np.rint(guess)).max() < 1e-6:
                return np.rint(guess)
    return None


def test_noise_of_a_small_seed_is_taken_away_from_the_release_alone():
    made = VERBS["noise"](alpha=0.1, seed=SMALL, accept_risks=True)
    released = np.column_stack([made.data["x"], made.data["y"]])
    assert np.array_equal(undo_noise(released, range(1000), 0.1), table()["x"].to_numpy())


@pytest.mark.parametrize("verb", VERBS)
def test_a_small_seed_that_protects_is_refused(verb):
    for options in ({"seed": SMALL}, {"context": RunContext(seed=SMALL)}, {"seed": 2**64 - 1}):
        with pytest.raises(ParameterError, match=r"at least 2\*\*64.*seed=.new.*accept_risks=.guess"):
            VERBS[verb](**options)
    assert VERBS[verb](seed=2**64).record.accepted_risks == ()


@pytest.mark.parametrize("verb", VERBS)
def test_a_small_seed_that_is_insisted_on_is_recorded_and_warned_of(verb):
    made = VERBS[verb](seed=SMALL, accept_risks=True)
    assert made.record.accepted_risks == ("guessable-seed",)
    assert [c.count for c in made.record.warnings if c.name == "guessable-seed"] == [60]


def test_insisting_is_recorded_by_what_was_insisted_on():
    assert VERBS["a shuffled mdav"](accept_risks=True).record.accepted_risks == ()
    two = VERBS["a shuffled mdav"](accept_risks=True, k=2, seed=SMALL)
    assert two.record.accepted_risks == ("k-of-2", "guessable-seed")
    content = json.loads(review_json(two))
    assert content["record"]["accepted_risks"] == ["k-of-2", "guessable-seed"]
    assert content["record"]["seed"] == SMALL


@pytest.mark.parametrize("method", ["mdav", "best", "ga", "onedims"])
def test_a_small_seed_that_only_steers_a_search_is_fine(method):
    options = {"effort": 0.01} if method == "best" else {}
    made = tacita.protect(table(), **PROTECTED, method=method, seed=SMALL, **options)
    assert made.record.seed == SMALL
    assert made.record.accepted_risks == ()


@pytest.mark.parametrize("method", ["regression", "fcrm"])
def test_a_small_seed_of_a_synthesis_that_draws_nothing_is_fine(method):
    assert tacita.synthesize(table(), **DRAWN, method=method, seed=SMALL).record.accepted_risks == ()


def test_a_new_seed_is_long_differs_and_repeats_the_run():
    first, second = (VERBS["noise"](seed="new") for _ in range(2))
    assert min(first.record.seed, second.record.seed) >= 2**127
    assert first.record.seed != second.record.seed
    assert not first.data.equals(second.data)
    assert VERBS["noise"](seed=first.record.seed).data.equals(first.data)
    assert VERBS["noise"](context=RunContext(seed="new")).record.seed >= 2**127


def test_a_seed_is_the_same_in_every_spelling():
    made = [VERBS["noise"](seed=seed).data for seed in (SEED, str(SEED), hex(SEED))]
    assert made[0].equals(made[1])
    assert made[0].equals(made[2])
    assert as_seed(f" {SEED} ") == SEED


@pytest.mark.parametrize("seed", ["luck", "0xxy", "1.5", "", 1.5, True, "1" * 5000, 2**256, -1, "-1", [7]])
def test_what_is_no_seed_is_refused_and_never_repeated(seed):
    with pytest.raises(ParameterError, match="seed must") as refused:
        as_seed(seed)
    assert "luck" not in str(refused.value)


def test_a_comparison_refuses_a_small_seed_only_where_it_protects():
    options = {"quasi": ["x", "y"], "loss": "IL1", "risk": "DLD"}
    trials = tacita.compare_methods(table(), method=["mdav", "noise"], seed=SMALL, **options)
    reasons = {trial.method: trial.reason for trial in trials}
    assert reasons["mdav"] is None
    assert "seed='new'" in reasons["noise"]
    with pytest.raises(ParameterError, match=r"seed=.new."):
        tacita.compare_methods(table(), method=["noise"], alpha=[0.1, 0.2], seed=SMALL, **options)
    drawn = tacita.compare_methods(table(), method=["noise", "rank-swap"], seed="new", **options)
    assert drawn.origin.seed >= 2**127


@pytest.mark.parametrize("command", ["protect", "synthesize"])
def test_the_plan_of_a_run_with_a_new_seed_repeats_it(command, tmp_path):
    tacita.api.write_frame(table(), tmp_path / "in.csv")
    roles = "--quasi x,y --method noise" if command == "protect" else "--dependent x,y --independent s"
    words = f"{command} in.csv --out one.csv {roles} --seed new --save-plan plan.toml --json one.json --quiet"
    before = tmp_path.joinpath
    assert run_command([str(before(w)) if "." in w else w for w in words.split()]) == 0
    seed = tomllib.loads(before("plan.toml").read_text())["protect"]["seed"]
    assert int(seed) >= 2**127
    assert json.loads(before("one.json").read_text())["record"]["seed"] == seed
    first = before("one.csv").read_bytes()
    before("one.csv").unlink()
    assert run_command(["run", str(before("plan.toml")), "--quiet", "--force"]) == 0
    assert before("one.csv").read_bytes() == first


def test_a_plan_takes_a_long_seed_as_text_and_as_a_number():
    written = '[input]\npath = "a.csv"\n[roles]\nquasi = "x"\n[protect]\nseed = {}\n[output]\npath = "b.csv"'
    for seed in (str(SEED), f'"{SEED}"', f'"{SEED:#x}"'):
        plan = tacita.Plan.from_toml("version = 1\n" + written.format(seed))
        assert plan.protect.seed == SEED
        assert f'seed = "{SEED}"' in plan.to_toml()
        assert f"seed={SEED}" in plan.to_python()
