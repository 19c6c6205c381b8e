"""``pko dump-log`` and kafka-dump-log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.commands.dump_log import java, kafka
from pykafka_ops.commands.framework.group import Group
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.types import FILE_PATH, INT, LONG, PERIOD, SPAN
from pykafka_ops.commands.options import SINCE, UNTIL
from pykafka_ops.commands.tongue.tool import Tool

if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Result, Run

FILES = Option(
    "--files",
    metavar="FILE,FILE",
    type=FILE_PATH,
    multiple=True,
    help="log segments, indexes and snapshots, by comma",
)
PRINT_DATA_LOG = Switch(
    "--print-data-log", help="show keys and values too (every decoder option implies it)"
)
DEEP_ITERATION = Switch("--deep-iteration", help="show every record, not only the batches")
VERIFY_INDEX_ONLY = Switch(
    "--verify-index-only", help="check indexes against their log, show no entries"
)
INDEX_SANITY_CHECK = Switch(
    "--index-sanity-check", help="make only the check that brokers make when they start"
)
MAX_MESSAGE_SIZE = Option(
    "--max-message-size",
    metavar="BYTES",
    type=INT,
    default="5242880",
    help="size of the largest batch, for reading at an index entry",
)
MAX_BYTES = Option(
    "--max-bytes",
    metavar="BYTES",
    type=INT,
    default="2147483647",
    help="read at most so much of each log",
)
KEY_DECODER_CLASS = Option(
    "--key-decoder-class",
    metavar="CLASS",
    default="org.apache.kafka.tools.api.StringDecoder",
    bare="org.apache.kafka.tools.api.StringDecoder",
    help="what keys are: String-, Long-, Integer- or DefaultDecoder",
)
VALUE_DECODER_CLASS = Option(
    "--value-decoder-class",
    metavar="CLASS",
    default="org.apache.kafka.tools.api.StringDecoder",
    bare="org.apache.kafka.tools.api.StringDecoder",
    help="what values are, as for keys",
)
OFFSETS_DECODER = Switch(
    "--offsets-decoder", help="read the records as those of __consumer_offsets"
)
TRANSACTION_LOG_DECODER = Switch(
    "--transaction-log-decoder", help="read the records as those of __transaction_state"
)
CLUSTER_METADATA_DECODER = Switch(
    "--cluster-metadata-decoder", help="read the records as KRaft metadata"
)
REMOTE_LOG_METADATA_DECODER = Switch(
    "--remote-log-metadata-decoder", help="read the records as metadata of tiered storage"
)
SKIP_RECORD_METADATA = Switch("--skip-record-metadata", help="of records show only key and value")
KEEP_GOING = Switch(
    "--keep-going", ours=True, help="check behind damage too and tell every problem there"
)
WORKERS = Option(
    "--workers",
    metavar="N",
    type=INT,
    ours=True,
    help="processes that check directories (default: one per processor)",
)
DRY_RUN = Switch(
    "--dry-run", ours=True, help="only say what would be done; exit code 4 if there is something"
)
OPEN = Switch("--open", ours=True, help="only transactions that were not ended")
KEY_FORMAT = Option(
    "--key-format",
    metavar="FORMAT",
    ours=True,
    help="what keys are: utf-8, hex, base64, json, int, long or avro:SCHEMA-FILE, where "
    "Confluent's 5 bytes before the data are skipped",
)
VALUE_FORMAT = Option(
    "--value-format", metavar="FORMAT", ours=True, help="what values are, as for keys"
)
KEY = Option(
    "--key",
    metavar="KEY",
    ours=True,
    help="records with just this key, written as --key-format says",
)
KEY_REGEX = Option(
    "--key-regex",
    metavar="REGEX",
    ours=True,
    help="records with a key in which this expression is found",
)
VALUE_REGEX = Option(
    "--value-regex", metavar="REGEX", ours=True, help="records with a value in which it is found"
)
OFFSET = Option(
    "--offset", metavar="OFFSET", ours=True, help="the record at an offset, or those of FIRST..LAST"
)
TIME = Option("--time", metavar="PERIOD", type=PERIOD, ours=True, help="records of this time")
PRODUCER_ID = Option(
    "--producer-id", metavar="ID", type=LONG, ours=True, help="records of that producer"
)
HEADER = Option(
    "--header",
    metavar="NAME[=VALUE]",
    multiple=True,
    ours=True,
    help="records with that header, and value where one is given",
)
MAX = Option("--max", metavar="N", type=INT, ours=True, help="stop after that many records")
COUNT = Switch("--count", ours=True, help="only how many there are, by file")
KEYS = Option(
    "--keys",
    metavar="N",
    type=INT,
    default="10",
    ours=True,
    help="how many of the heaviest keys and producers to show; 0 leaves records unopened",
)
EVERY = Option(
    "--every", metavar="SPAN", type=SPAN, ours=True, help="time of a row (default: found by itself)"
)

TOOL = Tool(
    "kafka-dump-log",
    "This tool helps to parse a log file and dump its contents to the console, useful "
    "for debugging a seemingly corrupt log segment.",
    options=(
        VERIFY_INDEX_ONLY,
        INDEX_SANITY_CHECK,
        MAX_MESSAGE_SIZE,
    ),
    check=kafka.check,
    failure=java.failure,
)
dump_log = Group(
    "dump-log", "Decode, search, check and repair log segments.", tool=TOOL, implied=kafka.is_path
)


@dump_log.verb(
    "show",
    words=(Words(FILES, "+", metavar="PATH"),),
    options=(
        PRINT_DATA_LOG,
        DEEP_ITERATION,
        SKIP_RECORD_METADATA,
        OFFSETS_DECODER,
        TRANSACTION_LOG_DECODER,
        CLUSTER_METADATA_DECODER,
        REMOTE_LOG_METADATA_DECODER,
        KEY_DECODER_CLASS,
        VALUE_DECODER_CLASS,
        MAX_BYTES,
        KEY_FORMAT,
        VALUE_FORMAT,
    ),
    flag="files",
    examples=(
        "pko dump-log show /var/kafka/orders-0",
        "pko dump-log /var/kafka/orders-0/*.index",
        "pko dump-log show 00000000000000000000.log --print-data-log -o json",
    ),
)
def show(run: Run) -> Result:
    """Batches, records, index entries, producers, checkpoints; may be left out."""
    from pykafka_ops.commands.dump_log.show import show as work

    return work(run)


@dump_log.verb(
    "verify",
    words=(Words(FILES, "+", metavar="PATH"),),
    options=(
        DEEP_ITERATION,
        KEEP_GOING,
        WORKERS,
    ),
    examples=(
        "pko dump-log verify /var/kafka",
        "pko dump-log verify /var/kafka/orders-0 --keep-going -o json",
    ),
)
def verify(run: Run) -> Result:
    """Check that files are whole and fit together; exit code 4 if not."""
    from pykafka_ops.commands.dump_log.verify import verify as work

    return work(run)


@dump_log.verb(
    "repair",
    words=(Words(FILES, "+", metavar="DIR"),),
    options=(DRY_RUN,),
    examples=(
        "pko dump-log repair /var/kafka/orders-0 --dry-run",
        "pko dump-log repair /var/kafka/orders-0 --yes",
    ),
)
def repair(run: Run) -> Result:
    """Cut a torn tail, make indexes anew; what is taken away is kept."""
    from pykafka_ops.commands.dump_log.repair import repair as work

    return work(run)


@dump_log.verb(
    "transactions",
    words=(Words(FILES, "+", metavar="PATH"),),
    options=(OPEN,),
    examples=("pko dump-log transactions /var/kafka/orders-0",),
)
def transactions(run: Run) -> Result:
    """The transactions in a log, and how each ended."""
    from pykafka_ops.commands.dump_log.transactions import transactions as work

    return work(run)


@dump_log.verb(
    "find",
    words=(Words(FILES, "+", metavar="PATH"),),
    options=(
        KEY,
        KEY_REGEX,
        VALUE_REGEX,
        OFFSET,
        TIME,
        PRODUCER_ID,
        HEADER,
        MAX,
        COUNT,
        KEY_FORMAT,
        VALUE_FORMAT,
    ),
    examples=(
        "pko dump-log find /var/kafka/orders-* --key order-17",
        "pko dump-log find /var/kafka --time 2026-11-21T08:00 --value-regex failed",
        "pko dump-log find /var/kafka/orders-0 --offset 1200..1210 -o json",
    ),
)
def find(run: Run) -> Result:
    """Where the records are that match; exit code 1: none, 4: damage was met."""
    from pykafka_ops.commands.dump_log.find import find as work

    return work(run)


@dump_log.verb(
    "stats",
    words=(Words(FILES, "+", metavar="PATH"),),
    options=(
        KEYS,
        KEY_FORMAT,
    ),
    examples=("pko dump-log stats /var/kafka/orders-0",),
)
def stats(run: Run) -> Result:
    """Records, sizes, codecs, heaviest keys, transactions; exit code 4: damage."""
    from pykafka_ops.commands.dump_log.stats import stats as work

    return work(run)


@dump_log.verb(
    "timeline",
    words=(Words(FILES, "+", metavar="PATH"),),
    options=(
        EVERY,
        SINCE,
        UNTIL,
    ),
    examples=("pko dump-log timeline /var/kafka/orders-* --since -24h --every 1h",),
)
def timeline(run: Run) -> Result:
    """Records and bytes over time; exit code 4: damage was met."""
    from pykafka_ops.commands.dump_log.timeline import timeline as work

    return work(run)
