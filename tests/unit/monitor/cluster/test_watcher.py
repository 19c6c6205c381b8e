"""The thread that asks."""

from __future__ import annotations

import threading

from pykafka_ops.client.config import ClientConfig
from pykafka_ops.monitor.cluster.watcher import Watcher
from tests.support.waiting import PATIENCE


def test_a_round_comes_at_once_when_it_is_hurried_and_an_end_does_not_wait() -> None:
    rounds = threading.Semaphore(0)
    nobody = {"bootstrap.servers": "127.0.0.1:1", "default.api.timeout.ms": "1"}
    config = ClientConfig.of(nobody)
    watcher = Watcher("c", config, poll_ms=3_600_000, hearers=[lambda *_: rounds.release()])
    watcher.start()
    assert rounds.acquire(timeout=PATIENCE)
    watcher.hurry()
    assert rounds.acquire(timeout=PATIENCE)
    watcher.stop(PATIENCE)
    assert "watch-c" not in [t.name for t in threading.enumerate()]
