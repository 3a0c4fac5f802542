"""Odd inputs that once ended in a trace, a hang or a word too many: each is refused in words, or works."""

from __future__ import annotations

import datetime
import os
import shlex
import signal
import subprocess
import sys
import tracemalloc
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacita
from bad_inputs.shared import PROTECT, SECRETS, check_refusal, everything_in, fill, plan, refuse, survey, text
from tacita.cli import run_command
from tacita.core import Comparison, Microdata
from tacita.microdata.measures.loss.probabilistic import PILCovariance

posix = pytest.mark.skipif(os.name != "posix", reason="pipes and signals of POSIX")
CELLS = "region,sector,turnover,sensitive\n" + "".join(
    f"{r},{s},{5 + i},{int(i == 4)}\n" for i, (r, s) in enumerate((r, s) for r in "abc" for s in "xyz")
)
TABLE = "--rows region --columns sector --value turnover --primary sensitive --problem exact"
# without a header line the first record stands for names
NAMELESS = "Quixote,Dulcinea,f\nSancho,north,g\nPedro,south,h\nLuis,west,f\n"
DEEP = "[" * 2000 + "]" * 2000

REFUSALS = [
    *(
        refuse(f"no-header-{words.split()[0]}-{i}", words, 2, "none of the names", files={"x.csv": content})
        for i, content in enumerate((NAMELESS, NAMELESS.replace(",", ";")))
        for words in (
            "protect x.csv --out o.csv --quasi turnover",
            "synthesize x.csv --out o.csv --dependent turnover --independent wages",
            "assess x.csv x.csv --quasi turnover",
            "tabulate x.csv --rows region --columns firm --out t.csv",
            f"suppress x.csv {TABLE} --out t.csv",
        )
    ),
    refuse(
        "no-header-and-the-same-cell-twice",
        "protect x.csv --out o.csv --quasi turnover",
        1,
        "more than once",
        files={"x.csv": "Quixote,Quixote,f\n" + NAMELESS},
    ),
    refuse(
        "a-name-with-a-slip", "protect survey.csv --out o.csv --quasi turnovr", 2, "Did you mean turnover?"
    ),
    refuse(
        "one-name-of-two",
        "protect survey.csv --out o.csv --quasi turnover,nothing",
        2,
        "no column nothing",
        "Columns: id, name, region",
    ),
    refuse("a-plan-2000-deep", "run plan.toml", 2, "nested too deep", files={"plan.toml": f"a = {DEEP}"}),
    refuse(
        "roles-2000-deep",
        "compare plan.toml",
        2,
        "nested too deep",
        files=plan(roles=f"[roles]\nquasi = {DEEP}"),
    ),
    refuse(
        "an-encoding-that-cannot-write",
        "protect survey.csv --out o.csv --quasi turnover --encoding idna",
        1,
        "cannot be written as idna",
        files=survey(name="x" * 90),
    ),
    refuse(
        "a-control-character-in-a-workbook",
        f"suppress cells.csv {TABLE} --out t.xlsx",
        1,
        "control character",
        "CSV or HTML",
        files={"cells.csv": CELLS.replace("a,", "a\x02,")},
    ),
]


