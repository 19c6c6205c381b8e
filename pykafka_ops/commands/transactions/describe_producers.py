"""``pko transactions describe-producers``."""

from __future__ import annotations

from pykafka_ops.client import transactions
from pykafka_ops.commands.framework.absent import check_brokers
from pykafka_ops.commands.framework.output import Table, numbers, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.transactions import kafka
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

TITLES = ("ProducerId", "ProducerEpoch", "LatestCoordinatorEpoch", "LastSequence",
          "LastTimestamp", "CurrentTransactionStartOffset")  # fmt: skip
COLUMNS = (
    *kafka.PRODUCER,
    *numbers("coordinator_epoch", "last_sequence", "last_timestamp", "open_since_offset"),
)
NOT_A_REPLICA = (
    "For requests intended only for the leader, this error indicates that the broker is not the "
    "current leader. For requests intended for any replica, this error indicates that the broker "
    "is not a replica of the topic partition."
)


def describe_producers(run: Run) -> Table:
    """The producers of one partition, by its leader or by ``--broker``."""
    args = run.args
    partition = args.text("topic") or "", args.number("partition") or 0
    broker = args.number("broker")
    if not args.flags:
        kafka.check_there(run.cluster(), *partition)
        if broker is not None:
            check_brokers([broker], run.cluster().brokers())
    found = transactions.describe_producers(run.cluster(), [partition], broker)[partition]
    if isinstance(found, PkoError):
        if not args.flags:
            raise found
        if isinstance(found, KafkaError) and found.code == ErrorCode.NOT_LEADER_OR_FOLLOWER:
            raise kafka.ToolError(
                f"org.apache.kafka.common.errors.NotLeaderOrFollowerException: {NOT_A_REPLICA}"
            )
        where = "leader" if broker is None else f"broker {broker}"
        topic, index = partition
        raise kafka.failed(f"describe producers for partition {topic}-{index} on {where}", found)
    rows = rows_of(COLUMNS, ((*p[:5], p.start if p.start >= 0 else None) for p in found))
    cells = [(*p[:5], p.start if p.start >= 0 else "None") for p in found]
    return Table("producers", COLUMNS, rows, kafka=kafka.table(TITLES, cells))
