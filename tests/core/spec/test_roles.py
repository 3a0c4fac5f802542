"""A role that plans get is dealt with everywhere by its field alone."""

import pytest
from pydantic import Field

from tacita.core import ParameterError, Roles
from tacita.core.spec.roles import Names
from tacita.microdata.methods.dropping.drop import Drop
from tacita.microdata.plans.required_columns import check_dropped_columns
from tacita.report.review import ROLES


def test_every_role_stands_in_the_report():
    # a hierarchy says what values become
    assert {*ROLES} == {*Roles.model_fields} - {"hierarchy"}


@pytest.fixture
def roles(monkeypatch):
    """Roles with one that nothing else knows."""

    class WithPositions(Roles):
        positions: Names = Field((), description="where somebody is")

    monkeypatch.setitem(Roles.model_fields, "positions", WithPositions.model_fields["positions"])
    return WithPositions


def test_a_column_of_a_new_role_has_no_other(roles):
    with pytest.raises(ParameterError, match="column x is named twice"):
        roles(quasi=["x"], positions=["x"])
    assert "y" in roles(quasi=["x"], positions=["y"]).named


def test_a_column_of_a_new_role_cannot_be_dropped_by_a_step(roles):
    with pytest.raises(ParameterError, match=r"column y .* it has a role \(positions\)"):
        check_dropped_columns([(Drop(columns=["y"]), roles(quasi=["x"], positions=["y"]))], {})
