"""``pko smoke`` on Apache Kafka, on ZooKeeper and without; and where rights are missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pykafka_ops.wire.messages.create_acls import AclCreation, CreateAclsRequest
from tests.support.differential.two_brokers import CLOSED, Link
from tests.support.process.apache import ApacheBroker, apache_alone
from tests.support.process.apache_kraft import USER, KraftBroker
from tests.support.process.console import pko

pytestmark = [pytest.mark.java, pytest.mark.slow]
TOPIC, GROUP, TRANSACTIONAL_ID = 2, 3, 5
READ, WRITE, DELETE = 3, 4, 6
"""ResourceType and AclOperation, as the wire has them."""
Rows = dict[str, dict[str, str]]


@pytest.fixture(scope="module")
def kraft(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KraftBroker]:
    broker = KraftBroker(tmp_path_factory.mktemp("kraft") / "data")
    try:
        yield broker.start()
    finally:
        broker.close()


@pytest.fixture(scope="module")
def fresh_apache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApacheBroker]:
    """Without other tests' topics, some of which have replicas on brokers that there are not."""
    with apache_alone(tmp_path_factory.mktemp("fresh")) as broker:
        yield broker


def smoke(bootstrap: str, *more: str) -> tuple[int, Rows]:
    said = pko("smoke", "-b", bootstrap, "-o", "json", "--wait", "60s", "--timeout", "60s", *more)
    assert said.stderr == b""
    return said.returncode, {row["step"]: row for row in json.loads(said.stdout)["items"]}


def is_as_it_was(bootstrap: str) -> bool:
    listed = pko("topics", "list", "-b", bootstrap, "-o", "name").stdout
    groups = pko("groups", "list", "-b", bootstrap, "-o", "name").stdout
    return b"pko-smoke" not in listed + groups


def test_apache_kafka_on_zookeeper_passes_every_step(fresh_apache: ApacheBroker) -> None:
    code, rows = smoke(fresh_apache.bootstrap)
    assert (code, {row["verdict"] for row in rows.values()}) == (0, {"ok"}), rows
    assert is_as_it_was(fresh_apache.bootstrap)


def test_apache_kafka_4_passes_every_step(kraft: KraftBroker) -> None:
    code, rows = smoke(kraft.bootstrap)
    assert (code, {row["verdict"] for row in rows.values()}) == (0, {"ok"}), rows
    assert is_as_it_was(kraft.bootstrap)


def test_a_right_that_is_missing_is_named_at_its_step(kraft: KraftBroker, tmp_path: Path) -> None:
    """First none to create, then none for groups, then none for transactions."""
    more = ("--command-config", str(kraft.client_properties(tmp_path / "client.properties")))
    code, rows = smoke(kraft.login, *more)
    assert code == 4
    assert verdicts(rows) == ["ok", "failed", *["not run"] * 5, "left out"]
    assert rows["create"]["reason"].endswith("[TOPIC_AUTHORIZATION_FAILED]")
    assert rows["create"]["where"].startswith("topic pko-smoke-")
    assert pko("topics", "create", "orders", "-b", kraft.bootstrap).returncode == 0
    allow(kraft, "orders", READ, WRITE, kind=TOPIC, prefixed=False)
    more += ("--topic", "orders")
    code, rows = smoke(kraft.login, *more)
    assert (code, rows["produce"]["verdict"], rows["consume"]["verdict"]) == (4, "ok", "ok")
    assert rows["group"]["reason"].endswith("[GROUP_AUTHORIZATION_FAILED]")
    allow(kraft, "pko-smoke-", READ, DELETE, kind=GROUP, prefixed=True)
    code, rows = smoke(kraft.login, *more)
    assert (code, rows["group"]["verdict"]) == (4, "ok")
    assert rows["transaction"]["reason"].endswith("[TRANSACTIONAL_ID_AUTHORIZATION_FAILED]")
    allow(kraft, "pko-smoke-", WRITE, kind=TRANSACTIONAL_ID, prefixed=True)
    assert smoke(kraft.login, *more)[0] == 0


def verdicts(rows: Rows) -> list[str]:
    return [row["verdict"] for row in rows.values()]


def allow(kraft: KraftBroker, name: str, *operations: int, kind: int, prefixed: bool) -> None:
    """Give ``USER`` these rights to a topic, group or transactional id."""
    rules = [
        AclCreation(
            resource_type=kind, resource_name=name, principal=f"User:{USER}", host="*",
            resource_pattern_type=4 if prefixed else 3, operation=operation, permission_type=3,
        )
        for operation in operations
    ]  # fmt: skip
    link = Link(kraft.bootstrap)
    try:
        answer = link.ask(CreateAclsRequest(creations=rules), 1)
    finally:
        link.close()
    assert answer != CLOSED
    assert not any(result.error_code for result in answer.results)
