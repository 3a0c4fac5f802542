"""Signatures of verbs that a type checker and an editor can read."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import tacita
from tacita.core.spec import method_params, registry
from tacita.microdata.methods.microaggregation.mdav import MDAV

GENERATOR = Path(__file__).parents[1] / ".ci" / "typed_api.py"
FRAME = pa.table({"x": [1.0, 2.0, 3.0, 10.0, 11.0, 12.0], "y": [1.0, 2.0, 3.0, 10.0, 11.0, 12.0]})
MEANS = [2.0, 2.0, 2.0, 11.0, 11.0, 11.0]


def protected(**arguments):
    return tacita.protect(FRAME, measures=["IL1"], **arguments)


@pytest.mark.parametrize(
    ("typed", "kinds"),
    [
        (method_params.MethodParams, registry.PROTECTING),
        (method_params.MethodParamGrid, registry.PROTECTING),
        (method_params.SuppressionParams, registry.SUPPRESSING),
        (method_params.AdjustmentParams, registry.ADJUSTING),
    ],
)
def test_every_parameter_of_a_registered_method_has_a_type_in_the_signatures(typed, kinds):
    known = {
        field
        for kind in kinds
        for name in registry.BUILT_IN[kind]
        for field in registry.lookup(name, kind).model_fields
    }
    assert set(typed.__annotations__) == known - {"k"}


def test_what_type_checkers_read_of_the_registry_is_what_the_registry_says():
    if not GENERATOR.exists():
        pytest.skip("the generator is part of a checkout alone")
    pytest.importorskip("ruff")
    spec = importlib.util.spec_from_file_location("typed_api", GENERATOR)
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    for target, text in generator.texts().items():
        assert target.read_text() == text, f"{target.name}: run python .ci/typed_api.py"


@pytest.mark.parametrize(
    "arguments",
    [
        {"quasi": "x", "k": 3},
        {"quasi": "x", "method": MDAV(k=3)},
        {"quasi": "x", "method": MDAV(k=3), "k": 3},
        {"quasi": "x", "method": [MDAV(k=3), "mhm"]},
        {"quasi": "x", "method": MDAV(k=3), "then": "mhm"},
        {"roles": tacita.core.Roles(quasi="x"), "k": 3},
        {"steps": [{"method": MDAV(k=3), "quasi": "x"}]},
    ],
)
def test_a_method_is_named_or_built(arguments):
    assert protected(**arguments).data["x"].to_pylist() == MEANS


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"quasi": "x", "method": MDAV(k=3), "k": 4}, "k is given with the method and beside it"),
        ({"quasi": "x", "method": [MDAV(k=3), MDAV(k=4)]}, "k must be the same"),
        ({"quasi": "x", "roles": tacita.core.Roles(quasi="x")}, "roles and quasi were both given"),
        ({"quasi": "x", "kk": 3}, "there is no parameter kk"),
        ({"quasi": "x", "k": 2}, "k must be at least 3, got 2"),
        ({"quasi": "x", "k": 2, "accept_risks": ["guessable-seed"]}, "k must be at least 3, got 2"),
        ({"quasi": "x", "k": 2, "accept_risks": ["k-of-3"]}, "no risk named k-of-3"),
        ({"quasi": "x", "method": tacita.get_method("optimal")}, "not registered as such"),
    ],
)
def test_what_contradicts_itself_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        protected(**arguments)


@pytest.mark.parametrize("accepted", [True, "k-of-2", ["k-of-2"]])
def test_an_accepted_risk_is_recorded_by_its_name(accepted):
    assert protected(quasi="x", k=2, accept_risks=accepted).record.accepted_risks == ("k-of-2",)


def test_the_former_name_of_an_argument_works_with_a_warning():
    with pytest.warns(DeprecationWarning, match=r"protect\(insist=...\) is protect\(accept_risks=...\) now"):
        assert protected(quasi="x", k=2, insist=True).record.accepted_risks == ("k-of-2",)
    with pytest.raises(TypeError, match="both were given"):
        protected(quasi="x", k=2, insist=True, accept_risks=True)


def test_less_protection_of_a_table_is_accepted_by_name():
    table = tacita.Table.from_array([[4, 7], [2, 1]], frequency=True)
    for accepted in (True, ["less-protection"]):
        assert tacita.adjust(table, "rounding", base=5, accept_risks=accepted).parameters["insist"] is True
    with pytest.raises(tacita.ParameterError, match="no risk named k-of-2"):
        tacita.adjust(table, "rounding", base=5, accept_risks=["k-of-2"])


@pytest.mark.parametrize("module", sorted(registry.CLASSES))
def test_a_public_module_hands_on_every_class_of_the_registry(module):
    public = getattr(tacita, module)
    for kind in registry.CLASSES[module]:
        for name in registry.BUILT_IN[kind]:
            found = registry.lookup(name, kind)
            assert found.__name__ in public.__all__
            assert getattr(public, found.__name__) is found


@pytest.mark.parametrize("module", ["io", "measures", "methods", "tables"])
def test_every_name_of_a_public_module_can_be_used(module):
    public = getattr(tacita, module)
    for name in public.__all__:
        assert getattr(public, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        _ = public.nothing


def test_importing_the_public_modules_loads_no_arrays():
    code = (
        "import sys, tacita, tacita.methods, tacita.measures, tacita.tables; "
        "print([name for name in ('numpy', 'pyarrow', 'pydantic', 'numba') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
