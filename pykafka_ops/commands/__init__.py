"""One file per ``pko`` command; this table is all that ``pko --help`` reads.

A row: the command's name, its module below this package (which defines ``COMMAND``), one line of
help, the names of Kafka's own tools that mean the same (they force Kafka's flag tongue), and other
short names for people.
"""

from __future__ import annotations

Row = tuple[str, str, str, tuple[str, ...], tuple[str, ...]]

TABLE: tuple[Row, ...] = (
    ("topics", "topics", "list, describe, create, grow and delete topics", ("kafka-topics",), ()),
    (
        "groups",
        "consumer_groups",
        "consumer groups: members, lag, offsets; reset and delete them",
        ("kafka-consumer-groups",),
        ("consumer-groups",),
    ),
    (
        "transactions",
        "transactions",
        "transactions and producers; find and abort what hangs",
        ("kafka-transactions",),
        (),
    ),
    (
        "get-offsets",
        "get_offsets",
        "first, last or by-time offsets of partitions",
        ("kafka-get-offsets",),
        ("offsets",),
    ),
    (
        "log-dirs",
        "log_dirs",
        "bytes on disk per broker, directory, topic, partition",
        ("kafka-log-dirs",),
        (),
    ),
    (
        "reassign-partitions",
        "reassign_partitions",
        "move replicas between brokers and log directories",
        ("kafka-reassign-partitions",),
        ("reassign",),
    ),
    (
        "leader-election",
        "leader_election",
        "give leadership back to preferred replicas; elect unclean leaders",
        ("kafka-leader-election",),
        ("elect",),
    ),
    (
        "delete-records",
        "delete_records",
        "drop the records before an offset",
        ("kafka-delete-records",),
        (),
    ),
    (
        "api-versions",
        "api_versions",
        "which requests each broker understands",
        ("kafka-broker-api-versions",),
        (),
    ),
    (
        "configs",
        "configs",
        "show and change settings of topics, brokers, users, ...",
        ("kafka-configs",),
        (),
    ),
    (
        "produce",
        "produce",
        "write records from standard input",
        ("kafka-console-producer",),
        (),
    ),
    ("consume", "consume", "read records", ("kafka-console-consumer",), ()),
    (
        "dump-log",
        "dump_log",
        "decode, search, check and repair log segments",
        ("kafka-dump-log",),
        (),
    ),
    ("spark", "spark", "reports on lag, partition skew and retention, made by Spark", (), ()),
    (
        "cluster",
        "cluster",
        "brokers, controller, under-replicated and offline partitions, skew",
        ("kafka-cluster",),
        (),
    ),
    ("broker", "broker", "run a broker", ("kafka-server-start",), ()),
    (
        "zookeeper",
        "zookeeper",
        "Kafka's znodes, decoded; run a ZooKeeper",
        ("zookeeper-shell",),
        ("zk",),
    ),
    (
        "zookeeper-acls",
        "zookeeper_acls",
        "let Kafka's znodes belong to a login, or to everybody",
        ("zookeeper-security-migration",),
        (),
    ),
    ("completion", "completion", "shell completion for bash, zsh or fish", (), ()),
)


def find(word: str) -> tuple[Row, bool] | None:
    """The row that ``word`` names and whether it is one of Kafka's tool names."""
    plain = word.removesuffix(".sh")
    for row in TABLE:
        if word == row[0] or word in row[4]:
            return row, False
        if plain in row[3]:
            return row, True
    return None
