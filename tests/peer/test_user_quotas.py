"""Whose quota counts for who has logged in, and who shares it: ours beside Apache Kafka."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

import pytest

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasRequestEntryData,
    OpData,
)
from pykafka_ops.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from pykafka_ops.wire.messages.describe_client_quotas import EntityData
from pykafka_ops.wire.messages.metadata import MetadataRequest
from pykafka_ops.wire.messages.sasl_authenticate import SaslAuthenticateRequest
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeRequest
from tests.support.clients.quotas import create_topic, fetch, once, produce
from tests.support.differential.two_brokers import Link
from tests.support.java import java_kit
from tests.support.process.apache import ZooKeeper
from tests.support.process.commands import KafkaTools
from tests.support.process.logins import (
    ApacheLoginBroker,
    LoginBroker,
    jaas_setting,
    login_settings,
    module,
)
from tests.support.waiting import free_port, wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]

Broker = LoginBroker | ApacheLoginBroker
Entity = dict[str, str | None]
"""Names by the type of entity; None is the default."""

Tags = tuple[str, str]
"""User and client, empty where there is none."""

TOPIC = "t"
SHARERS = [f"{letter}{number}" for letter in "ab" for number in range(10)]
"""Users that have used nothing before."""
NAMES = ("alice", "al ice/u:%")
MEASURED = ("metered", "m t/u:%*")
ODD_CLIENT = 'a b/c:%,"=*?\\ü'
LITTLE, MUCH = 100.0, 1e12
"""Rates that one request exceeds, and that none does."""
SIZE = 10_000
METRICS = f"127.0.0.1:{free_port()}"
JMX = free_port()
BY_JMX = [
    f"-Dcom.sun.management.jmxremote{option}"
    for option in (f".port={JMX}", ".host=127.0.0.1", ".authenticate=false", ".ssl=false")
]
_probes = itertools.count()


@pytest.fixture(scope="module")
def brokers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Broker]]:
    """Ours and Apache Kafka's, each with a topic; they take the users of both lists."""
    directory = tmp_path_factory.mktemp("quotas")
    users = {f'"user_{name}"': "x" for name in (*NAMES, *SHARERS, *MEASURED)}
    settings = login_settings(sasl_enabled_mechanisms="PLAIN")
    settings[jaas_setting("PLAIN")] = module("PLAIN", **users)
    with ExitStack() as stack:
        zookeeper = ZooKeeper(directory / "zookeeper").start()
        stack.callback(zookeeper.close)
        found: dict[str, Broker] = {
            "pko": LoginBroker(directory / "ours", settings | {"metrics.listen": METRICS}),
            "apache": ApacheLoginBroker(directory / "theirs", zookeeper, settings),
        }
        found["apache"].jvm = [*java_kit.BRIEF_JVM, "-Djava.rmi.server.hostname=127.0.0.1", *BY_JMX]
        for broker in found.values():
            stack.callback(broker.close)
            broker.start()
            create_topic(broker.bootstrap, "setter", TOPIC)
            once(broker.bootstrap, "setter", produce(TOPIC, SIZE), 9)
        yield found


def set_quotas(broker: Broker, quotas: list[tuple[Entity, str, float | None]]) -> None:
    """Set them, None: take it away; they count when this returns."""
    probe: Entity = {"user": "ANONYMOUS", "client-id": f"probe-{next(_probes)}"}
    for entity, kind, value in [*quotas, (probe, "consumer_byte_rate", 1.0)]:
        entry = AlterClientQuotasRequestEntryData(
            entity=[EntityData(entity_type=t, entity_name=n) for t, n in entity.items()],
            ops=[OpData(key=kind, value=value or 0.0, remove=value is None)],
        )
        answer = once(broker.bootstrap, "setter", AlterClientQuotasRequest(entries=[entry]), 1)
        assert [each.error_code for each in answer.entries] == [0]
    # Brokers take over changes in order: when the last one counts, all do.
    name = str(probe["client-id"])
    wait_for(
        lambda: once(broker.bootstrap, name, fetch(TOPIC, SIZE), 12).throttle_time_ms > 0,
        what="the quotas to count",
    )


def ask_as(broker: Broker, user: str, client_id: str, request: Any, version: int) -> Any:
    """The answer over a new connection on which that user has logged in."""
    link = Link(broker.login_bootstrap, client_id)
    try:
        assert not link.ask(SaslHandshakeRequest(mechanism="PLAIN"), 1).error_code
        login = SaslAuthenticateRequest(auth_bytes=b"\0%s\0x" % user.encode())
        assert not link.ask(login, 2).error_code
        return link.ask(request, version)
    finally:
        link.close()


