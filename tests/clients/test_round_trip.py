"""What any client produces, every client reads back record by record."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from tests.support.clients.base import (
    CODECS,
    CREATE_TIME,
    LOG_APPEND_TIME,
    Client,
    Fetched,
    Message,
    RefusedError,
)
from tests.support.clients.samples import messages


def as_read(sent: list[Message], start: int = 0) -> list[Fetched]:
    """What a consumer must get for ``sent``."""
    return [Fetched(start + i, m, CREATE_TIME) for i, m in enumerate(sent)]


@pytest.mark.parametrize("codec", CODECS)
def test_records_come_back_whole_with_every_codec(
    client: Client, reader: Client, topic: str, codec: str
) -> None:
    client.create_topic(topic)
    sent = messages(300, seed=len(codec), client=client)
    assert client.produce(topic, sent, codec=codec) == list(range(300))
    assert client.consume(topic, 300) == as_read(sent)
    assert reader.consume(topic, 300) == as_read(sent)


@pytest.mark.parametrize("codec", CODECS)
def test_reading_starts_inside_a_batch(client: Client, topic: str, codec: str) -> None:
    client.create_topic(topic)
    sent = messages(100, client=client)
    client.produce(topic, sent, codec=codec)
    assert client.consume(topic, 37, start=63) == as_read(sent)[63:]


def test_an_idempotent_producer_writes_each_record_once(client: Client, topic: str) -> None:
    client.create_topic(topic, 2)
    sent = messages(200, client=client)
    assert client.produce(topic, sent, partition=1, idempotent=True) == list(range(200))
    assert client.produce(topic, sent, partition=1, idempotent=True) == list(range(200, 400))
    assert client.consume(topic, 400, partition=1) == as_read([*sent, *sent])
    assert client.offsets(topic, 0) == (0, 0)


@pytest.mark.parametrize("acks", ["0", "1", "all"])
def test_every_acks_level_stores_the_records(client: Client, topic: str, acks: str) -> None:
    client.create_topic(topic)
    sent = messages(50, client=client)
    expected = [-1] * 50 if acks == "0" else list(range(50))
    assert client.produce(topic, sent, acks=acks) == expected
    assert client.consume(topic, 50) == as_read(sent)


def test_log_append_time_is_the_brokers(client: Client, reader: Client, topic: str) -> None:
    client.create_topic(topic, configs={"message.timestamp.type": "LogAppendTime"})
    before = int(time.time() * 1000)
    client.produce(topic, messages(20, client=client), codec="gzip")
    found = [*client.consume(topic, 20), *reader.consume(topic, 20)]
    after = int(time.time() * 1000)
    for fetched in found:
        assert fetched.timestamp_type == LOG_APPEND_TIME
        assert before - 5 <= fetched.message.timestamp <= after + 5


@pytest.mark.parametrize("codec", CODECS[1:])
def test_a_topic_that_recompresses_keeps_the_records(
    client: Client, reader: Client, topic: str, codec: str
) -> None:
    client.create_topic(topic, configs={"compression.type": codec})
    sent = messages(120, client=client)
    client.produce(topic, sent[:60])
    client.produce(topic, sent[60:], codec="gzip")
    assert client.consume(topic, 120) == as_read(sent)
    assert reader.consume(topic, 120) == as_read(sent)


def test_a_topic_is_made_by_producing_to_it(client: Client, topic: str) -> None:
    sent = messages(5, client=client)
    assert client.produce(topic, sent) == list(range(5))
    assert client.consume(topic, 5) == as_read(sent)


def test_a_large_message_up_to_the_limit(client: Client, topic: str) -> None:
    client.create_topic(topic)
    large = Message(b"x" * 1_000_000, b"k")
    assert client.produce(topic, [large], max_request=4_000_000) == [0]
    assert client.consume(topic, 1)[0].message.value == large.value


def test_a_message_over_the_limit_is_refused(client: Client, topic: str) -> None:
    client.create_topic(topic, configs={"max.message.bytes": "100000"})
    with pytest.raises(RefusedError) as refused:
        client.produce(topic, [Message(b"x" * 100_001)], max_request=4_000_000)
    assert refused.value.code == 10  # MESSAGE_TOO_LARGE
    assert client.offsets(topic) == (0, 0)


def test_one_message_larger_than_a_fetch_is_still_read(client: Client, topic: str) -> None:
    client.create_topic(topic, configs={"max.message.bytes": "6000000"})
    large = Message(bytes(range(256)) * 15_000)
    client.produce(topic, [large, Message(b"after")], max_request=5_000_000)
    found = client.consume(topic, 2)
    assert [f.message.value for f in found] == [large.value, b"after"]


def test_many_megabytes_arrive_in_order(client: Client, topic: str) -> None:
    client.create_topic(topic, configs={"retention.ms": "-1"})  # the records are old
    sent = [Message(f"{i:06}".encode() * 1000) for i in range(1500)]
    client.produce(topic, sent)
    found = client.consume(topic, len(sent))
    assert [f.offset for f in found] == list(range(len(sent)))
    assert [f.message.value for f in found] == [m.value for m in sent]


def test_a_consumer_at_the_end_gets_what_comes_later(
    client: Client, reader: Client, topic: str
) -> None:
    client.create_topic(topic)
    sent = messages(3, client=client)
    later = threading.Timer(0.7, reader.produce, (topic, sent))
    later.start()
    try:
        assert client.consume(topic, 3) == as_read(sent)
    finally:
        later.join()


def test_an_offset_outside_the_log_is_refused(client: Client, topic: str) -> None:
    client.create_topic(topic)
    client.produce(topic, messages(5, client=client))
    with pytest.raises(RefusedError):
        client.consume(topic, 1, start=99)


def test_first_and_end_offsets_and_by_time(client: Client, topic: str) -> None:
    client.create_topic(topic)
    sent = [Message(b"v", timestamp=1_800_000 + 1_000 * i) for i in range(10)]
    client.produce(topic, sent[:6], codec="lz4")
    client.produce(topic, sent[6:])
    assert client.offsets(topic) == (0, 10)
    asked = [0, 1_800_000, 1_800_001, 1_805_000, 1_807_500, 1_809_000, 1_809_001]
    found = [client.offset_for_time(topic, t) for t in asked]
    assert found == [0, 0, 1, 5, 8, 9, None]


def test_what_one_client_writes_all_others_read(broker: Any, client: Client, topic: str) -> None:
    from tests.clients.conftest import PYTHON

    client.create_topic(topic)
    sent = messages(60, seed=7, client=client)
    for i, codec in enumerate(CODECS):
        client.produce(topic, sent[i * 12 : i * 12 + 12], codec=codec)
    for make in PYTHON.values():
        other = make(broker.bootstrap)
        assert other.consume(topic, 60) == as_read(sent), other.name
        other.close()
