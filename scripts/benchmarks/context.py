"""What every group of rows gets: options, results, load processes, topics."""

from __future__ import annotations

import itertools
import json
import mmap
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from confluent_kafka.admin import AdminClient, NewTopic

from scripts.benchmarks.asking import BROKERS
from scripts.benchmarks.results import Results, Row
from scripts.benchmarks.targets import Target
from tests.support.process.process import Process

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / ".cache" / "bench"
_numbers = itertools.count(1)


class Measured(Protocol):
    """A broker or a cluster under a load; ``process`` is one whose log says what went wrong."""

    name: str

    @property
    def bootstrap(self) -> str: ...

    @property
    def process(self) -> Process: ...

    @property
    def processes(self) -> list[Process]: ...


@dataclass
class Bench:
    """Options and results of one run."""

    names: list[str]
    repeats: int
    quick: bool
    results: Results = field(default_factory=Results)

    def scaled(self, full: int, quick: int) -> int:
        """The size of a load."""
        return quick if self.quick else full

    def say(self, text: str) -> None:
        """Progress, to stderr."""
        print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)

    def add(self, row: Row, target: Measured, value: float) -> None:
        self.results.add(row, target.name, value)
        self.say(f"  {target.name:7} {row.name}: {value:,.{row.digits}f} {row.unit}")


def load(
    name: str, target: Measured, topic: str, module: str = "loads", **options: int
) -> dict[str, float]:
    """Run one generator of ``loads`` or another module in a process of its own, which knows the
    brokers' processes."""
    words = [f"{key}={value}" for key, value in options.items()]
    place = f"scripts.benchmarks.{module}"
    argv = [sys.executable, "-m", place, name, target.bootstrap, topic, *words]
    brokers = {BROKERS: ",".join(str(process.pid) for process in target.processes)}
    env = {**os.environ, **getattr(target, "client_env", {}), **brokers}
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, env=env)
    assert done.returncode == 0, f"{argv}\n{done.stderr}\n{target.process.log_tail()}"
    found: dict[str, float] = json.loads(done.stdout)
    return found


def warm_memory(size: int) -> None:
    """Have memory for ``size`` bytes of page cache at hand, for whoever writes next.

    A virtual machine may have given its free memory back to its host. To get it again takes several
    times as long as to write into it, and hits one broker or the other.
    """
    kind = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE
    mmap.mmap(-1, size * 5 // 4, kind).close()


def new_topic(target: Target, partitions: int = 1, name: str | None = None) -> str:
    """Create a topic, and wait until all its partitions have a leader."""
    name = name or f"bench-{next(_numbers)}"
    create_topics(target, [name], partitions)
    return name


def create_topics(target: Target, names: list[str], partitions: int) -> None:
    """Create topics, 100 a request, and wait until all their partitions have a leader."""
    admin = AdminClient(
        {"bootstrap.servers": target.bootstrap, "socket.timeout.ms": 300_000, "log_level": 0}
    )
    for at in range(0, len(names), 100):
        new = [NewTopic(n, partitions, 1) for n in names[at : at + 100]]
        made = admin.create_topics(new, operation_timeout=300, request_timeout=300)
        for future in made.values():
            future.result(300)
    wait_leaders(admin, names, partitions)


def wait_leaders(
    admin: AdminClient, names: list[str], partitions: int, seconds: float = 300
) -> None:
    """Until the metadata shows a leader for every partition of ``names``."""
    end = time.monotonic() + seconds
    wanted = set(names)
    while True:
        topics = admin.list_topics(timeout=60).topics
        ready = [
            n
            for n in wanted
            if n in topics
            and len(topics[n].partitions) == partitions
            and all(p.leader >= 0 for p in topics[n].partitions.values())
        ]
        wanted -= set(ready)
        if not wanted:
            return
        assert time.monotonic() < end, f"{len(wanted)} topics without leaders"
        time.sleep(0.02)


def delete_topic(target: Target, name: str) -> None:
    admin = AdminClient({"bootstrap.servers": target.bootstrap, "log_level": 0})
    admin.delete_topics([name])[name].result(60)
