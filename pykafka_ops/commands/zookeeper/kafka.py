"""``pko zookeeper``: look at Kafka's znodes (``zk/``), and run a ZooKeeper (``_zookeeper_run``)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


_WHERE = ("zookeeper", "zk-tls-config-file", "store")
