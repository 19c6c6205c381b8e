"""``pko zookeeper status``."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import Column, Table, numbers, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.zookeeper.process import zookeeper_of

COLUMNS = (
    Column("state"),
    Column("connect"),
    Column("pid", right=True),
    Column("mode"),
    *numbers("znodes", "connections"),
    Column("version"),
    Column("data_dir"),
)


def status(run: Run) -> Table:
    """One row about the ZooKeeper of a directory; exit code 4 if none runs or answers."""
    zookeeper = zookeeper_of(run.args)
    found = zookeeper.running()
    said = zookeeper.says() if found else None
    state = "stopped" if found is None else "silent" if said is None else "running"
    said = said or {}
    connect, pid = (zookeeper.connect, found["pid"]) if found else (None, None)
    znodes, connections = _number(said.get("Node count")), _number(said.get("Connections"))
    version = (said.get("Zookeeper version") or "").partition("-")[0] or None
    data_dir = zookeeper.settings["dataDir"]
    row = (state, connect, pid, said.get("Mode"), znodes, connections, version, data_dir)
    code = 0 if state == "running" else 4
    return Table("ZooKeeperStatus", COLUMNS, rows_of(COLUMNS, [row]), exit_code=code)


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None
