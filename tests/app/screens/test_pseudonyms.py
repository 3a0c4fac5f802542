"""Pseudonyms on the page: a role, and a key that is given apart from other files and never leaves."""

import hashlib
import json
import re
import tomllib

import pytest

from app.conftest import Visitor
from app.forms import send
from app.screens.test_protect import ended

ROLES, PROTECT = "/microdata/roles", "/microdata/protect"
PEOPLE = "name;size;wage\n" + "".join(f"person {at // 2};{at % 7};{at * 37 % 101}\n" for at in range(60))


@pytest.fixture
def key(request):
    """A key of each test: the server is that of all."""
    return hashlib.sha256(request.node.name.encode()).hexdigest().encode() + b"\n"


def kept(visitor, key):
    return [path for path in visitor.app.folder.rglob("*.key") if path.read_bytes() == key]


@pytest.fixture
def office(app):
    visitor = Visitor(app).enter()
    visitor.send("/microdata/data/file", PEOPLE.encode(), "people.csv")
    visitor.wait_for("/microdata/data", 'data-testid="records"')
    return visitor


def with_role(visitor, role="pseudonyms"):
    given = {"role.0": role, "role.1": "quasi", "role.2": "quasi"}
    send(visitor, ROLES, ROLES + "?from=0&find=", **given)
    return visitor.wait_for(ROLES, 'data-testid="running" data-state="hidden"')


def send_key(visitor, content, name="office.key"):
    return json.loads(visitor.send(f"{ROLES}/key", content, name).text)


@pytest.mark.long
def test_nothing_runs_before_the_key_is_given(office, key):
    assert 'data-testid="pseudonym-key"' not in office.get(ROLES).text
    text = with_role(office)
    assert 'data-testid="pseudonym-key"' in text
    assert "The key file of the pseudonyms is missing" in text
    assert 'data-state="locked"' in office.get(PROTECT).text
    assert send_key(office, key) == {"next": ROLES}
    assert "Key file: office.key" in office.get(ROLES).text
    assert 'data-state="locked"' not in office.get(PROTECT).text


@pytest.mark.long
def test_a_file_that_is_no_key_is_refused_and_not_kept(office):
    with_role(office)
    before = set(office.app.folder.rglob("*"))
    message = send_key(office, b"secret\n")["message"]
    assert message.startswith("office.key: wanted a pseudonym key")
    assert "secret" not in message
    assert "as the manual describes" in send_key(office, b"0" * 5000)["message"]
    assert set(office.app.folder.rglob("*")) == before
    assert "Key file" not in office.get(ROLES).text


@pytest.mark.parametrize("role", ["pseudonyms", "unit-pseudonyms"])
def test_the_release_shows_pseudonyms_and_nothing_that_leaves_has_the_key(office, key, role):
    with_role(office, role)
    send_key(office, key)
    (file,) = kept(office, key)
    assert file.stat().st_mode & 0o077 == 0
    send(office, PROTECT, do="run", **{"s0.k": "3", "o.insist": "true", "o.pseudonym_length": "15"})
    assert 'data-testid="verdict" data-state="verified"' in ended(office)
    office.post("/microdata/acknowledge", node="n1")
    got = {
        name: office.get(f"/microdata/get/{name}?node=n1").text
        for name in ("data", "plan", "script", "history", "note", "report")
    }
    names = [line.partition(";")[0] for line in got["data"].splitlines()[1:]]
    assert all(re.fullmatch("p[a-z2-7]{15}", name) for name in names)
    assert len(set(names)) == 30
    plan = tomllib.loads(got["plan"])
    assert plan["protect"]["pseudonym_key"] == "office.key"
    assert plan["roles"]["pseudonyms"] == ["name"]
    assert plan["roles"].get("unit") == ("name" if role == "unit-pseudonyms" else None)
    pages = [office.get(path).text for path in (ROLES, PROTECT, "/microdata/export")]
    for text in (*got.values(), *pages):
        assert key.decode().strip() not in text
        assert file.name not in text
    # another key makes other pseudonyms: what was made with the first may no longer leave
    send_key(office, key.strip()[::-1] + b"\n", "other.key")
    assert not file.exists()
    assert office.get("/microdata/get/data?node=n1").status == 409


@pytest.mark.long
def test_a_key_is_no_hierarchy_and_stays_for_the_next_file(office, key):
    with_role(office)
    send_key(office, key)
    assert "office.key</option>" not in office.get(ROLES).text
    office.send("/microdata/data/file", PEOPLE.replace("size", "staff").encode(), "next.csv")
    office.wait_for("/microdata/data", "next.csv")
    assert "Key file: office.key" in with_role(office)


@pytest.mark.long
def test_forgetting_the_work_deletes_the_key(office, key):
    with_role(office)
    send_key(office, key)
    assert kept(office, key)
    office.post("/microdata/data/forget")
    assert not kept(office, key)
