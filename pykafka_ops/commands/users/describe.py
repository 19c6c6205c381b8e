"""``pko users list`` and ``describe``."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.users.found import COLUMNS, names_of, read_users, rows, unknown


def describe(run: Run) -> Table:
    """The users that are named, or all."""
    names = names_of(run.args)
    users, errors = read_users(run.cluster(), names)
    failed = {error.item for error in errors}
    errors += [error for error in unknown(names, users) if error.item not in failed]
    return Table("users", COLUMNS, rows(users), errors=errors)
