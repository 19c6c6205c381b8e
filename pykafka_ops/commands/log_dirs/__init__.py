"""``pko log-dirs`` and kafka-log-dirs."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.framework.types import BROKER_NAME, TOPIC_NAME, Choices
from pykafka_ops.commands.kafka_syntax.tool import Tool, execution_on_stderr

TOPIC = Option("--topic", metavar="TOPIC", type=TOPIC_NAME, multiple=True, kafka="topic-list",
               help="only these topics: a,b")  # fmt: skip
BROKER = Option("--broker", metavar="ID", type=BROKER_NAME, multiple=True, kafka="broker-list",
                help="only these brokers: 0,1")  # fmt: skip
BY = Option("--by", metavar="WHAT", ours=True, default="dir", help="sum up by",
            type=Choices(("broker", "dir", "topic", "partition", "replica")))  # fmt: skip
HUMAN = Switch("-H", "--human", ours=True, help="sizes as 1.5 GiB")
SORT_BY_SIZE = Switch("-s", "--sort-by-size", ours=True, help="the biggest first")

TOOL = Tool(
    "kafka-log-dirs",
    "This tool helps to query log directory usage on the specified brokers.",
    required=("bootstrap-server", "describe"),
    failure=execution_on_stderr,
)


def _work(run: Run) -> Result:
    from pykafka_ops.commands.log_dirs.describe import describe

    return describe(run)


log_dirs = VerbGroup(
    "log-dirs", "Bytes on disk per broker, directory, topic, partition.", _work, tool=TOOL
)
log_dirs.verb(
    "describe",
    "Show bytes per broker, directory, topic, partition or replica.",
    flag="describe",
    words=(Words(TOPIC, "*"),),
    options=(BROKER, BY, HUMAN, SORT_BY_SIZE),
    examples=(
        "pko log-dirs describe",
        "pko log-dirs describe --by topic -H -s",
        "pko log-dirs describe orders --by replica",
    ),
)
