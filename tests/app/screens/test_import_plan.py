"""Plans that are opened: every field of their schema comes back in the plan of a run, or is refused."""

import json
import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from app.conftest import Visitor
from app.forms import send
from app.plans_to_open import (
    CELLS,
    DRAWN,
    DROPPED,
    FIXED,
    GENERALISED,
    LINKED,
    MARKED,
    NUMERIC,
    PERSONS,
    RECODED,
    STEPS,
    TABULATED,
)
from tacita import api, datasets
from tacita.app.screens import SCREENS
from tacita.app.screens.import_plan import HELD, NotHeld, check_supported
from tacita.app.server.application import Site
from tacita.microdata.plans.plan import Plan
from tacita.tables.plans.plan import TablePlan, TabulatePlan

KINDS = {"records": Plan, "tabulate": TabulatePlan, "table": TablePlan}
# What the page does not hold: a plan that names it is refused.
REFUSED = {
    "records": {"executor", "compare", "protect.accept"},
    "tabulate": {"executor", "compare"},
    "table": {"compare"},
}


@pytest.fixture(scope="module")
def persons(tmp_path_factory):
    """The made-up persons, as an office with commas writes them."""
    path = tmp_path_factory.mktemp("persons") / "persons.csv"
    api.write_frame(datasets.load("household"), path)
    return path.read_text().replace(",", ";").replace(".", ",").encode("latin-1")


def sections_of(model):
    """Every field of a plan, as TOML calls it: section by section."""
    for name, field in model.model_fields.items():
        if name == "version":
            continue
        kinds = list(_models(field.annotation))
        found = [own.alias or key for each in kinds for key, own in each.model_fields.items()]
        yield name, found


def _models(annotation):
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for each in getattr(annotation, "__args__", ()):
        yield from _models(each)


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_of_the_schema_is_held_or_refused_by_name(kind):
    in_schema = {
        f"{section}.{name}" if section in HELD[kind] else section
        for section, fields in sections_of(KINDS[kind])
        for name in (fields or [section])
        if section in HELD[kind] or name
    } - {"require.require"}
    held = {f"{section}.{name}" for section, fields in HELD[kind].items() for name in fields}
    # a parameter of methods that a plan spells in two ways
    held -= {"suppress.seconds", "adjust.seconds"}
    assert in_schema - REFUSED[kind] == held
    assert not held & REFUSED[kind]
    for name in REFUSED[kind]:
        section, _, field = name.partition(".")
        with pytest.raises(NotHeld, match=section):
            check_supported(kind, {section: {field: 1} if field else {}}, {})


def opened(visitor, plan, path="/microdata/data"):
    answer = json.loads(visitor.send("/open", plan.encode(), "plan.toml").text)
    assert answer == {"next": path}


def told(kind, text, folder):
    """What a plan says, files apart."""
    plan = KINDS[kind].from_toml(text, folder).to_dict()
    for section in ("input", "output"):
        for key in ("path", "report", "json", "note"):
            plan[section].pop(key, None)
    return plan


def exported(visitor, work):
    """The plan that a verified run is downloaded with."""
    path = {"microdata": "/microdata/protect", "tables": "/tables/suppress"}[work]
    visitor.wait_for(path, 'data-testid="running" data-state="hidden"', 120)
    text = visitor.get(path).text
    assert 'data-testid="verdict" data-state="verified"' in text, text.partition("verdict")[2][:600]
    visitor.post(f"/{work}/acknowledge", node="n1")
    answer = visitor.get(f"/{work}/get/plan?node=n1")
    assert answer.status == 200
    return answer.text


AGES = "".join(
    f"{age};{age // 10 * 10}-{age // 10 * 10 + 9};{'young' if age < 30 else 'old'};*\n" for age in range(100)
).encode()
SCHOOLS = b"low\n@none\n@primary\nhigh\n@secondary\n@bachelor\n@master\n"
BESIDE = {"age.csv": AGES, "school.hrc": SCHOOLS}
KEY = b"0123456789abcdef" * 4 + b"\n"


