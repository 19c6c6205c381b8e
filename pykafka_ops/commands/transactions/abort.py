"""``pko transactions abort``: an abort marker for one open transaction in one partition."""

from __future__ import annotations

from pykafka_ops.client import transactions
from pykafka_ops.client.leaders import Partition
from pykafka_ops.commands.framework.args import OptionError
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.transactions import kafka
from pykafka_ops.errors import PkoError, UsageError

HOW = (
    "The transaction to abort must be identified either with --start-offset (for brokers on 3.0 "
    "or above) or with --producer-id, --producer-epoch, and --coordinator-epoch (for older brokers)"
)


class NoOpenTransactionError(PkoError):
    """Nothing is open where it should be."""


def abort(run: Run) -> int:
    """Find the producer by the transaction's first offset, or take what the options say."""
    args = run.args
    partition = args.text("topic") or "", args.number("partition") or 0
    start = args.number("start-offset")
    if start is None and not args.has("producer-id"):
        raise (
            OptionError(HOW)
            if args.flags
            else UsageError("which transaction? give --start-offset; describe-producers shows it")
        )
    if not args.flags:
        kafka.check_there(run.cluster(), *partition)
    if start is not None:
        producer, epoch, coordinator = _find(run, partition, start)
    else:
        for name in ("producer-epoch", "coordinator-epoch"):
            if not args.has(name):
                raise OptionError(f"Missing required argument --{name}")
        producer = args.number("producer-id") or 0
        epoch = args.number("producer-epoch") or 0
        coordinator = args.number("coordinator-epoch") or 0
    name = f"{partition[0]}-{partition[1]}"
    if not run.confirm("abort the transaction", [f"producer {producer} epoch {epoch} in {name}"]):
        return 1
    try:
        transactions.abort_on(run.cluster(), partition, producer, epoch, coordinator)
    except PkoError as error:
        if not args.flags:
            raise
        raise kafka.failed(f"abort transaction of producer {producer} in {name}", error) from error
    if not args.flags:
        run.note(f"aborted: producer {producer} epoch {epoch} in {name}")
    return 0


def _find(run: Run, partition: Partition, start: int) -> tuple[int, int, int]:
    """Producer id, its epoch, coordinator epoch of the transaction that begins at ``start``."""
    found = transactions.describe_producers(run.cluster(), [partition])[partition]
    topic, index = partition
    if isinstance(found, PkoError):
        raise kafka.could_not(run, f"validate producer state for partition {topic}-{index}", found)
    for p in found:
        if p.start == start:
            return p.id, p.epoch, max(p.coordinator_epoch, 0)
    raise NoOpenTransactionError(
        f"Could not find any open transactions starting at offset {start} on partition "
        f"{topic}-{index}"
    )
