"""Entries that break what holds for every kind: each breaks the law that was meant for it, by name."""

import pytest
from pydantic import ConfigDict, Field

import tacita
from conformance.breakers import DOCUMENTED, breakers, expect_broken, planted
from tacita import testing
from tacita.core import Method
from tacita.microdata.measures.loss.changed_values import IL1
from tacita.microdata.methods.masking.noise import Noise


class Undescribed(Noise):
    __doc__ = DOCUMENTED
    strength: float = 1.0


class Clashing(Noise):
    __doc__ = DOCUMENTED
    shuffle: bool = Field(False, description="what the plan already has")


class Loose(Noise):
    __doc__ = DOCUMENTED
    model_config = ConfigDict(frozen=False)


class Greedy(Noise):
    __doc__ = DOCUMENTED
    model_config = ConfigDict(extra="allow")


ENTRIES = {
    "docstring has cost source": [
        planted(IL1, __doc__="No source. O(n).\n\n>>> 1\n1\n"),
        planted(IL1, __doc__="No cost.\n\nSource: planted.\n\n>>> 1\n1\n"),
        planted(IL1, __doc__=""),
    ],
    "example in its docstring runs": [planted(IL1, __doc__=DOCUMENTED.replace("\n1\n", "\n2\n"))],
    "parameter says what it means": [Undescribed],
    "name of an option of the plan": [Clashing],
    "cannot be changed once made": [Loose],
    "unknown parameter is refused": [Greedy],
    "verifier checks all that it promises": [planted(Noise, guarantees=("masked-cells", "nobody-is-harmed"))],
}


@breakers(ENTRIES)
def test_a_broken_method_breaks_the_law_that_says_so(law, method):
    expect_broken(law, method)


@pytest.mark.parametrize("kind", ["microaggregation", "generalisation", "loss", "suppression", "format"])
def test_every_law_of_all_kinds_has_an_entry_that_breaks_it(kind):
    laws = [str(law) for law in testing.laws(kind) if law.findings.__module__ == "tacita.testing.entries"]
    assert laws
    assert not [law for law in laws if not any(part in law for part in ENTRIES)]


def test_a_method_of_no_kind_is_refused_by_the_kinds_that_there_are():
    with pytest.raises(
        tacita.ParameterError, match=r"no laws of kind 'divination'. Known: microaggregation, "
    ):
        testing.check_method(planted(Method, kind="divination"))
    with pytest.raises(tacita.ParameterError, match="no laws of kind ''"):
        testing.check_method(3)
