"""The verbs of ``pko dump-log`` that look into records: their options; the work is elsewhere."""

from __future__ import annotations

from pykafka_ops.commands.framework.options import Opt, Pos, Verb

_FORMATS = ("utf-8, hex, base64, json, int, long or avro:SCHEMA-FILE, where Confluent's 5 bytes "
            "before the data are skipped")  # fmt: skip
_SPAN = "2026-11-21 (a whole day), 2026-11-21T08:00 (a minute; UTC), -2h (ago), ms since 1970"
KEY_FORMAT = Opt("key-format", f"what keys are: {_FORMATS}", "FORMAT", ours=True)
VALUE_FORMAT = Opt("value-format", "what values are, as for keys", "FORMAT", ours=True)
PAYLOADS = ("key-format", "value-format")

OPTIONS = (
    KEY_FORMAT,
    VALUE_FORMAT,
    Opt("key", "records with just this key, written as --key-format says", "KEY", ours=True),
    Opt("key-regex", "records with a key in which this expression is found", "REGEX", ours=True),
    Opt("value-regex", "records with a value in which it is found", "REGEX", ours=True),
    Opt("offset", "the record at an offset, or those of FIRST..LAST", "OFFSET", ours=True),
    Opt("time", f"records of a time, or FROM..TO: {_SPAN}", "TIME", ours=True),
    Opt("producer-id", "records of that producer", "ID", kind="long", ours=True),
    Opt("header", "records with that header, and value where one is given", "NAME[=VALUE]",
        many=True, ours=True),
    Opt("max", "stop after that many records", "N", kind="int", ours=True),
    Opt("count", "only how many there are, by file", ours=True),
    Opt("keys", "how many of the heaviest keys and producers to show; 0 leaves records unopened",
        "N", kind="int", default="10", ours=True),
    Opt("every", "length of a bucket: 30s, 5m, 1h, 7d (default: found by itself)", "LENGTH",
        ours=True),
    Opt("since", f"only records from then on: {_SPAN}", "TIME", ours=True),
    Opt("until", "only records before the end of that time", "TIME", ours=True),
)  # fmt: skip

_FILES = (Pos("files", "+", "PATH"),)
VERBS = (
    Verb("find", "where the records are that match; exit code 1: none, 4: damage was met",
         "dump.find:find", words=_FILES,
         options=("key", "key-regex", "value-regex", "offset", "time", "producer-id", "header",
                  "max", "count", *PAYLOADS),
         examples=("pko dump-log find /var/kafka/orders-* --key order-17",
                   "pko dump-log find /var/kafka --time 2026-11-21T08:00 --value-regex failed",
                   "pko dump-log find /var/kafka/orders-0 --offset 1200..1210 -o json")),
    Verb("stats", "records, sizes, codecs, heaviest keys, transactions; exit code 4: damage",
         "dump.stats:stats", words=_FILES,
         options=("keys", "key-format"), examples=("pko dump-log stats /var/kafka/orders-0",)),
    Verb("timeline", "records and bytes over time; exit code 4: damage was met",
         "dump.timeline:timeline", words=_FILES, options=("every", "since", "until"),
         examples=("pko dump-log timeline /var/kafka/orders-* --since -24h --every 1h",)),
)  # fmt: skip
