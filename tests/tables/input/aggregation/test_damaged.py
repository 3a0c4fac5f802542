"""What a killed run left of a table is damaged: named, discarded and made again, and never run as code."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacita
from damaging import DAMAGES, copied
from people_in_parts import nothing_hidden
from tacita.core import DataError, RunContext
from tacita.io.workdir import Scratch

ASKED = {"dimensions": ["region", "size"], "value": "x", "unit": "firm", "key": "k"}
PARTS = {"name": "serial", "part": 100}
FILES = (
    *("request", "dimensions", "sums-0"),
    *("looked-1.kept", "looked-1.keys", "looked-1.seal"),
    *("span-1.records", "span-1.rows", "span-1.ends", "span-1.seal"),
)
# Made anew by every run, whatever an earlier one left.
NEVER_TAKEN = ("request", "dimensions", "sums-0")


def records(n=500):
    rng = np.random.default_rng(4)
    return pa.table(
        {
            "region": rng.choice(["north", "south", "isles"], n),
            "size": rng.choice(["s", "m", "l"], n),
            "x": np.round(rng.lognormal(size=n), 2),
            "firm": rng.integers(0, 90, n).astype(str),
            "k": rng.random(n),
        }
    )


def summed(folder, heard=None):
    listen = (lambda _: None) if heard is None else heard
    return tacita.tabulate(
        folder / "in.parquet", executor=PARTS, context=RunContext(on_progress=listen), **ASKED
    )


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The table of a run that is never interrupted, and what one leaves that is."""
    folder = tmp_path_factory.mktemp("whole")
    pq.write_table(records(), folder / "in.parquet")
    table = summed(folder)

    def interrupt(progress):
        if progress.stage == "putting sums together":
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Scratch, "remove", lambda _: None)
        with pytest.raises(KeyboardInterrupt):
            summed(folder, interrupt)
    (left,) = folder.glob(".tacita-parts-*")
    return table, left


def same(one, other):
    assert one.values.tobytes() == other.values.tobytes()
    for name in ("total", "count", "largest", "holders", "frequency"):
        assert getattr(one.contributors, name).tobytes() == getattr(other.contributors, name).tobytes()
    assert one.keys.key.tobytes() == other.keys.key.tobytes()
    return True


@pytest.mark.each_once
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_named_discarded_and_made_again(name, damage, expected, tmp_path):
    wanted, left = expected
    hidden = copied(left, tmp_path)
    other = name.replace("-1", "-2").replace("-0", "-2")
    DAMAGES[damage](hidden / name, hidden / (other if other != name else "sums-2"))
    stages = []
    found = summed(tmp_path, lambda progress: stages.append(progress.stage))
    assert same(found, wanted)
    assert not (tmp_path / "exploded").exists()
    named = [stage for stage in stages if stage.startswith("made again")]
    if name in NEVER_TAKEN or (name.endswith(".seal") and damage == "gone"):
        assert not [stage for stage in named if name.partition(".")[0] in stage]
    else:
        assert name.partition(".")[0] in named[0]
    assert nothing_hidden(tmp_path)


def test_what_is_whole_is_taken_without_a_word(expected, tmp_path):
    wanted, left = expected
    assert {path.name for path in left.iterdir()} >= set(FILES)
    copied(left, tmp_path)
    stages = []
    assert same(summed(tmp_path, lambda progress: stages.append(progress.stage)), wanted)
    assert not [stage for stage in stages if stage.startswith("made again")]


def test_what_is_damaged_while_a_run_goes_on_ends_in_words(expected, tmp_path):
    copied(expected[1], tmp_path)

    def damage(progress):
        if progress.stage == "putting sums together" and not progress.done:
            (hidden,) = tmp_path.glob(".tacita-parts-*")
            (hidden / "sums-0").write_bytes(b"junk")

    with pytest.raises(DataError, match="sums-0, a part stored on disk, was damaged"):
        summed(tmp_path, damage)
    assert nothing_hidden(tmp_path)


def test_nothing_that_is_kept_is_a_pickle(expected):
    for path in expected[1].iterdir():
        assert path.name == "lock" or path.read_bytes()[:14].startswith((b"tacita-parts 1", b"ARROW1")), (
            path.name
        )
