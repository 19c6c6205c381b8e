"""``pko cluster start|stop|ps|kill``: a ZooKeeper and N brokers as processes of one directory."""

from __future__ import annotations

import os
import shlex
import time
from pathlib import Path

from pykafka_ops.commands.framework.output import Column, Table, counted
from pykafka_ops.errors import PkoError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pykafka_ops.commands.framework.args import Args
    from pykafka_ops.commands.framework.run import Run
    from pykafka_ops.local.cluster import LocalCluster
    from pykafka_ops.local.process import LocalProcess


def start(run: Run) -> Table:
    """Start what does not run of it, and wait until all know each other."""
    from pykafka_ops.local.cluster import LocalCluster

    began = time.monotonic()
    cluster = LocalCluster(_directory(run.args), run.args.number("brokers"), _settings(run.args))
    before = sum(state["state"] == "running" for state in _states(cluster))
    ports = {broker.what: broker.port for broker in cluster.brokers}
    try:
        cluster.start()
    except KeyboardInterrupt:
        run.note(f"what was started goes on; {_command('stop', cluster)} ends it")
        raise
    took = time.monotonic() - began
    ready = "runs already" if before == len(cluster.brokers) + 1 else f"ready in {took:.1f} s"
    return _table(
        cluster,
        notes=[
            *_moved(cluster, ports),
            f"{counted(cluster.brokers, 'broker')} and ZooKeeper in {cluster.directory}: {ready}",
            f"export PKO_BOOTSTRAP_SERVER={cluster.bootstrap_servers}",
        ],
    )


def _moved(cluster: LocalCluster, ports: Mapping[str, int]) -> list[str]:
    """A line for each broker whose address of before was taken."""
    return [
        f"{broker.what}: port {ports[broker.what]} is taken, it listens on {broker.port} now"
        for broker in cluster.brokers
        if ports[broker.what] not in (0, broker.port)
    ]


def stop(run: Run) -> int:
    """Stop the brokers one after the other, then ZooKeeper; or one broker alone."""
    cluster = _existing(run.args)
    number = run.args.number("id")
    if number is not None:
        broker = cluster.broker(number)
        if broker.stop() is None:
            raise PkoError(f"broker {number} of {cluster.directory} does not run")
        run.note(f"broker {number} stopped")
        return 0
    stopped = cluster.stop()
    if not stopped:
        raise PkoError(f"nothing runs in {cluster.directory}")
    run.note(f"{stopped} process{'' if stopped == 1 else 'es'} in {cluster.directory} stopped")
    return 0


def processes(run: Run) -> Table:
    """A row for each process; exit code 4 unless all run."""
    return _table(_existing(run.args))


def kill(run: Run) -> int:
    """kill -9 of one broker, to see what the others and the clients do."""
    cluster = _existing(run.args)
    number = run.args.number("id")
    broker = cluster.broker(-1 if number is None else number)
    if broker.pid is None:
        raise PkoError(f"broker {number} of {cluster.directory} does not run")
    broker.kill()
    run.note(f"broker {number} killed; {_command('start', cluster)} starts it again")
    return 0


# --- what there is -------------------------------------------------------------------------------


def _directory(args: Args) -> Path:
    given = args.text("dir")
    if given is None:
        base = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
        given = os.path.join(base, "pko", "cluster")
    return Path(given).absolute()


def _existing(args: Args) -> LocalCluster:
    from pykafka_ops.local.cluster import LocalCluster

    cluster = LocalCluster(_directory(args))
    if not cluster.exists:
        raise UsageError(
            f"no cluster in {cluster.directory}: start one with {_command('start', cluster)}"
        )
    return cluster


def _command(verb: str, cluster: LocalCluster) -> str:
    """To be copied into a shell."""
    return f"pko cluster {verb} --dir {shlex.quote(str(cluster.directory))}"


def _settings(args: Args) -> dict[str, str]:
    found = {}
    for item in args.texts("override"):
        key, equals, value = item.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--override {item}: write it as key=value")
        found[key.strip()] = value.strip()
    return found


def _states(cluster: LocalCluster) -> list[dict[str, object]]:
    zookeeper = cluster.zookeeper
    runs = zookeeper.pid is not None
    rows = [_state("zookeeper", zookeeper, zookeeper.connect if runs else None, ready=runs)]
    for broker in cluster.brokers:
        ready = broker.is_ready
        address = broker.bootstrap_servers if ready else None
        rows.append(_state(broker.what, broker, address, ready=ready))
    return rows


def _state(name: str, part: LocalProcess, address: str | None, *, ready: bool) -> dict[str, object]:
    pid = part.pid
    return {
        "process": name,
        "state": "stopped" if pid is None else "running" if ready else "starting",
        "pid": pid,
        "address": address,
        "log": str(part.log),
    }


def _table(cluster: LocalCluster, notes: list[str] | None = None) -> Table:
    rows = _states(cluster)
    for row in rows:
        row["bootstrap_servers"] = cluster.bootstrap_servers
    running = all(row["state"] == "running" for row in rows)
    document = {
        "dir": str(cluster.directory),
        "state": "running" if running else "incomplete" if _any_runs(rows) else "stopped",
        "bootstrap_servers": cluster.bootstrap_servers,
        "zookeeper_connect": rows[0]["address"],
        "processes": [{k: v for k, v in r.items() if k != "bootstrap_servers"} for r in rows],
    }
    return Table(
        "LocalCluster",
        [
            Column("process"),
            Column("state", bad=lambda state: state != "running"),
            Column("pid", right=True),
            Column("address"),
            Column("log", wide=True),
        ],
        rows,
        items=[document],
        name="bootstrap_servers",
        notes=notes or (),
        exit_code=0 if running else 4,
    )


def _any_runs(rows: list[dict[str, object]]) -> bool:
    return any(row["pid"] is not None for row in rows)
