"""Tables on the page without a browser: what a child answers, what may leave, and what nobody is told."""

import json
import re
from pathlib import Path

import pytest

import tacita
from app.conftest import events
from app.forms import send
from tacita import api, datasets
from tacita.app.screens.table_state import guess_kind, guess_parts
from tacita.app.screens.tables.table_grid import bounds_chart, grid, strip
from tacita.app.worker import table_verbs
from tacita.app.worker.job_context import JobContext
from tacita.core import DataError, ParameterError, Table
from tacita.core.display.number_format import SPACED, short

RULES = [{"name": "p-percent"}, {"name": "dominance", "n": 2}]
SECTION = {"dimensions": ["region", "sector"], "value": "turnover", "unit": "group_id"}


@pytest.fixture
def desk():
    found = JobContext()
    found.begin(lambda *_: None)
    return found


@pytest.fixture
def firms(tmp_path):
    """What a child is given of the demo, but for the plan."""
    path = tmp_path / "source-1a2b.csv"
    api.write_frame(datasets.load("business"), path)
    folder = tmp_path / "n1"
    folder.mkdir()
    source = {"path": str(path), "shown_as": "firms.csv", "kind": "records", "options": {"delimiter": ","}}
    return {"source": source, "names": {}, "folder": str(folder)}


def cells_of(tmp_path, text, kind="cells", **section):
    path = tmp_path / "source-9f.csv"
    path.write_text(text)
    folder = tmp_path / "n2"
    folder.mkdir(exist_ok=True)
    named = {"dimensions": ["r", "c"], "value": "v", "primary": "p", **section}
    source = {"path": str(path), "shown_as": "mine.csv", "kind": kind}
    return {"source": source, "names": {}, "folder": str(folder), "plan": {"table": named}}


def test_rules_are_counted_before_anything_is_withheld_each_and_all(firms, desk):
    answer = table_verbs.table({**firms, "plan": {"table": SECTION, "rules": RULES}}, desk)
    frame = datasets.load("business")

    def sensitive(*rules):
        made = tacita.tabulate(frame, ["region", "sector"], "turnover", unit="group_id", rules=list(rules))
        return int(made.primary.sum())

    both = [api.get_method("p-percent"), api.get_method("dominance", n=2)]
    assert answer["sensitive"] == sensitive(*both)
    assert answer["by_rule"] == [sensitive(each) for each in both]


def test_cells_that_do_not_add_up_are_listed(tmp_path, desk):
    text = "r,c,v,p\na,x,5,1\na,y,3,0\na,Total,9,0\nTotal,x,5,0\nTotal,y,3,0\nTotal,Total,8,0\n"
    answer = table_verbs.table(cells_of(tmp_path, text), desk)
    assert answer["wrong_sums"] == [["a", "Total"]]
    assert answer["message"].startswith("mine.csv: 1 of")


def test_a_table_whose_sums_are_wrong_says_which():
    good = Table.from_array([[5, 3], [2, 4]])
    values = good.values.copy()
    values[good.cell("2", "Total")] += 1
    with pytest.raises(DataError) as problem:
        Table.cross(good.dimensions, values.reshape(good.shape))
    assert ("2", "Total") in problem.value.places


def test_a_file_that_cannot_be_used_is_called_as_its_owner_calls_it(tmp_path, desk):
    given = cells_of(tmp_path, "r,c,v,p\na,x,5,1\n", value="nothing")
    with pytest.raises(ParameterError, match=r"^mine\.csv: ") as problem:
        table_verbs.table(given, desk)
    assert "source-9f" not in str(problem.value)


@pytest.fixture
def published(firms, desk):
    plan = {"table": SECTION, "rules": RULES, "suppress": {"problem": "interval", "method": "optimal"}}
    given = {**firms, "plan": plan}
    return given, table_verbs.publish(given, desk)


def repeated(place, answer, monkeypatch):
    """The published bytes that the plan and the script of an answer give, in folders of their own."""
    for name in ("plan", "script"):
        folder = place / name
        folder.mkdir()
        api.write_frame(datasets.load("business"), folder / "firms.csv")
        monkeypatch.chdir(folder)
        if name == "script":
            exec(compile(answer["script"], "script.py", "exec"), {})
        else:
            Path("plan.toml").write_text(answer["toml"])
            api.run_table(api.load_plan("plan.toml"))
        yield Path("firms-published.csv").read_bytes()


