"""Steady load on one partition, with a ledger of what was acknowledged and where."""

from __future__ import annotations

import functools
import threading
from typing import Any

import confluent_kafka as ck

from tests.support.clients.base import Fetched
from tests.support.waiting import PATIENCE, wait_for

PLAIN = {"enable.idempotence": False, "message.send.max.retries": 0}
IDEMPOTENT = {"enable.idempotence": True, "acks": "all", "message.timeout.ms": 120_000}


class Load:
    """Sends ``0:xxx``, ``1:xxx``, ... from a thread until stopped."""

    def __init__(
        self,
        bootstrap: str,
        topic: str,
        partition: int,
        config: dict[str, Any],
        *,
        size: int = 200,
        rest: float = 0.0,
    ) -> None:
        """``rest``: seconds to wait after every 20 records."""
        self.topic, self.partition, self.size, self._rest = topic, partition, size, rest
        self.sent = 0
        self.acked: dict[int, int | None] = {}  # number -> offset, where it is known
        self.failed: dict[int, str] = {}
        self.fatal: str | None = None
        self._stop = threading.Event()
        self._producer = ck.Producer(
            {
                "bootstrap.servers": bootstrap,
                "linger.ms": 2,
                "batch.size": 50_000,
                "reconnect.backoff.ms": 10,
                "reconnect.backoff.max.ms": 100,
                "retry.backoff.ms": 10,
                "queue.buffering.max.messages": 20_000,
                "error_cb": self._error,
                "log_level": 0,
                **config,
            }
        )
        self._thread = threading.Thread(target=self._run)

    def start(self) -> Load:
        self._thread.start()
        return self

    def value(self, number: int) -> bytes:
        head = b"%d:" % number
        return head + b"x" * (number * 7919 % self.size)

    def _error(self, error: Any) -> None:
        if error.fatal():
            self.fatal = error.str()

    def _run(self) -> None:
        while not self._stop.is_set() and self.fatal is None:
            if len(self._producer) < 2000:
                number = self.sent
                self._producer.produce(
                    self.topic,
                    self.value(number),
                    partition=self.partition,
                    on_delivery=functools.partial(self._done, number),
                )
                self.sent += 1
            self._producer.poll(0 if self.sent % 20 else 0.005)
            if self._rest and not self.sent % 20:
                self._stop.wait(self._rest)

    def _done(self, number: int, error: Any, message: Any) -> None:
        if error is None:
            self.acked[number] = message.offset()
        else:
            self.failed[number] = error.str()

    def wait_acked(self, more: int, seconds: float = PATIENCE) -> None:
        """Until ``more`` records beyond those of now are acknowledged."""
        goal = len(self.acked) + more
        wait_for(
            lambda: len(self.acked) >= goal or self.fatal is not None,
            seconds=seconds,
            what=f"{goal} records acknowledged (have {len(self.acked)})",
        )
        assert self.fatal is None, self.fatal

    def finish(self, seconds: float = PATIENCE) -> None:
        """Stop sending, and wait until every record is acknowledged or failed."""
        self._stop.set()
        self._thread.join()
        left = self._producer.flush(seconds)
        assert self.fatal is None, self.fatal
        assert left == 0, f"{left} records neither acknowledged nor failed"

    def abandon(self) -> None:
        """Stop without caring for what is under way."""
        self._stop.set()
        self._thread.join()
        self._producer.purge()
        self._producer.flush(1)


def numbers(found: list[Fetched]) -> list[int]:
    """The numbers that ``Load`` wrote into the values."""
    return [int((f.message.value or b"").partition(b":")[0]) for f in found]


def check_ledger(load: Load, found: list[Fetched], *, exactly: bool) -> None:
    """Every acknowledged record is there, whole, in order, once; ``exactly``: and all sent."""
    by_offset = {f.offset: f.message.value for f in found}
    assert [f.offset for f in found] == list(range(found[0].offset, found[0].offset + len(found)))
    there = {value: offset for offset, value in by_offset.items()}
    # librdkafka knows no offset (None) of what it takes for written since a later batch was.
    lost = {
        n: o
        for n, o in load.acked.items()
        if by_offset.get(there.get(load.value(n), -1) if o is None else o) != load.value(n)
    }
    assert not lost, (
        f"{len(lost)} acknowledged records lost or misplaced: {sorted(lost.items())[:5]}"
    )
    got = numbers(found)
    assert len(set(got)) == len(got), "a record was written twice"
    assert got == sorted(got), "records out of order"
    if exactly:
        absent = sorted(set(range(load.sent)) - set(got))
        why = sorted({load.failed.get(n, "no answer") for n in absent})
        assert not absent, f"{len(absent)} of {load.sent} not there: {absent[:3]}..., {why}"
