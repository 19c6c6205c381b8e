"""Record batches that must not get into a log: Kafka's error codes, and nothing written."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Callable
from typing import Any

import cramjam
import pytest

from tests.support.clients.confluent import ConfluentClient
from tests.support.wire import raw
from tests.support.wire.raw import Connection, batch

MB = 1 << 20
CORRUPT, TOO_LARGE, INVALID_TIMESTAMP, UNSUPPORTED_CODEC, INVALID_RECORD = 2, 10, 32, 76, 87
TRANSACTIONAL, CONTROL, ZSTD, GZIP = 0x10, 0x20, 4, 1


def patched(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


GOOD = batch([b"one", b"two"])
BAD = {
    "wrong crc": (patched(GOOD, 70, b"\xff"), CORRUPT),
    "cut short": (GOOD[:-1], INVALID_RECORD),
    "length too small": (patched(GOOD, 8, struct.pack(">i", 20)), CORRUPT),
    "length negative": (patched(GOOD, 8, struct.pack(">i", -20)), CORRUPT),
    "magic 3": (batch(magic=3), CORRUPT),
    "base offset not 0": (batch(base_offset=7), INVALID_RECORD),
    "no records": (batch([]), INVALID_RECORD),
    "count too high": (batch([b"a"], count=2), INVALID_RECORD),
    "count negative": (batch([b"a"], count=-3, last_delta=0), INVALID_RECORD),
    "last offset lies": (batch([b"a", b"b"], last_delta=5), INVALID_RECORD),
    "control batch of a client": (batch(attributes=CONTROL, producer=(1, 0, 0)), INVALID_RECORD),
    "producer without sequence": (batch(producer=(5, 0, -1)), INVALID_RECORD),
    "two batches": (GOOD + GOOD, INVALID_RECORD),
    "too large": (batch([bytes(1_100_000)]), TOO_LARGE),
}


@pytest.fixture
def connection(victim: Any, topic: str) -> Any:
    ConfluentClient(victim.bootstrap).create_topic(topic)
    with Connection(victim.bootstrap) as made:
        yield made


def end_offset(victim: Any, topic: str) -> int:
    return ConfluentClient(victim.bootstrap).offsets(topic)[1]


@pytest.mark.parametrize(("data", "code"), BAD.values(), ids=BAD.keys())
def test_a_bad_batch_is_refused_and_not_written(
    victim: Any, topic: str, connection: Connection, data: bytes, code: int
) -> None:
    answer = connection.ask(raw.produce(topic, data))
    assert raw.produced(answer)[0] == code
    assert raw.produced(connection.ask(raw.produce(topic, GOOD))) == (0, 0)
    assert end_offset(victim, topic) == 2


def test_a_bad_batch_without_acks_closes_the_connection(
    victim: Any, topic: str, connection: Connection
) -> None:
    connection.send(raw.produce(topic, BAD["wrong crc"][0], acks=0))
    assert connection.closed_by_broker()
    assert end_offset(victim, topic) == 0


@pytest.mark.parametrize("codec", [GZIP, ZSTD])
@pytest.mark.parametrize("policy", ["delete", "compact"])
def test_compressed_noise_is_refused(victim: Any, topic: str, codec: int, policy: str) -> None:
    name = f"{topic}-{policy}"
    ConfluentClient(victim.bootstrap).create_topic(name, configs={"cleanup.policy": policy})
    data = batch([b"x"] * 3, attributes=codec, payload=b"\x28\xb5\x2f\xfd" + bytes(range(200)))
    with Connection(victim.bootstrap) as connection:
        code, _ = raw.produced(connection.ask(raw.produce(name, data)))
    assert code in (CORRUPT, INVALID_RECORD, -1)
    assert end_offset(victim, name) == 0


def test_a_record_without_key_is_refused_by_a_compacted_topic(victim: Any, topic: str) -> None:
    name = f"{topic}-compacted"
    ConfluentClient(victim.bootstrap).create_topic(name, configs={"cleanup.policy": "compact"})
    with Connection(victim.bootstrap) as connection:
        code, _ = raw.produced(connection.ask(raw.produce(name, GOOD)))
    assert code == INVALID_RECORD
    assert end_offset(victim, name) == 0


def test_a_time_too_far_off_is_refused_where_the_topic_has_a_limit(victim: Any, topic: str) -> None:
    name = f"{topic}-limited"
    limits = {
        "message.timestamp.after.max.ms": "3600000",
        "message.timestamp.before.max.ms": "1000",
    }
    ConfluentClient(victim.bootstrap).create_topic(name, configs=limits)
    with Connection(victim.bootstrap) as connection:
        for timestamp in (1_600_000_000_000, 4_000_000_000_000):
            data = batch(timestamp=timestamp)
            assert raw.produced(connection.ask(raw.produce(name, data)))[0] == INVALID_TIMESTAMP
    assert end_offset(victim, name) == 0


def test_a_codec_that_does_not_exist_is_refused(
    victim: Any, topic: str, connection: Connection
) -> None:
    answer = connection.ask(raw.produce(topic, batch(attributes=6)))
    assert raw.produced(answer)[0] in (CORRUPT, INVALID_RECORD, UNSUPPORTED_CODEC, -1)
    assert end_offset(victim, topic) == 0


def test_an_unknown_partition_is_refused(victim: Any, topic: str, connection: Connection) -> None:
    answer = connection.ask(raw.produce(topic, GOOD, partition=9))
    assert raw.produced(answer)[0] == 3


def test_null_records_are_refused(victim: Any, topic: str, connection: Connection) -> None:
    if victim.kind == "apache":
        pytest.skip("Kafka 3.9 never answers")
    connection.send(raw.produce(topic, None))
    with contextlib.suppress(ConnectionError):
        assert raw.produced(connection.read()[1])[0] != 0
    assert end_offset(victim, topic) == 0


@pytest.mark.parametrize("kept", ["producer", "gzip"])
def test_a_decompression_bomb_is_bounded(
    victim: Any, topic: str, grown: Callable[[], int], kept: str
) -> None:
    if victim.kind == "apache":
        pytest.skip("Kafka 3.9 has no bound")
    name = f"{topic}-{kept}"
    ConfluentClient(victim.bootstrap).create_topic(name, configs={"compression.type": kept})
    one = raw.record(0, bytes(200 * MB))
    data = batch(attributes=ZSTD, count=1, payload=bytes(cramjam.zstd.compress(one)))
    assert len(data) < MB
    with Connection(victim.bootstrap) as connection:
        code, _ = raw.produced(connection.ask(raw.produce(name, data)))
    assert code in (CORRUPT, TOO_LARGE, INVALID_RECORD)
    assert victim.running.peak_rss() < 450 * MB
    assert grown() < 200 * MB


def test_a_million_records_in_a_small_batch_do_not_hold_up_the_others(
    victim: Any, topic: str, connection: Connection
) -> None:
    """Records of seven bytes each compress to next to nothing, and each must be looked at."""
    if victim.kind == "apache":
        pytest.skip("Kafka 3.9 has no bound")
    many = 1 << 21
    data = batch(
        attributes=ZSTD,
        count=many,
        payload=bytes(cramjam.zstd.compress(raw.record(0, b"") * many)),
    )
    before = victim.running.cpu_seconds()
    code, _ = raw.produced(connection.ask(raw.produce(topic, data)))
    assert code == INVALID_RECORD
    assert victim.running.cpu_seconds() - before < 10, "usually some milliseconds"
