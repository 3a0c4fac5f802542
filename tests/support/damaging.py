"""What may become of a file that a run left on disk: cut, emptied, overwritten, swapped, gone."""

import os
import pickle
import shutil
from pathlib import Path


class Bomb:
    """Unpickled, it makes a file."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return (Path.touch, (self.mark,))


def _cut(share):
    def cut(path, _other):
        os.truncate(path, int(path.stat().st_size * share))

    return cut


def _one_byte_less(path, _other):
    os.truncate(path, path.stat().st_size - 1)


def _one_byte_more(path, _other):
    path.write_bytes(path.read_bytes() + b"\n")


def _junk(path, _other):
    path.write_bytes(bytes(range(256)) * (path.stat().st_size // 256 + 1))


def _zeros(path, _other):
    path.write_bytes(bytes(path.stat().st_size))


def _flipped(path, _other):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _swapped(path, other):
    one, two = path.read_bytes(), other.read_bytes()
    path.write_bytes(two if two != one else two + b" ")
    other.write_bytes(one)


def _pickled(path, _other):
    path.write_bytes(pickle.dumps(Bomb(path.parent.parent / "exploded")))


def _gone(path, _other):
    path.unlink()


def _folder(path, _other):
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("x")


def _link(path, other):
    path.unlink()
    path.symlink_to(other)


def _pipe(path, _other):
    path.unlink()
    os.mkfifo(path)


# A file, and another of the same folder, that becomes of it.
DAMAGES = {
    "emptied": _cut(0),
    "cut to a tenth": _cut(0.1),
    "cut to a half": _cut(0.5),
    "cut by a byte": _one_byte_less,
    "longer by a byte": _one_byte_more,
    "overwritten with junk": _junk,
    "overwritten with zeros": _zeros,
    "one bit flipped": _flipped,
    "swapped with another": _swapped,
    "overwritten with code": _pickled,
    "gone": _gone,
    "a folder": _folder,
    "a link": _link,
    **({"a pipe": _pipe} if hasattr(os, "mkfifo") else {}),
}


def copied(left, folder, names=("in.parquet",)):
    """What was left, and the source beside it, in a folder of its own; the place of what was left."""
    for name in names:
        shutil.copy(left.parent / name, folder / name)
    return Path(shutil.copytree(left, folder / left.name, symlinks=True))
