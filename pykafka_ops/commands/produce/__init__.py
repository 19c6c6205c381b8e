"""``pko produce`` and kafka-console-producer."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import Single
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.framework.types import (
    BYTES,
    BYTES_OR_MINUS_ONE,
    COUNT,
    FILE_PATH,
    LONG_COUNT,
    MILLIS,
    SHORT_BYTES,
    SHORT_MILLIS,
    TOPIC_NAME,
    Choices,
)
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.options import BROKER_LIST
from pykafka_ops.commands.produce import kafka

# fmt: off
TOPIC = Option("--topic", metavar="TOPIC", type=TOPIC_NAME, help="the topic to write to")

RECORDS = (
    Option("-k", "--key", metavar="KEY", ours=True, help="the same key for every record"),
    Option("-H", "--header", metavar="KEY=VALUE", multiple=True, ours=True,
           help="a header for every record"),
    Option("-p", "--partition", metavar="N", type=COUNT, ours=True, help="write to that partition"),
    Switch("--create", ours=True, help="make the topic if it is not there, as brokers do by "
           "default"),
    Switch("--json", ours=True, help="lines are JSON as `pko consume -o json` prints them"),
    Switch("--keep-partition", ours=True,
           help="with --json, write to the partition that the line names"),
    Option("--line-reader", metavar="CLASS",
           help="class of the line reader; only Kafka's own is known"),
    Option("--property", metavar="KEY=VALUE", multiple=True,
           help="of the line reader: parse.key, parse.headers, key.separator, "
           "headers.delimiter, headers.separator, headers.key.separator, null.marker, "
           "ignore.error"),
    Option("--reader-config", metavar="FILE", type=FILE_PATH,
           help="a .properties file for the line reader"),
)
SENDING = (
    Switch("--sync", help="wait for each record's acknowledgement before the next"),
    Option("--request-required-acks", metavar="ACKS",
           help="acknowledgements: all (-1), 1 or 0 (default: -1)"),
    Option("--compression-codec", metavar="CODEC", type=Choices(kafka.CODECS), bare="gzip",
           help="gzip when given bare (default: none)"),
    Option("--batch-size", metavar="BYTES", type=SHORT_BYTES,
           help="bytes of one batch at most (default: 16384, with the verb 1000000)"),
    Option("--max-partition-memory-bytes", metavar="BYTES", type=SHORT_BYTES,
           help="the same as --batch-size; takes precedence"),
    Option("--message-send-max-retries", metavar="N", type=COUNT,
           help="how often a send is tried again (default: 3; with the verb as often as the 2 "
           "minutes of delivery.timeout.ms allow)"),
    Option("--retry-backoff-ms", metavar="MS", type=MILLIS,
           help="pause before a retry (default: 100)"),
    Option("--request-timeout-ms", metavar="MS", type=SHORT_MILLIS,
           help="how long the broker may wait for acknowledgements (default: 1500, with the verb "
           "30000)"),
    Option("--metadata-expiry-ms", metavar="MS", type=MILLIS,
           help="refresh metadata at least that often (default: 300000)"),
    Option("--max-block-ms", metavar="MS", type=MILLIS,
           help="how long a record waits for buffer space, and in Kafka's tool for the topic "
           "(default: 60000)"),
    Option("--max-memory-bytes", metavar="BYTES", type=BYTES,
           help="bytes of records waiting to be sent (default: 33554432, with the verb "
           "134217728)"),
    Option("--socket-buffer-size", metavar="BYTES", type=BYTES_OR_MINUS_ONE,
           help="the socket's send buffer (default: 102400, with the verb the system's)"),
    Option("--producer-property", metavar="KEY=VALUE", multiple=True, help="one client setting"),
    Option("--producer.config", metavar="FILE", type=FILE_PATH,
           help="a .properties file of client settings"),
)
# fmt: on

TIMEOUT = Option("--timeout", metavar="MS", type=LONG_COUNT,
                 help="how long to wait for more records for a batch (default: 1000)")  # fmt: skip

TOOL = Tool(
    "kafka-console-producer",
    "This tool helps to read data from standard input and publish it to Kafka.",
    options=(BROKER_LIST, TIMEOUT),
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
        "echo hello | pko produce greetings --create -b localhost:9092",
        "pko produce orders --property parse.key=true --property key.separator=: < orders.txt",
        "pko consume a --from-beginning -o json | pko produce b --json",
    ),
)
