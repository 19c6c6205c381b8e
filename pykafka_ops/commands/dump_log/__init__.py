"""``pko dump-log`` and kafka-dump-log."""

from __future__ import annotations

import os

from pykafka_ops.commands.dump_log.kafka import TOOL
from pykafka_ops.commands.dump_log.options import (
    DEEP_ITERATION,
    EVERY,
    FILES,
    FIND,
    KEEP_GOING,
    KEYS,
    OPEN,
    SHOW,
    WORKERS,
)
from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Words
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.options import DRY_RUN, KEY_FORMAT, SINCE, UNTIL


def _is_path(word: str) -> bool:
    """Whether a word that is no verb is meant as a file to show."""
    return "/" in word or "." in word or "*" in word or os.path.lexists(word)


PATHS = Words(FILES, "+", metavar="PATH")
dump_log = VerbGroup(
    "dump-log", "Decode, search, check and repair log segments.", tool=TOOL, implied=_is_path
)


@dump_log.verb(
    "show",
    words=(PATHS,),
    options=SHOW,
    flag="files",
    examples=(
        "pko dump-log show /var/kafka/orders-0",
        "pko dump-log /var/kafka/orders-0/*.index",
        "pko dump-log show 00000000000000000000.log --print-data-log -o json",
    ),
)
def show(run: Run) -> Result:
    """Show batches, records, index entries, producers, checkpoints (the verb if none is given)."""
    from pykafka_ops.commands.dump_log.show import show as work

    return work(run)


@dump_log.verb(
    "verify",
    words=(PATHS,),
    options=(DEEP_ITERATION, KEEP_GOING, WORKERS),
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
    """Cut a torn tail and rebuild indexes; keeps what it takes away; exit code 4: problems left."""
    from pykafka_ops.commands.dump_log.repair import repair as work

    return work(run)


@dump_log.verb(
    "transactions",
    words=(PATHS,),
    options=(OPEN,),
    examples=("pko dump-log transactions /var/kafka/orders-0",),
)
def transactions(run: Run) -> Result:
    """List the transactions in a log, and how each ended."""
    from pykafka_ops.commands.dump_log.transactions import transactions as work

    return work(run)


@dump_log.verb(
    "find",
    words=(PATHS,),
    options=FIND,
    examples=(
        "pko dump-log find /var/kafka/orders-* --key order-17",
        "pko dump-log find /var/kafka --time 2026-11-21T08:00 --value-regex failed",
        "pko dump-log find /var/kafka/orders-0 --offset 1200..1210 -o json",
    ),
)
def find(run: Run) -> Result:
    """Find the records that match; exit code 1: none, 4: damage."""
    from pykafka_ops.commands.dump_log.find import find as work

    return work(run)


@dump_log.verb(
    "stats",
    words=(PATHS,),
    options=(KEYS, KEY_FORMAT),
    examples=("pko dump-log stats /var/kafka/orders-0",),
)
def stats(run: Run) -> Result:
    """Count records, sizes, codecs, heaviest keys, transactions; exit code 4: damage."""
    from pykafka_ops.commands.dump_log.stats import stats as work

    return work(run)


@dump_log.verb(
    "timeline",
    words=(PATHS,),
    options=(EVERY, SINCE, UNTIL),
    examples=("pko dump-log timeline /var/kafka/orders-* --since 24h --every 1h",),
)
def timeline(run: Run) -> Result:
    """Count records and bytes over time; exit code 4: damage."""
    from pykafka_ops.commands.dump_log.timeline import timeline as work

    return work(run)
