"""``pko produce`` and kafka-console-producer."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import Single
from pykafka_ops.commands.framework.params import Words
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.options import BROKER_LIST
from pykafka_ops.commands.produce import kafka
from pykafka_ops.commands.produce.options import RECORDS, SENDING, TOPIC
from pykafka_ops.commands.tongue.tool import Tool

TOOL = Tool(
    "kafka-console-producer",
    "This tool helps to read data from standard input and publish it to Kafka.",
    options=(BROKER_LIST,),
    check=kafka.check,
    failure=kafka.failure,
)


def _produce(run: Run) -> Result:
    from pykafka_ops.commands.produce.sending import produce as work

    return work(run)


produce = Single(
    "produce",
    _produce,
    help="Write records from standard input, one a line.",
    tool=TOOL,
    words=(Words(TOPIC),),
    options=(*RECORDS, *SENDING),
    examples=(
        "echo hello | pko produce greetings -b localhost:9092",
        "pko produce orders --property parse.key=true --property key.separator=: < orders.txt",
        "pko consume a --from-beginning -o json | pko produce b --json",
    ),
)
