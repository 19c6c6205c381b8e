"""``pko topics`` and kafka-topics."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import COUNT, POSITIVE, TOPIC_NAME
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.old_door import ZOOKEEPER, enter
from pykafka_ops.commands.options import DRY_RUN, EXCLUDE_INTERNAL, REGEX
from pykafka_ops.commands.topics import kafka

TOPIC = Option("--topic", metavar="TOPIC", type=TOPIC_NAME, multiple=True,
               help="the topic, several by comma; a regular expression in Kafka's form, "
                    "except in create")  # fmt: skip
TOPIC_ID = Option("--topic-id", metavar="ID", help="the id of the topic to describe")
IF_EXISTS = Switch("--if-exists", help="no error if the topic does not exist")
IF_NOT_EXISTS = Switch("--if-not-exists", help="no error if the topic exists already")

PARTITIONS = Option("-p", "--partitions", metavar="N", type=POSITIVE,
                    help="number of partitions; adding some moves keys")  # fmt: skip
REPLICATION_FACTOR = Option("-r", "--replication-factor", metavar="N", type=POSITIVE,
                            help="replicas of each partition (default: the cluster's)")  # fmt: skip
REPLICA_ASSIGNMENT = Option("--replica-assignment", metavar="LIST",
                            help="brokers by partition: 1:2,2:3 is two partitions")  # fmt: skip
CONFIG = Option("-c", "--config", metavar="NAME=VALUE", multiple=True,
                help="a setting of the topic")  # fmt: skip
DELETE_CONFIG = Option("--delete-config", metavar="NAME", multiple=True,
                       help="a setting to set back to its default")  # fmt: skip

REPORTS = (
    Switch("--under-replicated-partitions", help="only partitions with replicas out of sync"),
    Switch("--unavailable-partitions", help="only partitions without a live leader"),
    Switch("--under-min-isr-partitions", help="only partitions below min.insync.replicas"),
    Switch("--at-min-isr-partitions", help="only partitions exactly at min.insync.replicas"),
    Switch("--topics-with-overrides", help="only topics that have settings of their own"),
)
WHICH = (REGEX, EXCLUDE_INTERNAL)
OLD = (
    ZOOKEEPER,
    Switch("--disable-rack-aware", hidden=True, help="old, without effect: brokers place replicas"),
    Switch("--force", hidden=True, help="old, without effect: nothing is asked"),
)
SIZE_LIMIT = Option("--partition-size-limit-per-response", metavar="N", type=COUNT, default="2000",
                    help="accepted for Kafka's sake")  # fmt: skip

TOOL = Tool(
    "kafka-topics",
    "Create, delete, describe, or change a topic.",
    options=(SIZE_LIMIT, *OLD),
    check=kafka.check,
    failure=kafka.failure,
)
TOOL.enter = enter


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "list":
            from pykafka_ops.commands.topics.list import list_topics as work
        case "describe":
            from pykafka_ops.commands.topics.describe import describe as work
        case "check":
            from pykafka_ops.commands.topics.check import check as work
        case "create":
            from pykafka_ops.commands.topics.create import create as work
        case "alter":
            from pykafka_ops.commands.topics.alter import alter as work
        case "delete":
            from pykafka_ops.commands.topics.delete import delete as work
    return work(run)


topics = VerbGroup("topics", "List, describe, create, grow and delete topics.", _work, tool=TOOL)
topics.verb(
    "list",
    "List topics with their size and health.",
    flag="list",
    words=(Words(TOPIC, "*"),),
    options=WHICH,
    examples=("pko topics list", "pko topics list -e 'orders.*' -o json"),
)
topics.verb(
    "describe",
    "Show settings, leaders and replicas.",
    flag="describe",
    words=(Words(TOPIC, "*"),),
    options=(*WHICH, TOPIC_ID, IF_EXISTS, *REPORTS),
    examples=("pko topics describe orders", "pko topics describe --under-replicated-partitions"),
)
topics.verb(
    "check",
    "Find partitions in trouble; exit code 4 if there are any.",
    words=(Words(TOPIC, "*"),),
    options=WHICH,
    examples=("pko topics check",),
)
topics.verb(
    "create",
    "Create topics.",
    flag="create",
    words=(Words(TOPIC, "+"),),
    options=(PARTITIONS, REPLICATION_FACTOR, REPLICA_ASSIGNMENT, CONFIG, IF_NOT_EXISTS, DRY_RUN),
    examples=("pko topics create orders -p 12 -r 3 -c retention.ms=86400000",),
)
topics.verb(
    "alter",
    "Grow topics, or change their settings.",
    flag="alter",
    words=(Words(TOPIC, "+"),),
    options=(REGEX, PARTITIONS, REPLICA_ASSIGNMENT, CONFIG, DELETE_CONFIG, IF_EXISTS, DRY_RUN),
    examples=("pko topics alter orders -p 24", "pko topics alter orders -c retention.ms=60000"),
)
topics.verb(
    "delete",
    "Delete topics with all their records.",
    flag="delete",
    words=(Words(TOPIC, "+"),),
    options=(REGEX, IF_EXISTS, DRY_RUN),
    examples=("pko topics delete orders --yes",),
)
