"""``pko transactions`` and kafka-transactions: options; the work is in ``txn/``."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.options import (
    BOOTSTRAP,
    COMMAND_CONFIG,
    Command,
    Opt,
    Pos,
    Verb,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.context import Context
    from pykafka_ops.errors import PkoError


def failure(error: PkoError, ctx: Context) -> int:
    """The message on stderr, 1."""
    from pykafka_ops.commands.framework.failures import text_of

    sys.stderr.write(f"{text_of(error)}\n")
    return 1


COMMAND = Command(
    "transactions",
    "This tool is used to analyze the transactional state of producers in the cluster. It can be "
    "used to detect and recover from hanging transactions.",
    (
        BOOTSTRAP,
        COMMAND_CONFIG,
        Opt("duration-filter", "only transactions that run for longer than this (ms)", "MS",
            kind="long"),
        Opt("transactional-id", "the transactional id", "ID"),
        Opt("broker-id", "the broker to ask (default: the leader)", "N", kind="int",
            complete="brokers"),
        Opt("topic", "the topic", "TOPIC", complete="topics"),
        Opt("partition", "the partition", "N", kind="int", short="p"),
        Opt("start-offset", "the offset the transaction begins at (brokers from 3.0 on)", "OFFSET",
            kind="long"),
        Opt("producer-id", "the producer of the transaction (for older brokers)", "ID",
            kind="long"),
        Opt("producer-epoch", "the epoch of that producer", "N", kind="int"),
        Opt("coordinator-epoch", "the epoch of its coordinator", "N", kind="int"),
        Opt("max-transaction-timeout", "what transaction.max.timeout.ms allows, in minutes",
            "MIN", kind="int", default="15"),
    ),
    (
        Verb("list", "all transactional ids and the state of their transactions",
             "txn.listing:list_transactions", options=("duration-filter",),
             examples=("pko transactions list", "pko transactions list --duration-filter 60000")),
        Verb("describe", "one transactional id: producer, state, partitions",
             "txn.describe:describe", words=(Pos("transactional-id", metavar="ID"),),
             examples=("pko transactions describe billing-1",)),
        Verb("describe-producers", "who wrote to a partition, and what is open there",
             "txn.producers:describe_producers", words=(Pos("topic"), Pos("partition")),
             options=("broker-id", "topic", "partition"),
             examples=("pko transactions describe-producers orders 0",)),
        Verb("abort", "end an open transaction in one partition", "txn.abort:abort",
             words=(Pos("topic"), Pos("partition")),
             options=("start-offset", "producer-id", "producer-epoch", "coordinator-epoch"),
             examples=("pko transactions abort orders 0 --start-offset 1234",)),
        Verb("find-hanging", "transactions that are open, but unknown to their coordinator",
             "txn.find_hanging:find_hanging", words=(Pos("topic", "?"),),
             options=("partition", "broker-id", "max-transaction-timeout"),
             examples=("pko transactions find-hanging", "pko transactions find-hanging orders")),
        Verb("force-terminate", "end the transaction of an id, fencing its producer",
             "txn.terminate:force_terminate", words=(Pos("transactional-id", metavar="ID"),),
             tool_name="forceTerminateTransaction",
             examples=("pko transactions force-terminate billing-1 --yes",)),
    ),
    tool="kafka-transactions",
    failure=failure,
    parser="argparse",
)  # fmt: skip
