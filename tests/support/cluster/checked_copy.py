"""A loop that consumes, copies and commits in transactions while the cluster suffers: every record
of the source is in the copy once, in order."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import confluent_kafka as ck

from pykafka_ops.local.children import spawn, tail
from tests.support.clients.load import IDEMPOTENT, Load
from tests.support.cluster.faulty_cluster import FaultyCluster
from tests.support.waiting import wait_for

PER_SECOND_REST = 0.2  # seconds after every 20 records
PATIENCE = 30.0
"""Seconds without a transaction after which a new copier takes over. librdkafka 2.16 can wait for
ever for a coordinator that went away and came back; whoever takes over fences it."""
ROOT = Path(__file__).resolve().parents[3]


class CheckedCopy:
    """A slow producer into ``TOPIC-in`` and a copier into ``TOPIC-out``, one partition each."""

    def __init__(self, cluster: FaultyCluster, topic: str, settings: Mapping[str, object]) -> None:
        self.source, self.target = f"{topic}-in", f"{topic}-out"
        self.cluster = cluster
        for name in (self.source, self.target):
            cluster.create_topic(name, 1)
        config = {**IDEMPOTENT, **settings, **cluster.login}
        self.load = Load(cluster.bootstrap, self.source, 0, config, rest=PER_SECOND_REST)
        self.log = cluster.kafka.directory / f"{topic}-copier.log"
        self._login = cluster.kafka.directory / "copier-login.json"
        self._login.write_text(json.dumps(cluster.login))
        self._copier: subprocess.Popen[bytes] | None = None
        self._count, self._since = 0, 0.0

    def start(self) -> None:
        self._run_copier()
        self.load.start()

    def _run_copier(self) -> None:
        words = (self.cluster.bootstrap, self.source, self.target, "1")
        argv = [sys.executable, "-m", "tests.support.cluster.copier", *words]
        env = [f"PYTHONPATH={ROOT}", f"COPIER_LOGIN={self._login}"]
        self._copier = spawn(["env", *env, *argv], self.log, mortal=True)
        self._since = time.monotonic()

    def transactions(self) -> int:
        """How many were committed so far; a copier that stands still is replaced."""
        count = self.log.read_text(errors="replace").count("committed\n")
        if count > self._count:
            self._count, self._since = count, time.monotonic()
        elif time.monotonic() > self._since + PATIENCE:
            self.close()
            self._run_copier()
        return count

    def wait_progress(self) -> None:
        """Until some more transactions are committed."""
        goal = self.transactions() + 3
        wait_for(
            lambda: self.transactions() >= goal,
            what=f"transactions go on ({tail(self.log)})",
            poll=0.05,
        )

    def check(self) -> None:
        """The copy is the source."""
        self.load.finish(120)
        consumer = ck.Consumer(
            {
                **self.cluster.client,
                "group.id": f"{self.target}-audit",
                "isolation.level": "read_committed",
                "enable.auto.commit": False,
                "log_level": 0,
            }
        )
        consumer.assign([ck.TopicPartition(self.target, 0, 0)])
        found: list[bytes | None] = []

        def copied() -> bool:
            messages = consumer.consume(1000, 0.2)
            found.extend(m.value() for m in messages if m.error() is None)
            return len(found) >= self.load.sent or self.transactions() < 0

        try:
            wait_for(copied, what=f"{self.load.sent} records copied", about=found[-1:])
            self.close()
            copied()
        finally:
            consumer.close()
        expected = [self.load.value(number) for number in range(self.load.sent)]
        assert found == expected, "a record was copied twice, not at all, or out of order"

    def close(self) -> None:
        """End the copier, and the load if it still runs."""
        if self._copier is not None:
            self._copier.kill()
            self._copier.wait()
            self._copier = None

    def abandon(self) -> None:
        """End it whatever its state."""
        self.close()
        self.load.abandon()
