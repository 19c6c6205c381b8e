"""``pko transactions describe``."""

from __future__ import annotations

import time

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.client import transactions
from pykafka_ops.commands.framework.output import Column, Table, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.transactions import kafka
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

TITLES = ("CoordinatorId", "TransactionalId", "ProducerId", "ProducerEpoch", "TransactionState",
          "TransactionTimeoutMs", "CurrentTransactionStartTimeMs", "TransactionDurationMs",
          "TopicPartitions")  # fmt: skip
COLUMNS = (
    Column("transactional_id"),
    Column("state"),
    *kafka.PRODUCER,
    Column("timeout_ms", right=True),
    Column("start_ms", right=True, wide=True),
    Column("duration_ms", right=True),
    Column("partitions"),
    Column("coordinator", right=True),
)


def describe(run: Run) -> Table:
    """One transactional id."""
    name = run.args.text("transactional-id") or ""
    try:
        found = described(run, name)
    except PkoError as error:
        raise kafka.could_not(
            run, f"describe transaction state of transactional-id `{name}`", error
        ) from None
    started = found.start >= 0
    duration = int(time.time() * 1000) - found.start if started else None
    partitions = [f"{topic}-{index}" for topic, index in found.partitions]
    row = (name, found.state, found.producer_id, found.producer_epoch, found.timeout,
           found.start if started else None, duration, partitions, found.coordinator)  # fmt: skip
    cells = (found.coordinator, name, found.producer_id, found.producer_epoch, found.state,
             found.timeout, found.start if started else "None",
             "None" if duration is None else duration, ",".join(partitions))  # fmt: skip
    rows = rows_of(COLUMNS, [row])
    return Table("transactions", COLUMNS, rows, kafka=kafka.table(TITLES, [cells]))


def described(run: Run, name: str) -> transactions.TransactionDescription:
    """The transaction of an id; PkoError, of an id that is not there with the one that is near."""
    found = transactions.describe_transactions(run.cluster(), [name])[name]
    if not isinstance(found, PkoError):
        return found
    code = ErrorCode.TRANSACTIONAL_ID_NOT_FOUND
    if not isinstance(found, KafkaError) or found.code != code:
        raise found
    if run.args.flags:
        text = (
            "DescribeTransactions request for transactionalId `{}` failed because the ID could "
            "not be found"
        )
        raise KafkaError(code, text.format(name))
    known, _ = transactions.list_transactions(run.cluster())
    near = did_you_mean(name, [t.transactional_id for t in known])
    raise KafkaError(code, f"there is no transactional id {name}{near}")
