"""``pko consume`` and kafka-console-consumer."""

from __future__ import annotations

from pykafka_ops.commands.consume import kafka
from pykafka_ops.commands.consume.options import (
    CLIENT,
    ENABLE_SYSTEST_EVENTS,
    FORM,
    TOPIC,
    WHERE,
    WHITELIST,
)
from pykafka_ops.commands.framework.group import Single
from pykafka_ops.commands.framework.params import Words
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.tongue.tool import Tool

TOOL = Tool(
    "kafka-console-consumer",
    "This tool helps to read data from Kafka topics and outputs it to standard output.",
    options=(WHITELIST, ENABLE_SYSTEST_EVENTS),
    check=kafka.check,
    failure=kafka.failure,
)


def _consume(run: Run) -> Result:
    from pykafka_ops.commands.consume.printing import consume as work

    return work(run)


consume = Single(
    "consume",
    _consume,
    help="Read records of a topic.",
    tool=TOOL,
    words=(Words(TOPIC, "?"),),
    options=(*WHERE, *FORM, *CLIENT),
    examples=(
        "pko consume orders --from-beginning -n 10 -b localhost:9092",
        "pko consume orders -p 0 --offset 1200 -o json",
        "pko consume __consumer_offsets --decode offsets --from-beginning",
    ),
)
