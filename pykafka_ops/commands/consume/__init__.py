"""``pko consume`` and kafka-console-consumer."""

from __future__ import annotations

from pykafka_ops.commands.consume import kafka
from pykafka_ops.commands.framework.group import Single
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import (
    FILE_PATH,
    GROUP_NAME,
    INTS,
    MILLIS,
    POSITIVE,
    TIME,
    TOPIC_NAME,
    Choices,
)
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.old_door import ZOOKEEPER, enter
from pykafka_ops.commands.options import (
    HEADER,
    KEY,
    KEY_FORMAT,
    KEY_REGEX,
    VALUE_FORMAT,
    VALUE_REGEX,
)

# fmt: off
TOKENS = (
    "%t topic, %p partition, %o offset, %k key, %s value, %K and %S their sizes in bytes, "
    "%h headers, %T time in ms, %d time in ISO 8601, %% a percent sign, "
    "\\n \\t \\r \\\\ \\xFF"
)
"""What may stand in a --format."""
TOPIC = Option("--topic", metavar="TOPIC", type=TOPIC_NAME, help="the topic to read")
WHITELIST = Option("--whitelist", metavar="REGEX", hidden=True, help="old name of --include")
ENABLE_SYSTEST_EVENTS = Switch("--enable-systest-events", help="accepted and without effect")

WHERE = (
    Option("--include", metavar="REGEX",
           help="read all topics whose whole name matches, internal ones left out; new ones too "
           "(seen within 5 s)"),
    Option("-p", "--partition", metavar="N", type=INTS, multiple=True,
           help="read that partition only; in pko's form several by comma"),
    Option("--offset", metavar="OFFSET",
           help="where to start in the partition: earliest, latest or a number (default: latest); "
           "in pko's form also FIRST..LAST, FIRST.. and ..LAST, and then end there"),
    Option("--last", metavar="N", type=POSITIVE, ours=True,
           help="the last N records of each partition, then end"),
    Option("--since", "--from", metavar="TIME", type=TIME, ours=True,
           help="records from this time on, to where the topic ends now"),
    Option("--until", "--to", metavar="TIME", type=TIME, ours=True,
           help="records up to this time, then end"),
    Switch("-f", "--follow", ours=True,
           help="with --last, --since, --until and FIRST..LAST: go on where the topic ends now"),
    Switch("--from-beginning",
           help="start at the earliest record instead of the latest; a group that has committed "
           "goes on from there"),
    Option("-n", "--max-messages", metavar="N", type=POSITIVE, help="stop after that many records"),
    Option("--timeout-ms", metavar="MS", type=MILLIS,
           help="stop when no record came for that long"),
    Option("-g", "--group", metavar="GROUP", type=GROUP_NAME,
           help="read as a member of that group and commit what was printed"),
    Option("--share", metavar="GROUP", type=GROUP_NAME, ours=True,
           help="read as a member of that share group (Kafka 4.1 and newer): others of it read the "
           "same partitions, and what was printed is acknowledged"),
    Option("--acknowledge", metavar="HOW", type=Choices(("accept", "release", "reject")),
           default="accept", ours=True,
           help="with --share: what becomes of records that were printed; release: they come "
           "again, reject: nobody gets them again"),
    Option("--isolation-level", metavar="LEVEL",
           help="read_committed leaves out aborted and open transactions "
           "(default: read_uncommitted)"),
)
FILTERS = (KEY, KEY_REGEX, VALUE_REGEX, HEADER)
FORM = (
    Option("-o", "--output", metavar="FORMAT", type=Choices(("text", "table", "wide", "json")),
           default="text", ours=True,
           help="text as Kafka's tool prints it, rows with offset, time and key, or one JSON "
           "object a line"),
    Option("--format", metavar="FORMAT", ours=True, help=f"as kcat's -f: {TOKENS}"),
    Option("--formatter", metavar="CLASS",
           help="Kafka's class of a message formatter: DefaultMessageFormatter (the default), "
           "LoggingMessageFormatter, NoOpMessageFormatter, OffsetsMessageFormatter, "
           "GroupMetadataMessageFormatter, TransactionLogMessageFormatter, "
           "ShareGroupMessageFormatter, group.share.ShareGroupStateMessageFormatter"),
    Option("--decode", metavar="WHAT",
           type=Choices(("offsets", "groups", "transactions", "share-group-state")),
           ours=True, help="show records of an internal topic as JSON lines"),
    Option("--property", metavar="KEY=VALUE", multiple=True,
           help="of the formatter: print.timestamp, print.key, print.offset, print.partition, "
           "print.headers, print.value, key.separator, line.separator, headers.separator, "
           "null.literal, key.deserializer, value.deserializer, headers.deserializer"),
    Option("--formatter-config", metavar="FILE", type=FILE_PATH,
           help="a .properties file for the formatter"),
    Option("--key-deserializer", metavar="CLASS", help="Java class name of a deserializer"),
    Option("--value-deserializer", metavar="CLASS", help="Java class name of a deserializer"),
    KEY_FORMAT,
    VALUE_FORMAT,
    Switch("--skip-message-on-error", help="go on after a record that cannot be shown"),
)
CLIENT = (
    Option("--consumer-property", metavar="KEY=VALUE", multiple=True, help="one client setting"),
    Option("--consumer.config", metavar="FILE", type=FILE_PATH,
           help="a .properties file of client settings"),
)
# fmt: on

OLD = (
    ZOOKEEPER,
    Switch("--new-consumer", hidden=True, help="old, without effect"),
    Switch(
        "--delete-consumer-offsets",
        hidden=True,
        help="old, without effect: a consumer without --group keeps no offsets",
    ),
)
DEPRECATED = (
    "Using the ConsoleConsumer with old consumer is deprecated and will be removed in a future "
    "major release. Consider using the new consumer by passing [bootstrap-server] instead of "
    "[zookeeper]. (--bootstrap-server {servers})"
)

TOOL = Tool(
    "kafka-console-consumer",
    "This tool helps to read data from Kafka topics and outputs it to standard output.",
    options=(WHITELIST, ENABLE_SYSTEST_EVENTS, *OLD),
    check=kafka.check,
    failure=kafka.failure,
)
TOOL.enter = lambda run: enter(run, DEPRECATED)


def _consume(run: Run) -> Result:
    work: Work
    if run.args.has("share") or run.args.has("acknowledge"):
        from pykafka_ops.commands.consume.share import consume_shared as work
    else:
        from pykafka_ops.commands.consume.printing import consume as work
    return work(run)


consume = Single(
    "consume",
    _consume,
    help="Read records of a topic.",
    tool=TOOL,
    words=(Words(TOPIC, "?"),),
    options=(*WHERE, *FILTERS, *FORM, *CLIENT),
    examples=(
        "pko consume orders --from-beginning -n 10 -b localhost:9092",
        "pko consume orders --last 5 -o table",
        "pko consume orders --since 2h --key order-17 --follow",
        "pko consume orders -p 0,2 --offset 1200..1300 -o json",
        "pko consume orders --last 1 --format '%t %p %o %k %s\\n'",
        "pko consume orders --share billing --timeout-ms 10000",
        "pko consume __consumer_offsets --decode offsets --from-beginning",
    ),
)
