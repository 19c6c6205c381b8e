"""``pko consume --group``: shares, commits, goes on, and leaves at once."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any

import confluent_kafka as ck
import pytest

from tests.support.clients.base import Client
from tests.support.process.console import start
from tests.support.waiting import wait_for

PARTITIONS = 4
SESSION = ("-X", "session.timeout.ms=300000")  # who does not leave is waited for that long


class Reading:
    """A running ``pko consume`` in the group of the test, and what it has printed."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        words = ("consume", topic, "-b", bootstrap, "-g", f"g-{topic}", "--from-beginning")
        words += SESSION
        self.process: subprocess.Popen[bytes] = start(*words)
        self.lines: list[bytes] = []
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip(b"\n"))

    def end(self, number: int) -> int:
        """Its exit code after a signal."""
        self.process.send_signal(number)
        code = self.process.wait(120)
        self._listener.join(120)
        return code


Read = Callable[[], Reading]


@pytest.fixture
def read(broker: Any, reader: Client, topic: str) -> Iterator[Read]:
    reader.create_topic(topic, PARTITIONS)
    made: list[Reading] = []

    def begin() -> Reading:
        made.append(Reading(broker.bootstrap, topic))
        return made[-1]

    yield begin
    for each in made:
        each.process.kill()
        each.process.wait(120)


def fill(bootstrap: str, topic: str, first: int, count: int = 40) -> list[bytes]:
    """Values spread over all partitions."""
    producer = ck.Producer({"bootstrap.servers": bootstrap})
    made = [b"%d" % n for n in range(first, first + count)]
    for n, value in enumerate(made):
        producer.produce(topic, value, partition=n % PARTITIONS)
    assert producer.flush(120) == 0
    return made


def test_two_share_the_partitions_and_one_that_ends_leaves_at_once(
    broker: Any, topic: str, read: Read
) -> None:
    written = fill(broker.bootstrap, topic, 0)
    first = read()
    wait_for(lambda: len(first.lines) == 40, what="the first records")
    second = read()

    def both_read() -> bool:
        written.extend(fill(broker.bootstrap, topic, len(written)))
        return bool(second.lines)

    wait_for(both_read, what="records of the second", poll=0.3)
    wait_for(lambda: len(first.lines + second.lines) >= len(written), what="all")
    assert sorted(first.lines + second.lines) == sorted(written)
    before = len(first.lines)
    assert second.end(signal.SIGINT) == 130
    written.extend(fill(broker.bootstrap, topic, len(written)))
    wait_for(lambda: len(first.lines) == before + 40, what="what the other had")
    assert sorted(first.lines + second.lines) == sorted(written)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_next_goes_on_behind_what_was_printed(
    broker: Any, topic: str, read: Read, number: int, code: int
) -> None:
    fill(broker.bootstrap, topic, 0)
    first = read()
    wait_for(lambda: len(first.lines) == 40, what="the first records")
    assert first.end(number) == code
    written = fill(broker.bootstrap, topic, 40)
    second = read()
    wait_for(lambda: len(second.lines) >= 40, what="the rest, at once")
    assert sorted(second.lines) == sorted(written)
