"""Makes the demo's cluster and runs the reports on it, as a person would by hand."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.errors import PkoError, StorageError
from pykafka_ops.local.broker import RECORD, LocalBroker
from pykafka_ops.spark.demo.commits import commit
from pykafka_ops.spark.demo.plan import BROKER, GROUPS, TOPICS
from pykafka_ops.spark.demo.producing import create, write

STEP = 600
"""Seconds. Data made for such a moment always lies alike in the windows of the reports."""
PATIENCE = 30.0
"""Seconds the broker may take to start, and to stop."""


@dataclass(frozen=True, slots=True)
class Made:
    """What there is at ``now`` (ms): records, offsets, bytes on disk; seconds it took."""

    now: int
    records: int
    offsets: int
    size: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{len(TOPICS)} topics with {self.records:,} records of the past days,"
            f" {len(GROUPS)} groups with {self.offsets:,} commits,"
            f" {self.size / 1024**2:.0f} MiB, in {self.seconds:.0f} s"
        )


class _DemoBroker(LocalBroker):
    @property
    def data_dir(self) -> Path:
        """Named as people name it."""
        return self.directory / "kafka-logs"


def fill(directory: Path, servers: str, said: Callable[[str], None]) -> Made:
    """Create, produce and commit what ``plan`` says. Raises PkoError."""
    began = time.monotonic()
    now = int(time.time()) // STEP * STEP * 1000
    cluster = Cluster(ClientConfig.of({"bootstrap.servers": servers}))
    try:
        create(cluster)
        written = {t.name: write(servers, t, now, said) for t in TOPICS}
        offsets = commit(cluster, written, now, said)
    finally:
        cluster.close()
    size = sum(f.stat().st_blocks * 512 for f in directory.rglob("*") if f.is_file())
    return Made(now, sum(t.records for t in TOPICS), offsets, size, time.monotonic() - began)


def command(servers: str, logs: Path, page: Path, now: int, options: Sequence[str]) -> list[str]:
    """The reports' command line, without the program: as of ``now``, however long all took."""
    topics = ",".join(t.name for t in TOPICS)
    moment = datetime.fromtimestamp(now / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return ["spark", "all", "-b", servers, "--log-dirs", str(logs), "--since", "-2d",
            "--now", moment, "--topic", topics, "--html", str(page), "--yes",
            *options]  # fmt: skip


def run(
    logs: Path,
    page: Path,
    options: Sequence[str],
    said: Callable[[str], None],
    shown: Callable[[str], None],
) -> int:
    """The whole demo: a broker on ``logs``, which must not exist, and the reports as ``page``.

    Returns the reports' exit code. ``options`` are passed to them, ``said`` is called with what is
    being done, ``shown`` with what is worth reading afterwards. Raises PkoError, StorageError.
    """
    try:
        logs.mkdir(parents=True)
    except FileExistsError:
        raise StorageError(f"{logs} is there already: take another directory") from None
    except OSError as e:
        raise StorageError(f"cannot make {logs}: {e.strerror}") from None
    said("starting a broker")
    broker = _DemoBroker(logs.parent, BROKER)
    try:
        broker.start(PATIENCE)
        made = fill(logs, broker.bootstrap_servers, said)
        shown(str(made))
        words = command(broker.bootstrap_servers, logs, page, made.now, options)
        shown(f"$ pko {shlex.join(words)}")
        argv = [sys.executable, "-m", "pykafka_ops", *words]
        return subprocess.run(argv, env=environment(os.environ), check=False).returncode
    finally:
        with contextlib.suppress(PkoError):
            broker.stop(PATIENCE)
        broker.kill()
        (logs.parent / RECORD).unlink(missing_ok=True)


def environment(env: Mapping[str, str]) -> dict[str, str]:
    """That of the reports: what a person has set for a cluster of theirs is not for this one."""
    return {name: value for name, value in env.items() if not name.startswith("PKO_")}
