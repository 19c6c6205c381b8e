"""``pko zookeeper tree``."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.zookeeper.rows import table
from pykafka_ops.commands.zookeeper.session import reader
from pykafka_ops.commands.zookeeper.znodes import by_number, path_of, walk


def tree(run: Run) -> Table:
    """The znode and all below it, or ``--depth`` levels of it."""
    top = path_of(run.args.text("path"))
    with reader(run) as session:
        found = list(walk(session, top, run.args.number("depth"), by_number))
    return table(run, "znode-tree", top, found, indented=True)
