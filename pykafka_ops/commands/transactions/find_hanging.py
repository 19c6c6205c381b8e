"""``pko transactions find-hanging``: ask the partitions, then the coordinators."""

from __future__ import annotations

import time
from collections.abc import Sequence

from pykafka_ops.analysis.hanging import Open, hanging, old_enough
from pykafka_ops.client import transactions
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.topics import all_topics
from pykafka_ops.client.transactions import TransactionDescription
from pykafka_ops.commands.framework.absent import check_brokers
from pykafka_ops.commands.framework.args import OptionError
from pykafka_ops.commands.framework.output import PLACE, Column, ItemError, Table, numbers, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.transactions import kafka
from pykafka_ops.errors import KafkaError, PkoError, UsageError
from pykafka_ops.wire.codes import ErrorCode

TITLES = ("Topic", "Partition", "ProducerId", "ProducerEpoch", "CoordinatorEpoch", "StartOffset",
          "LastTimestamp", "Duration(min)")  # fmt: skip
COLUMNS = (
    *PLACE,
    *kafka.PRODUCER,
    *numbers("coordinator_epoch", "start_offset"),
    Column("last_timestamp", right=True, wide=True),
    Column("duration_minutes", "MINUTES", right=True),
)
SCOPE = (
    "The `find-hanging` command requires either --topic or --broker-id to limit the scope of the "
    "search"
)


def find_hanging(run: Run) -> Table:
    """In the topic or on the broker named; everywhere if pko's form names none."""
    args = run.args
    topic, broker = args.text("topic"), args.number("broker")
    if args.flags and topic is None and broker is None:
        raise OptionError(SCOPE)
    if topic is None and args.has("partition"):
        if args.flags:
            raise OptionError("The --partition argument requires --topic to be provided")
        raise UsageError("--partition needs a topic")
    if not args.flags and topic is not None:
        kafka.check_there(run.cluster(), topic, args.number("partition"))
    if not args.flags and broker is not None:
        check_brokers([broker], run.cluster().brokers())
    now = int(time.time() * 1000)
    wanted = _partitions(run, topic, args.number("partition"), broker)
    found, errors = _open(run, wanted, broker)
    minutes = args.number("max-transaction-timeout") or 0
    hung = sorted(_hanging(run, old_enough(found, now, minutes * 60_000)))
    cells = [(*t.partition, *t[1:], (now - t.last_timestamp) // 60_000) for t in hung]
    rows = rows_of(COLUMNS, cells)
    return Table(
        "hanging-transactions", COLUMNS, rows, kafka=kafka.table(TITLES, cells), errors=errors
    )


def _partitions(
    run: Run, topic: str | None, index: int | None, broker: int | None
) -> list[Partition]:
    """Where to look; with ``broker`` only what it has a replica of. Raises KafkaError."""
    found = [
        (t.name, p.number)
        for t in all_topics(run.cluster())
        if topic in (None, t.name)
        for p in t.partitions
        if index in (None, p.number) and (broker is None or broker in p.replicas)
    ]
    if run.args.flags and topic is not None and not found and broker is None:
        text = f"there is no partition of {topic} to look at"
        raise kafka.failed(
            "list transactions", KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, text)
        )
    return found


def _open(
    run: Run, wanted: Sequence[Partition], broker: int | None
) -> tuple[list[Open], list[ItemError]]:
    found, errors = [], []
    answers = transactions.describe_producers(run.cluster(), wanted, broker) if wanted else {}
    for partition, producers in answers.items():
        if isinstance(producers, PkoError):
            if not isinstance(producers, KafkaError):
                raise producers
            errors.append(ItemError.of(f"{partition[0]}-{partition[1]}", producers))
            continue
        found += [
            Open(partition, p.id, p.epoch, p.coordinator_epoch, p.start, p.last_timestamp)
            for p in producers
            if p.start >= 0
        ]
    return found, errors


def _hanging(run: Run, candidates: list[Open]) -> list[Open]:
    if not candidates:
        return []
    cluster = run.cluster()
    listed, failed = transactions.list_transactions(
        cluster, producer_ids=sorted({t.producer_id for t in candidates})
    )
    for error in failed.values():  # a silent coordinator may know the transaction
        raise kafka.could_not(run, "list transactions", error)
    ids = {t.producer_id: t.transactional_id for t in listed}
    known = transactions.describe_transactions(cluster, ids.values()) if ids else {}
    partitions = {
        i: d.partitions for i, d in known.items() if isinstance(d, TransactionDescription)
    }
    return hanging(candidates, ids, partitions)
