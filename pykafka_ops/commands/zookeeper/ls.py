"""``pko zookeeper ls``."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.zookeeper.session import reader
from pykafka_ops.commands.zookeeper.znodes import no_znode, path_of
from pykafka_ops.errors import PkoError

COLUMNS = (Column("name"), Column("path", wide=True))


def ls(run: Run) -> Table:
    """The names of the children."""
    path = path_of(run.args.text("path"))
    with reader(run) as session:
        names = session.children([path])[0]
        (znode,) = session.read([path]) if names is None else (None,)
    if znode is not None:
        raise PkoError(f"{path}: {znode.refused or 'not allowed to list it'}")
    if names is None:
        raise no_znode(path)
    base = path.rstrip("/")
    rows = [{"name": name, "path": f"{base}/{name}"} for name in names]
    return Table("znodes", COLUMNS, rows)
