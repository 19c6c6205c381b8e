"""kafka-verifiable-consumer: its flags."""

from __future__ import annotations

from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.kafka_syntax.grammar import reader
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.perf.failures import uncaught
from pykafka_ops.commands.verifiable.options import CONSUMER_GRAMMAR


def _work(run: Run) -> Result:
    from pykafka_ops.commands.verifiable.consumer import consume

    return consume(run)


TOOL = Tool(
    "kafka-verifiable-consumer",
    "This tool consumes messages from a specific topic and emits consumer events (e.g. group "
    "rebalances, received messages, and offsets committed) as JSON objects to STDOUT.",
    failure=uncaught,
    read=reader(CONSUMER_GRAMMAR),
)
TOOL.program = "verifiable-consumer"
TOOL.add(Verb("consume", _work, options=[a.option for a in CONSUMER_GRAMMAR[""]]))
