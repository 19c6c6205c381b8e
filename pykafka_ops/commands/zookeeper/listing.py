"""``pko zookeeper ls``."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.zookeeper.session import reader
from pykafka_ops.errors import PkoError, UsageError


def path_of(text: str | None) -> str:
    """The path in ZooKeeper's form; UsageError."""
    path = text or "/"
    if not path.startswith("/"):
        raise UsageError(f"{path}: a path begins with /")
    if "//" in path or "\0" in path or any(p in (".", "..") for p in path.split("/")):
        raise UsageError(f"{path}: no path that ZooKeeper knows")
    return path.rstrip("/") or "/"


def no_znode(path: str) -> PkoError:
    """There is nothing at ``path``."""
    why = ": ZooKeeper has nothing under this chroot" if path == "/" else ""
    return PkoError(f"Node does not exist: {path}{why}")


def ls(run: Run) -> Table:
    """The names of the children."""
    path = path_of(run.args.text("path"))
    with reader(run) as session:
        names = session.children([path])[0]
    if names is None:
        raise no_znode(path)
    base = path.rstrip("/")
    rows = [{"name": name, "path": f"{base}/{name}"} for name in names]
    return Table("znodes", (Column("name"), Column("path", wide=True)), rows)