@pytest.mark.parametrize("case", REFUSALS, ids=lambda case: case.name)
def test_an_odd_input_is_refused_without_a_leak_or_a_trace(case, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    check_refusal(case, tmp_path, capsys)


PIPED = [
    "protect fifo.csv --out o.csv --quasi turnover",
    "protect fifo.parquet --out o.csv --quasi turnover",
    "protect survey.csv --out fifo.csv --quasi turnover --force",
    "run fifo.toml",
    "compare fifo.toml",
    "assess survey.csv fifo.csv --quasi turnover",
    "tabulate survey.csv --rows region --columns firm --hierarchy region=fifo.csv --out t.csv",
    "suppress fifo.jj --problem exact --out t.csv",
    f"audit cells.csv fifo.html {TABLE}",
    "datasets business --out fifo.csv --force",
]


@posix
def test_nobody_waits_for_a_pipe(tmp_path):
    fill(tmp_path, {"cells.csv": CELLS})
    for ending in ("csv", "parquet", "toml", "jj", "html"):
        os.mkfifo(tmp_path / f"fifo.{ending}")
    code = (
        "import sys; from tacita.cli import run_command\n"
        "sys.exit(any(run_command(words.split()) != 2 for words in sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *PIPED],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stderr.count("device or pipe") == len(PIPED)


N = 12
ODD_COLUMNS = {
    "interval": pd.Series(pd.IntervalIndex.from_breaks(range(77123, 77124 + N))),
    "category of intervals": pd.Series(pd.cut([77123.456 + i for i in range(N)], 3)),
    "decimal": pd.Series([Decimal("77123.456") + i for i in range(N)]),
    "period": pd.Series(pd.period_range("2020", periods=N, freq="M")),
    "length of time": pd.Series(pd.to_timedelta(range(77123, 77123 + N), unit="s")),
    "complex": pd.Series([complex(i, 77123) for i in range(N)]),
    "mixed": pd.Series([77123, "Quixote", None, 3.5] * 3),
    "dictionaries": pd.Series([{"a": 77123 + i} for i in range(N)]),
    "sets": pd.Series([{77123 + i} for i in range(N)]),
    "sparse": pd.Series(pd.arrays.SparseArray([0, 0, 77123] * 4)),
    "huge whole numbers": pd.Series([77123 * 10**30 + i for i in range(N)]),
    "half floats": pd.Series(np.arange(N, dtype="float16")),
    "long floats": pd.Series(np.arange(N, dtype="longdouble")),
    "polars whole numbers of 128 bits": pl.Series([77123 * 10**20 + i for i in range(N)], dtype=pl.Int128),
    "polars objects": pl.Series([object() for _ in range(N)], dtype=pl.Object),
    "polars decimal": pl.Series([Decimal(77123 + i) for i in range(N)]),
    "polars lengths of time": pl.Series([datetime.timedelta(77123 + i) for i in range(N)]),
    "spans": pa.array([pa.MonthDayNano([1, 2, 77123])] * N),
}
ROLES = {
    "quasi-identifier": {"quasi": ["x", "c"]},
    "released": {"quasi": ["x"]},
    "unit": {"quasi": ["x"], "unit": "c", "identifiers": ["c"]},
    "stratum": {"quasi": ["x"], "strata": ["c"]},
    "nominal": {"quasi": ["x", "c"], "nominal": ["c"], "method": "gower"},
    "ordinal": {"quasi": ["x", "c"], "ordinal": ["c"], "method": "gower"},
    "weight": {"quasi": ["x"], "weight": "c"},
    "numeric": {"quasi": "numeric"},
}


def _frame(column: object) -> object:
    x = [float(i * i % 17) for i in range(N)]
    if isinstance(column, pd.Series):
        return pd.DataFrame({"x": x, "c": column})
    return (
        pl.DataFrame({"x": x, "c": column})
        if isinstance(column, pl.Series)
        else pa.table({"x": x, "c": column})
    )


@pytest.mark.each_once
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("kind", ODD_COLUMNS)
def test_a_column_of_an_odd_type_is_released_or_refused_without_data(kind, role, tmp_path):
    said = ""
    try:
        made = tacita.protect(_frame(ODD_COLUMNS[kind]), measures=["IL1"], **ROLES[role])
        for name in ("out.parquet", "out.csv"):
            tacita.save(made, tmp_path / name, report=tmp_path / f"{name}.html")
            tacita.save(made, tmp_path / name, report=tmp_path / f"{name}.html", force=True)
    except (tacita.ParameterError, tacita.DataError) as refusal:
        said = str(refusal)
    assert not any(secret in said for secret in SECRETS)


WITHOUT_A_PLACE = """
import os
os.access = lambda *_: False
from numba.core import caching
caching.CacheImpl._locator_classes = [
    each for each in caching.CacheImpl._locator_classes if "UserProvided" in each.__name__
]
import sys, tacita
print(tacita.protect(sys.argv[1], quasi=["turnover"], method=sys.argv[2], measures=["IL1"]))
"""


# one loop to compile, and many
@pytest.mark.parametrize("method", ["rank-swap", pytest.param("mdav", marks=pytest.mark.long)])
def test_an_account_without_a_folder_of_its_own_can_work(method, tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    (tmp_path / "survey.csv").write_text(text())
    words = [sys.executable, "-c", WITHOUT_A_PLACE, str(tmp_path / "survey.csv"), method]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "12 records" in done.stdout
    assert "Compiled code cannot be kept" in done.stderr


LOADING = """
import sys, time
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            print("now", flush=True)
            time.sleep(60)
sys.meta_path.insert(0, Finder())
sys.argv[0] = "tacita"
from tacita.__main__ import main
main()
"""


@posix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("module", ["cyclopts", "rich.console", "pyarrow", "tacita.cli.commands", "narwhals"])
def test_a_command_that_is_stopped_while_it_loads_shows_no_trace(module, number, code, tmp_path):
    fill(tmp_path, {})
    before = everything_in(tmp_path)
    running = subprocess.Popen(
        [sys.executable, "-c", LOADING.format(module=module), *shlex.split(f"{PROTECT} --force")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "now\n"
    running.send_signal(number)
    _, said = running.communicate()
    assert (running.returncode, said) == (code, "Cancelled. Nothing was written.\n")
    assert everything_in(tmp_path) == before


def test_hardly_anything_loads_before_the_command_listens_to_who_stops_it():
    # -S: without what the site packages of this machine load by themselves
    words = "import sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules); import tacita; "
    words += "print(*sorted(set(sys.modules) - before))"
    source = Path(tacita.__file__).parents[1]
    loaded = subprocess.run(
        [sys.executable, "-S", "-c", words, source], capture_output=True, text=True, check=True
    )
    assert loaded.stdout.split() == ["__future__", "tacita", "tacita._moved", "tacita._version"]


def test_cells_of_a_file_are_parsed_once(tmp_path, monkeypatch):
    from tacita.core.data import microdata

    (tmp_path / "survey.csv").write_text(text())
    parse, asked = microdata.parse_numbers, []

    def counted(cells, *more):
        asked.append(cells)
        return parse(cells, *more)

    monkeypatch.setattr(microdata, "parse_numbers", counted)
    made = tacita.protect(tmp_path / "survey.csv", quasi=["turnover", "wages"], identifiers=["id", "name"])
    assert isinstance(made.claim.original, Microdata)
    assert len(asked) <= len(made.claim.original.columns)


def test_pairs_of_many_columns_need_no_matrix_of_pairs_by_columns():
    columns = 300
    values = np.random.default_rng(5).normal(size=(20, columns))
    pair = Comparison.of(values, values + 0.1)
    tracemalloc.start()
    score = PILCovariance().score(pair)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(score.per_attribute) == columns
    # each pair once, with a few figures; not once for each column
    assert most < 40 * 8 * columns * columns


def test_the_figure_of_a_column_is_the_mean_over_the_pairs_it_stands_in():
    values = np.random.default_rng(6).normal(size=(30, 4))
    released = values + np.random.default_rng(7).normal(size=(30, 4)) / 3
    whole = PILCovariance().score(Comparison.of(values, released)).per_attribute
    for one, name in enumerate(whole):
        alone = [
            PILCovariance().score(Comparison.of(values[:, [one, two]], released[:, [one, two]])).value
            for two in range(4)
            if two != one
        ]
        assert whole[name] == pytest.approx(np.mean(alone))


def test_odd_inputs_of_every_command_end_with_a_message(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    bodies = {
        "empty": b"",
        "nul": b"\0\0",
        "marks": b"\xef\xbb\xbf",
        "nameless": NAMELESS.encode(),
        "old-mac": text().replace("\n", "\r").encode(),
        "control": text().replace("north", "no\x01rth").encode(),
        "json": b'{"a": 1}',
        "archive": b"PK\x03\x04" + b"\0" * 100,
        "magic": b"PAR1" + b"\0" * 20 + b"PAR1",
        "digits": text().replace("77123.456", "٧٧").encode(),
        "twice": CELLS.encode() * 2,
        "one": b"region,sector,turnover,sensitive\na,x,5,1\n",
    }
    commands = (
        "protect {}.csv --out o.csv --quasi turnover,wages",
        "protect {}.parquet --out o.parquet --quasi numeric",
        "synthesize {}.csv --out o.csv --dependent turnover --independent wages",
        "assess survey.csv {}.csv --quasi turnover",
        "tabulate {}.csv --rows region --columns firm --out t.tab",
        f"suppress {{}}.csv {TABLE} --out t.xlsx",
        "suppress {}.tab --problem exact --out t.csv",
        "suppress {}.jj --problem exact --out t.csv",
        f"audit cells.csv {{}}.html {TABLE}",
        f"audit cells.csv {{}}.xlsx {TABLE}",
        "run {}.toml",
        "compare {}.toml",
    )
    for name, body in bodies.items():
        endings = ("csv", "parquet", "tab", "rda", "jj", "html", "xlsx", "toml")
        fill(tmp_path, {"cells.csv": CELLS, **{f"{name}.{ending}": body for ending in endings}})
        for command in commands:
            for left in ("o.csv", "o.parquet", "t.tab", "t.rda", "t.csv", "t.xlsx"):
                (tmp_path / left).unlink(missing_ok=True)
            code = run_command(shlex.split(command.format(name)))
            said = capsys.readouterr().err
            assert code in (0, 1, 2), (name, command, said)
            assert bool(said.strip()) == (code > 0)
            assert not any(word in said for word in ("Traceback", *SECRETS))
