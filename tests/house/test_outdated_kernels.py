"""What another version compiled is removed: its types may have other names now."""

from tacita.kernels import _discard_outdated


def test_compiled_kernels_stay_while_no_kernel_changes(tmp_path):
    (tmp_path / "a.py").write_text("one")
    compiled = tmp_path / "__pycache__" / "a.f-1.py313.nbi"
    compiled.parent.mkdir()
    compiled.write_text("compiled before there was a stamp")
    _discard_outdated(tmp_path)
    assert not compiled.exists()
    compiled.write_text("index")
    _discard_outdated(tmp_path)
    assert compiled.exists()
    (tmp_path / "a.py").write_text("two")
    _discard_outdated(tmp_path)
    assert not compiled.exists()
    assert [path.name for path in compiled.parent.iterdir()] == ["sources.nbs"]


def test_a_folder_that_takes_no_file_is_left_as_it_is(tmp_path):
    (tmp_path / "a.py").write_text("one")
    (tmp_path / "__pycache__").write_text("not a folder")
    _discard_outdated(tmp_path)
    assert (tmp_path / "__pycache__").read_text() == "not a folder"
