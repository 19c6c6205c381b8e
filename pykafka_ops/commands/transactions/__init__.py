"""``pko transactions`` and kafka-transactions."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import (
    BROKER_ID,
    COUNT,
    LONG_COUNT,
    MILLIS,
    MINUTES,
    OR_MINUS_ONE,
    TOPIC_NAME,
)
from pykafka_ops.commands.kafka_syntax import argparse4j
from pykafka_ops.commands.kafka_syntax.tool import Tool

TRANSACTIONAL_ID = Option("--transactional-id", metavar="ID", help="the transactional id")
TO_TERMINATE = Option("--transactional-id", metavar="ID", kafka="transactionalId",
                      help="the transactional id")  # fmt: skip
TOPIC = Option("--topic", metavar="TOPIC", type=TOPIC_NAME, help="the topic")
PARTITION = Option("-p", "--partition", metavar="N", type=COUNT, help="the partition")
BROKER = Option("--broker", metavar="N", type=BROKER_ID, kafka="broker-id",
                help="the broker to ask (default: the leader)")  # fmt: skip
DURATION_FILTER = Option("--duration-filter", metavar="MS", type=MILLIS,
                         help="only those that run longer (ms)")  # fmt: skip
PATTERN = Option("--transactional-id-pattern", metavar="REGEX", newer=True,
                 help="only ids that match this RE2 expression (brokers from 4.1 on)")  # fmt: skip
MAX_TIMEOUT = Option("--max-transaction-timeout", metavar="MIN", type=MINUTES, default="15",
                     help="what transaction.max.timeout.ms allows (minutes)")  # fmt: skip
TRANSACTION = (
    Option("--start-offset", metavar="OFFSET", type=LONG_COUNT,
           help="the offset that the transaction begins at (brokers from 3.0 on)"),
    Option("--producer-id", metavar="ID", type=LONG_COUNT,
           help="the producer of the transaction (for older brokers)"),
    Option("--producer-epoch", metavar="N", type=COUNT, help="the epoch of that producer"),
    Option("--coordinator-epoch", metavar="N", type=OR_MINUS_ONE,
           help="the epoch of its coordinator"),
)  # fmt: skip
"""Which of the transactions in a partition."""

TOOL = Tool(
    "kafka-transactions",
    "This tool is used to analyze the transactional state of producers in the cluster. "
    "It can be used to detect and recover from hanging transactions.",
    read=argparse4j.read,
    has_verbs=True,
)


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "list":
            from pykafka_ops.commands.transactions.list import list_transactions as work
        case "describe":
            from pykafka_ops.commands.transactions.describe import describe as work
        case "describe-producers":
            from pykafka_ops.commands.transactions.describe_producers import (
                describe_producers as work,
            )
        case "abort":
            from pykafka_ops.commands.transactions.abort import abort as work
        case "find-hanging":
            from pykafka_ops.commands.transactions.find_hanging import find_hanging as work
        case "force-terminate":
            from pykafka_ops.commands.transactions.force_terminate import force_terminate as work
    return work(run)


transactions = VerbGroup(
    "transactions", "Transactions and producers; find and abort what hangs.", _work, tool=TOOL
)
transactions.verb(
    "list",
    "List transactional ids and the state of their transactions.",
    tool_name="list",
    options=(DURATION_FILTER, PATTERN),
    examples=(
        "pko transactions list",
        "pko transactions list --duration-filter 60000",
        "pko transactions list --transactional-id-pattern 'billing-.*'",
    ),
)
transactions.verb(
    "describe",
    "Show one transactional id: producer, state, partitions.",
    tool_name="describe",
    words=(Words(TRANSACTIONAL_ID),),
    examples=("pko transactions describe billing-1",),
)
transactions.verb(
    "describe-producers",
    "Show who wrote to a partition, and what is open there.",
    tool_name="describe-producers",
    words=(Words(TOPIC), Words(PARTITION, metavar="PARTITION")),
    options=(BROKER, TOPIC, PARTITION),
    examples=("pko transactions describe-producers orders 0",),
)
transactions.verb(
    "abort",
    "Abort an open transaction in one partition.",
    tool_name="abort",
    words=(Words(TOPIC), Words(PARTITION, metavar="PARTITION")),
    options=TRANSACTION,
    examples=("pko transactions abort orders 0 --start-offset 1234",),
)
transactions.verb(
    "find-hanging",
    "Find transactions that are open, but unknown to their coordinator.",
    tool_name="find-hanging",
    words=(Words(TOPIC, "?"),),
    options=(PARTITION, BROKER, MAX_TIMEOUT),
    examples=("pko transactions find-hanging", "pko transactions find-hanging orders"),
)
transactions.verb(
    "force-terminate",
    "Abort the open transaction of an id and fence its producer.",
    tool_name="forceTerminateTransaction",
    words=(Words(TO_TERMINATE),),
    examples=("pko transactions force-terminate billing-1 --yes",),
)
