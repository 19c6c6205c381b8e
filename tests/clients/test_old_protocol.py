"""Clients of the years before record batches: message sets of magic 0 and 1."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.clients.base import Client
from tests.support.clients.kafka_python import KafkaPythonClient
from tests.support.clients.samples import messages

VERSIONS = [(0, 9), (0, 10, 0), (0, 10, 2)]
CODECS = ("none", "gzip", "snappy", "lz4")


@pytest.fixture(params=VERSIONS, ids=lambda v: ".".join(map(str, v)))
def old(request: pytest.FixtureRequest, broker: Any) -> KafkaPythonClient:
    client = KafkaPythonClient(broker.bootstrap, api_version=request.param)
    client.sends_headers = False
    return client


def plain(found: list[Any]) -> list[tuple[int, bytes | None, bytes | None]]:
    return [(f.offset, f.message.key, f.message.value) for f in found]


@pytest.mark.parametrize("codec", CODECS)
def test_old_producers_write_what_everybody_reads(
    old: KafkaPythonClient, reader: Client, topic: str, codec: str
) -> None:
    reader.create_topic(topic)
    sent = messages(100, client=old)
    assert old.produce(topic, sent, codec=codec, acks="1") == list(range(100))
    expected = [(i, m.key, m.value) for i, m in enumerate(sent)]
    assert plain(reader.consume(topic, 100)) == expected
    assert plain(old.consume(topic, 100)) == expected


@pytest.mark.parametrize("codec", CODECS)
def test_old_consumers_read_what_new_producers_wrote(
    old: KafkaPythonClient, reader: Client, topic: str, codec: str
) -> None:
    reader.create_topic(topic)
    sent = messages(100)
    reader.produce(topic, sent, codec=codec)
    assert plain(old.consume(topic, 100)) == [(i, m.key, m.value) for i, m in enumerate(sent)]
