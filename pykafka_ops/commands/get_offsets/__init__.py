"""``pko get-offsets`` and kafka-get-offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.commands.framework.group import Single
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.types import TOPIC_NAME
from pykafka_ops.commands.get_offsets import kafka
from pykafka_ops.commands.tongue.tool import Tool

if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Result, Run

BROKER_LIST = Option(
    "--broker-list",
    metavar="HOST:PORT",
    hidden=True,
    stands_for="bootstrap-server",
    help="old name of --bootstrap-server",
)
TOPIC = Option(
    "--topic",
    metavar="TOPIC",
    type=TOPIC_NAME,
    multiple=True,
    help="topics; a regular expression in Kafka's tongue",
)
REGEX = Switch(
    "-e",
    "--regex",
    ours=True,
    help="the words are regular expressions that must match the whole name",
)
PARTITIONS = Option("-p", "--partitions", metavar="N,N", help="only these partitions: 0,3,10")
TOPIC_PARTITIONS = Option(
    "--topic-partitions",
    metavar="PATTERNS",
    help="topics and partitions: orders:0-3,users:5-,:1 (end excluded)",
)
TIME = Option(
    "-t",
    "--time",
    metavar="TIME",
    default="latest",
    help="latest, earliest, max-timestamp, earliest-local, latest-tiered or a timestamp "
    "in ms; with the verb also all (first and last), 2026-11-21T08:00 (UTC) and 2h (ago)",
)
EXCLUDE_INTERNAL_TOPICS = Switch("--exclude-internal-topics", help="leave out internal topics")

TOOL = Tool(
    "kafka-get-offsets",
    "An interactive shell for getting topic-partition offsets.",
    check=kafka.check,
    failure=kafka.failure,
    bare=True,
)


def _get_offsets(run: Run) -> Result:
    from pykafka_ops.commands.get_offsets.offsets import get_offsets

    return get_offsets(run)


get_offsets = Single(
    "get-offsets",
    _get_offsets,
    help="The offsets of partitions.",
    tool=TOOL,
    bare=True,
    words=(Words(TOPIC, "*"),),
    options=(
        REGEX,
        PARTITIONS,
        TOPIC_PARTITIONS,
        TIME,
        EXCLUDE_INTERNAL_TOPICS,
        BROKER_LIST,
    ),
    examples=(
        "pko get-offsets orders",
        "pko get-offsets orders -t all",
        "pko get-offsets orders -t -2h",
    ),
)