def test_plan_and_script_of_a_published_table_give_the_same_bytes(published, tmp_path, monkeypatch):
    _, answer = published
    released = (tmp_path / "n1" / "release.csv").read_bytes()
    assert [*repeated(tmp_path, answer, monkeypatch)] == [released, released]


def test_every_form_of_the_published_table_stands_an_audit(published, desk, tmp_path):
    given, _ = published
    folder = tmp_path / "n1"
    assert {each.name for each in folder.iterdir()} == {
        *("release.csv", "release.xlsx", "release.html", "report.html", "record.json", "view.json")
    }
    for ending in (".csv", ".xlsx", ".html"):
        answer = table_verbs.audit({**given, "published": str(folder / f"release{ending}")}, desk)
        assert answer["safe"]
        assert answer["count"] == 5


def test_a_published_file_that_gives_a_cell_away_is_refused_by_the_audit(published, desk, tmp_path):
    given, _ = published
    text = (tmp_path / "n1" / "release.csv").read_text()
    lines, whole = text.splitlines(), datasets.load("business")
    hidden = next(at for at, line in enumerate(lines) if line.startswith("Coast,01"))
    made = tacita.tabulate(whole, ["region", "sector"], "turnover")
    lines[hidden] = f"Coast,01,{made.values[made.cell('Coast', '01')]:.0f},published"
    spoiled = tmp_path / "spoiled.csv"
    spoiled.write_text("\n".join(lines) + "\n")
    answer = table_verbs.audit({**given, "published": str(spoiled)}, desk)
    assert not answer["safe"]
    assert not answer["rows"][0]["protected"]
    assert "not protected" in answer["message"]


@pytest.mark.usefixtures("published")
def test_as_published_a_cell_says_no_more_than_the_file(desk, tmp_path):
    view = table_verbs.cells({"folder": str(tmp_path / "n1"), "published": True}, desk)
    cells = [cell for row in view["rows"] for cell in row["cells"]]
    assert {tuple(sorted(cell)) for cell in cells} == {("shade", "state", "value")}
    assert {cell["state"] for cell in cells} == {"o", "x"}
    assert sum(cell["value"] is None for cell in cells) == 10
    assert {cell["shade"] for cell in cells} == {0, None}


@pytest.mark.usefixtures("published")
def test_for_review_a_sensitive_cell_has_its_range_and_what_must_stay_open(desk, tmp_path):
    record = json.loads((tmp_path / "n1" / "record.json").read_text())
    answer = table_verbs.audited({"folder": str(tmp_path / "n1")}, desk)
    told = {(each["row"], each["column"]): (each["low"], each["high"]) for each in record["audit"]}
    assert {tuple(row["labels"]): (row["low"], row["high"]) for row in answer["rows"]} == told
    for row in answer["rows"]:
        assert row["low"] <= row["wanted_low"] <= row["value"] <= row["wanted_high"] <= row["high"]
    widths = [(row["high"] - row["low"]) / row["value"] for row in answer["rows"]]
    assert widths == sorted(widths)


def test_a_large_table_is_a_map_with_a_window_of_numbers(tmp_path, desk):
    lines = [f"{i},{j},{i * j % 97 + 1},{int(i == j == 20)}" for i in range(40) for j in range(30)]
    given = cells_of(tmp_path, "r,c,v,p\n" + "\n".join(lines) + "\n")
    table_verbs.table(given, desk)
    view = table_verbs.cells({"folder": given["folder"], "row": 20, "column": 30}, desk)
    assert view["size"] == [41, 31]
    assert view["at"] == [17, 19]
    assert len(view["rows"]) == 24
    assert view["map"]["p"] == [[20, 20]]
    drawn = grid(view, lambda key, **_: key, style=SPACED)
    assert len(drawn["map"].tiles) == 6


def test_three_dimensions_are_panels(tmp_path, desk):
    api.write_frame(datasets.load("patients"), tmp_path / "p.csv")
    folder = tmp_path / "n3"
    folder.mkdir()
    source = {"path": str(tmp_path / "p.csv"), "shown_as": "p.csv", "kind": "records"}
    plan = {"table": {"dimensions": ["sex", "diagnosis", "year"]}, "rules": [{"name": "minimum-frequency"}]}
    given = {"source": source, "names": {}, "folder": str(folder), "plan": plan}
    answer = table_verbs.table(given, desk)
    assert answer["counts"]
    view = table_verbs.cells({"folder": str(folder), "panel": 1}, desk)
    assert len(view["captions"]) == answer["dimensions"][0]["labels"]
    assert view["captions"][1].startswith("sex: ")


