"""Files in parts: the same release wherever and however it is made, verified, and nothing left behind."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacita
from people_in_parts import ASKED, PARTS, bytes_of, nothing_hidden, people, split, with_gaps
from tacita import api
from tacita.core import DataError, ParameterError, RequirementError, VerificationError
from tacita.io.claim_store import CLAIM_KINDS
from tacita.microdata.streaming import stream as streaming


@pytest.fixture
def source(tmp_path):
    pq.write_table(people(), tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


def test_executors_workers_and_splits_give_the_same_bytes(source, tmp_path, some):
    folder = split(people(), tmp_path / "people", [1, 700, 1100])
    found = set()
    ways = [
        (source, PARTS),
        (folder, PARTS),
        (source, {**PARTS, "name": "processes", "workers": 2}),
        (folder, {**PARTS, "name": "dask", "workers": 2}),
        (folder, {**PARTS, "name": "processes", "workers": 1}),
    ]
    for place, executor in some(ways, 3):
        target = tmp_path / "out.parquet"
        made = api.protect_file(place, target, executor=executor, unit="firm", force=True, **ASKED)
        assert made.data == target
        assert made.record.records_out == 2000
        found.add(bytes_of(target))
    assert len(found) == 1
    assert nothing_hidden(tmp_path)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"round_integers": True, "unit": "firm"},
        {"method": "blocks", "block": 100},
        {"end_rule": "2k", "growth": "centroid", "k": 7},
        {"missing": "stratum", "strata": ()},
        {"missing": "drop"},
    ],
    ids=["plain", "units", "blocks", "options of mdav", "gaps", "dropped"],
)
def test_a_file_of_one_part_is_the_file_made_in_memory(options, tmp_path):
    table = people(600)
    if "missing" in options:
        table = with_gaps(table, "hours", 40)
    pq.write_table(table, tmp_path / "in.parquet")
    asked = {**ASKED, **options}
    api.protect_file(tmp_path / "in.parquet", tmp_path / "parts.parquet", executor="serial", **asked)
    api.save(api.protect(tmp_path / "in.parquet", **asked), tmp_path / "memory.parquet")
    assert bytes_of(tmp_path / "parts.parquet") == bytes_of(tmp_path / "memory.parquet")


def test_several_row_groups_are_written_as_if_at_once(tmp_path):
    from tacita.io.parquet_dataset import write_pieces

    table = people()
    pieces = [table.slice(begin, 600) for begin in range(0, 2000, 600)]
    write_pieces(tmp_path / "pieces.parquet", iter(pieces))
    pq.write_table(
        table, tmp_path / "once.parquet", compression="zstd", store_schema=False, row_group_size=600
    )
    assert bytes_of(tmp_path / "pieces.parquet") == bytes_of(tmp_path / "once.parquet")


@pytest.mark.parametrize(
    "kind", ["ties", "constant", "one stratum", "many strata", "gaps", "dropped", "units"]
)
def test_every_group_has_k_records_of_its_stratum_in_the_file_as_written(kind, tmp_path):
    n = 1500
    table, asked = people(n, seed=5), dict(ASKED)
    rng = np.random.default_rng(2)
    if kind == "ties":
        table = table.set_column(1, "income", pa.array(rng.integers(0, 3, n).astype(float)))
        asked |= {"quasi": ["income"], "strata": ()}
    elif kind == "constant":
        table = table.set_column(1, "income", pa.array(np.full(n, 7.0)))
    elif kind == "one stratum":
        asked["strata"] = ()
    elif kind == "many strata":
        table = table.set_column(4, "region", pa.array([f"r{value}" for value in np.arange(n) // 20]))
    elif kind in ("gaps", "dropped"):
        income = table["income"].to_numpy().copy()
        income[rng.random(n) < 0.2] = np.nan
        table = table.set_column(1, "income", pa.array(income, from_pandas=True))
        asked["missing"] = "stratum" if kind == "gaps" else "drop"
    elif kind == "units":
        asked["unit"] = "firm"
    pq.write_table(table, tmp_path / "in.parquet")
    made = api.protect_file(tmp_path / "in.parquet", tmp_path / "out.parquet", executor=PARTS, **asked)
    released = pq.read_table(tmp_path / "out.parquet")
    keys = [*asked["strata"], *asked["quasi"]]
    counts = released.group_by(keys).aggregate([([], "count_all")])["count_all"].to_pylist()
    assert min(counts) >= 3
    assert all(verdict.passed for verdict in made.record.verdicts)
    assert {"groups-of-k", "group-means", "others-identical", "file-plain"} <= {
        verdict.guarantee for verdict in made.record.verdicts
    }
    if kind == "units":
        firms = released.group_by(keys).aggregate([("firm", "count_distinct")])["firm_count_distinct"]
        assert min(firms.to_pylist()) >= 3
        assert "k-units" in {verdict.guarantee for verdict in made.record.verdicts}
    if kind == "dropped":
        assert made.record.records_out == released.num_rows < made.record.records_in == n
    else:
        assert released["note"].equals(table["note"])
    assert sum(size * count for size, count in made.record.group_sizes.items()) == released.num_rows


def test_steps_that_change_single_values_stand_beside_one_that_groups(source, tmp_path):
    steps = [
        {"method": "recode", "quasi": ["region"], "map": {"region": {"isles": "south"}}},
        {"method": "top-code", "quasi": ["hours"], "limit": 60},
        {"method": "mdav", "quasi": ["income", "age"], "k": 4},
        {"method": "drop", "columns": ["note"]},
    ]
    made = api.protect_file(
        source, tmp_path / "out.parquet", executor=PARTS, steps=steps, identifiers=["id"], accept_risks=True
    )
    released = pq.read_table(tmp_path / "out.parquet")
    assert released.column_names == ["income", "age", "hours", "region", "firm"]
    assert set(released["region"].to_pylist()) == {"north", "south"}
    assert max(released["hours"].to_pylist()) <= 60
    counts = released.group_by(["income", "age"]).aggregate([([], "count_all")])["count_all"].to_pylist()
    assert min(counts) >= 4
    assert [step.method for step in made.record.steps] == [("recode",), ("top-code",), ("mdav",), ("drop",)]


def test_a_folder_of_files_comes_out_where_the_output_has_no_ending(source, tmp_path, monkeypatch):
    from tacita.microdata.streaming import merge, partition

    for module in (partition, merge, streaming):
        monkeypatch.setattr(module, "SPAN", 900)
    api.protect_file(source, tmp_path / "released", executor=PARTS, **ASKED)
    api.protect_file(source, tmp_path / "one.parquet", executor=PARTS, **ASKED)
    files = sorted(path.name for path in (tmp_path / "released").iterdir())
    assert files == ["part-00000.parquet", "part-00001.parquet", "part-00002.parquet"]
    whole = pa.concat_tables(pq.read_table(tmp_path / "released" / name) for name in files)
    assert whole.combine_chunks().equals(pq.read_table(tmp_path / "one.parquet").combine_chunks())
    assert nothing_hidden(tmp_path)
    with pytest.raises(ParameterError, match="got a folder"):
        api.protect_file(source, tmp_path / "released", executor=PARTS, force=True, **ASKED)


def test_nothing_is_written_into_a_folder_that_is_read(tmp_path):
    folder = split(people(), tmp_path / "people", [900])
    before = {path.name: bytes_of(path) for path in folder.iterdir()}
    inside = [
        folder / "out.parquet",
        folder / "part-00.parquet",
        folder / "released",
        folder / "." / "x.parquet",
    ]
    for target in inside:
        with pytest.raises(ParameterError, match="would lie in the folder that is the input"):
            api.protect_file(folder, target, executor=PARTS, force=True, **ASKED)
    (tmp_path / "link").symlink_to(folder)
    for options in ({"report": folder / "part-01.parquet"}, {"note": tmp_path / "link" / "note.html"}):
        with pytest.raises(ParameterError, match="would lie in the folder that is the input"):
            api.protect_file(folder, tmp_path / "o.parquet", executor=PARTS, force=True, **options, **ASKED)
    assert {path.name: bytes_of(path) for path in folder.iterdir()} == before


def test_folders_in_a_folder_are_not_passed_over(tmp_path):
    folder = split(people(), tmp_path / "people", [900])
    (folder / "more").mkdir()
    (folder / "part-01.parquet").rename(folder / "more" / "part-01.parquet")
    with pytest.raises(ParameterError, match="holds folders"):
        api.protect_file(folder, tmp_path / "out.parquet", executor=PARTS, **ASKED)


def test_figures_are_those_of_all_records_and_the_rest_says_that_it_is_not(source, tmp_path, monkeypatch):
    monkeypatch.setattr(streaming, "SAMPLE", 1500)
    asked = {**ASKED, "quasi": ["age", "hours"]}
    made = api.protect_file(
        source,
        tmp_path / "out.parquet",
        executor=PARTS,
        report=tmp_path / "r.html",
        json_report=tmp_path / "r.json",
        **asked,
    )
    sample = next(each for each in made.record.warnings if each.name == "measured-on-a-sample")
    assert 1200 < sample.count < 1800
    assert "only the measures ENERGY, SUB_mean, SUB_covariance and RELATIONS, pictures" in sample.text
    whole = api.evaluate(source, pq.read_table(tmp_path / "out.parquet"), quasi=asked["quasi"])
    for score in whole:
        told = made.report[score.name]
        if score.name == "ID_rank":
            assert told.value == pytest.approx(score.value, abs=0.5)
        elif score.name not in ("ENERGY", "SUB_mean", "SUB_covariance", "RELATIONS"):
            assert told.value == pytest.approx(score.value, rel=1e-9, abs=1e-9), score.name
            assert told.per_attribute == pytest.approx(dict(score.per_attribute), rel=1e-9, abs=1e-9)
    told = json.loads((tmp_path / "r.json").read_text())
    assert told["record"]["records_out"] == 2000
    page = (tmp_path / "r.html").read_text()
    assert f"of a sample of {sample.count:,} records are unique" in page
    assert f"in a sample of {sample.count:,} of the 2,000 released" in page


def test_a_file_no_larger_than_a_sample_is_no_sample_because_some_left(tmp_path):
    table = with_gaps(people(), "income", 20)
    pq.write_table(table, tmp_path / "in.parquet")
    asked = {**ASKED, "missing": "drop"}
    made = api.protect_file(tmp_path / "in.parquet", tmp_path / "out.parquet", executor=PARTS, **asked)
    assert made.record.records_out == 1900
    assert "measured-on-a-sample" not in {each.name for each in made.record.warnings}
    assert made.record.uniqueness.records == 1900


def test_requirements_are_judged_on_the_whole_file(source, tmp_path):
    asked = {"k_anonymity": {"k": 3, "keys": ["region", "income"]}}
    made = api.protect_file(source, tmp_path / "out.parquet", executor=PARTS, require=asked, **ASKED)
    assert "k_anonymity" in {verdict.guarantee for verdict in made.record.verdicts}
    asked = {"k_anonymity": {"k": 9, "keys": ["firm"]}}
    with pytest.raises(RequirementError, match="k_anonymity"):
        api.protect_file(source, tmp_path / "no.parquet", executor=PARTS, require=asked, **ASKED)
    assert not (tmp_path / "no.parquet").exists()
    assert nothing_hidden(tmp_path)


REFUSED = [
    ({"method": "noise", "quasi": ["income"]}, "all records of a stratum"),
    ({"method": "rank-swap", "quasi": ["income"]}, "all records of a stratum"),
    ({"method": "generalise", "quasi": ["region"]}, "classes of equal keys"),
    ({"method": "local-suppression", "quasi": ["region", "note"]}, "combinations of keys"),
    ({"method": "top-code", "quasi": ["income"], "share": 0.1}, "give a limit"),
    ({"method": "gower", "quasi": ["income", "region"], "nominal": ["region"]}, "groups by categories"),
    ({"method": "best", "quasi": ["income", "age"], "time": 1}, "no two runs"),
    ({"quasi": ["income"], "missing": "merge"}, "merge"),
    ({"quasi": ["income"], "shuffle": True}, "all records at once"),
    ({"quasi": ["income"], "unit": "firm", "unit_columns": ["income"]}, "all its records in one place"),
    ({"quasi": ["income"], "require": {"DBRL": 20}}, "with its original"),
]


@pytest.mark.parametrize(("options", "reason"), REFUSED, ids=[reason for _, reason in REFUSED])
def test_what_does_not_survive_parts_is_refused_with_its_reason(options, reason, source, tmp_path):
    with pytest.raises(ParameterError, match=reason):
        api.protect_file(source, tmp_path / "out.parquet", executor=PARTS, accept_risks=True, **options)
    assert not (tmp_path / "out.parquet").exists()
    assert nothing_hidden(tmp_path)


def test_gaps_are_counted_over_all_parts(tmp_path):
    table = people()
    income = table["income"].to_numpy().copy()
    income[[5, 1990]] = np.nan
    pq.write_table(table.set_column(1, "income", pa.array(income, from_pandas=True)), tmp_path / "in.parquet")
    with pytest.raises(DataError, match=r"missing values in 2 records: income \(2\)"):
        api.protect_file(tmp_path / "in.parquet", tmp_path / "out.parquet", executor=PARTS, **ASKED)


def test_other_files_and_unlike_parts_are_refused_in_words(source, tmp_path):
    (tmp_path / "people.csv").write_text("x\n1\n")
    with pytest.raises(ParameterError, match="reads Parquet"):
        api.protect_file(tmp_path / "people.csv", tmp_path / "out.parquet", quasi="x")
    with pytest.raises(ParameterError, match="writes Parquet"):
        api.protect_file(source, tmp_path / "out.csv", **ASKED)
    folder = split(people(), tmp_path / "people", [900])
    pq.write_table(pa.table({"x": [1]}), folder / "part-99.parquet")
    with pytest.raises(DataError, match="other columns"):
        api.protect_file(folder, tmp_path / "out.parquet", **ASKED)
    (folder / "part-99.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(DataError, match="not a readable Parquet file"):
        api.protect_file(folder, tmp_path / "out.parquet", **ASKED)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ParameterError, match="found none"):
        api.protect_file(tmp_path / "empty", tmp_path / "out.parquet", **ASKED)


def test_a_plan_names_its_executor_and_a_script_does_the_same(source, tmp_path):
    plan = tacita.Plan.from_toml(
        f'''
version = 1
executor = "processes"
[input]
path = "{source}"
[roles]
quasi = ["income"]
[output]
path = "{tmp_path / "out.parquet"}"
'''
    )
    assert plan.executor.name == "processes"
    assert plan.executor.part == 250_000
    assert tacita.Plan.from_toml(plan.to_toml()) == plan
    assert "protect_file" in plan.to_python()
    exec(plan.to_python(), {})
    assert pq.read_table(tmp_path / "out.parquet").num_rows == 2000


def _swapped(table):
    income = table["income"].to_numpy().copy()
    place = int(np.flatnonzero(income != income[0])[0])
    income[[0, place]] = income[[place, 0]]
    return table.set_column(table.column_names.index("income"), "income", pa.array(income))


def _noted(table):
    place = table.column_names.index("note")
    notes = table["note"].to_pylist()
    return table.set_column(place, "note", pa.array(["other", *notes[1:]]))


FAULTS = {
    "a value of another group": (_swapped, "group-means|groups-of-k"),
    "a column that should be unchanged": (_noted, "others-identical"),
    "a record too few": (lambda table: table.slice(1), "rows-complete"),
    "a record twice": (lambda table: pa.concat_tables([table, table.slice(0, 1)]), "rows-complete"),
    "two records that changed places": (
        lambda table: table.take([1, 0, *range(2, len(table))]),
        "others-identical",
    ),
    "an identifier": (lambda table: table.append_column("id", pa.array(range(len(table)))), "columns-kept"),
    "a column too few": (lambda table: table.drop_columns(["note"]), "columns-kept"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_file_as_written_is_found_and_nothing_is_left(fault, source, tmp_path, monkeypatch):
    spoil, promise = FAULTS[fault]
    honest = streaming.write_pieces

    def spoilt(path, pieces, **how):
        honest(path, [spoil(pa.concat_tables(list(pieces)).combine_chunks())], **how)

    monkeypatch.setattr(streaming, "write_pieces", spoilt)
    with pytest.raises(VerificationError, match=promise):
        api.protect_file(source, tmp_path / "out.parquet", executor=PARTS, **ASKED)
    assert not (tmp_path / "out.parquet").exists()
    assert nothing_hidden(tmp_path)


def test_what_a_file_says_beside_its_cells_is_found(source, tmp_path, monkeypatch):
    def talks(path, pieces, **_):
        pq.write_table(pa.concat_tables(list(pieces)).replace_schema_metadata({"made": "today"}), path)

    monkeypatch.setattr(streaming, "write_pieces", talks)
    with pytest.raises(VerificationError, match="file-plain"):
        api.protect_file(source, tmp_path / "out.parquet", executor=PARTS, **ASKED)


@pytest.mark.parametrize("promise", ["rows", "labels"])
def test_a_claim_that_is_not_true_is_found(promise, source, tmp_path, monkeypatch):
    honest = streaming._Work._verified

    def lied(self, file, parts, deal):
        name = f"made-{parts[0]}"
        if promise == "rows":
            rows = np.array(self.scratch.array(f"{name}.rows"))
            rows[0] = rows[1]
            self.scratch.put_array(f"{name}.rows", rows)
        else:
            kept = self.scratch.get(f"{name}.claim", CLAIM_KINDS)
            kept.claim.labels[:] = 0
            self.scratch.put(f"{name}.claim", kept)
        return honest(self, file, parts, deal)

    monkeypatch.setattr(streaming._Work, "_verified", lied)
    with pytest.raises(VerificationError, match=r"rows-complete|group-means|groups-of-k"):
        api.protect_file(source, tmp_path / "out.parquet", executor=PARTS, **ASKED)


def test_the_folder_of_a_run_is_for_its_owner_alone_and_for_one_run_at_a_time(tmp_path):
    from tacita.io.workdir import Scratch

    scratch = Scratch.beside(tmp_path / "out.parquet", "mark")
    assert scratch.folder.stat().st_mode & 0o777 == 0o700
    with scratch.alone(), pytest.raises(ParameterError, match="another run"), Scratch(scratch.folder).alone():
        pass
    scratch.folder.chmod(0o755)
    with pytest.raises(ParameterError, match="Remove it"):
        Scratch.beside(tmp_path / "out.parquet", "mark")
