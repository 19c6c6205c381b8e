"""``pko zookeeper``: run a ZooKeeper."""

from __future__ import annotations

from pykafka_ops.commands._options import Command
from pykafka_ops.commands._zookeeper_run import OPTIONS, VERBS

COMMAND = Command("zookeeper", "Run a ZooKeeper.", OPTIONS, VERBS)
