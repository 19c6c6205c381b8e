"""kill -9 of a mirror at every step, and of the brokers on both sides: nothing lost, nothing
doubled, the order kept."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from collections.abc import Callable, Sequence

import pytest

from tests.support.mirror.pair import make_topic, values, write
from tests.support.mirror.runner import STEPS
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow
MakeBroker = Callable[..., BrokerProcess]
PARTITIONS = 2
EACH = 4000


class Mirror:
    """The runner, life after life."""

    def __init__(self, brokers: Sequence[BrokerProcess], mode: str) -> None:
        self.brokers, self.mode = brokers, mode

    def start(self, *step: str) -> subprocess.Popen[str]:
        words = [*(b.bootstrap for b in self.brokers), "t", str(PARTITIONS), str(EACH), self.mode]
        argv = [sys.executable, "-m", "tests.support.mirror.runner", *words, *step]
        return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)

    def end(self) -> None:
        """A life without a fault, until everything is copied."""
        said, _ = (process := self.start()).communicate(timeout=120)
        assert process.returncode == 0, said


def filled(make_broker: MakeBroker) -> list[BrokerProcess]:
    brokers = [make_broker(name).start() for name in ("a", "b")]
    make_topic(brokers[0].bootstrap, "t", PARTITIONS)
    make_topic(brokers[1].bootstrap, "a.t", PARTITIONS)
    for n in range(PARTITIONS):
        write(brokers[0].bootstrap, "t", expected(n), partition=n, **{"batch.num.messages": 100})
    return brokers


def expected(partition: int) -> list[bytes]:
    return [b"%d-%06d" % (partition, n) + b"x" * 300 for n in range(EACH)]


def test_killed_at_every_step_an_exactly_once_mirror_copies_each_record_once(
    make_broker: MakeBroker,
) -> None:
    brokers = filled(make_broker)
    mirror = Mirror(brokers, "exactly-once")
    steps = [name for name in STEPS if name != "plain_offsets"]
    for before, name in itertools.product(("-", ""), steps):
        process = mirror.start(f"{before}{name}")
        said, _ = process.communicate(timeout=120)
        assert process.returncode == -9, f"{before}{name}: {process.returncode} {said}"
    mirror.end()
    for n in range(PARTITIONS):
        assert values(brokers[1].bootstrap, "a.t", n) == expected(n)


def test_killed_at_every_step_an_at_least_once_mirror_loses_nothing(
    make_broker: MakeBroker,
) -> None:
    brokers = filled(make_broker)
    mirror = Mirror(brokers, "at-least-once")
    for name in ("put", "acknowledged", "map", "-plain_offsets", "plain_offsets"):
        process = mirror.start(name)
        process.communicate(timeout=120)
        assert process.returncode == -9, name
    mirror.end()
    for n in range(PARTITIONS):
        found = values(brokers[1].bootstrap, "a.t", n)
        firsts = list(dict.fromkeys(found))
        assert firsts == expected(n)
        assert len(found) < 3 * EACH


def test_brokers_of_both_sides_and_the_mirror_killed_at_random(make_broker: MakeBroker) -> None:
    brokers = filled(make_broker)
    mirror = Mirror(brokers, "exactly-once")
    chance = random.Random(3)
    for turn in range(6):
        process = mirror.start("put", str(chance.randrange(5, 60)))
        broker = brokers[turn % 2]
        if turn % 3:
            wait_for(lambda p=process: p.poll() is not None, what="the mirror's end")  # type: ignore[misc]
        broker.kill()
        broker.start()
        process.kill()
        process.communicate(timeout=120)
    mirror.end()
    for n in range(PARTITIONS):
        assert values(brokers[1].bootstrap, "a.t", n) == expected(n)
