"""``pko transactions force-terminate``."""

from __future__ import annotations

import time

from pykafka_ops.analysis.moves.rate import time_text
from pykafka_ops.client import transactions
from pykafka_ops.client.transactions import TransactionDescription
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.transactions import kafka
from pykafka_ops.commands.transactions.describe import described
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode


def force_terminate(run: Run) -> int:
    """Abort what the id has under way; its producer is fenced.

    Kafka's tool makes an id that is not there, and says nothing of what it did.
    """
    name = run.args.text("transactional-id") or ""
    if run.args.flags:
        try:
            transactions.terminate(run.cluster(), name)
        except PkoError as error:
            raise kafka.failed(f"force terminate transactionalId `{name}`", error) from error
        return 0
    before = described(run, name)
    if not run.confirm("abort the open transaction and fence the producer of", [name]):
        return 1
    try:
        transactions.terminate(run.cluster(), name)
    except KafkaError as error:
        if error.code != ErrorCode.CONCURRENT_TRANSACTIONS:
            raise
        text = f"the transaction of {name} is being ended, which takes long: see describe {name}"
        raise KafkaError(error.code, text) from error
    producer = f"producer {before.producer_id} epoch {before.producer_epoch} is fenced"
    run.note(f"{_done(name, before)}; {producer}")
    return 0


def _done(name: str, before: TransactionDescription) -> str:
    """What became of the transaction."""
    if before.state == "Ongoing":
        places = ", ".join(f"{topic}-{index}" for topic, index in before.partitions)
        since = time_text(max(0, time.time() - before.start / 1000))
        return f"aborted: the transaction of {name}, open for {since} in {places or 'no partition'}"
    if before.state.startswith("Prepare"):
        verb = "committed" if before.state == "PrepareCommit" else "aborted"
        return f"the transaction of {name} was being {verb} already, and has ended"
    return f"{name} had no open transaction ({before.state})"