def is_held(broker: Broker, user: str, client_id: str) -> bool:
    """Whether who writes as such is told to wait."""
    answer = ask_as(broker, user, client_id, produce(TOPIC, SIZE), 9)
    assert answer.responses[0].partition_responses[0].error_code == 0
    return bool(answer.throttle_time_ms)


def levels(user: str, client_id: str) -> list[Entity]:
    """Whose quota may count, the most specific first (``ClientQuotaManager``)."""
    return [
        {"user": user, "client-id": client_id},
        {"user": user, "client-id": None},
        {"user": user},
        {"user": None, "client-id": client_id},
        {"user": None, "client-id": None},
        {"user": None},
        {"client-id": client_id},
        {"client-id": None},
    ]


@pytest.mark.parametrize("user", NAMES)
def test_the_most_specific_quota_counts(brokers: dict[str, Broker], user: str) -> None:
    """Each level in turn is little where all below are much, and the other way round."""
    outcomes: dict[str, list[tuple[int, bool, bool]]] = {}
    kind = "producer_byte_rate"
    for name, broker in brokers.items():
        found = outcomes.setdefault(name, [])
        for number in reversed(range(8)):
            for own, below in ((LITTLE, MUCH), (MUCH, LITTLE)):
                client_id = f"app-{number}-{own:.0f}-{len(user)}"
                order = levels(user, client_id)
                rates = [(order[number], kind, own)]
                rates += [(each, kind, below) for each in order[number + 1 :]]
                set_quotas(broker, rates)
                found.append((number, own == LITTLE, is_held(broker, user, client_id)))
                set_quotas(broker, [(entity, kind, None) for entity, _, _ in rates])
    assert outcomes["pko"] == outcomes["apache"]
    assert outcomes["pko"] == [(n, little, little) for n, little, _ in outcomes["pko"]]


