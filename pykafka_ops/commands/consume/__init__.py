"""``pko consume`` and kafka-console-consumer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.commands.consume import kafka
from pykafka_ops.commands.framework.group import Single
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.types import FILE_PATH, GROUP_NAME, INT, LONG, TOPIC_NAME, OneOf
from pykafka_ops.commands.tongue.tool import Tool

if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Result, Run

TOPIC = Option("--topic", metavar="TOPIC", type=TOPIC_NAME, help="the topic to read")
INCLUDE = Option(
    "--include",
    metavar="REGEX",
    help="read all topics whose whole name matches, internal ones left out; new ones too "
    "(seen within 5 s)",
)
WHITELIST = Option("--whitelist", metavar="REGEX", hidden=True, help="old name of --include")
PARTITION = Option("-p", "--partition", metavar="N", type=INT, help="read that partition only")
OFFSET = Option(
    "--offset",
    metavar="OFFSET",
    help="where to start in the partition: earliest, latest or a number (default: latest)",
)
FROM_BEGINNING = Switch(
    "--from-beginning",
    help="start at the earliest record instead of the latest; a group that has committed "
    "goes on from there",
)
MAX_MESSAGES = Option(
    "-n", "--max-messages", metavar="N", type=INT, help="stop after that many records"
)
TIMEOUT_MS = Option(
    "--timeout-ms", metavar="MS", type=LONG, help="stop when no record came for that long"
)
GROUP = Option(
    "-g",
    "--group",
    metavar="GROUP",
    type=GROUP_NAME,
    help="read as a member of that group and commit what was printed",
)
ISOLATION_LEVEL = Option(
    "--isolation-level",
    metavar="LEVEL",
    help="read_committed leaves out aborted and open transactions (default: read_uncommitted)",
)
FORMATTER = Option(
    "--formatter",
    metavar="CLASS",
    help="Kafka's class of a message formatter: DefaultMessageFormatter (the default), "
    "LoggingMessageFormatter, NoOpMessageFormatter, OffsetsMessageFormatter, "
    "GroupMetadataMessageFormatter, TransactionLogMessageFormatter",
)
DECODE = Option(
    "--decode",
    metavar="WHAT",
    type=OneOf(("offsets", "groups", "transactions")),
    ours=True,
    help="records of an internal topic as JSON lines",
)
PROPERTY = Option(
    "--property",
    metavar="KEY=VALUE",
    multiple=True,
    help="of the formatter: print.timestamp, print.key, print.offset, print.partition, "
    "print.headers, print.value, key.separator, line.separator, headers.separator, "
    "null.literal, key.deserializer, value.deserializer, headers.deserializer",
)
FORMATTER_CONFIG = Option(
    "--formatter-config",
    metavar="FILE",
    type=FILE_PATH,
    help="a .properties file for the formatter",
)
KEY_DESERIALIZER = Option(
    "--key-deserializer", metavar="CLASS", help="Java class name of a deserializer"
)
VALUE_DESERIALIZER = Option(
    "--value-deserializer", metavar="CLASS", help="Java class name of a deserializer"
)
KEY_FORMAT = Option(
    "--key-format",
    metavar="FORMAT",
    ours=True,
    help="show keys, which are utf-8, hex, base64, json, int, long or avro:SCHEMA-FILE "
    "(Confluent's 5 bytes before the data are skipped)",
)
VALUE_FORMAT = Option(
    "--value-format", metavar="FORMAT", ours=True, help="what values are, as for keys"
)
CONSUMER_PROPERTY = Option(
    "--consumer-property", metavar="KEY=VALUE", multiple=True, help="one client setting"
)
CONSUMER_CONFIG = Option(
    "--consumer.config",
    metavar="FILE",
    type=FILE_PATH,
    help="a .properties file of client settings",
)
SKIP_MESSAGE_ON_ERROR = Switch(
    "--skip-message-on-error", help="go on after a record that cannot be shown"
)
ENABLE_SYSTEST_EVENTS = Switch("--enable-systest-events", help="accepted and without effect")
OUTPUT = Option(
    "-o",
    "--output",
    metavar="FORMAT",
    type=OneOf(("table", "json")),
    default="table",
    ours=True,
    help="text as Kafka's tool prints it, or one JSON object a line",
)

TOOL = Tool(
    "kafka-console-consumer",
    "This tool helps to read data from Kafka topics and outputs it to standard output.",
    options=(
        WHITELIST,
        ENABLE_SYSTEST_EVENTS,
    ),
    check=kafka._check,
    failure=kafka.failure,
)


def _consume(run: Run) -> Result:
    from pykafka_ops.commands.consume.kafka import start

    return start(run)


consume = Single(
    "consume",
    _consume,
    help="Read records of a topic.",
    tool=TOOL,
    words=(Words(TOPIC, "?"),),
    options=(
        INCLUDE,
        PARTITION,
        OFFSET,
        FROM_BEGINNING,
        MAX_MESSAGES,
        TIMEOUT_MS,
        GROUP,
        ISOLATION_LEVEL,
        FORMATTER,
        DECODE,
        PROPERTY,
        FORMATTER_CONFIG,
        KEY_DESERIALIZER,
        VALUE_DESERIALIZER,
        KEY_FORMAT,
        VALUE_FORMAT,
        CONSUMER_PROPERTY,
        CONSUMER_CONFIG,
        SKIP_MESSAGE_ON_ERROR,
        OUTPUT,
    ),
    examples=(
        "pko consume orders --from-beginning -n 10 -b localhost:9092",
        "pko consume orders -p 0 --offset 1200 -o json",
        "pko consume __consumer_offsets --decode offsets --from-beginning",
    ),
)
