"""kafka-consumer-perf-test, as ConsumerPerformance of Kafka 4.3."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.options import BROKER_LIST
from pykafka_ops.commands.perf import options as o
from pykafka_ops.commands.perf.failures import exactly_one, message_alone
from pykafka_ops.commands.perf.work import do

_OLD = {"messages": "num-records", "consumer.config": "command-config"}


def _check(args: Args) -> None:
    """As ``ConsumerPerfOptions``."""
    if not args.has("broker-list"):
        args.require("bootstrap-server")
    exactly_one(args, "topic", "include")
    exactly_one(args, "messages", "num-records")
    args.forbid("consumer.config", "command-config")
    for old, new in _OLD.items():
        if args.has(old):
            sys.stdout.write(f"Warning: --{old} is deprecated. Use --{new} instead.\n")


TOOL = Tool(
    "kafka-consumer-perf-test",
    "This tool is used to verify the consumer performance.",
    options=(o.SILENCE, o.THREADS, o.FETCH_THREADS, BROKER_LIST),
    check=_check,
    failure=message_alone,
)
TOOL.add(Verb("consume", do, options=(
    o.TOPIC, *o.OF_CONSUMER, o.MESSAGES, o.CONSUMER_CONFIG, o.HIDE_HEADER,
)))  # fmt: skip
