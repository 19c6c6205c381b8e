"""``pko zookeeper status``."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.zookeeper.process import zookeeper_of


def status(run: Run) -> Table:
    """One row about the ZooKeeper of a directory; exit code 4 if none runs or answers."""
    zookeeper = zookeeper_of(run.args)
    found = zookeeper.running()
    said = zookeeper.says() if found else None
    state = "stopped" if found is None else "silent" if said is None else "running"
    said = said or {}
    row = {
        "state": state,
        "connect": zookeeper.connect if found else None,
        "pid": found["pid"] if found else None,
        "mode": said.get("Mode"),
        "znodes": _number(said.get("Node count")),
        "connections": _number(said.get("Connections")),
        "version": (said.get("Zookeeper version") or "").partition("-")[0] or None,
        "data_dir": zookeeper.settings["dataDir"],
    }
    return Table(
        "ZooKeeperStatus",
        [
            Column("state"),
            Column("connect"),
            Column("pid", right=True),
            Column("mode"),
            Column("znodes", right=True),
            Column("connections", right=True),
            Column("version"),
            Column("data_dir", "DATA-DIR"),
        ],
        [row],
        exit_code=0 if state == "running" else 4,
    )


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None
