"""The laws that every format of records must keep, whatever its bytes look like."""

import pyarrow as pa
import pytest

import tacita
from tacita import registry
from tacita.core import Microdata
from tacita.io import format_of
from tacita.io.formats.base import RecordFormat, to_arrow

FORMATS = [
    name for name in registry.names("format") if issubclass(registry.lookup(name, "format"), RecordFormat)
]


def records(n=7):
    return pa.table(
        {
            "code": [f"{row:03d}" for row in range(n)],
            "note": (['a "b"', "c,d", "é\n☃", "=1", " x ", "NA", "~"] * n)[:n],
            "count": list(range(n)),
            "share": [row / 7 - 0.4 for row in range(n)],
        }
    )


def written(name, table):
    """A format that reads what it wrote, the bytes, and what is read."""
    data = Microdata.of(table)
    form = tacita.method(name).like(data)
    content = form.encode(data)
    return form, content, form.decode(content, "file")


@pytest.mark.parametrize("name", FORMATS)
class TestEveryFormat:
    def test_reads_what_it_wrote(self, name):
        form, _, again = written(name, records())
        assert again.columns == records().column_names
        for column in ("code", "note"):
            assert again.column(column).to_list() == records()[column].to_pylist()
        # as text looks like codes, only a count from 0 to 6 does not
        assert again.numbers("count").tolist() == records()["count"].to_pylist()
        assert again.numbers("share").tolist() == records()["share"].to_pylist()
        assert form.like(again) == form

    def test_same_records_give_same_bytes_also_when_read_and_written_again(self, name):
        form, content, again = written(name, records())
        assert form.encode(again) == content == written(name, records())[1]

    def test_writes_nothing_that_no_record_has(self, name):
        noted = records().replace_schema_metadata({"made_from": "SECRET"})
        assert written(name, noted)[1] == written(name, records())[1]
        more = pa.concat_tables([records(), records().set_column(1, "note", pa.array(["SECRET"] * 7))])
        assert written(name, more.slice(0, 7))[1] == written(name, records())[1]

    def test_chunks_joined_are_the_whole(self, name, tmp_path):
        form, content, again = written(name, records(100))
        path = tmp_path / "file"
        path.write_bytes(content)
        parts = list(form.chunks(path, 17))
        assert max(part.num_rows for part in parts) <= 17
        assert pa.Table.from_batches(parts).equals(to_arrow(again))

    def test_chunks_of_what_is_no_such_file_are_refused_in_words(self, name, tmp_path):
        form = tacita.method(name)
        for wrong, words in ((tmp_path, "got a folder"), (tmp_path / "none", "there is no such file")):
            with pytest.raises(tacita.ParameterError, match=words):
                next(form.chunks(wrong))
        (tmp_path / "odd").write_bytes(b"\0SECRET")
        with pytest.raises(tacita.DataError) as refusal:
            next(form.chunks(tmp_path / "odd"))
        assert "SECRET" not in str(refusal.value)

    def test_other_bytes_are_refused_without_quoting_them(self, name, tmp_path):
        for content in (b"\0SECRET\xff", b'"SECRET', written(name, records())[1][:-7] + b'"SECRET'):
            with pytest.raises(tacita.DataError) as refusal:
                tacita.method(name).decode(content, "file")
            assert "SECRET" not in str(refusal.value)

    def test_is_found_by_its_endings_in_any_case(self, name, tmp_path):
        found = registry.lookup(name, "format")
        for ending in found.endings:
            assert format_of(tmp_path / f"x{ending.upper()}") is found
        assert all(ending in found.summary() for ending in found.endings)

    def test_a_release_is_written_verified_and_read_again(self, name, tmp_path):
        release = tacita.protect(records(), quasi=["share"], k=3, measures=["IL1"])
        path = tmp_path / f"out{registry.lookup(name, 'format').endings[0]}"
        tacita.save(release, path)
        assert tacita.read(path).numbers("share").tolist() == release.data["share"].to_pylist()


def test_no_two_formats_of_one_purpose_share_an_ending():
    for purpose in ("records", "cells", "published"):
        formats = [registry.lookup(name, "format") for name in registry.BUILT_IN["format"]]
        endings = [ending for each in formats if purpose in each.purposes for ending in each.endings]
        assert len(endings) == len(set(endings)) > 0