def test_an_adjusted_table_is_repeated_by_its_plan_with_the_seed_that_was_drawn(
    firms, desk, tmp_path, monkeypatch
):
    plan = {"table": SECTION, "rules": [], "adjust": {"method": "rounding", "base": 1000, "random": True}}
    answer = table_verbs.publish({**firms, "plan": plan}, desk)
    assert answer["way"] == "adjust"
    released = (tmp_path / "n1" / "release.csv").read_bytes()
    assert [*repeated(tmp_path, answer, monkeypatch)] == [released, released]
    assert (tmp_path / "n1" / "note.html").exists()


def test_a_list_that_says_which_cells_are_sensitive_is_taken_for_one():
    def column(name, kind="nominal", distinct=4, role="other"):
        return {"name": name, "kind": kind, "distinct": distinct, "guess": {"role": role}}

    listed = [column("r"), column("c"), column("v", "numeric"), column("primary", "numeric", 2)]
    assert guess_kind(listed) == "cells"
    parts = guess_parts("cells", listed)
    assert parts == {"r": "dimension-1", "c": "dimension-2", "v": "value", "primary": "primary"}
    assert guess_kind(listed[:3]) == "records"


def test_a_strip_keeps_the_order_of_what_it_shows():
    found = {"low": 0.0, "high": None, "wanted_low": 2.0, "wanted_high": 8.0, "protected": False}
    low, high, wanted_low, wanted_high, value = map(float, strip(5.0, found).split())
    assert low < wanted_low < value < wanted_high < high


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (12.34, "12.3"), (999.6, "1k"), (1_234_567, "1.23M"), (-2500, "\u22122.5k")]
)
def test_figures_are_short(value, text):
    assert short(value) == text


def test_bounds_are_drawn_as_steps_that_close_in():
    chart = bounds_chart([(1.0, 2.0, 8.0), (2.0, 4.0, 6.0), (3.0, 5.0, 5.0)], style=SPACED)
    ends = [line.split()[-1] for line in (chart.upper, chart.lower)]
    assert ends[0] == ends[1]
    assert len(chart.upper.split()) == 5


def test_only_a_verified_table_leaves_and_a_chosen_one_is_served(visitor):
    assert visitor.get("/tables/get/data").status == 409
    assert visitor.get("/tables/get/view.json").status == 404
    visitor.post("/tables/build/demo", name="business")
    visitor.wait_for("/tables/build", "part-region")
    parts = {"part.2": "dimension-1", "part.3": "dimension-2", "part.4": "unit", "part.6": "value"}
    visitor.post("/tables/build", kind="records", **parts)
    visitor.wait_for("/tables/build", 'data-testid="cells"')
    visitor.post("/tables/rules", **{"rule.dominance": "on", "param.dominance.n": "2"})
    visitor.wait_for("/tables/rules", "sensitive-count")
    visitor.post("/tables/suppress", method="gauss", problem="interval")
    text = visitor.wait_for("/tables/suppress", 'data-state="refused"')
    assert visitor.get("/tables/get/data").status == 409
    assert "node-n1" in text
    visitor.post("/tables/suppress", method="constructive", problem="interval")
    visitor.wait_for("/tables/suppress", 'data-testid="problem-cost"')
    # the warning of contributors who know their own part is to be read first
    assert visitor.get("/tables/get/data").status == 409
    visitor.post("/tables/acknowledge", node="n2")
    answer = visitor.get("/tables/get/data")
    assert answer.status == 200
    assert "firms-published.csv" in answer.getheader("content-disposition")
    assert visitor.get("/tables/get/note").status == 404
    assert visitor.get("/tables/get/data?node=n1").status == 409
    # another table makes what was published stale
    visitor.post("/tables/build", kind="records", **{**parts, "part.6": "none", "part.5": "value"})
    assert visitor.get("/tables/get/data").status == 409


