"""Logins by an OpenID provider that signs real tokens; and by one that does not mean well."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from httpx2 import Response
from starlette.testclient import TestClient

from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.access import oidc
from pykafka_ops.monitor.access.access import MonitorAccess
from pykafka_ops.monitor.access.login import MonitorLogin
from pykafka_ops.monitor.access.oidc import OidcLogin
from pykafka_ops.monitor.access.provider import OidcError
from pykafka_ops.monitor.access.settings import access_settings
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.config import parse
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.service import Service
from tests.support.monitor.provider import OidcProvider
from tests.support.monitor.rounds import answers

URL = "https://monitor.example"


@pytest.fixture
def provider() -> Iterator[OidcProvider]:
    made = OidcProvider()
    yield made
    made.close()


class Site:
    """A monitor that logs in by a provider; ``client`` makes a browser."""

    def __init__(self, provider: OidcProvider, secret: Path) -> None:
        self.provider, self.now = provider, 1_000_000
        secret.write_text(f"{provider.secret}\n")
        text = f"""
            [login]
            mode = "oidc"
            issuer = "{provider.issuer}"
            client-id = "{provider.client}"
            client-secret-file = "{secret}"
            url = "{URL}"
            [role.readers]
            allow = ["view"]
            """
        settings = access_settings(parse(text.encode(), "m").others, "m")
        self.login = MonitorLogin(settings, lambda: self.now)
        watched = WatchedCluster("local")
        watched.take(answers(now_ms(), 100))
        service = Service({"local": watched}, access=MonitorAccess((), self.login))
        self.app = make_app(service, all_routes())

    def client(self) -> TestClient:
        return TestClient(self.app, URL, follow_redirects=False)

    def log_in(self, client: TestClient, following: str = "/", **changed: str) -> Response:
        begun = client.get("/login/begin", params={"next": following})
        assert begun.status_code == 303, begun.text
        query = {**self.provider.agree(begun.headers["location"]), **changed}
        return client.get("/login/callback", params=query)


@pytest.fixture
def site(provider: OidcProvider, tmp_path: Path) -> Site:
    return Site(provider, tmp_path / "secret")


def test_a_person_logs_in_at_the_provider_and_has_the_roles_of_its_groups(site: Site) -> None:
    client = site.client()
    assert 'href="/login/begin?next=%2Fc%2Flocal"' in client.get("/login?next=/c/local").text
    begun = client.get("/login/begin?next=/c/local")
    cookie = begun.headers["set-cookie"]
    assert "SameSite=lax" in cookie
    assert "HttpOnly" in cookie
    query = dict(parse_qsl(urlsplit(begun.headers["location"]).query))
    assert query["redirect_uri"] == f"{URL}/login/callback"
    assert query["scope"] == "openid profile email"
    back = client.get("/login/callback", params=site.provider.agree(begun.headers["location"]))
    assert back.status_code == 200
    assert '<meta http-equiv="refresh" content="0; url=/c/local">' in back.text
    session = next(c for c in back.headers.get_list("set-cookie") if "_begun" not in c)
    for part in ("__Host-pko_session_443=", "HttpOnly", "Secure", "SameSite=strict"):
        assert part in session
    assert "Logged in as <bdi>anna</bdi>" in client.get("/c/local").text


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "http://evil.example"}, {"aud": "another"}, {"aud": ["another", "monitor"]},
        {"aud": ["monitor", "another"], "azp": "another"}, {"azp": "another"},
        {"nonce": "of another login"}, {"nonce": None}, {"exp": 1}, {"exp": None}, {"iat": None},
        {"sub": None}, {"nbf": int(time.time()) + 10_000}, {"iat": int(time.time()) + 10_000},
        {"preferred_username": None}, {"preferred_username": ""}, {"preferred_username": 5},
        {"preferred_username": "token:script"}, {"preferred_username": "an\u202ena"},
        {"preferred_username": "a" * 300},
    ],
)  # fmt: skip
def test_a_token_that_says_what_it_should_not_logs_nobody_in(
    site: Site, claims: dict[str, Any]
) -> None:
    site.provider.claims |= claims
    refused_(site)


def refused_(site: Site, **changed: str) -> str:
    client = site.client()
    answer = site.log_in(client, **changed)
    assert answer.status_code == 401, answer.text
    assert "set-cookie" not in answer.headers
    assert client.get("/api/v1/clusters").status_code == 401
    assert len(site.login.sessions) == 0
    return answer.text


def test_a_token_of_several_audiences_is_taken_if_made_for_us(site: Site) -> None:
    site.provider.claims |= {"aud": ["monitor", "another"], "azp": "monitor"}
    assert site.log_in(site.client()).status_code == 200


def test_a_token_that_is_not_signed_or_by_others_logs_nobody_in(site: Site) -> None:
    provider = site.provider
    right = provider.key
    provider.key, provider.algorithm = None, "none"
    assert "tokens signed by &#x27;none&#x27; are not taken" in refused_(site)
    provider.key, provider.algorithm = "x" * 64, "HS256"
    assert "are not taken" in refused_(site)
    provider.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    provider.algorithm = "RS256"
    assert "the token is not good" in refused_(site)
    provider.key, provider.head = right, {"kid": "unknown"}
    assert "does not name" in refused_(site)
    provider.head = {"kid": "k1"}
    assert site.log_in(site.client()).status_code == 200


def test_new_keys_are_fetched_but_not_for_every_strange_token(site: Site) -> None:
    provider = site.provider
    assert site.log_in(site.client()).status_code == 200
    provider.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    provider.public["k2"], provider.head = provider.key, {"kid": "k2"}
    for _ in range(5):
        assert site.log_in(site.client()).status_code == 401
    assert provider.asked.count("/keys") == 1
    site.now += 60_000
    assert site.log_in(site.client()).status_code == 200
    assert provider.asked.count("/keys") == 2


def test_a_login_belongs_to_the_browser_that_began_it_and_is_used_once(site: Site) -> None:
    mine, other = site.client(), site.client()
    begun = mine.get("/login/begin")
    query = site.provider.agree(begun.headers["location"])
    other.get("/login/begin")
    assert "begun in another browser" in other.get("/login/callback", params=query).text
    assert "was not begun here" in mine.get("/login/callback", params=query).text
    assert "was not begun here" in site.client().get("/login/callback?code=x&state=y").text
    begun = mine.get("/login/begin")
    site.now += 10 * 60_000
    query = site.provider.agree(begun.headers["location"])
    assert "took too long" in mine.get("/login/callback", params=query).text
    assert len(site.login.sessions) == 0


def test_what_the_provider_refuses_is_said(site: Site) -> None:
    assert "the provider says &#x27;access_denied&#x27;" in refused_(site, error="access_denied")
    assert "127.0.0.1 answers 400: invalid_grant" in refused_(site, code="made-up")
    assert "another provider answered" in refused_(site, iss="http://evil.example")
    site.provider.secret = "changed"
    text = refused_(site)
    assert "s3cret" not in text
    hostile = refused_(site, error="<script>alert(1)</script>")
    assert "<script>alert" not in hostile


@pytest.mark.parametrize(
    ("says", "complaint"),
    [
        ({"issuer": "http://evil.example"}, "says that it is another issuer"),
        ({"authorization_endpoint": "http://evil.example/"}, "is no https address"),
        ({"authorization_endpoint": "javascript:alert(1)"}, "is no https address"),
        ({"authorization_endpoint": None}, "is no https address"),
    ],
)
def test_a_provider_that_leads_elsewhere_is_not_followed(
    site: Site, says: dict[str, Any], complaint: str
) -> None:
    site.provider.says = says
    answer = site.client().get("/login/begin")
    assert answer.status_code == 503
    assert complaint in answer.text


def test_strange_answers_of_the_provider_are_told_in_a_line(site: Site) -> None:
    path = "/.well-known/openid-configuration"
    for body in (b"{", b"[]", b"\xff", b"[" * 100_000, b'{"a": "' + b"x" * (1 << 20) + b'"}'):
        site.provider.answers[path] = body
        answer = site.client().get("/login/begin")
        assert (answer.status_code, "no JSON object" in answer.text) == (503, True), body[:20]
    site.provider.answers.clear()
    for body in (b'{"keys": 5}', b'{"keys": [5, {"kid": "k1"}]}', b"{}"):
        site.provider.answers["/keys"] = body
        site.now += 60_000
        assert site.log_in(site.client()).status_code == 401
    for body in (b"{}", b'{"id_token": 5}', b'{"id_token": "a.b.c"}', b'{"id_token": "x"}'):
        site.provider.answers["/token"] = body
        assert site.log_in(site.client()).status_code == 401


def test_a_provider_that_is_away_stops_nothing_else(site: Site) -> None:
    site.provider.close()
    client = site.client()
    answer = client.get("/login/begin")
    assert answer.status_code == 503
    assert "Nobody can log in now" in answer.text
    assert client.get("/healthz").status_code == 200


def test_logins_that_were_begun_are_bounded(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oidc, "MOST_BEGUN", 3)
    assert isinstance(site.login.provider, OidcLogin)
    first, browser = site.login.provider.begin("/")
    for _ in range(3):
        site.login.provider.begin("/")
    with pytest.raises(OidcError, match="was not begun here"):
        site.login.provider.finish(site.provider.agree(first), browser)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "issuer: is missing"),
        ("issuer = 'http://id.example'", "write the https address"),
        ("issuer = 'https://id.example'", "url: is missing"),
        ("issuer = 'https://id.example'\nurl = 'https://m.example'", "client-id: is missing"),
        ("issuer = 'https://id.example'\nurl = 'https://m.example'\nscopes = 'email'", "openid"),
        ("issuers = 'x'", "did you mean issuer?"),
    ],
)
def test_what_is_missing_is_told_in_one_line(text: str, complaint: str) -> None:
    with pytest.raises(UsageError) as said:
        access_settings(parse(f"[login]\nmode = 'oidc'\n{text}".encode(), "m").others, "m")
    assert complaint in str(said.value)
