"""What a broker announces and has switched off: admin clients get the same exceptions from both."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.go import go_kit
from tests.support.java import java_kit
from tests.support.node import node_kit
from tests.support.process.apache import ApacheBroker
from tests.support.process.broker import BrokerProcess
from tests.support.process.commands import KafkaTools, Said

pytestmark = [pytest.mark.java, pytest.mark.slow]

RULE = "--topic t --allow-principal User:me --operation Read"
TOOLS = [
    ("kafka-acls", "--list"),
    ("kafka-acls", "--list --topic t"),
    ("kafka-acls", f"--add {RULE}"),
    ("kafka-acls", f"--remove --force {RULE}"),
    ("kafka-acls", "--add --cluster --deny-principal User:me --operation Alter"),
    ("kafka-delegation-tokens", "--create --max-life-time-period -1 {config}"),
    ("kafka-delegation-tokens", "--renew --renew-time-period -1 --hmac c2VjcmV0 {config}"),
    ("kafka-delegation-tokens", "--expire --expiry-time-period -1 --hmac c2VjcmV0 {config}"),
    ("kafka-delegation-tokens", "--describe {config}"),
    ("kafka-features", "describe"),
    ("kafka-features", "upgrade --metadata 3.9"),
    ("kafka-features", "downgrade --feature metadata.version=0"),
]


@pytest.mark.parametrize(("tool", "words"), TOOLS, ids=[f"{t} {w}" for t, w in TOOLS])
def test_kafkas_tools_say_the_same(
    tool: str,
    words: str,
    pko_session: BrokerProcess,
    apache: ApacheBroker,
    kafka_tools: KafkaTools,
    tmp_path: Path,
) -> None:
    config = tmp_path / "client.properties"
    config.write_text("request.timeout.ms=60000\n")
    asked = words.format(config=f"--command-config {config}").split()

    def ask(broker: Any) -> Said:
        return kafka_tools(tool, "--bootstrap-server", broker.bootstrap, *asked)

    ours, theirs = ask(pko_session), ask(apache)
    assert _told(theirs), "a tool that says nothing proves nothing"
    assert _told(ours) == _told(theirs)


def _told(said: Said) -> tuple[int, list[str]]:
    """Exit code and lines, without where in the tool an exception was thrown."""
    lines = (said.out + said.err).splitlines()
    return said.code, [_plain(line) for line in lines if not re.match(r"\s+(at |\.\.\. )", line)]


def _plain(text: str) -> str:
    """Without the port of the broker."""
    return re.sub(r"(127\.0\.0\.1|localhost):\d+", "BROKER", text)


@pytest.mark.parametrize("version", java_kit.CLIENTS)
def test_javas_admin_client_throws_the_same(
    version: str, pko_session: BrokerProcess, apache: ApacheBroker
) -> None:
    classpath = java_kit.compiled("RefusedDriver", version)

    def ask(broker: Any) -> dict[str, str]:
        argv = ["java", *java_kit.BRIEF_JVM, "-cp", classpath, "RefusedDriver", broker.bootstrap]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        found = (line.partition("\t") for line in done.stdout.splitlines() if "\t" in line)
        return {what: _plain(answer) for what, _, answer in found}

    theirs = ask(apache)
    assert "SecurityDisabledException" in theirs["create ACLs"]
    assert "UnsupportedByAuthenticationException" in theirs["create a token"]
    assert ask(pko_session) == theirs


@pytest.mark.node
def test_kafkajs_throws_the_same(pko_session: BrokerProcess, apache: ApacheBroker) -> None:
    theirs = json.loads(node_kit.run("admin.js", apache.bootstrap))
    assert all("SECURITY_DISABLED" in answer for answer in theirs.values())
    assert json.loads(node_kit.run("admin.js", pko_session.bootstrap)) == theirs


@pytest.mark.go
def test_kadm_takes_both_for_the_same_release_and_gets_the_same_errors(
    pko_session: BrokerProcess, apache: ApacheBroker
) -> None:
    theirs = json.loads(go_kit.run(apache.bootstrap))
    assert theirs["release"] == "v3.9"
    assert json.loads(go_kit.run(pko_session.bootstrap)) == theirs