def test_without_a_rule_nothing_is_verified_unless_that_is_accepted_by_name(visitor):
    visitor.post("/tables/build/demo", name="business")
    visitor.wait_for("/tables/build", "part-region")
    parts = {"part.2": "dimension-1", "part.3": "dimension-2", "part.4": "unit", "part.6": "value"}
    visitor.post("/tables/build", kind="records", **parts)
    visitor.wait_for("/tables/build", 'data-testid="cells"')
    visitor.post("/tables/rules")
    assert 'data-testid="unjudged"' in visitor.wait_for("/tables/rules", "sensitive-count")
    visitor.post("/tables/suppress", method="optimal", problem="interval")
    text = visitor.wait_for("/tables/suppress", 'data-testid="verdict" data-state="refused"')
    assert "Refused: It is unknown which cells are sensitive" in text
    assert "under Sensitive cells, or mark cells in the file" in text
    assert 'name="accept"' in text
    assert visitor.get("/tables/get/data").status == 409
    # the box of less protection accepts other risks
    visitor.post("/tables/suppress", method="optimal", problem="interval", insist="on")
    visitor.wait_for("/tables/suppress", 'data-testid="verdict" data-state="refused"')
    assert visitor.get("/tables/get/data").status == 409
    visitor.post("/tables/suppress", method="optimal", problem="interval", accept="on")
    visitor.wait_for("/tables/suppress", 'data-testid="verdict" data-state="verified"')
    for path in ("/tables/suppress", "/tables/audit", "/tables/export"):
        text = visitor.wait_for(path, "verdict")
        assert "Not audited: you accepted that no cell is sensitive" in text
        assert "every sensitive cell is protected" not in text
        assert "banner good" not in text
    rail = text.partition('<nav aria-label="Steps">')[2].partition("</nav>")[0]
    # unknown sensitive cells are not ticked, nor what was not attacked
    done = [
        step for state, step in re.findall(r'<li class="(\w*)">\s*<a href="/tables/(\w+)"', rail) if state
    ]
    assert done == ["build", "suppress"]
    visitor.post("/tables/acknowledge", node="n3")
    assert visitor.get("/tables/get/data").status == 200
    assert "no-sensitive-cells" in visitor.get("/tables/get/plan").text
    # with a rule, there is nothing to accept
    visitor.post("/tables/rules", **{"rule.p-percent": "on"})
    assert 'data-testid="unjudged"' not in visitor.wait_for("/tables/rules", "sensitive-count")
    assert 'name="accept"' not in visitor.get("/tables/suppress").text


@pytest.mark.long
def test_a_table_says_only_what_there_is_to_see_in_it(visitor):
    visitor.post("/tables/build/demo", name="business")
    visitor.wait_for("/tables/build", "part-region")
    parts = {"part.2": "dimension-1", "part.3": "dimension-2", "part.4": "unit", "part.6": "value"}
    visitor.post("/tables/build", kind="records", **parts)
    visitor.wait_for("/tables/build", 'data-testid="cells"')
    visitor.post("/tables/rules", **{"rule.minimum-frequency": "on", "rule.dominance": "on"})
    text = visitor.wait_for("/tables/rules", "sensitive-count")
    # rules by the names that people give them, and no sign for what is not there
    assert "<dt>Minimum frequency</dt>" in text
    assert '<i class="primary"></i>' in text
    assert '<i class="secondary"></i>' not in text
    text = visitor.get("/tables/suppress").text
    assert "the proven bound appear here" in text
    assert "data-chart" not in text
    visitor.post("/tables/suppress", method="optimal", problem="interval")
    text = visitor.wait_for("/tables/suppress", 'data-testid="problem-cost"')
    assert '<i class="secondary"></i>' in text
    # found and proven in one go: figures without a line that goes nowhere
    assert 'data-testid="upper"' in text
    told = text.partition('data-testid="bounds"')[2].partition("</section>")[0]
    assert ("Found and proven optimal at once" in told) != ("data-chart" in told), told


