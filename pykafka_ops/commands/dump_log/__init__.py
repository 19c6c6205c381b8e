"""``pko dump-log`` and kafka-dump-log."""

from __future__ import annotations

import os

from pykafka_ops.commands.dump_log.kafka import TOOL
from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import (
    COUNT,
    FILE_PATH,
    LONG_COUNT,
    PERIOD,
    POSITIVE,
    POSITIVE_BYTES,
    SPAN,
)
from pykafka_ops.commands.options import (
    DRY_RUN,
    HEADER,
    KEY,
    KEY_FORMAT,
    KEY_REGEX,
    SINCE,
    UNTIL,
    VALUE_FORMAT,
    VALUE_REGEX,
)

_DECODER = "org.apache.kafka.tools.api.StringDecoder"

# fmt: off
FILES = Option("--files", metavar="FILE,FILE", type=FILE_PATH, multiple=True,
               help="log segments, indexes and snapshots, by comma")

# show
PRINT_DATA_LOG = Switch("--print-data-log",
                        help="show keys and values too (every decoder option implies it)")
DEEP_ITERATION = Switch("--deep-iteration", help="show every record, not only the batches")
SKIP_RECORD_METADATA = Switch("--skip-record-metadata", help="of records show only key and value")
DECODERS = (
    Switch("--offsets-decoder", help="read the records as those of __consumer_offsets"),
    Switch("--transaction-log-decoder", help="read the records as those of __transaction_state"),
    Switch("--cluster-metadata-decoder", help="read the records as KRaft metadata"),
    Switch("--remote-log-metadata-decoder",
           help="read the records as metadata of tiered storage"),
    Switch("--share-group-state-decoder",
           help="read the records as those of __share_group_state (Kafka 4)"),
    Option("--key-decoder-class", metavar="CLASS", default=_DECODER, bare=_DECODER,
           help="what keys are: String-, Long-, Integer- or DefaultDecoder"),
    Option("--value-decoder-class", metavar="CLASS", default=_DECODER, bare=_DECODER,
           help="what values are, as for keys"),
)
MAX_MESSAGE_SIZE = Option("--max-message-size", metavar="BYTES", type=POSITIVE_BYTES,
                          default="5242880",
                          help="size of the largest batch, for reading at an index entry")
MAX_BYTES = Option("--max-bytes", metavar="BYTES", type=POSITIVE_BYTES, default="2147483647",
                   help="read at most so much of each log")
SHOW = (PRINT_DATA_LOG, DEEP_ITERATION, SKIP_RECORD_METADATA, *DECODERS, MAX_MESSAGE_SIZE,
        MAX_BYTES, KEY_FORMAT, VALUE_FORMAT)

# verify
KEEP_GOING = Switch("--keep-going", ours=True,
                    help="check behind damage too and report every problem there")
WORKERS = Option("--workers", metavar="N", type=POSITIVE, ours=True,
                 help="processes that check directories (default: one per processor)")

# transactions
OPEN = Switch("--open", ours=True, help="only transactions that were not ended")

# find
FIND = (
    KEY,
    KEY_REGEX,
    VALUE_REGEX,
    Option("--offset", metavar="OFFSET", ours=True,
           help="the record at an offset, or those of FIRST..LAST"),
    Option("--time", metavar="PERIOD", type=PERIOD, ours=True, help="records of this time"),
    Option("--producer-id", metavar="ID", type=LONG_COUNT, ours=True,
           help="records of this producer"),
    HEADER,
    Option("-n", "--max-messages", "--max", metavar="N", type=POSITIVE, ours=True,
           help="stop after that many records"),
    Switch("--count", ours=True, help="only how many there are, by file"),
    KEY_FORMAT,
    VALUE_FORMAT,
)

# stats and timeline
KEYS = Option("--keys", metavar="N", type=COUNT, default="10", ours=True,
              help="how many of the heaviest keys and producers to show; 0 reads no records")
EVERY = Option("--every", metavar="SPAN", type=SPAN, ours=True,
               help="time of a row (default: found by itself)")
# fmt: on


def _is_path(word: str) -> bool:
    """Whether a word that is no verb is meant as a file to show."""
    return "/" in word or "." in word or "*" in word or os.path.lexists(word)


PATHS = Words(FILES, "+", metavar="PATH")


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "show":
            from pykafka_ops.commands.dump_log.show import show as work
        case "verify":
            from pykafka_ops.commands.dump_log.verify import verify as work
        case "repair":
            from pykafka_ops.commands.dump_log.repair import repair as work
        case "transactions":
            from pykafka_ops.commands.dump_log.transactions import transactions as work
        case "find":
            from pykafka_ops.commands.dump_log.find import find as work
        case "stats":
            from pykafka_ops.commands.dump_log.stats import stats as work
        case "timeline":
            from pykafka_ops.commands.dump_log.timeline import timeline as work
    return work(run)


dump_log = VerbGroup(
    "dump-log", "Decode, search, check and repair log segments.", _work, tool=TOOL, implied=_is_path
)
dump_log.verb(
    "show",
    "Show batches, records, index entries, producers, checkpoints (the verb if none is given).",
    words=(PATHS,),
    options=SHOW,
    flag="files",
    examples=(
        "pko dump-log show /var/kafka/orders-0",
        "pko dump-log /var/kafka/orders-0/*.index",
        "pko dump-log show 00000000000000000000.log --print-data-log -o json",
    ),
)
dump_log.verb(
    "verify",
    "Check that files are whole and fit together; exit code 4 if not.",
    words=(PATHS,),
    options=(DEEP_ITERATION, KEEP_GOING, WORKERS),
    examples=(
        "pko dump-log verify /var/kafka",
        "pko dump-log verify /var/kafka/orders-0 --keep-going -o json",
    ),
)
dump_log.verb(
    "repair",
    "Cut a torn tail and rebuild indexes; keeps what it takes away; exit code 4: problems left.",
    words=(Words(FILES, "+", metavar="DIR"),),
    options=(DRY_RUN,),
    examples=(
        "pko dump-log repair /var/kafka/orders-0 --dry-run",
        "pko dump-log repair /var/kafka/orders-0 --yes",
    ),
)
dump_log.verb(
    "transactions",
    "List the transactions in a log, and how each ended.",
    words=(PATHS,),
    options=(OPEN,),
    examples=("pko dump-log transactions /var/kafka/orders-0",),
)
dump_log.verb(
    "find",
    "Find the records that match; exit code 1: none, 4: damage.",
    words=(PATHS,),
    options=FIND,
    examples=(
        "pko dump-log find /var/kafka/orders-* --key order-17",
        "pko dump-log find /var/kafka --time 2026-11-21T08:00 --value-regex failed",
        "pko dump-log find /var/kafka/orders-0 --offset 1200..1210 -o json",
    ),
)
dump_log.verb(
    "stats",
    "Count records, sizes, codecs, heaviest keys, transactions; exit code 4: damage.",
    words=(PATHS,),
    options=(KEYS, KEY_FORMAT),
    examples=("pko dump-log stats /var/kafka/orders-0",),
)
dump_log.verb(
    "timeline",
    "Count records and bytes over time; exit code 4: damage.",
    words=(PATHS,),
    options=(EVERY, SINCE, UNTIL),
    examples=("pko dump-log timeline /var/kafka/orders-* --since 24h --every 1h",),
)
