"""Requests as large as they may be: whoever sends them, nobody else waits for long."""

from __future__ import annotations

import contextlib
import math
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from pykafka_ops.broker.handlers import ROUTES
from pykafka_ops.broker.runtime.sockets.large import DIVISIONS, MOST, MOST_WHOLE
from pykafka_ops.disk.compression import Codec
from pykafka_ops.wire.apis import APIS, ApiKey
from tests.support.clients.confluent import ConfluentClient
from tests.support.process.paced import PacedBroker
from tests.support.wire import big_topic, largest, raw
from tests.support.wire.raw import Connection

pytestmark = [pytest.mark.slow, pytest.mark.measured]
MB = 1 << 20
ALWAYS_MS, MOSTLY_MS = 100, 20
"""How long the loop may keep clients waiting, in CPU time: at all, and in all but one turn of a
thousand."""
GIVEN: dict[int, dict[str, object]] = {
    ApiKey.METADATA: {"allow_auto_topic_creation": False},
    ApiKey.PRODUCE: {"acks": 1},
}


@pytest.fixture
def paced(paced_session: PacedBroker) -> Iterator[PacedBroker]:
    """A broker whose turns are timed; after the test nobody was kept waiting."""
    assert paced_session.running.alive(), paced_session.log_tail()
    paced_session.pauses()
    yield paced_session
    with Connection(paced_session.bootstrap) as other:
        other.ask(raw.request(raw.API_VERSIONS, 0))
    turns = sorted(paced_session.pauses())
    assert max(turns, default=0) <= ALWAYS_MS
    late = [ms for ms in turns if ms > MOSTLY_MS]
    assert len(late) <= math.ceil(len(turns) / 1000), late


def requests(key: int) -> Iterator[bytes]:
    """In the latest version that our broker serves, for each array: with as many items as may be in
    it, or with more than anybody reads."""
    spec = APIS[key]
    version = ApiKey(key).served[-1]
    for path in largest.paths(spec.request, version):
        name = ".".join(field.name for field in path)
        rows = [row.asked for row in DIVISIONS.get(key, ())]
        divided = any(row == name or row.startswith(f"{name}.") for row in rows)
        most = (MOST if divided else MOST_WHOLE) - len(path)
        for count in {most, MOST}:
            yield largest.request(key, version, path, count, **GIVEN.get(key, {}))


@pytest.mark.parametrize("key", ROUTES, ids=lambda key: APIS[key].name)
def test_no_request_of_many_items_keeps_others_waiting(paced: Any, key: int) -> None:
    for frame in requests(key):
        with Connection(paced.bootstrap) as connection:
            connection.send(frame)
            with contextlib.suppress(ConnectionError):
                connection.read()
    assert paced.running.peak_rss() < 512 * MB


def test_a_topic_of_ten_thousand_partitions_keeps_nobody_waiting(paced: Any, topic: str) -> None:
    """It is created, grows, gets leaders and replicas, is described and deleted."""
    for name, frame in big_topic.steps(topic, 9_900):
        with Connection(paced.bootstrap, seconds=100) as connection:
            assert connection.ask(frame), name


@pytest.mark.parametrize("codec", list(Codec), ids=lambda codec: codec.name)
def test_a_dense_batch_that_is_written_and_looked_into_lets_others_have_their_turn(
    paced: Any, topic: str, codec: Codec
) -> None:
    settings = {"max.message.bytes": 100 * MB}
    count = 700_000 if codec else 100_000
    ConfluentClient(paced.bootstrap).create_topic(topic, configs=settings)
    with Connection(paced.bootstrap) as connection:
        assert raw.produced(connection.ask(raw.produce(topic, largest.dense(codec, count)))) == (
            0,
            0,
        )
        last = 1_700_000_000_000 + count - 1
        asked = struct.pack(">iq", 0, last)
        body = struct.pack(">i", -1) + raw.array([raw.string(topic) + raw.array([asked])])
        by_time = raw.request(raw.LIST_OFFSETS, 1, body)
        wanted = struct.pack(">iqi", 0, 0, 100 * MB)
        head = struct.pack(">iii", -1, 0, 0)
        body = head + raw.array([raw.string(topic) + raw.array([wanted])])
        of_old = raw.request(raw.FETCH, 2, body)
        (offset,) = struct.unpack(">q", connection.ask(by_time)[-8:])
        assert offset == count - 1
        connection.ask(of_old)