@pytest.mark.long
def test_files_of_tau_argus_are_taken_with_their_metadata(visitor, tmp_path):
    table = tacita.tabulate(
        datasets.load("business"), ["region", "sector"], "turnover", rules=[api.get_method("p-percent")]
    )
    api.save_cells(table, tmp_path / "t.tab")
    api.save_cells(table, tmp_path / "t.jj")
    visitor.send("/tables/build/file", (tmp_path / "t.tab").read_bytes(), "t.tab")
    visitor.wait_for("/tables/build", "build-problem")
    visitor.send("/tables/build/beside", (tmp_path / "t.rda").read_bytes(), "t.rda")
    visitor.post("/tables/build")
    assert ">54<" in visitor.wait_for("/tables/build", 'data-testid="cells"')
    visitor.send("/tables/build/file", (tmp_path / "t.jj").read_bytes(), "t.jj")
    visitor.post("/tables/build")
    visitor.wait_for("/tables/build", 'data-testid="cells"')
    visitor.post("/tables/suppress", method="optimal", problem="interval")
    visitor.wait_for("/tables/suppress", 'data-testid="problem-cost"')


@pytest.mark.long
def test_a_hierarchy_is_a_file_of_its_own_and_the_plan_names_it_as_its_owner_does(visitor):
    visitor.post("/tables/build/demo", name="business")
    visitor.wait_for("/tables/build", "part-region")
    tree = "Sea\n@Coast\n@West\nLand\n@East\n@North\n@South\n"
    assert "message" in visitor.send("/tables/build/beside", tree, "regions.exe").text
    assert "next" in visitor.send("/tables/build/beside", tree, "regions.hrc").text
    visitor.post("/tables/build", kind="records", **{"by.2": "file", "file.2": "regions.hrc"})
    # two groups of five regions and a total, eight sectors and a total
    assert f">{8 * 9}<" in visitor.wait_for("/tables/build", 'data-testid="cells"')
    visitor.post("/tables/rules", **{"rule.p-percent": "on"})
    visitor.wait_for("/tables/rules", "sensitive-count")
    visitor.post("/tables/suppress", method="constructive", problem="interval", time="5")
    visitor.wait_for("/tables/suppress", 'data-testid="problem-cost"')
    visitor.post("/tables/acknowledge", node="n1")
    plan = visitor.get("/tables/get/plan").text
    assert 'region = "regions.hrc"' in plan
    assert str(visitor.app.folder) not in plan
    assert str(visitor.app.folder) not in visitor.get("/tables/get/script").text


def test_rules_with_a_parameter_that_cannot_be_are_refused_beside_it(visitor):
    visitor.post("/tables/build/demo", name="business")
    visitor.wait_for("/tables/build", "part-region")
    visitor.post("/tables/build", kind="records")
    visitor.wait_for("/tables/build", 'data-testid="cells"')
    visitor.post("/tables/rules", **{"rule.p-percent": "on", "param.p-percent.p": "-3"})
    text = visitor.wait_for("/tables/rules", 'data-state="refused"')
    assert re.search(r'data-testid="problem-p">[^<]+must be more than 0', text)


@pytest.mark.long
def test_bounds_of_a_search_are_told_while_it_runs_and_it_is_stopped_with_what_it_has(newcomer, slow_list):
    newcomer.send("/tables/build/file", slow_list, "cells.csv")
    newcomer.wait_for("/tables/build", "part-row")
    newcomer.post("/tables/build", kind="cells")
    newcomer.wait_for("/tables/build", 'data-testid="cells"')
    newcomer.post("/tables/suppress", method="optimal", problem="interval", time="60")
    heard = []
    for name, message in events(newcomer, seconds=90):
        if name == "bounds":
            heard.append(message)
            if len(heard) == 3:
                newcomer.post("/tables/enough")
        if name == "ended" and message["about"] == "n1":
            break
    assert heard[0]["lower"] <= heard[-1]["lower"] <= heard[-1]["upper"] <= heard[0]["upper"]
    text = newcomer.wait_for("/tables/suppress", 'data-testid="problem-cost"')
    assert "search-stopped" in text or "warnings" in text


@pytest.mark.long
def test_a_cancelled_run_leaves_nothing_behind(visitor, slow_list):
    visitor.send("/tables/build/file", slow_list, "cells.csv")
    visitor.wait_for("/tables/build", "part-row")
    visitor.post("/tables/build", kind="cells")
    visitor.wait_for("/tables/build", 'data-testid="cells"')
    before = {*visitor.app.folder.glob("*/tables/n*")}
    visitor.post("/tables/suppress", method="optimal", problem="interval", time="60")
    assert {*visitor.app.folder.glob("*/tables/n*")} - before
    visitor.post("/tables/cancel")
    visitor.wait_for("/tables/suppress", 'data-state="cancelled"')
    assert {*visitor.app.folder.glob("*/tables/n*")} == before
    assert visitor.get("/tables/get/data").status == 409


