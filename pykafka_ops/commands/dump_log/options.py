"""The options of dump-log, in both tongues."""

from __future__ import annotations

from pykafka_ops.commands.framework.params import Option, Switch
from pykafka_ops.commands.framework.types import COUNT, FILE_PATH, INT, LONG, PERIOD, POSITIVE, SPAN
from pykafka_ops.commands.options import KEY_FORMAT, VALUE_FORMAT

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
    Option("--key-decoder-class", metavar="CLASS", default=_DECODER, bare=_DECODER,
           help="what keys are: String-, Long-, Integer- or DefaultDecoder"),
    Option("--value-decoder-class", metavar="CLASS", default=_DECODER, bare=_DECODER,
           help="what values are, as for keys"),
)
MAX_MESSAGE_SIZE = Option("--max-message-size", metavar="BYTES", type=INT, default="5242880",
                          help="size of the largest batch, for reading at an index entry")
MAX_BYTES = Option("--max-bytes", metavar="BYTES", type=INT, default="2147483647",
                   help="read at most so much of each log")
SHOW = (PRINT_DATA_LOG, DEEP_ITERATION, SKIP_RECORD_METADATA, *DECODERS, MAX_MESSAGE_SIZE,
        MAX_BYTES, KEY_FORMAT, VALUE_FORMAT)

# of Kafka's tool alone
VERIFY_INDEX_ONLY = Switch("--verify-index-only",
                           help="check indexes against their log, show no entries")
INDEX_SANITY_CHECK = Switch("--index-sanity-check",
                            help="make only the check that brokers make when they start")

# verify
KEEP_GOING = Switch("--keep-going", ours=True,
                    help="check behind damage too and report every problem there")
WORKERS = Option("--workers", metavar="N", type=POSITIVE, ours=True,
                 help="processes that check directories (default: one per processor)")

# transactions
OPEN = Switch("--open", ours=True, help="only transactions that were not ended")

# find
FIND = (
    Option("--key", metavar="KEY", ours=True,
           help="records with just this key, written as --key-format says"),
    Option("--key-regex", metavar="REGEX", ours=True,
           help="records with a key in which this expression is found"),
    Option("--value-regex", metavar="REGEX", ours=True,
           help="records with a value in which this expression is found"),
    Option("--offset", metavar="OFFSET", ours=True,
           help="the record at an offset, or those of FIRST..LAST"),
    Option("--time", metavar="PERIOD", type=PERIOD, ours=True, help="records of this time"),
    Option("--producer-id", metavar="ID", type=LONG, ours=True, help="records of this producer"),
    Option("--header", metavar="NAME[=VALUE]", multiple=True, ours=True,
           help="records with this header, and this value where one is given"),
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
