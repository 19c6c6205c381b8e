"""``pko zookeeper start|stop|status``: the ZooKeeper of the PySpark wheel as a process."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.errors import PkoError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Run
    from pykafka_ops.local.zookeeper import ZooKeeper


def start(run: Run) -> int:
    """Run ZooKeeper until Ctrl-C or SIGTERM, or in the background with ``--daemon``."""
    args = run.args
    began = time.monotonic()
    zookeeper = _zookeeper(args, mortal=not args.has("daemon"))
    found = zookeeper.running()
    if found is not None:
        raise PkoError(
            f"ZooKeeper runs on {zookeeper.directory} already (pid {found['pid']}, "
            f"{zookeeper.connect})"
        )
    ended = threading.Event()
    if not args.has("daemon"):
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: ended.set())
    connect = zookeeper.start()
    took = round((time.monotonic() - began) * 1000)
    sys.stdout.write(f"zookeeper ready on {connect} in {took} ms\n")
    sys.stdout.flush()
    if args.has("daemon"):
        return 0
    while not ended.wait(0.1):
        if zookeeper.running() is None:
            raise PkoError(f"ZooKeeper ended by itself; see {zookeeper.log}")
    zookeeper.stop()
    return 0


def stop(run: Run) -> int:
    """Stop the ZooKeeper of a directory, and wait until it has."""
    zookeeper = _zookeeper(run.args)
    pid = zookeeper.stop()
    if pid is None:
        raise PkoError(f"no ZooKeeper runs on {zookeeper.directory}")
    run.note(f"zookeeper (pid {pid}) stopped")
    return 0


def status(run: Run) -> Table:
    """One row about the ZooKeeper of a directory; exit code 4 if none runs or answers."""
    zookeeper = _zookeeper(run.args)
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


def _zookeeper(args: Args, *, mortal: bool = False) -> ZooKeeper:
    """From the properties file, then --data-dir and --port on top; ``KAFKA_OPTS`` are its JVM's,
    as with Kafka's script."""
    from pykafka_ops.local.zookeeper import ZooKeeper, read_settings
    from pykafka_ops.security.java import jvm_options

    path = args.text("zookeeper-file")
    settings = read_settings(path) if path is not None else {}
    if path is not None:
        settings.setdefault("clientPortAddress", "0.0.0.0")
    port = args.text("port")
    if port is not None:
        if not (port.isascii() and port.isdigit() and int(port) < 65536):
            raise UsageError(f"--port {port}: a number from 0 (a free one) to 65535")
        settings["clientPort"] = port
    given = args.text("data-dir")
    if given is not None:
        settings["dataDir"] = str(Path(given).absolute())
    directory = settings.get("dataDir") or _default_dir()
    settings["dataDir"] = str(Path(directory).absolute())
    options = jvm_options(os.environ)
    return ZooKeeper(Path(directory), settings, mortal=mortal, options=options)


def _default_dir() -> str:
    base = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(base, "pko", "zookeeper")