def at_work(visitor):
    """The page of a suppression that takes its time, with the table it is about."""
    for path in ("/tables/build", "/tables/rules"):
        send(visitor, path)
        visitor.wait_for(path, 'data-testid="running" data-state="hidden"')
    send(visitor, "/tables/suppress", method="optimal", time="100")
    text = visitor.get("/tables/suppress").text
    assert 'data-testid="running" data-state="shown"' in text
    assert 'data-testid="cell-0-0"' in text
    return text


@pytest.mark.long
def test_a_table_of_another_file_is_not_shown_while_a_run_is_at_work(visitor, slow_list):
    visitor.post("/tables/build/demo", name="business")
    visitor.wait_for("/tables/build", 'data-testid="step-build-form"')
    for path in ("/tables/build", "/tables/rules", "/tables/suppress"):
        send(visitor, path)
        visitor.wait_for(path, 'data-testid="running" data-state="hidden"')
    assert "Coast" in visitor.wait_for("/tables/suppress", 'data-testid="verdict" data-state="verified"')
    visitor.send("/tables/build/file", slow_list.encode(), "slow.csv")
    visitor.wait_for("/tables/build", "slow.csv")
    text = at_work(visitor)
    assert "Coast" not in text
    visitor.post("/tables/cancel")


@pytest.mark.long
def test_the_last_table_stays_in_sight_while_a_run_is_at_work(visitor, slow_list):
    visitor.post("/settings", language="pt")
    visitor.send("/tables/build/file", slow_list.encode(), "slow.csv")
    visitor.wait_for("/tables/build", 'data-testid="step-build-form"')
    text = at_work(visitor)
    visitor.post("/tables/cancel")
    visitor.wait_for("/tables/suppress", 'data-state="cancelled"')
    # what the API says is English, and marked as such on a page of another language
    send(visitor, "/tables/suppress", time="many")
    text = visitor.wait_for("/tables/suppress", 'data-testid="verdict" data-state="refused"')
    verdict = text.partition('data-testid="verdict"')[2].partition("</div>")[0]
    assert '<span lang="en">' in verdict
    assert 'value="many"' in text


def ticked(text):
    """The steps that the rail says are done."""
    rail = text.partition('class="rail"')[2].partition("</nav>")[0]
    return re.findall(r'<li class="done">\s*<a href="/tables/(\w+)"', rail)


@pytest.mark.long
def test_the_rail_ticks_no_step_whose_runs_were_made_with_other_rules_or_files(visitor):
    visitor.post("/tables/build/demo", name="business")
    visitor.wait_for("/tables/build", "part-region")
    tree = b"Sea\n@Coast\n@West\nLand\n@East\n@North\n@South\n"
    visitor.send("/tables/build/beside", tree, "regions.hrc")
    divided = {"by.2": "file", "file.2": "regions.hrc"}
    visitor.post("/tables/build", kind="records", **divided)
    visitor.wait_for("/tables/build", 'data-testid="cells"')
    rule = {"rule.dominance": "on", "param.dominance.n": "2"}
    visitor.post("/tables/rules", **rule)
    visitor.wait_for("/tables/rules", "sensitive-count")
    visitor.post("/tables/suppress", method="constructive", problem="interval")
    visitor.wait_for("/tables/suppress", 'data-testid="problem-cost"')
    assert ticked(visitor.get("/tables/build").text) == ["rules", "suppress", "audit"]
    visitor.post("/tables/rules", **{**rule, "param.dominance.n": "1"})
    visitor.wait_for("/tables/rules", "sensitive-count")
    text = visitor.get("/tables/build").text
    assert ticked(text) == ["rules"]
    assert 'data-testid="step-export"' not in text
    visitor.post("/tables/rules", **rule)
    visitor.wait_for("/tables/rules", "sensitive-count")
    assert ticked(visitor.get("/tables/export").text) == ["build", "rules", "suppress", "audit"]
    # with another file the table itself has to be made again
    visitor.send(
        "/tables/build/beside",
        tree.replace(b"@North\n", b"").replace(b"@West", b"@North\n@West"),
        "regions.hrc",
    )
    assert ticked(visitor.get("/tables/build").text) == []