def shared(broker: Broker, entity: Entity, one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether what one client has used counts for the other, too."""
    kind, free = "producer_byte_rate", 2.0 * SIZE / 10
    set_quotas(broker, [(entity, kind, free)])
    assert not is_held(broker, *one)
    for _ in range(3):
        is_held(broker, *one)
    held = is_held(broker, *other)
    set_quotas(broker, [(entity, kind, None)])
    return held


def test_who_shares_a_quota(brokers: dict[str, Broker]) -> None:
    cases: list[tuple[Entity, tuple[str, str], tuple[str, str], bool]] = [
        ({"user": "a0"}, ("a0", "s"), ("a0", "t"), True),
        ({"user": "a1"}, ("a1", "s"), ("a1", ""), True),
        ({"user": "a2"}, ("a2", "s"), ("b2", "s"), False),
        ({"user": None}, ("a3", "s"), ("a3", "t"), True),
        ({"user": None}, ("a4", "s"), ("b4", "s"), False),
        ({"user": "a5", "client-id": None}, ("a5", "s"), ("a5", "t"), False),
        ({"user": None, "client-id": "s6"}, ("a6", "s6"), ("b6", "s6"), False),
        ({"client-id": "s7"}, ("a7", "s7"), ("b7", "s7"), True),
        ({"client-id": None}, ("a8", "s8"), ("b8", "s8"), True),
        ({"client-id": None}, ("a9", "s9"), ("a9", ""), False),
    ]
    found = {
        name: [shared(broker, *case[:3]) for case in cases] for name, broker in brokers.items()
    }
    assert found["pko"] == found["apache"] == [case[3] for case in cases]


def test_metrics_of_quotas_have_the_tags_of_kafkas_beans(brokers: dict[str, Broker]) -> None:
    """``kafka.server:type=Produce,user=..,client-id=..``: percent-encoded (``Sanitizer``), and with
    what the quota that counts is about."""
    one, other = MEASURED
    cases: list[tuple[Entity, str, str]] = [
        *((entity, one, f"level-{n}") for n, entity in enumerate(levels(one, ""))),
        ({"client-id": ODD_CLIENT}, other, ODD_CLIENT),
        ({"user": other, "client-id": ODD_CLIENT}, other, ODD_CLIENT),
        ({"user": other}, other, ODD_CLIENT),
    ]
    found: set[Tags] = set()
    for entity, user, client in cases:
        named = {kind: name if name != "" else client for kind, name in entity.items()}
        for broker in brokers.values():
            set_quotas(broker, [(named, "producer_byte_rate", MUCH)])
            assert not is_held(broker, user, client)
        found |= tags()
        for broker in brokers.values():
            set_quotas(broker, [(named, "producer_byte_rate", None)])
    assert of_the_test(found) == of_the_test(beans())
    same = 1  # a user's own quota, and that of all users
    assert len(of_the_test(found)) == len(cases) - same


def of_the_test(found: set[Tags]) -> set[Tags]:
    """Those that other tests have not left behind."""
    users = {quote(user, safe="") for user in MEASURED}
    return {
        (user, client)
        for user, client in found
        if user in users or client == ODD_CLIENT or client.startswith("level-")
    }


def beans() -> set[Tags]:
    """Apache Kafka's, by JMX: it keeps those of an hour."""
    tools = KafkaTools()
    try:
        said = tools(
            "kafka-jmx", "--jmx-url", f"service:jmx:rmi:///jndi/rmi://127.0.0.1:{JMX}/jmxrmi",
            "--object-name", "kafka.server:type=Produce,*", "--attributes", "byte-rate",
            "--one-time", "true", "--report-format", "properties",
        )  # fmt: skip
    finally:
        tools.close()
    assert said.code == 0, said
    names = re.findall(r"kafka\.server:type=Produce,(.*):byte-rate=", said.out)
    return {(tag_of(name, "user"), tag_of(name, "client-id")) for name in names}


def tag_of(bean: str, tag: str) -> str:
    """The value of a tag in a bean's name (``ObjectName.quote``)."""
    found = re.search(rf'(?:^|,){tag}=(?:"((?:\\.|[^"\\])*)"|([^,]*))', bean)
    if found is None:
        return ""
    return found[2] if found[1] is None else re.sub(r"\\(.)", r"\1", found[1])


def tags() -> set[Tags]:
    """Ours, as Prometheus shows them."""
    with urlopen(f"http://{METRICS}/metrics", timeout=60) as answer:
        text = answer.read().decode()
    label = r'"((?:\\.|[^"\\])*)"'
    rows = re.findall(
        rf'kafka_server_quota_byte_rate\{{resource="Produce",user={label},clientId={label}', text
    )
    return {(re.sub(r"\\(.)", r"\1", user), re.sub(r"\\(.)", r"\1", c)) for user, c in rows}


def test_quotas_of_users_on_reading_time_and_new_topics(brokers: dict[str, Broker]) -> None:
    alice, other = NAMES
    outcomes: dict[str, list[Any]] = {}
    for name, broker in brokers.items():
        found = outcomes.setdefault(name, [])
        for kind, value, request, version in (
            ("consumer_byte_rate", LITTLE, fetch(TOPIC, SIZE), 12),
            ("request_percentage", 0.0001, MetadataRequest(topics=[]), 9),
        ):
            set_quotas(broker, [({"user": alice}, kind, value)])
            for user in (alice, other):
                waits = [
                    ask_as(broker, user, f"{kind}-{user[2:3]}", request, version).throttle_time_ms
                    for _ in range(3)
                ]
                found.append((kind, user, max(waits) > 0))
            set_quotas(broker, [({"user": alice}, kind, None)])
        set_quotas(broker, [({"user": alice}, "controller_mutation_rate", 0.1)])
        for user, topic in ((alice, "m1"), (alice, "m2"), (other, "m3")):
            wanted = CreatableTopic(name=topic, num_partitions=8, replication_factor=1)
            request = CreateTopicsRequest(topics=[wanted], timeout_ms=30_000)
            answer = ask_as(broker, user, "maker", request, 7)
            found.append((topic, answer.topics[0].error_code, answer.throttle_time_ms > 0))
        set_quotas(broker, [({"user": alice}, "controller_mutation_rate", None)])
    assert outcomes["pko"] == outcomes["apache"]
    refused = int(ErrorCode.THROTTLING_QUOTA_EXCEEDED)
    assert outcomes["pko"] == [
        *((kind, user, user == alice)
          for kind in ("consumer_byte_rate", "request_percentage") for user in NAMES),
        ("m1", 0, False),
        ("m2", refused, True),
        ("m3", 0, False),
    ]  # fmt: skip
