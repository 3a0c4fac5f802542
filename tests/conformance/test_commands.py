"""Every entry of the registry runs from the command line, and declares its options there."""

import pytest

import tacita
from seeds import SEED
from tacita import registry
from tacita.cli import run_command
from tacita.io import format_of
from tacita.io.formats.record_format import RecordFormat
from tacita.testing.examples import explained


def assert_options_are_shown(words, kind, name, capsys, apart=()):
    assert run_command([*words, name, "--help"]) == 0
    shown = capsys.readouterr().out
    own = set(registry.lookup(name, kind).model_fields) - set(apart)
    assert all("--" + field.replace("_", "-") in shown for field in own)


@pytest.mark.parametrize("name", registry.names("microaggregation"))
def test_groups(name, tmp_path, capsys):
    source = tmp_path / "in.csv"
    source.write_text("a\n" + "\n".join(str(i * i % 97) for i in range(40)) + "\n")
    words = ["protect", str(source), "--out", str(tmp_path / "out.csv"), "--method", name, "--quasi", "a"]
    assert run_command(words) == 0
    assert_options_are_shown(["protect", "--method"], "microaggregation", name, capsys)


# words without which a masking has nothing to do
NEEDED = {"record-swap": ["--unit", "b"]}


@pytest.mark.parametrize("name", registry.names("masking"))
def test_masking(name, tmp_path, capsys):
    source = tmp_path / "in.csv"
    source.write_text("a,b\n" + "\n".join(f"{i * i % 97 / 8},{i}" for i in range(40)) + "\n")
    words = ["protect", str(source), "--out", str(tmp_path / "out.csv"), "--method", name, "--quasi", "a"]
    words += NEEDED.get(name, [])
    words += ["--report", str(tmp_path / "review.html"), "--note", str(tmp_path / "note.html")]
    # by chance alone, so few records may all stay as they were, which is refused
    assert run_command([*words, "--seed", str(SEED)]) == 0
    assert "masked, not in groups" in capsys.readouterr().out
    assert_options_are_shown(["protect", "--method"], "masking", name, capsys)


@pytest.mark.parametrize("name", registry.names("synthesis"))
def test_synthesis(name, tmp_path, capsys):
    source = tmp_path / "in.csv"
    # in a smaller file single records are alone in their tenths, and a model remembers some of them
    y, s = explained(1000)
    lines = [f"{float(y[i, 0])!r},{float(s[i, 0])!r},0{i}" for i in range(1000)]
    source.write_text("\n".join(["a,b,code", *lines, ""]))
    words = ["synthesize", str(source), "--out", str(tmp_path / "out.csv"), "--method", name]
    words += ["--dependent", "a", "--independent", "b", "--save-plan", str(tmp_path / "plan.toml")]
    words += ["--report", str(tmp_path / "review.html"), "--note", str(tmp_path / "note.html")]
    assert run_command([*words, "--seed", str(SEED)]) == 0
    assert "1000 records with 1 column made synthetic" in capsys.readouterr().out
    note, review = ((tmp_path / f"{page}.html").read_text() for page in ("note", "review"))
    assert "is not that of the person or firm behind its record" in note
    assert "made synthetic" in review
    for page in (note, review):
        assert "group of" not in page
        assert "masked" not in page.split("<main>")[1].lower()
    first = (tmp_path / "out.csv").read_bytes()
    assert [line.split(",")[1:] for line in first.decode().splitlines()[1:]] == [
        line.split(",")[1:] for line in lines
    ]
    assert run_command(["run", str(tmp_path / "plan.toml"), "--quiet", "--force"]) == 0
    assert (tmp_path / "out.csv").read_bytes() == first
    assert_options_are_shown(["synthesize", "--method"], "synthesis", name, capsys)


@pytest.mark.parametrize("name", registry.names("suppression"))
def test_suppression(name, tmp_path, capsys):
    cells = "".join(f"{r},{c},{10 + 3 * r + c * c},{int(r == c == 1)}\n" for r in range(4) for c in range(4))
    (tmp_path / "cells.csv").write_text("r,c,v,p\n" + cells)
    words = ["suppress", str(tmp_path / "cells.csv"), "--out", str(tmp_path / "out.csv"), "--method", name]
    words += ["--rows", "r", "--columns", "c", "--value", "v", "--primary", "p"]
    assert run_command([*words, "--problem", tacita.get_method(name).problems[0]]) == 0
    assert_options_are_shown(["suppress", "--method"], "suppression", name, capsys, apart=["seconds"])


@pytest.mark.parametrize("name", registry.names("rule"))
def test_rules(name, capsys):
    assert_options_are_shown(["tabulate", "--rule"], "rule", name, capsys, apart=["cells"])


FORMATS = [
    name for name in registry.names("format") if issubclass(registry.lookup(name, "format"), RecordFormat)
]


@pytest.mark.parametrize("name", FORMATS)
def test_formats(name, tmp_path):
    found = registry.lookup(name, "format")
    for ending in found.endings:
        assert format_of(tmp_path / f"x{ending.upper()}") is found
    source, target = tmp_path / "in.csv", tmp_path / f"out{found.endings[0]}"
    source.write_text("a\n" + "\n".join(str(i / 8) for i in range(9)) + "\n")
    code = run_command(["protect", str(source), "--out", str(target), "--quasi", "a"])
    if not found.writes:
        assert code == 2
        return
    assert code == 0
    assert tacita.read(target).numbers("a").tolist() == [0.125] * 3 + [0.5] * 3 + [0.875] * 3


@pytest.mark.parametrize("name", registry.names("adjustment"))
def test_adjustment(name, tmp_path, capsys):
    cells = "".join(f"{r},{c},{10 + 3 * r + c * c},{int(r == c == 1)}\n" for r in range(4) for c in range(4))
    (tmp_path / "cells.csv").write_text("r,c,v,p\n" + cells)
    words = ["adjust", str(tmp_path / "cells.csv"), "--out", str(tmp_path / "out.csv"), "--method", name]
    words += [
        "--rows",
        "r",
        "--columns",
        "c",
        "--value",
        "v",
        "--counts",
        "--note",
        str(tmp_path / "note.html"),
    ]
    # the others change small counts, or every cell, whether it is sensitive or not
    words += ["--primary", "p"] if registry.lookup(name, "adjustment").leans_on_sensitive else []
    assert run_command([*words, "--seed", str(SEED), "--save-plan", str(tmp_path / "plan.toml")]) == 0
    first = (tmp_path / "out.csv").read_bytes()
    assert run_command(["run", str(tmp_path / "plan.toml"), "--quiet", "--force"]) == 0
    assert (tmp_path / "out.csv").read_bytes() == first
    assert_options_are_shown(["adjust", "--method"], "adjustment", name, capsys, apart=["seconds"])
