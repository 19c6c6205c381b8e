"""kafka-verifiable-producer: its flags."""

from __future__ import annotations

from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.kafka_syntax.grammar import reader
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.perf.failures import uncaught
from pykafka_ops.commands.verifiable.options import PRODUCER_GRAMMAR


def _work(run: Run) -> Result:
    from pykafka_ops.commands.verifiable.producer import produce

    return produce(run)


TOOL = Tool(
    "kafka-verifiable-producer",
    "This tool produces increasing integers to the specified topic and prints JSON metadata to "
    'stdout on each "send" request, making externally visible which messages have been acked and '
    "which have not.",
    failure=uncaught,
    read=reader(PRODUCER_GRAMMAR),
)
TOOL.program = "verifiable-producer"
TOOL.add(Verb("produce", _work, options=[a.option for a in PRODUCER_GRAMMAR[""]]))
