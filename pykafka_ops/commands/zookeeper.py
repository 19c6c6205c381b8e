"""``pko zookeeper``: look at Kafka's znodes (``zk/``), and run a ZooKeeper (``_zookeeper_run``)."""

from __future__ import annotations

from pykafka_ops.commands import _zookeeper_run as running
from pykafka_ops.commands._options import Command, Opt, Pos, Verb

COMMAND = Command(
    "zookeeper",
    "Look at the znodes that Kafka keeps in ZooKeeper, and run a ZooKeeper.",
    (
        Opt("zookeeper", "the ensemble: host:port,host:port[/chroot]; else PKO_ZOOKEEPER",
            "HOST:PORT", ours=True),
        Opt("path", "the znode, from the chroot on", "PATH", ours=True),
        *running.OPTIONS,
    ),
    (
        Verb("ls", "the children of a znode", "zk.listing:ls", words=(Pos("path", "?"),),
             options=("zookeeper",),
             examples=("pko zookeeper ls /brokers/ids --zookeeper localhost:2181",)),
        *running.VERBS,
    ),
    parser="argparse",
)  # fmt: skip
