"""The public benchmark files: pinned, offline unless asked, and never half stored."""

import hashlib
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tacita import datasets
from tacita.core.errors import DataError
from tacita.datasets import fetch as fetching
from tacita.datasets.pins import REFERENCES, UPSTREAM, Reference
from tacita.datasets.reference import cache_folder, read_reference

pandas = pytest.importorskip("pandas")
rdata = pytest.importorskip("rdata", reason="needs the extra tacita[reference]")

CSV = b'number,share,code,name\n1,0.5,3,"Dam, upper"\n-2,1.0,2,Mill\n300000,,1,Dam\n'
names = pytest.mark.parametrize("name", list(REFERENCES))


def real(name: str) -> pa.Table:
    """The benchmark file itself, or a skip that says how to get it."""
    try:
        return datasets.load(name)
    except DataError as problem:
        if "is neither in" not in str(problem):
            raise
        pytest.skip(f"{name}.csv is not here; set TACITA_DATA or fetch it")


def rda_of(frame: "pandas.DataFrame", folder: Path) -> bytes:
    path = folder / "written.rda"
    rdata.write_rda(path, {"anything": frame})
    content = path.read_bytes()
    path.unlink()
    return content


@pytest.fixture
def no_local_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Neither TACITA_DATA nor anything in the cache; gives the cache folder, which does not exist yet."""
    monkeypatch.delenv("TACITA_DATA", raising=False)
    monkeypatch.setenv("TACITA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    return tmp_path / "cache"


@pytest.fixture
def rda(tmp_path: Path) -> bytes:
    frame = pandas.DataFrame(
        {
            "number": [1.0, -2.0, 300000.0],
            "share": [0.5, 1.0, np.nan],
            "code": np.array([3, 2, 1], dtype=np.int32),
            "name": pandas.Categorical(["Dam, upper", "Mill", "Dam"]),
        }
    )
    return rda_of(frame, tmp_path)


@pytest.fixture
def tiny(rda: bytes) -> Reference:
    return Reference(
        name="tiny",
        title="Three made-up rows.",
        source="this test",
        rda_path="data/tiny.rda",
        rda_sha256=hashlib.sha256(rda).hexdigest(),
        csv_sha256=hashlib.sha256(CSV).hexdigest(),
    )


class Server(ThreadingHTTPServer):
    """Serves `content` at /data/tiny.rda, announcing `announced` bytes; remembers what was asked."""

    content = b""
    announced: int | None = None

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        if self.path != "/data/tiny.rda":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(self.server.announced or len(self.server.content)))
        self.end_headers()
        self.wfile.write(self.server.content)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def server(rda: bytes) -> Iterator[Server]:
    with Server() as running:
        running.content = rda
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@names
def test_a_benchmark_file_has_the_described_shape_and_columns(name: str) -> None:
    table, description = real(name), datasets.describe(name)
    # Taken out of the table first: a failing assertion would print its rows.
    shape, schema = table.shape, table.schema
    assert shape == (description.rows, description.columns)
    assert set(description.identifiers) | set(description.quasi) <= set(schema.names)
    assert all(schema.field(column).type == pa.int64() for column in description.quasi)


def test_the_literature_uses_all_13_columns_of_census_and_tarragona_and_11_of_eia() -> None:
    assert {name: len(REFERENCES[name].quasi) for name in REFERENCES} == {
        "census": 13,
        "tarragona": 13,
        "eia": 11,
    }
    assert "UTILITYID" in REFERENCES["eia"].quasi


def test_in_census_total_income_is_earnings_plus_other_income() -> None:
    census = real("census")
    earnings, other = census["PEARNVAL"].to_numpy(), census["POTHVAL"].to_numpy()
    unequal = int(np.count_nonzero(census["PTOTVAL"].to_numpy() != earnings + other))
    assert unequal == 0


@names
def test_converting_an_rda_with_the_values_of_a_benchmark_gives_its_pinned_csv(
    name: str, tmp_path: Path
) -> None:
    frame = real(name).to_pandas()
    texts = [column for column in frame if column in ("UTILNAME", "STATE")]
    frame = frame.astype({column: "category" if column in texts else float for column in frame})
    found = hashlib.sha256(fetching.to_csv(REFERENCES[name], rdata, rda_of(frame, tmp_path))).hexdigest()
    assert found == REFERENCES[name].csv_sha256


@names
def test_without_a_file_the_error_says_how_to_get_it_and_asks_no_server(
    name: str, no_local_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "download", lambda *_: pytest.fail("went to the network unasked"))
    with pytest.raises(DataError, match=f"Set TACITA_DATA .* fetch=True .*tacita datasets {name} --fetch"):
        datasets.load(name)
    assert not no_local_files.exists()


def test_a_changed_file_in_tacita_data_is_refused_even_when_fetching(
    tiny: Reference, server: Server, no_local_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tiny.csv").write_bytes(CSV.replace(b"300000", b"300001"))
    monkeypatch.setenv("TACITA_DATA", str(tmp_path))
    with pytest.raises(
        DataError, match=f"in TACITA_DATA is not the benchmark file.*{tiny.csv_sha256}"
    ) as caught:
        read_reference(tiny, fetch=True, base_url=server.url)
    assert "30000" not in str(caught.value)
    assert server.asked == []
    assert not no_local_files.exists()


def test_tacita_data_comes_before_the_cache(
    tiny: Reference, no_local_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_local_files.mkdir()
    (no_local_files / "tiny.csv").write_bytes(b"damaged")
    (tmp_path / "tiny.csv").write_bytes(CSV)
    monkeypatch.setenv("TACITA_DATA", str(tmp_path))
    assert read_reference(tiny).num_rows == 3


def test_a_folder_in_place_of_the_file_is_an_error_not_an_absence(
    tiny: Reference, no_local_files: Path
) -> None:
    (no_local_files / "tiny.csv").mkdir(parents=True)
    with pytest.raises(DataError, match="cannot be read"):
        read_reference(tiny)


def test_a_fetched_file_is_converted_stored_and_read_offline_afterwards(
    tiny: Reference, server: Server, no_local_files: Path
) -> None:
    table = read_reference(tiny, fetch=True, base_url=server.url)
    assert table.to_pydict() == {
        "number": [1, -2, 300000],
        "share": [0.5, 1.0, None],
        "code": [3, 2, 1],
        "name": ["Dam, upper", "Mill", "Dam"],
    }
    assert table.schema.field("number").type == pa.int64()
    assert {path.name: path.read_bytes() for path in no_local_files.iterdir()} == {"tiny.csv": CSV}
    assert read_reference(tiny).equals(table)
    assert read_reference(tiny, fetch=True, base_url=server.url).equals(table)
    assert server.asked == ["/data/tiny.rda"]


def test_a_damaged_cache_is_refused_and_fetching_mends_it(
    tiny: Reference, server: Server, no_local_files: Path
) -> None:
    no_local_files.mkdir()
    (no_local_files / "tiny.csv").write_bytes(CSV[:-5])
    with pytest.raises(DataError, match=r"in the cache is not the benchmark file.*fetch=True"):
        read_reference(tiny)
    assert read_reference(tiny, fetch=True, base_url=server.url).num_rows == 3
    assert (no_local_files / "tiny.csv").read_bytes() == CSV


def failing(tiny: Reference, server: Server, no_local_files: Path, match: str) -> None:
    """Fetching fails with that message, and leaves nothing behind."""
    with pytest.raises(DataError, match=match):
        read_reference(tiny, fetch=True, base_url=server.url)
    assert not no_local_files.exists()


def test_a_download_with_another_hash_is_refused(
    tiny: Reference, server: Server, no_local_files: Path
) -> None:
    server.content = server.content[:-1] + b"x"
    failing(tiny, server, no_local_files, f"not the pinned file: .*{tiny.rda_sha256}.* Nothing was stored")


def test_a_server_without_the_file_is_named_with_its_answer(
    tiny: Reference, server: Server, no_local_files: Path
) -> None:
    failing(
        replace(tiny, rda_path="data/gone.rda"),
        server,
        no_local_files,
        "data/gone.rda: the server answered 404",
    )


def test_a_download_that_breaks_off_is_refused(tiny: Reference, server: Server, no_local_files: Path) -> None:
    server.announced, server.content = len(server.content), server.content[:40]
    failing(tiny, server, no_local_files, "the connection broke off")


def test_a_download_beyond_the_limit_is_refused(
    tiny: Reference, server: Server, no_local_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "LARGEST_BYTES", 50)
    failing(tiny, server, no_local_files, "larger than 50 bytes")


def test_a_server_that_never_answers_is_given_up(
    tiny: Reference, server: Server, no_local_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "TIMEOUT_SECONDS", 0.2)
    release = threading.Event()
    monkeypatch.setattr(Handler, "do_GET", lambda _: release.wait(10))
    try:
        failing(tiny, server, no_local_files, "could not download .*(timed out|no answer within 0.2 seconds)")
    finally:
        release.set()


def test_a_conversion_to_other_bytes_than_the_pinned_csv_is_refused(
    tiny: Reference, server: Server, no_local_files: Path
) -> None:
    failing(replace(tiny, csv_sha256="0" * 64), server, no_local_files, "converted it to another CSV")


def test_an_rda_with_two_data_frames_is_refused(tiny: Reference, tmp_path: Path) -> None:
    path = tmp_path / "two.rda"
    frame = pandas.DataFrame({"a": [1.0]})
    rdata.write_rda(path, {"one": frame, "two": frame})
    with pytest.raises(DataError, match="must hold one data frame, got 2"):
        fetching.to_csv(tiny, rdata, path.read_bytes())


def test_without_rdata_the_error_names_the_extra_and_nothing_is_downloaded(
    tiny: Reference, server: Server, no_local_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rdata", None)
    failing(tiny, server, no_local_files, r"tacita\[reference\]")
    assert server.asked == []


def test_a_failed_write_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "tiny.csv").write_bytes(b"old")
    monkeypatch.setattr("tacita.io.atomic.os.replace", full)
    with pytest.raises(DataError, match=r"No space left on device\)\. .* Set TACITA_CACHE"):
        fetching.store(tmp_path / "tiny.csv", b"new")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"tiny.csv": b"old"}


@pytest.mark.parametrize(
    ("platform", "variable", "tail"),
    [
        ("linux", "XDG_CACHE_HOME", ("tacita",)),
        ("win32", "LOCALAPPDATA", ("tacita", "Cache")),
        ("linux", None, (".cache", "tacita")),
        ("win32", None, ("AppData", "Local", "tacita", "Cache")),
        ("darwin", None, ("Library", "Caches", "tacita")),
    ],
)
def test_the_cache_lies_where_the_platform_keeps_caches(
    platform: str,
    variable: str | None,
    tail: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("TACITA_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    if variable:
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert cache_folder() == tmp_path.joinpath(*tail)


def test_upstream_is_one_commit_not_a_moving_branch() -> None:
    assert len(UPSTREAM.rsplit("/", 1)[1]) == 40
    assert UPSTREAM.startswith("https://")


def test_where_the_cache_cannot_be_made_the_folder_to_set_is_named_and_nothing_is_left(tmp_path):
    (tmp_path / "taken").write_text("a file, not a folder")
    with pytest.raises(DataError, match=r"taken: this folder cannot be created .*Set TACITA_CACHE"):
        fetching.store(tmp_path / "taken" / "census.csv", b"a")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