def run_as_opened(visitor, plan, content):
    """Open a plan, give its files, save roles and run, each form as the page shows it."""
    opened(visitor, plan)
    visitor.send("/microdata/data/file", content, "persons.csv")
    text = visitor.wait_for("/microdata/data", 'data-testid="running" data-state="hidden"')
    assert 'data-testid="records"' in text, text.partition("verdict")[2][:600]
    for name, lines in BESIDE.items():
        if name in plan:
            # without its hierarchies the plan is another
            assert f"{name} has not been added yet" in visitor.get("/microdata/roles").text
            assert 'data-state="locked"' in visitor.get("/microdata/protect").text
            visitor.send("/microdata/roles/beside", lines, name)
    if "office.key" in plan:
        # without its key there are no pseudonyms
        assert "office.key has not been added yet" in visitor.get("/microdata/roles").text
        assert 'data-state="locked"' in visitor.get("/microdata/protect").text
        assert json.loads(visitor.send("/microdata/roles/key", KEY, "office.key").text) == {
            "next": "/microdata/roles"
        }
    assert send(visitor, "/microdata/roles", "/microdata/roles?from=0&find=").status == 303
    visitor.wait_for("/microdata/roles", 'data-testid="running" data-state="hidden"')
    assert send(visitor, "/microdata/protect", do="run").status == 303
    return exported(visitor, "microdata")


@pytest.mark.parametrize(
    "plan",
    [PERSONS, STEPS, DRAWN, GENERALISED, RECODED, LINKED],
    ids=["one method", "steps", "synthesis", "hierarchies", "levels", "pseudonyms"],
)
def test_a_plan_of_records_is_run_and_exported_as_it_was_opened(visitor, persons, plan, tmp_path):
    answer = run_as_opened(visitor, plan, persons)
    wanted, got = told("records", plan, tmp_path), told("records", answer, tmp_path)
    # what a plan leaves to its default is guessed, and said; texts are categories, whoever says so
    assert wanted.pop("input").items() <= got.pop("input").items()
    assert {*wanted["roles"].pop("nominal", ())} <= {*got["roles"].pop("nominal", ())}
    for each in (wanted, got):
        each["roles"]["identifiers"].sort()
        files = each["roles"].get("hierarchy", {})
        files |= {name: Path(said).name for name, said in files.items() if isinstance(said, str)}
    assert got == wanted
    for place in ("", "lists"):
        (tmp_path / place).mkdir(exist_ok=True)
        for name, lines in BESIDE.items():
            (tmp_path / place / name).write_bytes(lines)
    (tmp_path / "office.key").touch(mode=0o600)
    (tmp_path / "office.key").write_bytes(KEY)
    named = Path(tomllib.loads(plan)["output"]["path"])
    own = tmp_path / Path(tomllib.loads(plan)["input"]["path"])
    own.parent.mkdir(exist_ok=True)
    own.write_bytes(persons)
    (tmp_path / "plan.toml").write_text(plan)
    api.run_plan(api.load_plan(tmp_path / "plan.toml"))
    assert visitor.get("/microdata/get/data?node=n1").content == (tmp_path / named).read_bytes()


def test_numeric_columns_become_names_and_a_plan_that_only_leaves_out_runs(visitor, persons):
    text = run_as_opened(visitor, NUMERIC, persons)
    names = ["age", "wage", "self_employment", "transfers", "total_income", "taxes", "housing_cost"]
    assert tomllib.loads(text)["roles"]["quasi"] == [*names, "wealth", "satisfaction", "weight"]
    text = run_as_opened(visitor, DROPPED, persons)
    assert tomllib.loads(text)["steps"] == [{"method": "drop", "columns": ["wealth"]}]


def test_the_examples_name_every_field_of_records_that_is_held():
    named = {
        f"{section}.{key}"
        for plan in (PERSONS, STEPS, DRAWN, GENERALISED, LINKED)
        for section, said in tomllib.loads(plan).items()
        if section != "version"
        for each in (said if isinstance(said, list) else [said])
        for key in each
    }
    held = {f"{section}.{name}" for section, fields in HELD["records"].items() for name in fields}
    # of workbooks and files of statistical packages
    assert held - named == {"input.value_labels", "input.sheet"}


def firms():
    """Made-up firms, with a mark for those who asked for protection, and keys."""
    frame = datasets.load("business").to_pandas()
    frame["asked"], frame["waived"] = [int(at % 50 == 0) for at in range(len(frame))], 0
    frame["key"] = [at * 0.618033 % 1 for at in range(len(frame))]
    return frame.to_csv(index=False).encode()


REGIONS = b"label,parent\nNorth,Inland\nEast,Inland\nSouth,Inland\nWest,Sea\nCoast,Sea\nInland,\nSea,\n"


