"""``pko transactions force-terminate``."""

from __future__ import annotations

from pykafka_ops.client import transactions
from pykafka_ops.commands.framework.context import Context
from pykafka_ops.commands.txn import text
from pykafka_ops.errors import PkoError


def force_terminate(ctx: Context) -> int:
    """Abort what the id has under way; its producer is fenced."""
    name = ctx.args.text("transactional-id") or ""
    if not ctx.confirm("end the transaction and fence the producer of", [name]):
        return 1
    try:
        transactions.terminate(ctx.cluster(), name)
    except PkoError as error:
        if not ctx.args.flags:
            raise
        raise text.failed(f"force terminate transactional id `{name}`", error) from error
    if not ctx.args.flags:
        ctx.note(f"terminated: {name}")
    return 0
