"""``pko log-dirs`` and kafka-log-dirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.commands.framework.group import Group
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.types import BROKER_NAME, TOPIC_NAME, OneOf
from pykafka_ops.commands.log_dirs import kafka
from pykafka_ops.commands.tongue.tool import Tool

if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Result, Run

TOPIC_LIST = Option(
    "--topic-list", metavar="TOPICS", type=TOPIC_NAME, default="", help="only these topics: a,b"
)
BROKER_LIST = Option(
    "--broker-list", metavar="IDS", type=BROKER_NAME, default="", help="only these brokers: 0,1"
)
BY = Option(
    "--by",
    metavar="WHAT",
    type=OneOf(("broker", "dir", "topic", "partition", "replica")),
    default="dir",
    ours=True,
    help="sum up by",
)
HUMAN = Switch("-H", "--human", ours=True, help="sizes as 1.5 GiB")
SORT_BY_SIZE = Switch("-s", "--sort-by-size", ours=True, help="the biggest first")

TOOL = Tool(
    "kafka-log-dirs",
    "This tool helps to query log directory usage on the specified brokers.",
    check=kafka.check,
    failure=kafka.failure,
)
log_dirs = Group("log-dirs", "Bytes on disk per broker, directory, topic, partition.", tool=TOOL)


@log_dirs.verb(
    "describe",
    words=(Words(TOPIC_LIST, "*", metavar="TOPIC"),),
    options=(
        BROKER_LIST,
        BY,
        HUMAN,
        SORT_BY_SIZE,
    ),
    flag="describe",
    examples=(
        "pko log-dirs describe",
        "pko log-dirs describe --by topic -H -s",
        "pko log-dirs describe orders --by replica",
    ),
)
def describe(run: Run) -> Result:
    """Bytes per broker, directory, topic, partition or replica."""
    from pykafka_ops.commands.log_dirs.describe import describe as work

    return work(run)