def cells():
    rows = [
        f"{r},{c},{c[0]},{17 * i * j % 97 + 3},{int(i == j)},10,{i + j},{1 + i}"
        for i, r in enumerate(("a", "b", "d", "e"))
        for j, c in enumerate(("x1", "x2", "y1", "y2"))
    ]
    return ("r,c,above,v,p,low,n,cost\n" + "\n".join(rows) + "\n").encode()


OF_TABLES = {
    "made of records": ("tabulate", TABULATED, "firms.csv", firms),
    "adjusted": ("tabulate", MARKED, "firms.csv", firms),
    "a list of cells": ("table", CELLS, "cells.csv", cells),
}


def table_as_opened(visitor, plan, name, content):
    """Open a plan, give its files, and go through its steps, each form as the page shows it."""
    opened(visitor, plan, "/tables/build")
    assert name in visitor.get("/tables/build").text
    visitor.send("/tables/build/file", content, name)
    visitor.wait_for("/tables/build", 'data-testid="step-build-form"')
    if "hierarchy" in plan:
        # a table without its hierarchy is another table
        send(visitor, "/tables/build")
        assert 'data-testid="build-problem"' in visitor.get("/tables/build").text
        visitor.send("/tables/build/beside", REGIONS, "region.csv")
    for path in ("/tables/build", "/tables/rules", "/tables/suppress"):
        assert send(visitor, path).status == 303
        text = visitor.wait_for(path, 'data-testid="running" data-state="hidden"', 120)
        assert 'data-state="refused"' not in text, text.partition("verdict")[2][:600]
    return exported(visitor, "tables")


@pytest.mark.parametrize("which", OF_TABLES)
def test_a_plan_of_a_table_is_run_and_exported_as_it_was_opened(visitor, which, tmp_path):
    kind, plan, name, made = OF_TABLES[which]
    answer = table_as_opened(visitor, plan, name, made())
    wanted, got = told(kind, plan, tmp_path), told(kind, answer, tmp_path)
    assert wanted.pop("input").items() <= got.pop("input").items()
    table = wanted["table"]
    if "rows" in table:
        # two names for the same
        table["dimensions"] = [table.pop("rows"), table.pop("columns")]
    for each in (wanted, got):
        if files := each["table"].get("hierarchy"):
            each["table"]["hierarchy"] = {column: Path(path).name for column, path in files.items()}
        each.get("rules", []).sort(key=lambda rule: rule["name"])
    assert got == wanted


LINES = "".join(
    f"{region} {sector:5} {size:5} {holding}\n"
    for region, sector, size, holding in [
        *(("n1", "food", 400, "a"), ("n1", "food", 40, "b"), ("n1", "food", 35, "c")),
        *(("n2", "food", 90, "d"), ("n2", "food", 80, "e"), ("n2", "food", 70, "f")),
        *(("n1", "steel", 60, "g"), ("n1", "steel", 50, "h"), ("n1", "steel", 55, "i")),
        *(("n2", "steel", 52, "k"), ("n2", "steel", 58, "l"), ("n2", "steel", 50, "m")),
    ]
)
VARIABLES = (
    "region 1 2\n  <RECODEABLE>\nsector 4 5\n  <RECODEABLE>\n"
    "turnover 10 5\n  <NUMERIC>\nholding 16 1\n  <HOLDING>\n"
)


@pytest.mark.parametrize("from_plan", [True, False], ids=["opened", "by hand"])
def test_records_in_fixed_columns_are_read_by_their_metadata(visitor, from_plan, tmp_path):
    if from_plan:
        opened(visitor, FIXED, "/tables/build")
    visitor.send("/tables/build/file", LINES.encode(), "firms.asc")
    assert "needs its metadata" in visitor.get("/tables/build").text
    visitor.send("/tables/build/beside", b"turnover <NUMERIC", "firms.rda")
    assert "firms.asc" in visitor.wait_for("/tables/build", 'data-state="refused"')
    visitor.send("/tables/build/beside", VARIABLES.encode(), "firms.rda")
    visitor.wait_for("/tables/build", 'data-testid="part-holding"')
    # metadata say what the columns are
    send(visitor, "/tables/build")
    visitor.wait_for("/tables/build", 'data-testid="cells"')
    rules = {} if from_plan else {"rule.p-percent": "on", "param.p-percent.p": "20"}
    send(visitor, "/tables/rules", **rules)
    assert ">1</dd>" in visitor.wait_for("/tables/rules", "sensitive-count")
    send(visitor, "/tables/suppress")
    wanted, got = told("tabulate", FIXED, tmp_path), told("tabulate", exported(visitor, "tables"), tmp_path)
    assert got["input"] == {"meta": str(tmp_path / "firms.rda")}
    assert (got["table"], got["rules"]) == (wanted["table"], wanted["rules"])
    assert visitor.get("/tables/get/data?node=n1").content


