"""Secrets of a profile: in a file, a variable, or what a command prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from pykafka_ops.client.sasl import credentials, is_token
from pykafka_ops.commands.framework.kept_secret import login, text_of
from pykafka_ops.commands.framework.profile import of_profile
from pykafka_ops.errors import UsageError
from pykafka_ops.security import jaas
from pykafka_ops.security.kerberos_login import KerberosLogin, login_of


def test_a_value_is_where_the_profile_says(tmp_path: Path) -> None:
    file = tmp_path / "word"
    file.write_text("of a file\n")
    assert text_of({"file": str(file)}, {}, "x") == "of a file"
    assert text_of({"env": "WORD"}, {"WORD": "of a variable"}, "x") == "of a variable"
    assert text_of({"command": f"cat '{file}'"}, {}, "x") == "of a file"
    assert [text_of(v, {}, "x") for v in (True, 5, "as it is")] == ["true", "5", "as it is"]


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ({}, "a secret is one of"),
        ({"file": "a", "env": "b"}, "a secret is one of"),
        ({"url": "a"}, "a secret is one of"),
        ({"env": 5}, "a secret is one of"),
        ({"env": "NOT_SET"}, "env NOT_SET gives nothing"),
        ({"file": "/nowhere"}, "/nowhere: No such file"),
        ({"command": "false"}, "command false: exit code 1"),
        ({"command": "/nowhere/prog"}, "No such file"),
        ({"command": "an 'open quote"}, "No closing quotation"),
    ],
)
def test_where_there_is_none_that_is_told(place: dict[str, object], why: str) -> None:
    with pytest.raises(UsageError, match=why) as told:
        text_of(place, {}, "setting x")
    assert str(told.value).startswith("setting x: ")


def test_a_login_is_a_line_of_jaas_whatever_is_in_the_password() -> None:
    word = 'q"uo\\te; x="y"'
    table = {"user": "alice", "password": {"env": "WORD"}}
    line = login(table, "SCRAM-SHA-512", {"WORD": word}, "login")
    assert (credentials(line), is_token(line)) == (("alice", word), False)
    line = login({**table, "token": True}, "SCRAM-SHA-256", {"WORD": word}, "login")
    assert (credentials(line), is_token(line)) == (("alice", word), True)
    line = login(table, "OAUTHBEARER", {"WORD": word}, "login")
    assert jaas.options(line) == {"clientId": "alice", "clientSecret": word}


def test_a_login_by_kerberos_has_a_keytab_or_a_ticket() -> None:
    table = {"user": "alice@EXAMPLE.COM", "keytab": {"env": "KEYS"}}
    found = jaas.options(login(table, "GSSAPI", {"KEYS": "/a b/alice.keytab"}, "login"))
    assert login_of(found) == KerberosLogin("alice@EXAMPLE.COM", "/a b/alice.keytab", None)
    assert login_of(jaas.options(login({}, "GSSAPI", {}, "login"))) == KerberosLogin(None, None, "")


@pytest.mark.parametrize(
    ("table", "mechanism", "why"),
    [
        ("alice", "PLAIN", "its keys are user, password, token, keytab"),
        ({"users": "a"}, "PLAIN", "its keys are user, password, token, keytab"),
        ({"user": "a"}, "PLAIN", "there is no password"),
        ({"user": "a", "password": "b"}, "", "set sasl.mechanism"),
        ({"user": "a", "password": "b", "keytab": "c"}, "PLAIN", "keytab is for sasl.mechanism"),
        ({"user": "a", "password": "b"}, "GSSAPI", "its keys are user and keytab"),
        ({"keytab": "c"}, "GSSAPI", "there is no user"),
    ],
)
def test_a_login_that_is_none_is_told(table: object, mechanism: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        login(table, mechanism, {}, "login of the profile")


def test_the_login_of_the_file_of_properties_wins(tmp_path: Path) -> None:
    profile: dict[str, object] = {
        "settings": {"sasl.mechanism": "PLAIN"},
        "login": {"user": "alice", "password": {"env": "WORD"}},
    }
    found = of_profile(profile, {"WORD": "w"}, "")
    assert credentials(found["sasl.jaas.config"]) == ("alice", "w")
    file = tmp_path / "client.properties"
    file.write_text('sasl.jaas.config=x required username="bob" password="b";\n')
    found = of_profile(profile, {}, str(file))
    assert credentials(found["sasl.jaas.config"]) == ("bob", "b")
