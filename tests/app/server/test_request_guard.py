"""One guard before every route: whoever was not let in gets nothing, and a way around it would be seen."""

import asyncio
import re
import subprocess
import sys

import pytest
from starlette.routing import Route

from app.conftest import Visitor, running
from tacita.app.screens import ROUTES, SCREENS
from tacita.app.server.application import Site, application
from tacita.app.server.request_guard import HEADERS, RequestGuard


def addresses(routes):
    """Every route with a method that it takes."""
    for route in routes:
        for method in sorted(route.methods - {"HEAD"}):
            yield method, re.sub(r"\{\w+\}", "microdata", route.path)


def ask(app, method, path, headers):
    """Status and headers of an answer, without a network."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "scheme": "http",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    sent, received = [], []

    async def receive():
        if received:
            await asyncio.sleep(600)
        received.append(True)
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    start = sent[0]
    return start["status"], {name.decode(): value.decode() for name, value in start["headers"]}


def strangers(site, cookie):
    """What others may send: each lacks one thing that the page of tacita has."""
    host, origin, known = ("host", site.authority), ("origin", site.origin), ("cookie", f"tacita={cookie}")
    yield "no cookie", [host, origin]
    yield "another cookie", [host, origin, ("cookie", "tacita=guessed")]
    yield "a foreign host", [("host", "evil.example"), origin, known]
    yield "another port", [("host", "127.0.0.1:1"), origin, known]
    yield "two hosts", [host, ("host", "evil.example"), origin, known]
    yield "another site", [host, origin, known, ("sec-fetch-site", "cross-site")]
    yield "another port of the site", [host, origin, known, ("sec-fetch-site", "same-site")]
    yield "a foreign origin", [host, ("origin", "http://evil.example"), known]
    yield "an origin of null", [host, ("origin", "null"), known]
    yield "no origin", [host, known]


def open_to_strangers(app, site, cookie, routes):
    """Who gets in where, of those that should not; nothing where the guard holds."""
    for method, path in addresses(routes):
        for who, headers in strangers(site, cookie):
            harmless = method == "GET" and "origin" in who
            entrance = path == "/enter" and "host" not in who and who.split()[-1] != "port"
            if harmless or entrance:
                continue
            status, _ = ask(app, method, path, headers)
            if status not in (403, 421):
                yield who, method, path, status


@pytest.fixture
def site(tmp_path):
    return Site("127.5.6.7", 1234, tmp_path, SCREENS)


def test_no_route_is_open_to_strangers(site):
    cookie, _ = site.workspaces.open("en")
    assert len(list(addresses(ROUTES))) > 12
    assert not list(open_to_strangers(application(site, ROUTES), site, cookie, ROUTES))


def test_a_route_beside_the_guard_would_be_seen(site):
    cookie, _ = site.workspaces.open("en")
    guarded = application(site, ROUTES)

    async def leaky(scope, receive, send):
        if scope["path"] == "/planted":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})
        else:
            await guarded(scope, receive, send)

    planted = [*ROUTES, Route("/planted", lambda _request: None)]
    assert list(open_to_strangers(leaky, site, cookie, planted))


def test_a_foreign_host_is_told_that_it_is_misdirected(site):
    cookie, _ = site.workspaces.open("en")
    headers = [("host", "tacita.example"), ("cookie", f"tacita={cookie}")]
    assert ask(application(site, ROUTES), "GET", "/", headers)[0] == 421


def test_web_sockets_are_closed(site):
    sent = []

    async def send(message):
        sent.append(message)

    guard = RequestGuard(None, authority=site.authority, origin=site.origin, find=site.workspaces.find)
    asyncio.run(guard({"type": "websocket"}, None, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize("path", ["/", "/static/app.css", "/nowhere", "/microdata/data", "/events"])
def test_every_answer_has_the_headers_of_the_guard(site, path):
    cookie, workspace = site.workspaces.open("en")
    workspace.bus.close()
    headers = [("host", site.authority), ("cookie", f"tacita={cookie}")]
    for given in (headers, headers[:1], [("host", "x")]):
        _, answered = ask(application(site, ROUTES), "GET", path, given)
        assert {name: answered.get(name.lower()) for name in HEADERS} == HEADERS


def test_the_policy_is_as_the_specification_has_it():
    assert HEADERS["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


def test_the_cookie_is_strict_and_out_of_reach_of_scripts_and_names_no_host(app):
    answer = Visitor(app).ask("GET", f"/enter?token={app.token}", headers={"Sec-Fetch-Site": "none"})
    given = answer.getheader("set-cookie").lower()
    assert answer.status == 200
    assert "httponly" in given
    assert "samesite=strict" in given
    assert "domain" not in given
    assert 'http-equiv="refresh"' in answer.text
    assert app.token not in answer.text


def test_a_wrong_token_opens_nothing(app):
    answer = Visitor(app).get("/enter?token=wrong")
    assert answer.status == 403
    assert answer.getheader("set-cookie") is None


def test_a_token_of_one_use_works_once(site, tmp_path):
    opener = site.login.write_opener(tmp_path, site.origin)
    assert opener.stat().st_mode & 0o777 == 0o600
    token = re.search(r"token=([\w-]+)", opener.read_text())[1]
    assert len(token) >= 43
    assert site.login.admits(token)
    assert not site.login.admits(token)


def test_two_browsers_share_nothing(app):
    one, other = Visitor(app).enter(), Visitor(app).enter()
    assert one.cookie != other.cookie
    one.post("/microdata/data/demo")
    one.wait_for("/microdata/data", 'data-testid="records"')
    assert "survey.csv" not in other.get("/microdata/data").text


def test_who_enters_again_keeps_the_workspace(visitor):
    visitor.post("/settings", language="ca")
    again = visitor.ask("GET", f"/enter?token={visitor.app.token}")
    assert again.getheader("set-cookie") is None
    assert 'lang="ca"' in visitor.get("/").text


def test_the_server_listens_on_an_address_of_this_machine_that_is_its_own(tmp_path):
    with running(tmp_path) as one, running(tmp_path) as other:
        assert one.host.startswith("127.")
        assert one.host != other.host


def test_the_server_imports_neither_numpy_nor_arrow():
    heavy = "{'numpy', 'pyarrow', 'numba', 'pandas', 'scipy', 'narwhals', 'tacita.core.data'}"
    program = f"import sys, tacita.app.__main__; print(sorted({heavy} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_nothing_is_logged(own_app):
    visitor = Visitor(own_app).enter()
    visitor.get("/microdata/data?secret=1")
    visitor.get("/nowhere")
    own_app.process.send_signal(2)
    own_app.process.wait(10)
    assert own_app.process.stderr.read() == ""
    assert "secret" not in own_app.process.stdout.read()
