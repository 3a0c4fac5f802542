"""Forms out of the schemas of methods: what is shown comes back as it was, whatever the method."""

import pytest
from starlette.datastructures import ImmutableMultiDict

from tacita.app.screens.draft_plan import (
    KINDS,
    Catalogue,
    current,
    drafted,
    forms_of,
    plan_of,
    required_of,
    steps_of,
)
from tacita.app.server.workspaces import Work
from tacita.app.worker.methods import methods
from tacita.core.spec.schema_forms import fields_of, listed, text_of, value_of, values_of

CATALOGUE = Catalogue(methods({}, None))
# one value of each shape that a parameter of some method has
SHAPES = {
    "integer": ({"type": "integer"}, 5),
    "number": ({"type": "number"}, 0.25),
    "or-null": ({"anyOf": [{"type": "number"}, {"type": "null"}]}, 2.5),
    "enum": ({"enum": ["seed", "centroid"], "type": "string"}, "centroid"),
    "enum of numbers": ({"enum": [1, 2], "type": "integer"}, 2),
    "names": ({"type": "array", "items": {"type": "string"}}, ["a", "b c"]),
    "names with commas": ({"type": "array", "items": {"type": "string"}}, ["a, b", "c"]),
    "numbers": ({"type": "array", "items": {"type": "number"}}, [1, 2.5]),
    "lists": ({"type": "array", "items": {"type": "array", "items": {"type": "string"}}}, [["a"], ["b"]]),
    "object": ({"type": "object"}, {"town": {"x": "y"}}),
    "one of several": ({"anyOf": [{"type": "integer"}, {"type": "object"}, {"type": "null"}]}, {"a": 1}),
    "text": ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "5"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_value_of_every_shape_comes_back_from_the_text_that_shows_it(shape):
    schema, value = SHAPES[shape]
    assert value_of(schema, text_of(value)) == value


def work(tmp_path, roles, kinds=()):
    found = Work("microdata", tmp_path)
    found.roles = roles
    found.kinds = dict.fromkeys(roles, "numeric") | dict(kinds)
    found.roles_saved = True
    return found


def form_of(method, **typed):
    """What a browser sends that changes nothing: every field as it is shown."""
    fields = fields_of(CATALOGUE.parameters(method), {})
    sent = {field.name: field.text for field in fields if field.kind != "boolean" or field.on}
    return ImmutableMultiDict(
        [("s0.method", method), ("s0.was", method)]
        + [(f"s0.{name}", text) for name, text in {**sent, **typed}.items()]
    )


@pytest.mark.parametrize("method", CATALOGUE.methods)
def test_a_form_that_nobody_touched_asks_for_no_more_than_the_method(method, tmp_path):
    draft = drafted(work(tmp_path, {"a": "quasi"}), form_of(method), CATALOGUE, several=False)
    schemas = CATALOGUE.parameters(method)
    asked = {name: value for name, value in draft["protect"].items() if name != "method"}
    assert asked == {name: schemas[name]["default"] for name in asked}
    # a title needs a figure or two, not every default
    assert len(draft["protect"]) <= 2


def test_a_box_without_a_tick_is_no_and_a_new_method_has_its_defaults(tmp_path):
    mine = work(tmp_path, {"a": "quasi"})
    sent = form_of("best")
    without = ImmutableMultiDict(
        [(name, value) for name, value in sent.multi_items() if "recombine" not in name]
    )
    assert drafted(mine, without, CATALOGUE, several=False)["protect"]["recombine"] is False
    other = ImmutableMultiDict([("s0.method", "best"), ("s0.was", "mdav"), ("s0.k", "7")])
    assert drafted(mine, other, CATALOGUE, several=False)["protect"] == {"method": "best", "k": 7}


def test_what_is_no_number_is_kept_as_it_was_typed():
    schema = {"k": {"type": "integer", "default": 3}}
    assert values_of(schema, {"k": "many"}, ["k"]) == {"k": "many"}
    assert values_of(schema, {"k": " 0,5 "}, ["k"]) == {"k": 0.5}
    assert values_of(schema, {"k": ""}, ["k"]) == {}


def test_lists_of_values_take_the_signs_of_every_language():
    assert listed("0,1; 0,5; 1", True) == [0.1, 0.5, 1]
    assert listed("0.1, 0.5, 1", True) == [0.1, 0.5, 1]
    assert listed("[1, 2]", True) == [1, 2]


def test_steps_have_columns_of_their_own_and_the_file_names_none(tmp_path):
    mine = work(tmp_path, {"a": "quasi", "b": "quasi", "c": "strata"})
    sent = ImmutableMultiDict(
        [
            *[("s0.method", "mdav"), ("s0.was", "mdav"), ("s0.k", "4"), ("s0.columns", "a")],
            *[("s1.method", "rank-swap"), ("s1.was", "rank-swap"), ("s1.p", "5"), ("s1.columns", "b")],
            *[
                ("s1.columns", "not a column"),
                ("o.seed", "12345678901234567890123456789"),
                ("o.shuffle", "true"),
            ],
            *[("r0.name", "DBRL"), ("r0.limit", "20"), ("r1.name", ""), ("r1.limit", "")],
        ]
    )
    draft = drafted(mine, sent, CATALOGUE, several=True)
    assert draft == {
        "protect": {"seed": 12345678901234567890123456789, "shuffle": True},
        "steps": [
            {"quasi": ["a"], "method": "mdav", "k": 4},
            {"quasi": ["b"], "method": "rank-swap", "p": 5},
        ],
        "require": {"DBRL": 20},
    }
    assert plan_of(mine, draft, CATALOGUE)["roles"] == {"strata": ["c"]}
    assert required_of(draft) == [("DBRL", "20"), ("", "")]


def test_what_a_form_does_not_show_of_an_opened_plan_is_kept(tmp_path):
    mine = work(tmp_path, {"a": "quasi"})
    step = {"method": "mdav", "quasi": ["a"], "k": 4, "missing": "drop"}
    mine.draft = {"protect": {}, "steps": [step], "measure": {"names": ["IL1"]}}
    sent = ImmutableMultiDict([("s0.method", "mdav"), ("s0.was", "mdav"), ("s0.k", "4"), ("s0.columns", "a")])
    draft = drafted(mine, sent, CATALOGUE, several=True)
    assert draft["steps"] == [step]
    assert draft["measure"] == {"names": ["IL1"]}


def test_the_first_method_is_one_that_takes_the_columns(tmp_path):
    for roles, kinds, wanted in (
        ({"a": "quasi"}, {}, ["numeric"]),
        ({"a": "quasi", "b": "quasi"}, {"b": "nominal"}, ["numeric", "ordinal", "nominal"]),
        ({"a": "dependent", "b": "independent"}, {}, ["numeric"]),
    ):
        method = steps_of(current(work(tmp_path, roles, kinds)))[0]["method"]
        assert CATALOGUE.methods[method]["takes"] == wanted
        assert (CATALOGUE.kind(method) == "synthesis") == ("dependent" in roles.values())


def test_every_kind_that_protects_records_is_in_the_menu():
    from tacita.core.spec import registry

    assert set(KINDS) == set(registry.PROTECTING)


def test_what_comes_then_joins_the_method_and_has_its_own_fields(tmp_path):
    asked = form_of("kc", then="mhm")
    draft = drafted(work(tmp_path, {"a": "quasi"}), asked, CATALOGUE, several=False)
    assert draft["protect"]["method"] == "kc+mhm"
    (form,) = forms_of(work(tmp_path, {"a": "quasi"}), draft, CATALOGUE)
    assert (form.method, form.then) == ("kc", "mhm")
    assert {field.name for field in form.fields} >= {
        *CATALOGUE.parameters("kc"),
        *CATALOGUE.parameters("mhm"),
    }


def test_only_methods_that_improve_groups_are_offered_and_only_after_those_that_make_them(tmp_path):
    offered = {each["name"] for each in CATALOGUE.improving()}
    assert {"mhm", "best", "gsms-t2", "dfo"} <= offered
    assert not offered & {"mdav", "kc", "gower", "noise", "fcrm"}
    here = work(tmp_path, {"a": "quasi"})
    for method, then in [("mdav", ""), ("noise", None)]:
        (form,) = forms_of(here, {"protect": {"method": method}}, CATALOGUE)
        assert form.then == then
    # a method that makes no groups has nothing after it
    assert (
        drafted(here, form_of("noise", then="mhm"), CATALOGUE, several=False)["protect"]["method"] == "noise"
    )


def test_a_plan_with_pseudonyms_names_the_file_of_their_key(tmp_path):
    here = work(tmp_path, {"a": "quasi", "b": "unit-pseudonyms", "c": "pseudonyms"})
    here.declared = {"pseudonym_key": "office.key"}
    plan = plan_of(here, {"protect": {"method": "mdav", "k": 3, "pseudonym_key": "old.key"}}, CATALOGUE)
    assert plan["roles"] == {"quasi": ["a"], "unit": "b", "pseudonyms": ["b", "c"]}
    assert plan["protect"] == {"method": "mdav", "k": 3, "pseudonym_key": "office.key"}
    here.roles = {"a": "quasi", "b": "unit", "c": "other"}
    assert "pseudonym_key" not in plan_of(here, plan | {"roles": {}}, CATALOGUE)["protect"]
