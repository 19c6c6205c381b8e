"""``pko transactions force-terminate``."""

from __future__ import annotations

from pykafka_ops.client import transactions
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.transactions import kafka
from pykafka_ops.errors import PkoError


def force_terminate(run: Run) -> int:
    """Abort what the id has under way; its producer is fenced."""
    name = run.args.text("transactional-id") or ""
    if not run.confirm("end the transaction and fence the producer of", [name]):
        return 1
    try:
        transactions.terminate(run.cluster(), name)
    except PkoError as error:
        if not run.args.flags:
            raise
        raise kafka.failed(f"force terminate transactional id `{name}`", error) from error
    if not run.args.flags:
        run.note(f"terminated: {name}")
    return 0