def test_the_examples_name_every_field_of_tables_that_is_held():
    for kind in ("tabulate", "table"):
        named = {
            f"{section}.{key}"
            for of, plan, _, _ in OF_TABLES.values()
            for section, said in tomllib.loads(plan).items()
            if section != "version" and (of == kind or section in ("suppress", "adjust", "output"))
            for each in (said if isinstance(said, list) else [said])
            for key in each
        }
        shared = {f"input.{name}" for name in HELD["records"]["input"]}
        shared |= {
            f"table.{name}" for name in ("rows", "columns", "hierarchy", "prefixes", "parents", "total")
        }
        shared |= {"table.dimensions", "table.title", "suppress.seconds", "adjust.seconds"}
        held = {f"{section}.{name}" for section, fields in HELD[kind].items() for name in fields}
        # of files of tau-ARGUS: what is tested of them is below
        assert held - named - shared <= {"input.meta", "table.key"}


def refused(visitor, plan, *words):
    answer = json.loads(visitor.send("/open", plan.encode(), "plan.toml").text)
    assert "next" not in answer
    for each in words:
        assert each in answer["message"]


def test_what_the_page_does_not_hold_is_named_and_refused(visitor):
    refused(visitor, NUMERIC + "[compare]\nk = [3, 5]\n", "[compare]", "outside the page")
    linked = 'version = 1\n[input]\npath = "a.csv"\n[[tables]]\ndimensions = ["x"]\noutput = "o.csv"\n'
    refused(visitor, linked + '[suppress]\nproblem = "exact"\n', "[[tables]]")
    risk = 'version = 1\n[input]\npath = "a.csv"\n[risk]\nkeys = ["x"]\n[output]\njson = "r.json"\n'
    refused(visitor, risk, "[risk]")
    refused(visitor, MARKED.replace("firms.csv", "firms.asc"), "input.path (.asc)")
    refused(visitor, MARKED.replace('"firms.csv"', '"firms.csv"\nmeta = "firms.rda"'), "input.meta")
    refused(visitor, MARKED + '[compare]\nmethod = ["optimal"]\n')
    five = '["a", "b", "c", "d", "e"]'
    refused(visitor, TABULATED.replace('["region", "sector"]', five), "table.dimensions (5 > 4)")
    refused(
        visitor, TABULATED.replace('name = "dominance"\nn = 2\nk = 80', 'name = "p-percent"\np = 5'), "rules"
    )
    refused(visitor, TABULATED.replace('"group_id"', '"turnover"'), "table.unit")
    refused(
        visitor, PERSONS.replace("k_anonymity =", 'include = "office.toml"\nk_anonymity ='), "office.toml"
    )
    # what would cost a parser minutes is refused before it is parsed
    refused(visitor, f"version = 1\na{'.a' * 150_000} = 1\n", "parts with dots")
    refused(visitor, f"version = 1\na = {'[' * 150_000}{']' * 150_000}\n", "nested too deep")
    refused(visitor, f"version = 1\n# {'a' * 2**20}\n", "1,048,576 bytes")
    deep = json.loads(visitor.send("/open", b'{"a":' * 150_000, "project.json").text)
    assert "next" not in deep
    # and nothing was begun by any of them
    assert (
        'data-testid="opened"' not in visitor.get("/microdata/data").text + visitor.get("/tables/build").text
    )


def test_a_file_that_lacks_a_column_of_the_plan_is_refused_and_the_plan_goes_on_waiting(visitor):
    opened(visitor, PERSONS)
    visitor.send("/microdata/data/file", b"wage;taxes\n1;2\n3;4\n", "other.csv")
    text = visitor.wait_for("/microdata/data", 'data-state="refused"')
    assert "there is no column" in text
    assert 'data-testid="opened"' in text
    # neither does the demo take its place
    visitor.post("/microdata/data/demo")
    text = visitor.wait_for("/microdata/data", "survey.csv: there is no column")
    assert 'data-testid="opened"' in text
    assert visitor.post("/microdata/data/forget").status == 303
    assert 'data-testid="opened"' not in visitor.get("/microdata/data").text
    opened(visitor, CELLS, "/tables/build")
    visitor.send("/tables/build/file", b"r,c,v\na,b,1\n", "other.csv")
    assert "p, low, n" in visitor.wait_for("/tables/build", 'data-state="refused"')
    answer = json.loads(visitor.send("/tables/build/file", b"1", "problem.jj").text)
    assert "cells.csv" in answer["message"]
    assert 'data-testid="opened"' in visitor.get("/tables/build").text


