"""Users, tokens and access rules where they count: on our broker and on Apache Kafka's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.golden.transcripts import (
    Entry,
    Said,
    differences,
    entries,
    first_error,
    replay,
    run_patiently,
)
from tests.support.process import certificates
from tests.support.process.apache import run_tool
from tests.support.process.certificates import Authority
from tests.support.process.guarded import SCRAM, GuardedKafka, guarded_kafka
from tests.support.waiting import wait_for

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or ""),
]
HMAC = re.compile(r"[A-Za-z0-9+/]{86}==")
TOKEN_ID = re.compile(r"(?<=tokenId : )\S+|^[A-Za-z0-9_-]{22}(?= HMAC)", re.M)
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
CRASH = "Cannot invoke "
"""Where Kafka's tool ends with a NullPointerException, ours says what is missing."""


@pytest.fixture(scope="module", params=["apache", "pko"])
def kafka(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[GuardedKafka]:
    with guarded_kafka(tmp_path_factory.mktemp("guarded"), request.param) as made:
        made.as_admin("topics", "create", "orders")
        yield made


def test_every_line_of_kafka_delegation_tokens_answers_alike(
    kafka: GuardedKafka, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PKO_BOOTSTRAP_SERVER", raising=False)
    kafka.login("alice")
    swap = {"127.0.0.1:23101": kafka.where("PLAINTEXT")}
    every = list(entries("delegation-tokens"))
    assert len(every) == 36
    wrong: list[str] = []
    for entry in every:
        entry.files = {name: _with_passwords(kafka, name, t) for name, t in entry.files.items()}
        said = replay(entry, kafka.where("SASL_PLAINTEXT"), swap)
        created = HMAC.findall(said.stdout) if "--create" in entry.argv else []
        if created:
            swap[f"HMAC{sum(key.startswith('HMAC') for key in swap) + 1}"] = created[0]
        wrong += _compare(entry, said)
    assert not wrong, "\n".join(wrong)


def _with_passwords(kafka: GuardedKafka, name: str, text: str) -> str:
    """The logins of the transcript, as they are here."""
    user = name.removesuffix(".properties")
    return text if user == "plain" else kafka.login(user).read_text()


def _compare(entry: Entry, said: Said) -> list[str]:
    text = DATE.sub("DATE", TOKEN_ID.sub("TOKENID", HMAC.sub("HMAC", said.stdout)))
    wanted, got = sorted(entry.stdout.splitlines()), sorted(text.splitlines())
    found = differences(entry, said, wanted, got)
    error = first_error(entry.stderr)
    if error and not error.startswith((CRASH, "This tool helps")):
        heard = first_error(said.stderr)
        found += [] if heard == error else [f"{entry}: {heard!r}, not {error!r}"]
    return found


def test_a_token_is_a_login_until_it_is_ended(kafka: GuardedKafka, tmp_path: Path) -> None:
    alice, file = kafka.login("alice"), tmp_path / "token.properties"
    made = kafka.as_user(alice, "tokens", "create", "--file", str(file), "--renewer", "bob",
                         "-o", "json")  # fmt: skip
    assert made.code == 0, made.stderr
    assert file.stat().st_mode & 0o777 == 0o600
    (token,) = json.loads(made.stdout)["items"]
    (secret,) = HMAC.findall(file.read_text())
    assert secret not in made.stdout + made.stderr
    kafka.as_admin("acls", "add", "alice", "describe", "topic:orders")
    wait_for(lambda: kafka.as_user(file, "topics", "list", "-o", "name").stdout == "orders\n")
    listed = kafka.as_user(alice, "tokens", "list", "-o", "json")
    assert [i["renewers"] for i in json.loads(listed.stdout)["items"]] == [["User:bob"]]
    assert secret not in listed.stdout
    shown = kafka.as_user(alice, "tokens", "list", "--show-hmac", "-o", "csv")
    assert secret in shown.stdout
    assert kafka.as_user(alice, "tokens", "renew", token["token"], "--for", "1h").code == 0
    (tmp_path / "hmac").write_text(f"{secret}\n")
    renewed = kafka.as_user(kafka.login("bob"), "tokens", "renew", "--hmac-file",
                            str(tmp_path / "hmac"))  # fmt: skip
    assert renewed.code == 0, renewed.stderr
    assert kafka.as_user(alice, "tokens", "expire", token["token"], "--dry-run").code == 0
    assert kafka.as_user(alice, "tokens", "expire", token["token"], "--yes").code == 0
    wait_for(lambda: kafka.as_user(file, "topics", "list").code == 3)
    gone = kafka.as_user(alice, "tokens", "expire", token["token"], "--yes")
    assert (gone.code, "none that this login may see has the id" in gone.stderr) == (1, True)


def test_a_user_logs_in_with_the_password_it_was_given_last(
    kafka: GuardedKafka, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRST", "first-word")
    monkeypatch.setenv("SECOND", "second-word")
    add = ("--mechanism", "SCRAM-SHA-256", "--password-env")
    assert kafka.as_admin("users", "add", "carol", *add, "FIRST").code == 0

    def lets_in(password: str) -> bool:
        login = kafka.login("carol", password, sasl_mechanism="SCRAM-SHA-256")
        assert SCRAM in login.read_text()
        return kafka.as_user(login, "topics", "list").code == 0

    wait_for(lambda: lets_in("first-word"))
    assert not lets_in("second-word")
    assert kafka.as_admin("users", "alter", "carol", "--password-env", "SECOND").code == 0
    wait_for(lambda: lets_in("second-word"))
    described = run_tool("kafka-configs", "--bootstrap-server", kafka.where("PLAINTEXT"),
                         "--describe", "--entity-type", "users")  # fmt: skip
    assert "user-principal 'carol' are SCRAM-SHA-256=iterations=4096" in described.stdout
    assert kafka.as_admin("users", "delete", "carol", "--yes").code == 0
    wait_for(lambda: not lets_in("second-word"))


def test_the_verdict_of_check_is_that_of_the_broker(kafka: GuardedKafka) -> None:
    rules = (
        ("bob", "all", "topic:rule-*"),
        ("User:*", "describe", "topic:*"),
        ("bob", "alter-configs", "topic:rule-shut", "--deny"),
    )
    for name in ("rule-open", "rule-shut", "other"):
        assert kafka.as_admin("topics", "create", name).code == 0
    for rule in rules:
        assert kafka.as_admin("acls", "add", *rule).code == 0
    bob = kafka.login("bob")

    def verdict(name: str) -> str:
        said = kafka.as_admin("acls", "check", "bob", "alter-configs", f"topic:{name}",
                              "-o", "json")  # fmt: skip
        return str(json.loads(said.stdout)["items"][0]["verdict"])

    def does(name: str) -> str:
        said = kafka.as_user(bob, "configs", "set", "topics", name, "retention.ms=1000")
        assert said.code in (0, 1, 3), said.stderr
        return "allowed" if said.code == 0 else "denied"

    wait_for(lambda: does("rule-open") == "allowed")
    names = ("rule-open", "rule-shut", "other")
    assert [verdict(name) for name in names] == ["allowed", "denied", "denied"]
    assert [does(name) for name in names] == ["allowed", "denied", "denied"]
    assert kafka.as_admin("acls", "remove", "--principal", "bob", "--yes").code == 0
    assert kafka.as_admin("acls", "remove", "topic:*", "--yes").code == 0


def test_rules_of_a_file_are_kafkas_rules(kafka: GuardedKafka, tmp_path: Path) -> None:
    file = tmp_path / "acls.yaml"
    file.write_text(
        "version: 1\nrules:\n"
        "- {principal: dora, operation: producer, resource: [topic:in-*, transactional-id:x]}\n"
        "- {principal: dora, operation: consumer, resource: [topic:in-*, group:dora]}\n"
    )
    before = kafka.as_admin("acls", "export").stdout
    assert kafka.as_admin("acls", "apply", str(file)).code == 0
    listed = run_tool("kafka-acls", "--bootstrap-server", kafka.where("PLAINTEXT"), "--list",
                      "--principal", "User:dora")  # fmt: skip
    assert listed.stdout.count("principal=User:dora") == 7
    assert kafka.as_admin("acls", "apply", str(file)).stderr.startswith("the cluster has these")
    file.write_text(before)
    assert kafka.as_admin("acls", "apply", str(file), "--prune", "--yes").code == 0
    assert kafka.as_admin("acls", "diff", str(file)).code == 0
    assert run_patiently("acls", "list", "-b", kafka.where("PLAINTEXT"), "--principal",
                         "dora").stderr == "pko: no acls\n"  # fmt: skip


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("acls list", "describe on the cluster"),
        ("acls add x read topic:y", "describe on the cluster"),
        ("users list", "describe-configs on the cluster"),
        ("configs describe topics orders", "describe-configs on the topic"),
        ("log-dirs describe", "describe on the cluster"),
        ("topics create zz", "create on the topic, or on the cluster"),
        ("reassign-partitions list", "describe on the cluster"),
        ("tokens create --owner alice", "create-tokens on the owner"),
        ("groups describe g", "describe on the group"),
    ],
)
def test_who_may_not_is_told_which_right_is_lacking(
    kafka: GuardedKafka, line: str, right: str
) -> None:
    said = kafka.as_user(kafka.login("bob"), *line.split())
    assert said.code in (1, 3), said.stdout
    assert f"not allowed: this login needs {right}" in said.stderr
    assert "AUTHORIZATION_FAILED]" in said.stderr
    assert said.stderr.count("\n") == 1


MISTAKES = {
    "a password that is wrong": (
        "SASL_SSL", {"password": "not it"}, "refuses the login of alice by PLAIN: Authentication",
    ),
    "an authority that is another": (
        "SASL_SSL", {"ssl_truststore_location": "other"}, "must hold who signed it",
    ),
    "a mechanism that is not enabled": (
        "SASL_SSL", {"sasl_mechanism": "SCRAM-SHA-512"}, "it takes: PLAIN, SCRAM-SHA-256",
    ),
    "no certificate": ("SSL", {}, "wants a certificate of the client: set ssl.keystore.location"),
    "a certificate that others signed": (
        "SSL", {"ssl_keystore_location": "stranger"}, "does the broker not trust who signed it?",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def strangers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Files of an authority that the brokers do not know."""
    other = Authority(tmp_path_factory.mktemp("strangers"))
    return {"other": str(other.ca), "stranger": str(other.issue("stranger"))}


@pytest.mark.parametrize("kafka", ["pko"], indirect=True)  # theirs: test_every_command_secured
@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("line", ["acls list", "users list", "tokens list", "kafka-acls --list"])
def test_a_mistake_is_named_at_the_first_try(
    kafka: GuardedKafka, strangers: dict[str, str], mistake: str, line: str
) -> None:
    protocol, given, text = MISTAKES[mistake]
    settings = {"ssl_truststore_location": str(kafka.authority.ca), **given}
    password = settings.pop("password", None)
    files = {key: strangers.get(value, value) for key, value in settings.items()}
    login = kafka.login("alice", password, security_protocol=protocol, **files)
    tool = line.startswith("kafka")
    reach = "--bootstrap-server" if tool else "-b"
    said = run_patiently(*line.split(), reach, kafka.where(protocol), "--command-config",
                         str(login), "--debug")  # fmt: skip
    heard = said.stdout + said.stderr
    assert said.code == (1 if tool else 3)
    wanted = text.rpartition(": ")[2] if tool else text  # who logs in is said in our words
    assert wanted in heard
    assert heard.count(f"trace: {kafka.where(protocol)} connected") <= 2, heard
