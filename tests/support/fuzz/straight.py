"""What a producer sends, by the path of the usual batch and with every check of the ordinary code:
nothing differs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest

from pykafka_ops.broker.storage.log import appender
from pykafka_ops.disk.compression import Codec
from tests.support.fuzz.mended import mended
from tests.support.memory.handler_site import batch
from tests.support.memory.produce_desk import Broker, decline, request

WAYS = [(version, acks) for version in (3, 7, 9) for acks in (1, -1)]
MOST = 200
"""Requests before the brokers are made anew."""


class Twins:
    """Two brokers that are sent the same; the second has no path, and takes no batch for usual."""

    def __init__(self) -> None:
        loop = _loop()
        self.brokers = Broker(loop, repeat=True), Broker(loop, repeat=True)
        self.asked = 0

    def ask(self, records: bytes, version: int, acks: int) -> None:
        """Send both a request, and compare answers and logs."""
        self.asked += 1
        frame = request(records, version=version, acks=acks)
        straight, careful = self.brokers
        answer = straight.ask(frame)
        with _declined():
            assert answer == careful.ask(frame)
        assert straight.state == careful.state


@contextmanager
def _declined() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        decline(patch)
        patch.setattr(appender, "checked", lambda tail, records: None)
        yield


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


_twins: list[Twins] = []


def straight(data: bytes) -> None:
    """The first byte says in which version and with which acks; the rest is a batch."""
    if not _twins or _twins[0].asked >= MOST:
        _twins[:] = [Twins()]
    version, acks = WAYS[data[0] % len(WAYS)] if data else WAYS[0]
    try:
        for sent in (batch(b"usual"), data[1:], bytes(mended(data[1:]))):
            _twins[0].ask(sent, version, acks)
    except BaseException:
        _twins.clear()
        raise


def straight_seeds() -> list[bytes]:
    """Batches of all kinds, each behind a byte for the way."""
    kinds = [
        batch(b"value"),
        batch(b"a", b"b" * 200, b""),
        *(batch(*[b"value %d" % n for n in range(40)], codec=codec) for codec in Codec),
        *(batch(b"v", producer_id=5, producer_epoch=0, base_sequence=n) for n in range(6)),
        batch(b"v", producer_id=6, producer_epoch=0, base_sequence=0, transactional=True),
    ]
    return [bytes([way]) + kind for way in range(len(WAYS)) for kind in kinds]
