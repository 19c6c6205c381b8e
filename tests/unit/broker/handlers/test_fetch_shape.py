"""Which Fetch requests go straight through, and what is asked of each of them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from typing import Any, cast

import pytest

from pykafka_ops.broker.runtime.sockets.shapes import listed
from pykafka_ops.broker.services.authorizer import Authorizer
from pykafka_ops.security.acls.rules import (
    ANYBODY,
    CLUSTER_NAME,
    AclBinding,
    AclEntry,
    Operation,
    Permission,
    ResourcePattern,
    ResourceType,
)
from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.messages.fetch import FetchRequest, FetchResponse, ReplicaState
from tests.support.memory.fetch_twins import FetchBroker, Twins, topic
from tests.support.memory.handler_site import OTHER, batch

SIZE = len(batch(b"x"))
WITH_SESSIONS = range(7, 18)
REFUSED = 29


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.close()


class Client:
    """A connection to a broker, in one version of Fetch."""

    def __init__(self, broker: FetchBroker, version: int, **limits: Any) -> None:
        self.broker, self.version = broker, version
        self.limits = {"max_wait_ms": 0, "min_bytes": 1, "max_bytes": 1 << 20, **limits}
        self.asked = 0

    def send(self, *topics: Any, session: tuple[int, int] = (0, -1)) -> None:
        self.asked += 1
        request = FetchRequest(
            topics=list(topics), session_id=session[0], session_epoch=session[1], **self.limits
        )
        frame = encode_request(request, self.version, self.asked, "client")
        self.broker.line("client").feed(frame)
        self.broker.settle()

    def heard(self) -> list[Any]:
        frames, closed = self.broker.said()["client"]
        assert not closed
        found = [decode_response(FetchResponse, self.version, frame) for frame in frames]
        assert {number for number, _ in found} <= {self.asked}
        return [answer for _, answer in found]

    def ask(self, *topics: Any, session: tuple[int, int] = (0, -1)) -> Any:
        self.send(*topics, session=session)
        (answer,) = self.heard()
        return answer


def got(answer: Any) -> list[tuple[int, int]]:
    """Error and bytes of each partition in an answer."""
    return [(p.error_code, len(p.records or b"")) for t in answer.responses for p in t.partitions]


@pytest.fixture
def broker(loop: asyncio.AbstractEventLoop) -> FetchBroker:
    made = FetchBroker(loop, careful=False)
    for name in ("plain", "shared"):
        made.site.append(name, 0, *[batch(b"x") for _ in range(5)])
        made.site.append(name, 1, batch(b"x"))
    return made


@pytest.mark.parametrize("version", range(4, 18))
@pytest.mark.parametrize("level", [0, 1])
def test_all_but_the_first_go_straight_through(
    broker: FetchBroker, version: int, level: int
) -> None:
    client = Client(broker, version, isolation_level=level)
    for offset in range(5):
        answer = client.ask(topic("plain", (0, offset), (1, 0)))
        assert got(answer) == [(0, (5 - offset) * SIZE), (0, SIZE)]
    assert broker.served == 4


@pytest.mark.parametrize("version", WITH_SESSIONS)
def test_a_session_goes_straight_through(broker: FetchBroker, version: int) -> None:
    client = Client(broker, version)
    first = client.ask(topic("plain", (0, 0), (1, 0)), session=(0, 0))
    id_ = first.session_id
    assert got(first) == [(0, 5 * SIZE), (0, SIZE)]
    assert got(client.ask(topic("plain", (0, 5), (1, 1)), session=(id_, 1))) == []
    broker.site.append("plain", 1, batch(b"xy"))
    answer = client.ask(session=(id_, 2))
    assert (answer.session_id, got(answer)) == (id_, [(0, SIZE + 1)])
    assert broker.served == 2
    assert client.ask(session=(id_, 2)).error_code == 71
    assert got(client.ask(topic("plain", (1, 2)), session=(id_, 3))) == []
    assert broker.served == 3


@pytest.mark.parametrize("version", [*range(7, 13), 15, 17])
def test_a_follower_goes_straight_through(broker: FetchBroker, version: int) -> None:
    state = ReplicaState(replica_id=OTHER, replica_epoch=7)
    who = {"replica_state": state} if version >= 15 else {"replica_id": OTHER}
    client = Client(broker, version, **who)
    last = {"last_fetched_epoch": 3} if version >= 12 else {}
    id_ = client.ask(topic("shared", (0, 0)), session=(0, 0)).session_id
    log = broker.site.logs.logs["shared", 0]
    for n in range(1, 5):
        answer = client.ask(topic("shared", (0, n), **last), session=(id_, n))
        assert got(answer) == [(0, (5 - n) * SIZE)]
        assert (log.high_watermark, answer.responses[0].partitions[0].high_watermark) == (n, n)
    assert broker.served == 4
    assert broker.state["counts"] == [("FetchFollower", version, 5, {0: 10})]


@pytest.mark.parametrize("version", [4, 11, 13])
def test_one_that_waits_is_answered_straight(broker: FetchBroker, version: int) -> None:
    client = Client(broker, version, max_wait_ms=500)
    client.ask(topic("plain", (0, 0)))
    for n in range(5, 8):
        client.send(topic("plain", (0, n)))
        assert client.heard() == []
        broker.site.append("plain", 0, batch(b"xyz"))
        (answer,) = client.heard()
        assert got(answer) == [(0, SIZE + 2)]
    client.send(topic("plain", (0, 8)))
    broker.pass_time(499)
    assert client.heard() == []
    broker.pass_time(1)
    assert [got(answer) for answer in client.heard()] == [[(0, 0)]]
    assert broker.served == 4
    assert len(broker.site.replicas.fetches) == 0


def test_nothing_is_left_of_one_whose_client_has_gone(broker: FetchBroker) -> None:
    client = Client(broker, 11, max_wait_ms=500)
    client.ask(topic("plain", (0, 0)))
    client.send(topic("plain", (0, 5)))
    assert len(broker.site.replicas.fetches) == 1
    broker.hang_up("client")
    assert len(broker.site.replicas.fetches) == 0
    broker.site.append("plain", 0, batch(b"x"))
    broker.pass_time(500)


def test_what_is_refused_is_read_in_full_and_its_shape_stays_known(broker: FetchBroker) -> None:
    client = Client(broker, 11)
    for _ in range(9):
        assert got(client.ask(topic("plain", (0, 50)))) == [(1, 0)]
    assert got(client.ask(topic("plain", (0, 4)))) == [(0, SIZE)]
    exchange: Any = broker.line("client").connection.exchange
    assert (broker.served, len(listed(exchange.first))) == (1, 1)


def test_topics_without_partitions_do_not_mislead(broker: FetchBroker) -> None:
    client = Client(broker, 12)
    for asked in ([(0, 4)], [], [(0, 4)], [(0, 3)]):
        wanted = [topic("plain", *asked), topic("shared")]
        answer = client.ask(*wanted)
        assert got(answer) == [(0, (5 - offset) * SIZE) for _, offset in asked]


def test_bytes_that_are_no_request_end_as_without_the_path(
    loop: asyncio.AbstractEventLoop,
) -> None:
    twins = Twins(loop)
    twins.do(lambda broker: broker.site.append("plain", 0, batch(b"x")))
    request = FetchRequest(max_wait_ms=0, max_bytes=1 << 20, topics=[topic("plain", (0, 0))])
    for version in (4, 9, 12, 13):
        frame = encode_request(request, version, 5, "client")
        replica = frame.index(b"client") + 6 + (version >= 12)
        for at in range(12, len(frame)):
            if replica <= at < replica + 4:
                continue  # no connection is that of a consumer and of a follower
            for change in (1, 0x80):
                damaged = bytearray(frame)
                damaged[at] ^= change
                for sent in (frame, frame, bytes(damaged)):
                    twins.ask("client", sent)
                twins.do(lambda broker: broker.hang_up("client"))
    twins.compare()
    assert twins.straight.served > 500


# -- rights ----------------------------------------------------------------------------------------


class Guarded(FetchBroker):
    """A broker whose clients need rights, which a test gives."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.authorizer = Authorizer()
        super().__init__(loop, careful=False, authorizer=self.authorizer)

    def allow(self, operation: Operation, *resources: tuple[ResourceType, str]) -> None:
        """These rights, and no others."""
        entry = AclEntry(ANYBODY, "*", operation, Permission.ALLOW)
        bindings = [AclBinding(ResourcePattern(*resource), entry) for resource in resources]
        self.authorizer.load(bindings)


