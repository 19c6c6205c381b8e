"""kafka-share-consumer-perf-test, as ShareConsumerPerformance of Kafka 4.3."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.groups.kafka4 import RELEASE
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.perf import options as o
from pykafka_ops.commands.perf.failures import exactly_one, in_thread

_OLD = {"messages": "num-records", "consumer.config": "command-config"}


def _check(args: Args) -> None:
    """As ``ShareConsumerPerfOptions``."""
    args.require("topic", "bootstrap-server")
    exactly_one(args, "messages", "num-records")
    args.forbid("consumer.config", "command-config")
    for old, new in _OLD.items():
        if args.has(old):
            sys.stdout.write(f"Warning: --{old} is deprecated. Use --{new} instead.\n")


def _work(run: Run) -> Result:
    from pykafka_ops.commands.perf.share import consume_shared

    return consume_shared(run)


TOOL = Tool(
    "kafka-share-consumer-perf-test",
    "This tool is used to verify the share consumer performance.",
    options=(o.SILENCE,),
    check=_check,
    failure=in_thread,
)
TOOL.release = RELEASE
TOOL.add(Verb("consume", _work, options=(
    o.TOPIC, o.NUM_RECORDS, o.MESSAGES, o.SHARE_GROUP, o.FETCH_SIZE, o.SOCKET_BUFFER, o.DETAILED,
    o.INTERVAL, o.DATE_FORMAT, o.PROPERTY, o.PRINT_METRICS, o.CONSUMER_CONFIG,
    o.HIDE_HEADER, o.MEMBERS, o.MEMBER_STATS,
)))  # fmt: skip
