"""What the configuration may say of logins, roles, tokens and actions, and what it may not."""

from __future__ import annotations

import hashlib

import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.access.rights import ACTIONS
from pykafka_ops.monitor.access.settings import (
    HEADER,
    NONE,
    AccessSettings,
    access_settings,
    read_access_settings,
)
from pykafka_ops.monitor.config import parse

DIGEST = hashlib.sha256(b"token").hexdigest()
FULL = f"""
actions = ["seek", "undo"]
tls-cert = "c.pem"
tls-key = "k.pem"
allowed-hosts = ["Monitor.example.com"]
[login]
mode = "header"
open = ["metrics"]
proxies = ["10.0.0.0/8", "192.0.2.7"]
user-header = "Remote-User"
session-idle = "5m"
url = "https://monitor.example.com/"
[role.reader]
allow = ["view", "messages"]
members = ["*"]
[role.operator]
allow = ["seek", "undo"]
clusters = "dev"
names = "orders-.*"
members = ["anna"]
groups = ["kafka-ops"]
[role.admin]
allow = ["*"]
[token.prometheus]
sha256 = "{DIGEST}"
roles = ["reader"]
"""


def read(text: str) -> AccessSettings:
    return access_settings(parse(text.encode(), "m").others, "m")


def test_nothing_said_is_no_login_and_no_action() -> None:
    found = read("")
    assert found == AccessSettings()
    assert (found.login.mode, found.actions) == (NONE, frozenset())


def test_everything_said_is_read() -> None:
    found = read(FULL)
    assert (found.login.mode, found.login.user_header) == (HEADER, "Remote-User")
    assert found.actions == {"seek", "undo"}
    assert (found.tls_cert, found.tls_key) == ("c.pem", "k.pem")
    assert found.allowed_hosts == ("monitor.example.com",)
    assert [str(n) for n in found.login.proxies] == ["10.0.0.0/8", "192.0.2.7/32"]
    assert (found.login.idle_ms, found.login.url) == (300_000, "https://monitor.example.com")
    assert found.login.open == {"metrics"}
    name, roles = found.tokens[DIGEST]
    assert (name, [role.name for role in roles]) == ("token:prometheus", ["reader"])


def test_persons_have_roles_by_name_by_group_or_all() -> None:
    roles = {one.role.name: one for one in read(FULL).roles}
    assert roles["reader"].has("anybody", ())
    assert roles["operator"].has("anna", ())
    assert roles["operator"].has("ben", ("staff", "kafka-ops"))
    assert not roles["operator"].has("ben", ("operator",))
    assert roles["admin"].has("ben", ("admin",)), "without members, the group of its name"
    assert set(ACTIONS) < roles["admin"].role.rights


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("actions = ['sek']", "m: actions: there is no 'sek' (did you mean seek?)"),
        ("actions = 5", "m: actions: 5 is not a list of texts"),
        ("logins = 1", "m: logins is not known; did you mean login?"),
        ("login = 1", "m: [login]: write it as a table"),
        ("[login]\nusers-file = 'x'", "m: [login]: mode: is missing"),
        ("[login]\nmode = 'user'", "choose one of none, users, header, oidc (did you mean users?)"),
        ("[login]\nmode = 'users'", "m: [login]: users-file: is missing"),
        ("[login]\nmode = 'header'\nusers-file = 'x'", "unknown key 'users-file'"),
        ("[login]\nmode = 'header'\nproxies = ['x']", "'x' is no address: write 10.1.2.3"),
        ("[login]\nmode = 'header'\nuser-header = 'a b'", "is no name of a header"),
        ("[login]\nmode = 'header'\nopen = ['metric']", "did you mean metrics?"),
        ("[login]\nmode = 'header'\nurl = 'monitor'", "write the monitor's address"),
        ("[login]\nmode = 'header'\nurl = 'https://a@b'", "write the monitor's address"),
        ("[login]\nmode = 'header'\nsession-idle = '1s'", "session-idle"),
        ("[role.x]\nallow = ['view']", "m: [role.NAME] needs a [login] with a mode"),
        ("role.x = 1", "m: [role]: write it as [role.NAME]"),
        ("[login]\nmode = 'header'\n[role.x]", "m: [role.x]: allow: is missing"),
        ("[login]\nmode = 'header'\n[role.x]\nallow=['veiw']", "did you mean view?"),
        (
            "[login]\nmode = 'header'\n[role.x]\nallow=['view']\nnames='('",
            "not a regular expression",
        ),
        ("[login]\nmode = 'header'\n[role.x]\nallow=['view']\nname='y'", "did you mean names?"),
        ("[login]\nmode = 'header'\n[token.x]", "m: [token.x]: sha256: is missing"),
        ("[login]\nmode = 'header'\n[token.x]\nsha256 = 'abc'", "is no SHA-256"),
        (f"[login]\nmode = 'header'\n[token.x]\nsha256 = '{DIGEST}'\nroles = ['r']", "no role r"),
        ("tls-cert = 'x'", "m: tls-cert and tls-key go together"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(text: str, complaint: str) -> None:
    with pytest.raises(UsageError) as said:
        read(text)
    assert complaint in str(said.value)
    assert "\n" not in str(said.value)


def test_all_that_is_wrong_is_told_at_once() -> None:
    text = b"actions = ['x']\ntls-cert = 'x'\n[login]\nmode = 'z'\n[role.x]\n"
    _, problems = read_access_settings(parse(text, "m").others, "m")
    assert len(problems) == 4