@pytest.fixture
def guarded(loop: asyncio.AbstractEventLoop) -> Guarded:
    made = Guarded(loop)
    for name in ("plain", "shared"):
        made.site.append(name, 0, batch(b"x"))
    return made


def test_rights_are_asked_for_in_every_request(
    guarded: Guarded, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "kafka.authorizer.logger")
    client = Client(guarded, 11, max_wait_ms=500)
    guarded.allow(Operation.READ, (ResourceType.TOPIC, "plain"))
    wanted = topic("plain", (0, 0))
    for _ in range(3):
        assert got(client.ask(wanted)) == [(0, SIZE)]
    assert guarded.served == 2
    assert not caplog.records
    assert got(client.ask(wanted, topic("shared", (0, 0)))) == [(0, SIZE), (REFUSED, 0)]
    assert [record.levelname for record in caplog.records] == ["INFO"]
    client.send(topic("plain", (0, 1)))
    guarded.allow(Operation.READ, (ResourceType.TOPIC, "shared"))
    guarded.site.append("plain", 0, batch(b"x"))
    assert [got(answer) for answer in client.heard()] == [[(REFUSED, 0)]]
    assert got(client.ask(wanted)) == [(REFUSED, 0)]
    assert guarded.served == 3


def test_followers_need_the_right_to_act_in_the_cluster(guarded: Guarded) -> None:
    client = Client(guarded, 11, replica_id=OTHER)
    guarded.allow(Operation.CLUSTER_ACTION, (ResourceType.CLUSTER, CLUSTER_NAME))
    wanted = topic("shared", (0, 0))
    for _ in range(3):
        assert got(client.ask(wanted)) == [(0, SIZE)]
    assert guarded.served == 2
    guarded.allow(Operation.READ, (ResourceType.TOPIC, "shared"))
    assert got(client.ask(wanted)) == [(REFUSED, 0)]
    assert guarded.served == 2


def test_a_log_of_every_right_has_every_request(
    guarded: Guarded, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "kafka.authorizer.logger")
    guarded.allow(Operation.READ, (ResourceType.TOPIC, "plain"))
    client = Client(guarded, 11)
    for _ in range(3):
        client.ask(topic("plain", (0, 0)))
    assert (guarded.served, len(caplog.records)) == (0, 3)


def test_quotas_are_counted_for_who_has_one(broker: FetchBroker) -> None:
    client = Client(broker, 11)
    wanted = topic("plain", (0, 0))
    client.ask(wanted)
    broker.limit(None, "another", consumer_byte_rate=10)
    assert got(client.ask(wanted)) == [(0, 5 * SIZE)]
    assert broker.served == 1
    broker.limit(None, "client", consumer_byte_rate=10)
    answer = client.ask(wanted)
    assert broker.served == 1
    assert cast(int, answer.throttle_time_ms) > 0
