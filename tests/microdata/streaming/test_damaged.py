"""What a killed run left is damaged: it is named, discarded and made again, and never run as code."""

import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from damaging import DAMAGES, copied
from effort import first_of
from people_in_parts import ASKED, PARTS, bytes_of, nothing_hidden, people
from tacita import api
from tacita.core import DataError, RunContext
from tacita.io.workdir import Scratch

MEMBERS = ("records", "rows", "dropped", "claim", "sample", "labels", "summary", "seal")
FILES = (
    *("deal.kept", "deal.seal", "span-0.records", "span-0.rows", "span-0.ends", "span-0.seal"),
    *(f"made-2.{name}" for name in MEMBERS),
    *("released.parquet", "released.seal"),
)
OTHERS = {"span-0.records": "made-3.records", "span-0.rows": "made-3.rows"}


def interrupted(folder, patch, **asked):
    """Runs until the file is written, is interrupted, and leaves what it has as one that is killed does."""

    def listen(progress):
        if progress.stage == "verifying parts":
            raise KeyboardInterrupt

    places = folder / "in.parquet", folder / "out.parquet"
    with patch.context() as inner, pytest.raises(KeyboardInterrupt):  # noqa: PT012
        inner.setattr(Scratch, "remove", lambda _: None)
        api.protect_file(*places, executor=PARTS, context=RunContext(on_progress=listen), **asked)
    (found,) = folder.glob(".tacita-parts-*")
    return found


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The bytes that a run makes that is never interrupted, and what one leaves that is."""
    folder = tmp_path_factory.mktemp("whole")
    pq.write_table(people(), folder / "in.parquet")
    api.protect_file(folder / "in.parquet", folder / "out.parquet", executor=PARTS, **ASKED)
    found = bytes_of(folder / "out.parquet")
    (folder / "out.parquet").unlink()
    return found, interrupted(folder, pytest.MonkeyPatch(), **ASKED)


def gone_on(folder, **more):
    places = folder / "in.parquet", folder / "out.parquet"
    return api.protect_file(*places, executor=PARTS, **{**ASKED, **more})


def made_again(release):
    return [each for each in release.record.warnings if each.name == "parts-made-again"]


def other_of(name):
    """The file of the same kind of another part."""
    return OTHERS.get(
        name, name.replace("made-2", "made-3") if name.startswith("made-2") else "made-3.summary"
    )


def test_what_is_whole_is_taken_without_a_word(expected, tmp_path):
    wanted, left = expected
    assert {path.name for path in left.iterdir()} >= {*FILES, *map(other_of, FILES)}
    hidden = copied(left, tmp_path)
    before = {path.name: path.stat().st_mtime_ns for path in hidden.glob("made-*")}
    assert not made_again(gone_on(tmp_path))
    assert bytes_of(tmp_path / "out.parquet") == wanted
    assert before
    assert nothing_hidden(tmp_path)


@pytest.mark.each_once
@pytest.mark.parametrize("damage", ["emptied", "cut to a half", "overwritten with code"])
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_named_discarded_and_made_again(name, damage, expected, tmp_path):
    wanted, left = expected
    hidden = copied(left, tmp_path)
    DAMAGES[damage](hidden / name, hidden / other_of(name))
    release = gone_on(tmp_path)
    assert bytes_of(tmp_path / "out.parquet") == wanted
    assert all(verdict.passed for verdict in release.record.verdicts)
    (warning,) = made_again(release)
    assert warning.count == 1
    assert f"were damaged: {name.partition('.')[0]}. They" in warning.text
    assert not (tmp_path / "exploded").exists()
    assert nothing_hidden(tmp_path)


@pytest.mark.parametrize("damage", first_of(DAMAGES, 3))
def test_files_of_every_kind_are_damaged_at_once(damage, expected, tmp_path):
    wanted, left = expected
    hidden = copied(left, tmp_path)
    for name in ("span-0.rows", "made-2.claim", "made-4.records", "released.parquet"):
        DAMAGES[damage](hidden / name, hidden / ("made-5.summary" if "4" in name else other_of(name)))
    (warning,) = made_again(gone_on(tmp_path))
    assert {"span-0", "made-2", "made-4"} <= set(
        warning.text.partition("damaged: ")[2].split(". ")[0].split(", ")
    )
    assert bytes_of(tmp_path / "out.parquet") == wanted
    assert not (tmp_path / "exploded").exists()


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", FILES)
def test_no_damage_of_any_file_is_taken_for_whole(name, damage, expected, tmp_path):
    scratch = Scratch(copied(expected[1], tmp_path))
    group, other = name.partition(".")[0], other_of(name)
    assert scratch.sound(group)
    DAMAGES[damage](scratch.path(name), scratch.path(other))
    damaged = []
    assert not scratch.sound(group, damaged)
    # without a seal nothing tells it from what was never complete
    assert damaged == ([] if (name.endswith(".seal") and damage == "gone") else [group])
    if damaged:
        assert not [path for path in scratch.folder.iterdir() if path.name.startswith(f"{group}.")]


def test_parts_of_another_part_or_run_are_not_taken_though_their_seals_hold(expected, tmp_path):
    wanted, left = expected
    hidden = copied(left, tmp_path)
    for path in left.glob("made-3.*"):
        (hidden / path.name.replace("made-3", "made-2")).write_bytes(path.read_bytes())
    (warning,) = made_again(gone_on(tmp_path))
    assert "made-2" in warning.text
    assert bytes_of(tmp_path / "out.parquet") == wanted
    (tmp_path / "out.parquet").unlink()
    theirs = copied(left, tmp_path)
    theirs.rename(tmp_path / ".tacita-parts-0123456789abcdef")
    assert not Scratch(tmp_path / ".tacita-parts-0123456789abcdef").sound("made-2")


def test_without_a_seed_what_is_written_goes_with_the_part_that_is_made_again(tmp_path):
    asked = {"quasi": ["age"], "method": "round", "base": 10, "random": True}
    rng = np.random.default_rng(1)
    table = pa.table({"age": rng.integers(0, 90, 900), "note": rng.integers(0, 9, 900).astype(str)})
    pq.write_table(table, tmp_path / "in.parquet")
    hidden = interrupted(tmp_path, pytest.MonkeyPatch(), **asked)
    before = bytes_of(hidden / "released.parquet")
    DAMAGES["cut to a half"](hidden / "made-1.records", None)
    release = api.protect_file(tmp_path / "in.parquet", tmp_path / "out.parquet", executor=PARTS, **asked)
    assert all(verdict.passed for verdict in release.record.verdicts)
    assert made_again(release)
    assert bytes_of(tmp_path / "out.parquet") != before


@pytest.mark.parametrize("name", ["processes", "serial"])
def test_what_is_damaged_while_a_run_goes_on_ends_in_words(name, tmp_path):
    pq.write_table(people(), tmp_path / "in.parquet")

    def damage(progress):
        if progress.stage == "verifying parts" and not progress.done:
            (hidden,) = tmp_path.glob(".tacita-parts-*")
            (hidden / "made-2.claim").write_bytes(b"junk")

    executor = {**PARTS, "name": name} | ({"workers": 1} if name == "processes" else {})
    with pytest.raises(DataError, match=r"made-2\.claim, a part stored on disk, was damaged"):
        api.protect_file(
            *(tmp_path / "in.parquet", tmp_path / "out.parquet"),
            executor=executor,
            context=RunContext(on_progress=damage),
            **ASKED,
        )
    assert not (tmp_path / "out.parquet").exists()
    assert nothing_hidden(tmp_path)


def test_nothing_that_is_kept_is_a_pickle(expected):
    for path in expected[1].iterdir():
        assert os.path.isfile(path)
        first = path.read_bytes()[:14]
        assert path.name == "lock" or first.startswith((b"tacita-parts 1", b"ARROW1", b"PAR1")), path.name
