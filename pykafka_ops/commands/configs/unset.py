"""``pko configs unset``: back to the default."""

from __future__ import annotations

from pykafka_ops.client.configs import AlterOp
from pykafka_ops.commands.configs.changes import apply, targets
from pykafka_ops.commands.configs.held import Change
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import UsageError


def unset_configs(run: Run) -> Table:
    """Each setting that a word names. UsageError."""
    entities, words = targets(run)
    if not words:
        raise UsageError("what to unset? give the names of settings")
    wrong = [word for word in words if "=" in word]
    if wrong:
        raise UsageError(f"{wrong[0]}: only the name of the setting, without a value")
    changes: list[Change] = [(AlterOp.DELETE, word, None) for word in words]
    return apply(run, entities, changes)
