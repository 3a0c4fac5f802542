"""Every entry of the registry keeps the laws of its kind, and those that need the whole house."""

import re
import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints

import numpy as np
import pytest

import tables_at_hand
import tacita
from seeds import SEED
from tacita import registry, testing
from tacita.microdata.statistics.standardise import standardise
from tacita.testing.examples import numbers, persons

# parameters without which a method has nothing to do
NEEDED = {
    "recode": {"map": {"town 1": "town 2"}},
    "top-code": {"share": 0.1, "by": "mean"},
    "bottom-code": {"limit": 6.5},
    "round": {"base": 2.5, "random": True},
    "drop": {
        "columns": ["y"],
        "records": ["town = 'town 3'", "x > 12 and region = 'north'"],
        "unknown": "keep",
    },
    **tables_at_hand.RULES,
}
# those of built-in entries run with the other examples of the source
EXAMPLE = "the example in its docstring runs"
ALL = [(kind, name) for kind, names in registry.locations().items() for name in names]
LAWS = [
    pytest.param(kind, name, law, id=f"{name}-{law}")
    for kind, name in ALL
    for law in testing.laws(kind)
    if str(law) != EXAMPLE or name not in registry.BUILT_IN[kind]
]


def made(kind, name):
    return registry.lookup(name, kind)(**NEEDED.get(name, {}))


@pytest.mark.parametrize(("kind", "name", "law"), LAWS)
def test_the_law_holds(kind, name, law):
    law.check(made(kind, name))


def test_every_kind_of_the_registry_has_laws_of_its_own():
    common = set.intersection(*(set(testing.laws(kind)) for kind in registry.BUILT_IN))
    assert all(len(testing.laws(kind)) >= len(common) + 4 for kind in registry.BUILT_IN)


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind in ("masking", "synthesis") for name in registry.names(kind)]
)
def test_a_release_by_its_name_says_what_is_promised_and_what_is_not(kind, name):
    drawn = kind == "synthesis"
    found = registry.lookup(name, kind)
    roles = {"dependent": ["y", "z"], "independent": ["x"]} if drawn else {"quasi": ["x", "z"]}
    roles = roles if "numeric" in found.takes else {"quasi": ["town"]}
    loss = "IL1" if "numeric" in found.takes else "CATEGORIES"
    options = {"method": name, "strata": ["region"], "unit": "unit", "identifiers": ["unit"], **roles}
    verb = tacita.synthesize if drawn else tacita.protect
    # of so few records chance decides whether they are remembered
    release = verb(persons(), missing="drop", seed=SEED, measures=[loss], accept_risks=drawn, **options)
    promised = {verdict.guarantee for verdict in release.record.verdicts if verdict.passed}
    assert promised >= set(found.guarantees)
    assert drawn or any("Groups of k" in text for text in release.record.not_promised)
    assert release.report[loss].value > 0


def test_a_synthesis_refuses_gaps_and_rounding():
    options = {"dependent": ["y", "z"], "independent": ["x"], "seed": SEED}
    with pytest.raises(tacita.DataError, match=r"dependent or independent columns have missing values"):
        tacita.synthesize(persons(), missing="refuse", **options)
    with pytest.raises(tacita.ParameterError, match="'refuse' or 'drop' for a synthesis"):
        tacita.synthesize(persons(), missing="stratum", **options)
    whole = persons().set_column(1, "y", [[round(100 * y) for y in persons()["y"].to_pylist()]])
    with pytest.raises(tacita.ParameterError, match="Leave out round-integers"):
        tacita.synthesize(whole, dependent="y", independent="x", round_integers=True)


def test_the_scale_of_a_column_is_gone_once_it_is_standardised():
    x = numbers()
    assert np.array_equal(standardise(x), standardise(x * 2.0 ** np.arange(-3, 0)))


def test_every_kind_that_protects_says_what_it_publishes():
    from tacita.microdata.protection.apply import VERBS

    assert set(VERBS) == set(registry.PROTECTING)


def test_maskings_and_groups_are_compared_on_one_map():
    trials = tacita.compare_methods(
        persons().select(["x"]), quasi="x", method=["mdav", "noise", "rank-swap"], k=[3], alpha=[0.1, 0.5]
    )
    assert [(trial.method, trial.groups is None) for trial in trials] == [
        ("mdav", False),
        ("noise", True),
        ("noise", True),
        ("rank-swap", True),
    ]
    assert all(trial.report is not None for trial in trials)


def test_listing_methods_does_not_load_the_compiler():
    code = "import sys; from tacita.cli import run_command; run_command(['methods', '--json']); "
    code += "assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_importing_tacita_is_cheap():
    code = "import sys, tacita; assert not {'numba', 'pyarrow', 'numpy', 'pydantic'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("first", ["registry", "testing", "Plan"])
def test_public_names_are_found_whichever_is_asked_for_first(first):
    code = f"import tacita; [getattr(tacita, name) for name in ['{first}', *tacita.__all__]]"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unknown_names_are_answered_with_where_the_known_ones_stand():
    with pytest.raises(tacita.ParameterError, match="The list of methods has all"):
        tacita.get_method("nosuch")
    with pytest.raises(tacita.ParameterError, match=r"Did you mean mdav"):
        tacita.get_method("mdaf")


def test_a_plug_in_is_found_but_never_replaces_a_built_in(monkeypatch):
    group = "tacita.microaggregation"
    own = EntryPoint("mine", "tacita.microdata.methods.microaggregation.mhm:HM", group)
    points = EntryPoints([own, EntryPoint("mdav", "evil:Evil", group)])
    monkeypatch.setattr(registry, "entry_points", lambda: points)
    registry.locations.cache_clear()
    try:
        assert registry.lookup("mine").__name__ == "HM"
        assert registry.lookup("mdav").__name__ == "MDAV"
    finally:
        registry.locations.cache_clear()


def test_names_are_short_words_a_user_can_type():
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name) for _, name in ALL)


def test_no_two_formats_of_one_purpose_share_an_ending():
    for purpose in ("records", "cells", "published"):
        formats = [registry.lookup(name, "format") for name in registry.BUILT_IN["format"]]
        endings = [ending for each in formats if purpose in each.purposes for ending in each.endings]
        assert len(endings) == len(set(endings)) > 0
