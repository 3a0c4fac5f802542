"""What is kept comes back as it was; what was changed comes back not at all, and code never."""

import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita.core import Roles
from tacita.io.packing import Damaged, kinds_in, packed, unpacked

PLAIN = st.recursive(
    st.one_of(
        *(st.none(), st.booleans(), st.integers(), st.text(), st.floats(allow_nan=False)),
        st.sampled_from([Path("a/b.csv"), float("inf"), 2**70]),
    ),
    lambda inner: st.one_of(
        *(st.lists(inner, max_size=3), st.lists(inner, max_size=3).map(tuple)),
        st.dictionaries(st.one_of(st.text(), st.integers(), st.tuples(st.text())), inner, max_size=3),
        st.frozensets(st.one_of(st.none(), st.text()), max_size=3),
    ),
    max_leaves=20,
)


@dataclass(frozen=True, eq=False)
class Kept:
    """Something that is kept."""

    values: np.ndarray
    inner: object = None


@given(PLAIN)
def test_plain_values_come_back_as_they_were(value):
    found = unpacked(packed(value))
    assert found == value
    assert repr(found) == repr(value) or isinstance(value, dict | list | tuple | frozenset)
    assert packed(found) == packed(value)


@pytest.mark.parametrize(
    "values",
    [
        *(np.arange(6).reshape(2, 3), np.zeros((0, 4)), np.zeros(0, dtype=np.int64), np.array(3.5)),
        *(np.array([True, False]), np.array([2**64 - 1], dtype=np.uint64), np.array([np.nan, -0.0, np.inf])),
        *(np.array(["a", "bc"]), np.array([None, "x", 2.5], dtype=object), np.float32([1.5])),
        *(np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.arange(9)[::2]),
    ],
    ids=str,
)
def test_arrays_come_back_to_the_last_bit(values):
    found = unpacked(packed({"a": values}))["a"]
    assert (found.dtype, found.shape) == (values.dtype, values.shape)
    assert found.tolist() == values.tolist() or np.array_equal(found, values, equal_nan=True)
    if values.dtype != object:
        assert found.tobytes() == np.ascontiguousarray(values).tobytes()


def test_objects_come_back_as_the_classes_that_are_expected():
    roles = Roles(quasi=["a"], hierarchy={"a": "a.csv"})
    value = Kept(np.arange(3), (roles, pa.table({"x": [1, None]})))
    content = packed(value)
    assert set(kinds_in(value)) == {Kept, Roles}
    found = unpacked(content, (Kept, Roles))
    assert found.inner[0] == roles
    assert found.inner[0].model_fields_set == roles.model_fields_set
    assert found.inner[1].equals(value.inner[1])
    for kinds in ((), (Kept,), (Roles,)):
        with pytest.raises(Damaged):
            unpacked(content, kinds)


@pytest.mark.parametrize(
    "value", [object(), lambda: 0, {"a": print}, np.array(["2024"], dtype="M8[D]"), b"x"]
)
def test_what_is_no_data_is_not_kept(value):
    with pytest.raises(TypeError):
        packed(value)


def test_every_cut_and_every_changed_byte_is_noticed():
    content = packed({"a": (1, 2.5, "x"), "b": np.arange(4)})
    for end in range(len(content)):
        with pytest.raises(Damaged):
            unpacked(content[:end])
    for at in range(0, len(content), 7):
        changed = bytearray(content)
        changed[at] ^= 4
        with pytest.raises(Damaged):
            unpacked(bytes(changed))
    for other in (b"", b"\n", pickle.dumps({"a": 1}), content + b" "):
        with pytest.raises(Damaged):
            unpacked(other)


def test_a_checksum_that_holds_makes_no_code_of_what_is_kept():
    import hashlib

    for tree in (
        '["_object"]',
        '["object","Path",{}]',
        '["class__",[]]',
        "[" * 5000 + "]" * 5000,
        '["streams"]',
    ):
        rest = b'{"value":' + tree.encode() + b',"sizes":[]}\n'
        content = b"tacita-parts 1 " + hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest
        with pytest.raises(Damaged):
            unpacked(content)


def test_no_file_is_unpickled_anywhere_but_between_a_process_and_its_own_children():
    house = Path(tacita.__file__).parent
    users = {
        str(path.relative_to(house).as_posix())
        for path in house.rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if any(word in line for word in ("import pickle", "import shelve", "import marshal", "joblib.load"))
        or ("allow_pickle" in line and "allow_pickle=False" not in line)
    }
    assert users == {"executors/processes.py", "executors/child_process.py"}
