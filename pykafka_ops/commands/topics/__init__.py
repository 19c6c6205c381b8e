"""``pko topics`` and kafka-topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.commands.framework.group import Group
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.types import INT, TOPIC_NAME
from pykafka_ops.commands.tongue.tool import Tool
from pykafka_ops.commands.topics import kafka

if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Result, Run

TOPIC = Option(
    "--topic",
    metavar="TOPIC",
    type=TOPIC_NAME,
    multiple=True,
    help="the topic; a regular expression (not with create), commas mean or",
)
TOPIC_ID = Option("--topic-id", metavar="ID", help="the id of the topic to describe")
REGEX = Switch(
    "-e",
    "--regex",
    ours=True,
    help="the words are regular expressions that must match the whole name",
)
CONFIG = Option(
    "-c", "--config", metavar="NAME=VALUE", multiple=True, help="a setting of the topic"
)
DELETE_CONFIG = Option(
    "--delete-config", metavar="NAME", multiple=True, help="a setting to set back to its default"
)
PARTITIONS = Option(
    "-p",
    "--partitions",
    metavar="N",
    type=INT,
    help="number of partitions; growing a topic moves keys to other partitions",
)
REPLICATION_FACTOR = Option(
    "-r",
    "--replication-factor",
    metavar="N",
    type=INT,
    help="replicas of each partition (default: the cluster's)",
)
REPLICA_ASSIGNMENT = Option(
    "--replica-assignment",
    metavar="LIST",
    help="brokers of each partition: 1:2,2:3 is two partitions",
)
UNDER_REPLICATED_PARTITIONS = Switch(
    "--under-replicated-partitions", help="only partitions with replicas out of sync"
)
UNAVAILABLE_PARTITIONS = Switch(
    "--unavailable-partitions", help="only partitions without a live leader"
)
UNDER_MIN_ISR_PARTITIONS = Switch(
    "--under-min-isr-partitions", help="only partitions below min.insync.replicas"
)
AT_MIN_ISR_PARTITIONS = Switch(
    "--at-min-isr-partitions", help="only partitions exactly at min.insync.replicas"
)
TOPICS_WITH_OVERRIDES = Switch(
    "--topics-with-overrides", help="only topics that have settings of their own"
)
IF_EXISTS = Switch("--if-exists", help="no error where the topic does not exist")
IF_NOT_EXISTS = Switch("--if-not-exists", help="no error where the topic exists already")
EXCLUDE_INTERNAL = Switch("--exclude-internal", help="leave out internal topics")
PARTITION_SIZE_LIMIT_PER_RESPONSE = Option(
    "--partition-size-limit-per-response",
    metavar="N",
    type=INT,
    default="2000",
    help="accepted for Kafka's sake",
)
DRY_RUN = Switch("--dry-run", ours=True, help="let the brokers check it, change nothing")

TOOL = Tool(
    "kafka-topics",
    "Create, delete, describe, or change a topic.",
    options=(PARTITION_SIZE_LIMIT_PER_RESPONSE,),
    check=kafka.check,
    failure=kafka.failure,
)
topics = Group("topics", "List, describe, create, grow and delete topics.", tool=TOOL)


@topics.verb(
    "list",
    words=(Words(TOPIC, "*"),),
    options=(
        REGEX,
        EXCLUDE_INTERNAL,
    ),
    flag="list",
    examples=(
        "pko topics list",
        "pko topics list -e 'orders.*' -o json",
    ),
)
def list_(run: Run) -> Result:
    """The topics, with their size and health."""
    from pykafka_ops.commands.topics.listing import list_topics

    return list_topics(run)


@topics.verb(
    "describe",
    words=(Words(TOPIC, "*"),),
    options=(
        REGEX,
        EXCLUDE_INTERNAL,
        TOPIC_ID,
        TOPICS_WITH_OVERRIDES,
        IF_EXISTS,
        UNDER_REPLICATED_PARTITIONS,
        UNAVAILABLE_PARTITIONS,
        UNDER_MIN_ISR_PARTITIONS,
        AT_MIN_ISR_PARTITIONS,
    ),
    flag="describe",
    examples=(
        "pko topics describe orders",
        "pko topics describe --under-replicated-partitions",
    ),
)
def describe(run: Run) -> Result:
    """Settings, leaders and replicas."""
    from pykafka_ops.commands.topics.reading import describe as work

    return work(run)


@topics.verb(
    "check",
    words=(Words(TOPIC, "*"),),
    options=(
        REGEX,
        EXCLUDE_INTERNAL,
    ),
    examples=("pko topics check",),
)
def check(run: Run) -> Result:
    """Partitions in trouble; exit code 4 where there are any."""
    from pykafka_ops.commands.topics.reading import check as work

    return work(run)


@topics.verb(
    "create",
    words=(Words(TOPIC, "+"),),
    options=(
        PARTITIONS,
        REPLICATION_FACTOR,
        REPLICA_ASSIGNMENT,
        CONFIG,
        IF_NOT_EXISTS,
        DRY_RUN,
    ),
    flag="create",
    examples=("pko topics create orders -p 12 -r 3 -c retention.ms=86400000",),
)
def create(run: Run) -> Result:
    """Create topics."""
    from pykafka_ops.commands.topics.writing import create as work

    return work(run)


@topics.verb(
    "alter",
    words=(Words(TOPIC, "+"),),
    options=(
        REGEX,
        PARTITIONS,
        REPLICA_ASSIGNMENT,
        CONFIG,
        DELETE_CONFIG,
        IF_EXISTS,
        DRY_RUN,
    ),
    flag="alter",
    examples=(
        "pko topics alter orders -p 24",
        "pko topics alter orders -c retention.ms=60000",
    ),
)
def alter(run: Run) -> Result:
    """Grow topics, or change their settings."""
    from pykafka_ops.commands.topics.writing import alter as work

    return work(run)


@topics.verb(
    "delete",
    words=(Words(TOPIC, "+"),),
    options=(
        REGEX,
        IF_EXISTS,
        DRY_RUN,
    ),
    flag="delete",
    examples=("pko topics delete orders --yes",),
)
def delete(run: Run) -> Result:
    """Delete topics with all their records."""
    from pykafka_ops.commands.topics.writing import delete as work

    return work(run)
