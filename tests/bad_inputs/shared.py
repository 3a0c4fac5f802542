"""A folder with a small survey, and what must hold whenever a command is refused."""

import csv
import io
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

from tacita.cli import run_command

# Values of the data that no message may ever repeat, whatever is wrong with them.
SECRETS = ("77123", "456", "Quixote", "Dulcinea")

COLUMNS = ("id", "name", "region", "firm", "turnover", "wages", "postcode", "born", "active")
ROWS = 12
WRITING = ("protect", "synthesize", "assess", "compare", "run", "tabulate", "suppress", "audit", "demo")
PROTECT = "protect survey.csv --out out.csv --quasi turnover,wages"


def records(**cells: Mapping[int, str] | str) -> list[dict[str, str]]:
    """Twelve firms in two regions; `turnover={3: "NA"}` puts a cell into a row, a plain text into all."""
    rows = [
        {
            "id": f"{i:03}",
            "name": "Quixote" if i == 4 else "Dulcinea" if i == 5 else f"Firm {i}",
            "region": "north" if i < 6 else "south",
            "firm": f"f{i // 2}",
            "turnover": "77123.456" if i == 4 else f"{100 + 13 * i}.5",
            "wages": str(20 + i * i),
            "postcode": f"0{1200 + i}",
            "born": f"2001-02-{i + 1:02}",
            "active": "true" if i % 2 else "false",
        }
        for i in range(ROWS)
    ]
    for column, new in cells.items():
        for i, row in enumerate(rows):
            row[column] = new if isinstance(new, str) else new.get(i, row[column])
    return rows


def text(rows: list[dict[str, str]] | None = None, delimiter: str = ",", newline: str = "\n") -> str:
    """Records as CSV."""
    sheet = io.StringIO()
    writer = csv.DictWriter(sheet, COLUMNS, delimiter=delimiter, lineterminator=newline)
    writer.writeheader()
    writer.writerows(records() if rows is None else rows)
    return sheet.getvalue()


def survey(**cells: Mapping[int, str] | str) -> dict[str, str]:
    """The file survey.csv with some cells replaced."""
    return {"survey.csv": text(records(**cells))}


def as_parquet(content: str | pa.Table) -> bytes:
    """A Parquet file of a table, or of the text of a CSV file with its types guessed."""
    table = arrow_csv.read_csv(io.BytesIO(content.encode())) if isinstance(content, str) else content
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def plan(**sections: str) -> dict[str, str]:
    """A plan file; each section can be replaced by its text, or left out with an empty one."""
    parts = {
        "version": "version = 1",
        "input": '[input]\npath = "survey.csv"',
        "roles": '[roles]\nquasi = ["turnover", "wages"]',
        "protect": "[protect]\nk = 3",
        "output": '[output]\npath = "out.csv"',
    }
    return {"plan.toml": "\n".join((parts | sections).values())}


@dataclass(frozen=True)
class Refusal:
    """A command on some files, and how it must be refused: exit code and words of the message."""

    name: str
    words: str
    code: int
    says: tuple[str, ...]
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)


def refuse(
    name: str,
    words: str,
    code: int,
    *says: str,
    files: Mapping[str, str | bytes] | None = None,
    links: Mapping[str, str] | None = None,
) -> Refusal:
    """One case; `links` are made as `hard:target` or `soft:target`."""
    return Refusal(name, words, code, says, files or {}, links or {})


def fill(folder: Path, files: Mapping[str, str | bytes], links: Mapping[str, str] | None = None) -> None:
    """A folder with the survey, an earlier release, and whatever a case adds or replaces."""
    standing = {"survey.csv": text(), "out.csv": "an earlier release\n"}
    for name, content in (standing | dict(files)).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    for name, target in (links or {}).items():
        kind, _, aim = target.partition(":")
        if kind == "hard":
            (folder / name).hardlink_to(folder / aim)
        else:
            (folder / name).symlink_to(folder / aim)


def everything_in(folder: Path) -> dict[str, bytes | None]:
    """Every path below a folder, hidden ones too, with its bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def check_refusal(case: Refusal, folder: Path, capsys) -> None:
    """Run a command that must fail: right code, helpful words, no leak, nothing written or changed."""
    fill(folder, case.files, case.links)
    before = everything_in(folder)
    command, *words = shlex.split(case.words)
    # not even where files may be overwritten
    code = run_command([command, *(["--force"] if command in WRITING else []), *words])
    heard = capsys.readouterr()
    said = heard.out + heard.err
    assert code == case.code, said
    assert heard.err.strip()
    for word in case.says:
        assert word in heard.err
    for unwanted in ("Traceback", "Internal fault", "Error(", *SECRETS):
        assert unwanted not in said
    assert len(heard.err) < 1500
    assert everything_in(folder) == before
