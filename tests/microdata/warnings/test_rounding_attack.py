"""Rounding must not undo a masking: what comes back is counted, warned of, refused, and verified apart."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from effort import MANY
from planting import failed, judge
from seeds import SEED
from tacita import ParameterError, VerificationError, datasets, registry
from tacita.core import Microdata, Roles
from tacita.core.results.release import Claim
from tacita.microdata.methods.masking.masking_method import Masked, Masking
from tacita.microdata.protection.protect import ProtectedStep, protect
from tacita.microdata.verify import verify
from tacita.microdata.warnings import rounding_attack

N = 300


def table():
    rng = np.random.default_rng(1)
    return pa.table(
        {
            "staff": rng.integers(1, 12, N),
            "price": np.round(rng.lognormal(3, 1, N), 2),
            "sales": rng.integers(10, 900, N) * 1000,
            "share": rng.normal(size=N),
        }
    )


def masked(method, quasi=("staff", "price", "sales", "share"), **options):
    return tacita.protect(table(), quasi=list(quasi), method=method, measures=["IL1"], seed=SEED, **options)


class Identity(Masking):
    """Publishes what it was given.

    O(1). Source: nobody.
    """

    def change(self, x, units, beside, run):
        return Masked(x.copy())


@pytest.fixture
def identity(monkeypatch):
    found, known = registry.lookup, registry.locations()
    # as an entry point would add it
    masking = {**known["masking"], "identity": "somewhere:Identity"}
    monkeypatch.setattr(registry, "locations", lambda: {**known, "masking": masking})
    monkeypatch.setattr(
        registry, "lookup", lambda name, *k: Identity if name == "identity" else found(name, *k)
    )


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("noise", {"alpha": 1e-20}),
        ("noise", {"alpha": 1e-4}),
        ("correlated-noise", {"alpha": 1e-8}),
        ("romm", {"strength": 1e-6}),
    ],
)
def test_a_masking_that_rounding_undoes_is_refused_with_a_way_out(method, options):
    (strength,) = options
    with pytest.raises(
        ParameterError, match=f"column staff gives back 300 of 300.*Raise {strength}.*accept_risks"
    ):
        masked(method, **options)


@pytest.mark.each_once
@pytest.mark.parametrize("rows", [3, 4, 5, 10, N])
@pytest.mark.parametrize("columns", [["staff"], ["share"], ["staff", "price", "sales", "share"]])
@pytest.mark.usefixtures("identity")
def test_an_identity_never_leaves_the_house_unless_insisted_on(rows, columns):
    frame = table().slice(0, rows).set_column(0, "staff", pa.array(range(rows)))
    options = {"quasi": columns, "method": "identity", "measures": ["IL1"]}
    with pytest.raises(ParameterError, match=f"{rows} of {rows} values"):
        tacita.protect(frame, **options)
    one = tacita.protect(frame, accept_risks=True, **options)
    assert one.record.accepted_risks == ("rounding-restores",)
    assert "a masking was accepted that rounding undoes" in one.record.not_promised[0]
    assert "rounding-withstood" not in {verdict.guarantee for verdict in one.record.verdicts}


@pytest.mark.usefixtures("identity")
def test_the_verifier_finds_an_identity_by_itself(monkeypatch):
    monkeypatch.setattr(rounding_attack, "against_advice", lambda _: {})
    with pytest.raises(VerificationError, match="rounding-withstood: 4 columns are restored by rounding"):
        masked("identity")


@pytest.mark.parametrize("form", ["pyarrow", "csv"])
def test_the_verifier_finds_a_planted_column_and_planted_records(form):
    sound = masked("noise", ["price", "share"], alpha=0.5)
    assert not failed(judge(form, sound.data, sound.claim))
    price, share = (np.array(table()[name]) for name in ("price", "share"))
    promised = replace(sound.claim, guarantees=("masked-cells",))

    def planted(rows, *names):
        found = sound.data
        for name, original in (("price", price), ("share", share)):
            if name in names:
                cells = found[name].to_numpy().copy()
                cells[:rows] = original[:rows] + 1e-9
                found = found.set_column(found.column_names.index(name), name, pa.array(cells))
        return failed(judge(form, found, promised))

    assert planted(200, "price") == {"rounding-withstood"}
    assert planted(120, "price") == set()
    assert planted(100, "price", "share") == {"rounding-withstood"}
    assert planted(40, "price", "share") == set()


def test_what_comes_back_is_counted_and_warned_of():
    one = masked("noise", ["staff", "share"], alpha=0.1)
    back = np.rint(np.array(one.data["staff"])) == np.array(table()["staff"])
    told = [c for c in one.record.warnings if c.name == "rounding-restores" and "staff" in c.text]
    assert [warning.count for warning in told] == [int(back.sum())]
    assert 0.2 * N < back.sum() < 0.8 * N
    assert not [c for c in one.record.warnings if c.name == "rounding-restores" and "share" in c.text]


def test_the_step_is_that_of_the_digits_or_a_thousandth_of_the_spread():
    strata = np.zeros(N, dtype=np.int64)
    found = {
        name: float(rounding_attack.steps(np.array(table()[name], float), strata)[0])
        for name in table().column_names
    }
    spread = {name: np.std(np.array(table()[name], float), ddof=1) for name in found}
    assert found["staff"] == 1
    assert found["price"] == max(0.01, spread["price"] / 1000)
    assert found["sales"] == 1000
    assert found["share"] == spread["share"] / 1000


def test_chance_alone_is_what_a_random_order_gives_back():
    rng = np.random.default_rng(3)
    x, strata = rng.poisson(2, 400).astype(float), np.repeat([0, 1], 200)
    counts = []
    for _ in range(400):
        mixed = x.copy()
        for part in (slice(0, 200), slice(200, 400)):
            mixed[part] = rng.permutation(x[part])
        counts.append((mixed == x).sum())
    expected = rounding_attack._restored("x", x, x, strata).by_chance
    assert abs(np.mean(counts) - expected) < 4 * np.std(counts) / 20
    by_chance = rounding_attack._restored("x", x, mixed, strata)
    assert not by_chance.too_many
    assert abs(by_chance.share) < 0.15


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(3, 60),
    digits=st.integers(-2, 3),
    parts=st.integers(1, 2),
    weakness=st.sampled_from([0.0, 0.1, 0.3, 1.0]),
    kept=st.sampled_from([0.0, 0.3, 0.6, 1.0]),
)
@MANY
def test_method_and_verifier_come_to_the_same_verdict(seed, n, digits, parts, weakness, kept):
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=(n, 2)) * 3 * 10.0**-digits, digits)
    strata = np.arange(n) % parts
    z = np.where(rng.random((n, 2)) < kept, x, x + weakness * x.std() * rng.normal(size=(n, 2)))
    frame = pa.table({"a": x[:, 0], "b": x[:, 1], "part": strata})
    data = Microdata.of(frame).with_roles(Roles(quasi=["a", "b"], strata=["part"]))
    released = Microdata.of(pa.table({"a": z[:, 0], "b": z[:, 1], "part": strata}))
    claim = Claim(data, np.arange(n), None, None, ("masked-cells",))
    made = ProtectedStep(released, None, tacita.get_method("noise"), claim, x, z, strata)
    refused = "rounding-withstood" in failed(verify(released, claim))
    assert refused is bool(rounding_attack.against_advice(made))


@pytest.mark.each_once
@pytest.mark.parametrize("name", ["business", "household"])
@pytest.mark.parametrize("method", ["noise", "correlated-noise", "romm", "rank-swap", "shuffle", "onedims"])
def test_maskings_of_surveys_with_many_equal_values_are_not_refused(name, method):
    roles = {
        role: names for role, names in datasets.describe(name).roles.items() if role != "strata" and names
    }
    one = tacita.protect(datasets.load(name), **roles, method=method, measures=["IL1"])
    assert one.record.accepted_risks == ()


@pytest.mark.parametrize("method", ["noise", "rank-swap", "shuffle"])
@pytest.mark.parametrize("name", ["census", "tarragona", "eia"])
def test_maskings_of_the_benchmark_files_are_not_refused(benchmark, name, method):
    x = benchmark(name)
    frame = pa.table({f"c{j}": x[:, j] for j in range(x.shape[1])})
    made = protect(
        Microdata.of(frame).with_roles(Roles(quasi="numeric")),
        tacita.get_method(method),
        tacita.RunContext(),
    )
    assert rounding_attack.against_advice(made) == {}
