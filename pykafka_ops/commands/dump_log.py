"""``pko dump-log`` and kafka-dump-log: options; the work is in ``dump/``."""

from __future__ import annotations

import os

from pykafka_ops.commands.dump import verbs
from pykafka_ops.commands.dump.java import failure
from pykafka_ops.commands.framework.options import Args, Command, Opt, Pos, Verb

_STRING = "org.apache.kafka.tools.api.StringDecoder"
_SHOWING = ("print-data-log", "deep-iteration", "skip-record-metadata", "offsets-decoder",
            "transaction-log-decoder", "cluster-metadata-decoder", "remote-log-metadata-decoder",
            "key-decoder-class", "value-decoder-class", "max-bytes",
            *verbs.PAYLOADS)  # fmt: skip

OPTIONS = (
    Opt("files", "log segments, indexes and snapshots, by comma", "FILE,FILE", many=True,
        complete="file"),
    Opt("print-data-log", "show keys and values too (every decoder option implies it)"),
    Opt("deep-iteration", "show every record, not only the batches"),
    Opt("verify-index-only", "check indexes against their log, show no entries"),
    Opt("index-sanity-check", "make only the check that brokers make when they start"),
    Opt("max-message-size", "size of the largest batch, for reading at an index entry", "BYTES",
        kind="int", default="5242880"),
    Opt("max-bytes", "read at most so much of each log", "BYTES", kind="int",
        default="2147483647"),
    Opt("key-decoder-class", "what keys are: String-, Long-, Integer- or DefaultDecoder", "CLASS",
        optional=_STRING, default=_STRING),
    Opt("value-decoder-class", "what values are, as for keys", "CLASS", optional=_STRING,
        default=_STRING),
    Opt("offsets-decoder", "read the records as those of __consumer_offsets"),
    Opt("transaction-log-decoder", "read the records as those of __transaction_state"),
    Opt("cluster-metadata-decoder", "read the records as KRaft metadata"),
    Opt("remote-log-metadata-decoder", "read the records as metadata of tiered storage"),
    Opt("skip-record-metadata", "of records show only key and value"),
    Opt("keep-going", "check behind damage too and tell every problem there", ours=True),
    Opt("workers", "processes that check directories (default: one per processor)", "N",
        kind="int", ours=True),
    Opt("dry-run", "only say what would be done; exit code 4 if there is something", ours=True),
    Opt("open", "only transactions that were not ended", ours=True),
    *verbs.OPTIONS,
)  # fmt: skip


def _is_path(word: str) -> bool:
    """Whether a word that is no verb is meant as a file to show."""
    return "/" in word or "." in word or "*" in word or os.path.lexists(word)


def check(args: Args) -> None:
    """DumpLogSegments asks for nothing but files."""
    args.require("files")


COMMAND = Command(
    "dump-log",
    "This tool helps to parse a log file and dump its contents to the console, useful for "
    "debugging a seemingly corrupt log segment.",
    OPTIONS,
    (
        Verb("show", "batches, records, index entries, producers, checkpoints; may be left out",
             "dump.show:show",
             words=(Pos("files", "+", "PATH"),), flag="files", options=_SHOWING,
             examples=("pko dump-log show /var/kafka/orders-0",
                       "pko dump-log /var/kafka/orders-0/*.index",
                       "pko dump-log show 00000000000000000000.log --print-data-log -o json")),
        Verb("verify", "check that files are whole and fit together; exit code 4 if not",
             "dump.verify:verify", words=(Pos("files", "+", "PATH"),),
             options=("deep-iteration", "keep-going", "workers"),
             examples=("pko dump-log verify /var/kafka",
                       "pko dump-log verify /var/kafka/orders-0 --keep-going -o json")),
        Verb("repair", "cut a torn tail, make indexes anew; what is taken away is kept",
             "dump.repair:repair", words=(Pos("files", "+", "DIR"),), options=("dry-run",),
             examples=("pko dump-log repair /var/kafka/orders-0 --dry-run",
                       "pko dump-log repair /var/kafka/orders-0 --yes")),
        Verb("transactions", "the transactions in a log, and how each ended",
             "dump.transactions:transactions", words=(Pos("files", "+", "PATH"),),
             options=("open",), examples=("pko dump-log transactions /var/kafka/orders-0",)),
        *verbs.VERBS,
    ),
    tool="kafka-dump-log",
    check=check,
    failure=failure,
    implied=_is_path,
)  # fmt: skip
