"""Command lines of before Kafka 3.0 against a cluster with ZooKeeper."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

from pykafka_ops.local.cluster import LocalCluster

SCRIPTS = Path(__file__).resolve().parents[3] / "scripts"


class Old:
    """A cluster; ``say`` runs a line with ``ZK`` and ``BROKER`` in it."""

    def __init__(self, cluster: LocalCluster) -> None:
        self.cluster = cluster
        self.zookeeper = cluster.zookeeper.connect
        self.broker = cluster.bootstrap_servers.partition(",")[0]

    def say(self, line: str, text: str = "") -> subprocess.CompletedProcess[str]:
        words = [
            word.replace("ZK", self.zookeeper).replace("BROKER", self.broker)
            for word in shlex.split(line)
        ]
        env = {k: v for k, v in os.environ.items() if not k.startswith("PKO_")}
        return subprocess.run(
            [SCRIPTS / words[0], *words[1:]],
            input=text, capture_output=True, text=True, timeout=300, env=env,
        )  # fmt: skip

    def output(self, line: str, text: str = "") -> str:
        """What a line that succeeds prints; on stderr it says that it is old, in one line."""
        done = self.say(line, text)
        assert done.returncode == 0, (line, done)
        if "--zookeeper" in line:
            assert "deprecated" in done.stdout + done.stderr
        return done.stdout
