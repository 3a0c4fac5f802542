"""What to do is said in words that the reader can type."""

import pytest

from tacita.core.spec.setting_syntax import entered_by, setting


@pytest.mark.parametrize(
    ("door", "switch", "choice"),
    [
        ("command", "--fill-zeros", "--problem exact"),
        ("plan", "fill_zeros = true under [table]", 'problem = "exact" under [table]'),
        ("python", "fill_zeros=True", "problem='exact'"),
    ],
)
def test_every_door_has_its_own_words(door, switch, choice):
    with entered_by(door):
        assert setting("table", "fill_zeros", True) == switch
        assert setting("table", "problem", "exact") == choice
    assert setting("table", "fill_zeros", True) == "fill_zeros=True"


def test_who_typed_a_command_stays_at_that_door_while_python_carries_out_its_plan():
    with entered_by("command"), entered_by("plan"):
        assert setting("suppress", "margins", True) == "--margins"
    assert setting("suppress", "margins", True) == "margins=True"
