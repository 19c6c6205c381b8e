"""Logging in as a browser, a proxy and a script do it; and as those do who should not get in."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import pytest
from httpx2 import Response
from starlette.requests import HTTPConnection
from starlette.testclient import TestClient

from pykafka_ops.monitor.access import attempts, passwords
from pykafka_ops.monitor.access.access import MonitorAccess
from pykafka_ops.monitor.access.login import MonitorLogin
from pykafka_ops.monitor.access.model import Person
from pykafka_ops.monitor.access.settings import access_settings
from pykafka_ops.monitor.access.users import put
from pykafka_ops.monitor.actions.desk import ChangeDesk
from pykafka_ops.monitor.audit.log import AuditLog
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.config import parse
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.http.forms import MOST_BODY
from pykafka_ops.monitor.service import Service
from tests.support.monitor.rounds import answers

URL = "http://monitor:8000"
PASSWORD = "correct horse"
TOKEN = "t0ken"
ROLES = f"""
[role.reader]
allow = ["view"]
members = ["anna"]
groups = ["readers"]
[token.script]
sha256 = "{hashlib.sha256(TOKEN.encode()).hexdigest()}"
roles = ["reader"]
"""


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "LOG_N", 4)


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000

    def __call__(self) -> int:
        return self.now


class Site:
    """A monitor with a login; ``client`` makes a browser that sits at an address."""

    def __init__(self, login: str) -> None:
        self.clock = Clock()
        settings = access_settings(parse((login + ROLES).encode(), "m").others, "m")
        self.login = MonitorLogin(settings, self.clock)
        watched = WatchedCluster("local")
        watched.take(answers(now_ms(), 100))
        access = MonitorAccess(settings.actions, self.login)
        self.service = Service({"local": watched}, access=access)
        self.app = make_app(self.service, all_routes())

    def keep_audit(self, directory: Path) -> AuditLog:
        """From now on."""
        log = AuditLog(directory, self.clock)
        access = self.service.access
        self.service.desk = ChangeDesk(access, log, lambda _: None, directory, self.clock)  # type: ignore[arg-type, return-value]
        return log

    def client(self, address: str = "192.0.2.1", url: str = URL) -> TestClient:
        return TestClient(self.app, url, follow_redirects=False, client=(address, 50000))


@pytest.fixture
def users(tmp_path: Path) -> Path:
    path = tmp_path / "users"
    put(str(path), "anna", PASSWORD)
    put(str(path), "ben", PASSWORD)
    return path


@pytest.fixture
def site(users: Path) -> Site:
    return Site(f'[login]\nmode = "users"\nusers-file = "{users}"\nopen = ["metrics"]\n')


def test_logins_that_fail_are_in_the_audit_log(site: Site, tmp_path: Path) -> None:
    log = site.keep_audit(tmp_path)
    assert log_in(site.client(), password="wrong").status_code == 401
    assert log_in(site.client("192.0.2.2"), name="nobody\x1b<b>").status_code == 401
    assert log_in(site.client("192.0.2.3")).status_code == 303
    found = log.entries(lambda _: True, 10)
    assert sorted((e["who"], e["address"], e["action"], e["result"]) for e in found) == [
        ("anna", "192.0.2.1", "login", "failed"),
        ("nobody\x1b<b>", "192.0.2.2", "login", "failed"),
    ]
    assert "wrong" not in (tmp_path / "audit-logins.jsonl").read_text()


def log_in(
    client: TestClient, name: str = "anna", password: str = PASSWORD, following: str = "/",
    headers: Mapping[str, str] | None = None,
) -> Response:  # fmt: skip
    form = {"name": name, "password": password, "next": following}
    return client.post("/login", data=form, headers=headers)


def token_of(page: str) -> str:
    found = re.search('name="form" value="([0-9a-f]{64})"', page)
    assert found is not None, page
    return found[1]


def test_a_user_logs_in_sees_and_logs_out(site: Site) -> None:
    client = site.client()
    page = client.get("/login?next=/c/local/groups")
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
    assert 'value="/c/local/groups"' in page.text
    assert "<script" not in page.text, "a page that waits for a password is not loaded anew"
    answer = log_in(client, following="/c/local/groups")
    assert (answer.status_code, answer.headers["location"]) == (303, "/c/local/groups")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("pko_session_8000=")
    for part in ("HttpOnly", "SameSite=strict", "Path=/"):
        assert part in cookie
    assert "Secure" not in cookie
    seen = client.get("/c/local")
    assert seen.status_code == 200
    assert "Logged in as <bdi>anna</bdi>" in seen.text
    out = client.post("/logout", data={"form": token_of(seen.text)})
    assert (out.status_code, out.headers["location"]) == (303, "/login")
    assert len(site.login.sessions) == 0
    assert client.get("/c/local").status_code == 303


def test_wrong_names_and_passwords_get_the_same_answer(site: Site) -> None:
    said = set()
    for name, password in (("anna", "wrong"), ("carl", PASSWORD), ("", ""), ("anna", "")):
        answer = log_in(site.client(), name, password)
        said.add((answer.status_code, answer.text, "set-cookie" in answer.headers))
    assert len(said) == 1
    (status, text, has_cookie), = said  # fmt: skip
    assert (status, has_cookie) == (401, False)
    assert "The name or the password is wrong." in text


def test_a_user_without_a_role_sees_no_cluster(site: Site) -> None:
    client = site.client()
    log_in(client, "ben")
    assert client.get("/c/local").status_code == 404
    assert client.get("/api/v1/clusters").json() == {"clusters": []}


def test_a_session_ends_with_the_password_it_was_opened_by(site: Site, users: Path) -> None:
    client = site.client()
    log_in(client)
    assert client.get("/c/local").status_code == 200
    put(str(users), "anna", "another password")
    assert client.get("/c/local").status_code == 303


def test_a_session_ends_when_idle_though_a_page_shows_every_round(site: Site) -> None:
    client = site.client()
    log_in(client)
    for _ in range(4):
        site.clock.now += 10 * 60_000
        last = client.get("/c/local", headers={"Sec-Fetch-Dest": "empty"}).status_code
    assert last == 401
    log_in(client)
    for _ in range(60):
        site.clock.now += 10 * 60_000
        assert client.get("/c/local").status_code == 200
    site.clock.now += 2 * 60 * 60_000
    assert client.get("/c/local").status_code == 303


def test_failed_logins_are_slowed_by_address(site: Site) -> None:
    bad, good = site.client("192.0.2.1"), site.client("192.0.2.2")
    for _ in range(attempts.FREE):
        assert log_in(bad, password="wrong").status_code == 401
    answer = log_in(bad)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    assert log_in(good).status_code == 303
    site.clock.now += 1000
    assert log_in(bad).status_code == 303


def test_ten_thousand_failed_logins_take_bounded_memory(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts, "MOST", 1000)
    for n in range(10_000):
        if site.login.attempts.begin(f"address {n}") == 0:
            site.login.users.is_right("carl", str(n)) if n % 100 == 0 and site.login.users else None
    assert len(site.login.attempts) == 1000
    assert len(site.login.sessions) == 0


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://monitor:8001"},
        {"Origin": "http://monitor:8000.evil.example"},
        {"Origin": "http://[bad"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": URL},
    ],
)
def test_a_page_of_another_site_logs_nobody_in_or_out(site: Site, headers: dict[str, str]) -> None:
    client = site.client()
    assert log_in(client, headers=headers).status_code == 403
    log_in(client)
    form = {"form": token_of(client.get("/c/local").text)}
    assert client.post("/logout", data=form, headers=headers).status_code == 403
    assert client.get("/c/local").status_code == 200


def test_a_form_without_the_token_of_its_session_is_refused(site: Site) -> None:
    anna, other = site.client(), site.client()
    log_in(anna)
    log_in(other)
    foreign = token_of(other.get("/c/local").text)
    for form in ({"x": ""}, {"form": ""}, {"form": "é"}, {"form": foreign}):
        answer = anna.post("/logout", data=form, headers={"Origin": URL})
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "OLD_FORM")


def test_a_login_leads_to_pages_of_ours_alone(site: Site) -> None:
    for wanted in ("//evil.example", "/\\evil.example", "https://evil.example", "javascript:x",
                   "/a\r\nSet-Cookie: x", "", "/login", "/" + "x" * 5000):  # fmt: skip
        assert log_in(site.client(), following=wanted).headers["location"] == "/"
        page = site.client().get(f"/login?next={quote(wanted)}")
        assert 'name="next" value="/"' in page.text


def test_what_is_no_form_is_refused(site: Site) -> None:
    client = site.client()
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    cases: list[tuple[bytes, dict[str, str], int]] = [
        (b"x" * (MOST_BODY + 1), kind, 413),
        (b"{}", {"Content-Type": "application/json"}, 415),
        (b"name=anna", {"Content-Type": "multipart/form-data; boundary=x"}, 415),
        (b"name=anna", {}, 415),
        (b"name=%ff", kind, 400),
        (b"\xff=x", kind, 400),
        (b"&".join([b"a=1"] * 2000), kind, 400),
        (b"name=" + b"a" * 2000 + b"&password=x", kind, 401),
    ]
    for body, headers, status in cases:
        answer = client.post("/login", content=body, headers=headers)
        assert answer.status_code == status, (body[:20], answer.text)


def test_what_is_open_needs_no_login_and_shows_no_more(site: Site) -> None:
    client = site.client()
    assert client.get("/metrics").status_code == 200
    assert client.get("/v3/kafka").status_code == 401
    assert client.get("/metricsx").status_code != 200


def test_a_script_has_a_token(site: Site) -> None:
    client = site.client()
    for header in (f"Bearer {TOKEN}", f"bearer {TOKEN}"):
        answer = client.get("/api/v1/clusters", headers={"Authorization": header})
        assert answer.json()["clusters"][0]["name"] == "local"
    for header in ("Bearer", "Bearer x", f"Basic {TOKEN}", f"Bearer {TOKEN} {TOKEN}", "Bearer é"):
        answer = client.get("/api/v1/clusters", headers={"Authorization": header.encode()})
        assert answer.status_code == 401, header
    twice = [("Authorization", f"Bearer {TOKEN}"), ("Authorization", "Bearer x")]
    assert client.get("/api/v1/clusters", headers=twice).status_code == 401


def test_through_tls_the_cookie_is_for_tls_alone(site: Site, users: Path) -> None:
    cookie = log_in(site.client(url="https://monitor:8000")).headers["set-cookie"]
    assert cookie.startswith("__Host-pko_session_8000=")
    assert "Secure" in cookie
    behind = Site(f'[login]\nmode="users"\nusers-file="{users}"\nproxies=["192.0.2.1"]\n')
    said = {"X-Forwarded-Proto": "https"}
    for address, secure in (("192.0.2.1", True), ("192.0.2.9", False)):
        cookie = log_in(behind.client(address, "http://monitor"), headers=said).headers[
            "set-cookie"
        ]
        assert ("Secure" in cookie) is secure, address


def test_a_link_of_another_site_is_loaded_once_more_with_the_cookie(site: Site) -> None:
    client = site.client()
    linked = client.get("/c/local", headers={"Sec-Fetch-Site": "cross-site"})
    assert linked.status_code == 200
    assert '<meta http-equiv="refresh" content="0">' in linked.text
    assert "local" not in linked.text
    again = client.get("/c/local", headers={"Sec-Fetch-Site": "same-origin"})
    assert again.status_code == 303


@pytest.fixture
def proxied() -> Site:
    return Site('[login]\nmode = "header"\nproxies = ["10.0.0.0/8"]\n')


def test_a_proxy_says_who_asks_and_in_which_groups(proxied: Site) -> None:
    proxy = proxied.client("10.1.2.3")
    seen = proxy.get("/c/local", headers={"X-Forwarded-User": "anna"})
    assert "Logged in as <bdi>anna</bdi>" in seen.text
    assert "Log out" not in seen.text
    for groups, status in (("staff, readers", 200), ("staff", 404), ("", 404)):
        headers = {"X-Forwarded-User": "zoe", "X-Forwarded-Groups": groups}
        assert proxy.get("/c/local", headers=headers).status_code == status
    mapped = proxied.client("::ffff:10.1.2.3")
    assert mapped.get("/c/local", headers={"X-Forwarded-User": "anna"}).status_code == 200


def test_nobody_else_is_believed(proxied: Site) -> None:
    for address in ("192.0.2.1", "127.0.0.1", "::1", "testclient", ""):
        client = proxied.client(address)
        answer = client.get("/api/v1/clusters", headers={"X-Forwarded-User": "anna"})
        assert answer.status_code == 401, address
        headers = {"X-Forwarded-User": "anna", "X-Forwarded-For": "10.1.2.3"}
        assert client.get("/api/v1/clusters", headers=headers).status_code == 401


def test_a_name_that_is_smuggled_in_is_nobodys(proxied: Site) -> None:
    client = proxied.client("10.1.2.3")
    cases: list[list[tuple[bytes, bytes]]] = [
        [],
        [(b"X-Forwarded-User", b"")],
        [(b"X-Forwarded-User", b"anna"), (b"X-Forwarded-User", b"ben")],
        [(b"X-Forwarded-User", b"anna"), (b"x-forwarded-user", b"anna")],
        [(b"X_Forwarded_User", b"anna")],
        [(b"X-Forwarded-User", "an\u202ena".encode())],
        [(b"X-Forwarded-User", b"token:script")],
        [(b"X-Forwarded-User", b"a" * 300)],
    ]
    for headers in cases:
        assert client.get("/api/v1/clusters", headers=headers).status_code == 401, headers
    page = client.get("/login")
    assert "ask through the proxy" in page.text
    assert "<form" not in page.text


def test_a_name_that_is_no_utf_8_is_nobodys(proxied: Site) -> None:
    def asked(name: bytes) -> Person | None:
        headers = [(b"x-forwarded-user", name)]
        scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"",
                 "headers": headers, "client": ("10.1.2.3", 1), "server": ("m", 80)}  # fmt: skip
        return proxied.login.person_of(HTTPConnection(scope))

    assert asked(b"\xff\xfe") is None
    found = asked("zoë".encode())
    assert found is not None
    assert found.name == "zoë"


def test_the_address_behind_trusted_proxies_is_the_clients(users: Path) -> None:
    site = Site(f'[login]\nmode="users"\nusers-file="{users}"\nproxies=["10.0.0.0/8"]\n')
    said = {"X-Forwarded-For": "198.51.100.7, 192.0.2.50, 10.9.9.9"}
    for _ in range(attempts.FREE):
        log_in(site.client("10.1.2.3"), password="wrong", headers=said)
    assert log_in(site.client("10.1.2.3"), headers=said).status_code == 429
    assert log_in(site.client("192.0.2.50")).status_code == 429
    assert log_in(site.client("10.1.2.3"), headers={"X-Forwarded-For": "x"}).status_code == 303
    assert log_in(site.client("198.51.100.7")).status_code == 303