@pytest.mark.long
def test_a_project_of_a_table_opens_again_and_its_runs_are_those_of_the_same_file(app, visitor):
    _, plan, name, made = OF_TABLES["made of records"]
    table_as_opened(visitor, plan, name, made())
    saved = visitor.get("/tables/get/history?node=n1").text
    assert str(visitor.app.folder) not in saved
    other = Visitor(app).enter()
    assert json.loads(other.send("/open", saved.encode(), "project.json").text) == {"next": "/tables/build"}
    other.send("/tables/build/file", made(), name)
    other.wait_for("/tables/build", 'data-testid="step-build-form"')
    other.send("/tables/build/beside", REGIONS, "region.csv")
    for path in ("/tables/build", "/tables/rules"):
        send(other, path)
        other.wait_for(path, 'data-testid="running" data-state="hidden"')
    text = other.get("/tables/suppress").text
    assert 'data-testid="node-n1" data-state="verified"' in text
    # another file beside it, and they are runs of another table
    other.send("/tables/build/beside", REGIONS.replace(b"East,Inland", b"East,Sea"), "region.csv")
    assert 'data-testid="node-n1" data-state="stale"' in other.get("/tables/build").text


def test_opening_says_what_it_replaces_and_the_demo_keeps_the_runs(visitor, persons):
    assert "open-replaces" not in visitor.get("/").text
    run_as_opened(visitor, NUMERIC, persons)
    text = visitor.get("/").text
    assert "persons.csv (runs: 1)" in text
    assert 'data-testid="demo-replaces"' in text
    visitor.post("/microdata/data/demo")
    text = visitor.wait_for("/microdata/data", "survey.csv")
    assert 'data-testid="node-n1" data-state="stale"' in text
    opened(visitor, NUMERIC)
    assert "still needs persons.csv" in visitor.get("/").text
    # what cannot be opened replaces nothing
    refused(visitor, "version = 1\n")
    assert 'data-testid="opened"' in visitor.get("/microdata/data").text


def test_sheets_and_value_labels_of_a_plan_are_read(visitor, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["nothing"])
    sheet = book.create_sheet("people")
    for row in [["a", "b"], *([at, at * 37 % 11] for at in range(20))]:
        sheet.append(row)
    book.save(tmp_path / "book.xlsx")
    plan = NUMERIC.partition("[input]")[0] + (
        '[input]\npath = "book.xlsx"\nsheet = "people"\nvalue_labels = true\n[roles]\nquasi = ["b", "a"]\n'
        '[protect]\nk = 4\n[output]\npath = "out.csv"\n'
    )
    opened(visitor, plan)
    visitor.send("/microdata/data/file", (tmp_path / "book.xlsx").read_bytes(), "book.xlsx")
    assert ">20</dd>" in visitor.wait_for("/microdata/data", 'data-testid="records"')
    send(visitor, "/microdata/protect", do="run")
    given = tomllib.loads(exported(visitor, "microdata"))
    assert given["input"] == {"path": "book.xlsx", "sheet": "people", "value_labels": True}
    assert given["roles"] == {"quasi": ["b", "a"]}


def test_the_tour_has_five_sentences_and_goes_when_it_was_read(newcomer):
    text = newcomer.get("/").text
    assert text.partition('data-testid="tour"')[2].partition("</ol>")[0].count("<li>") == 5
    assert newcomer.post("/tour").status == 303
    text = newcomer.get("/").text
    assert 'data-testid="tour"' not in text
    assert 'data-testid="tour-again"' in text
    assert 'data-testid="tour"' in newcomer.get("/?tour=shown").text


def test_the_tour_is_remembered_for_the_next_start_where_there_is_a_place_for_it(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("TACITA_NO_WARMUP", raising=False)
    first = Site("127.5.6.7", 1234, tmp_path, SCREENS)
    assert not first.knows_tour()
    first.remember_tour()
    assert Site("127.5.6.8", 1235, tmp_path, SCREENS).knows_tour()
    (mark,) = (tmp_path / "cache").rglob("*tour*")
    assert mark.read_bytes() == b""
