"""A mirror between two brokers as a process, and what arrived."""

from __future__ import annotations

import json
import re
import signal
import threading
import time
import urllib.request
from collections import Counter
from pathlib import Path
from subprocess import Popen
from typing import Any

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.fetch import committed_from, end_of, fetch
from pykafka_ops.client.offsets import EARLIEST, LATEST, known_offsets
from pykafka_ops.client.produce import produce
from pykafka_ops.client.topics import describe_topics
from pykafka_ops.disk.build import build_plain
from pykafka_ops.errors import PkoError
from tests.support.process.console import pko, start
from tests.support.waiting import PATIENCE, wait_for

SOON = 'topics-every = "500ms"\nconfigs-every = "1s"\n'


def mirror_file(path: Path, source: str, target: str, *more: str, alias: str = "a") -> Path:
    """``mirror.toml`` with a link from ``alias`` to b between these bootstrap servers; ``more`` are
    its lines."""
    text = f'[cluster.{alias}]\nbootstrap-server = "{source}"\n'
    text += f'[cluster.b]\nbootstrap-server = "{target}"\n'
    text += f'[[link]]\nfrom = "{alias}"\nto = "b"\n' + SOON + "".join(f"{m}\n" for m in more)
    path.write_text('listen = "127.0.0.1:0"\n' + text)
    return path


class MirrorProcess:
    """``pko mirror run``; ``lines`` is what it has said."""

    def __init__(self, file: Path, *words: str) -> None:
        self.process: Popen[bytes] = start("mirror", "run", str(file), *words)
        self.lines: list[str] = []
        self.url = ""
        self._ready = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._ready.wait(PATIENCE) and self.url, self.lines

    def _read(self) -> None:
        assert self.process.stderr is not None
        for raw in self.process.stderr:
            line = raw.decode(errors="replace").rstrip()
            self.lines.append(line)
            if found := re.search(r"(http://[\d.]+:\d+)/status", line):
                self.url = found[1]
                self._ready.set()
        self._ready.set()

    def get(self, path: str) -> str:
        """The body of a good answer."""
        with urllib.request.urlopen(self.url + path, timeout=PATIENCE) as answer:
            return str(answer.read().decode())

    def link(self, name: str = "a->b") -> Any:
        """What /status says of a link."""
        links = json.loads(self.get("/status"))["links"]
        return next(link for link in links if link["link"] == name)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Its exit code after a signal."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        return code


def client(bootstrap: str) -> Cluster:
    """A client of that broker."""
    return Cluster(ClientConfig.of({"bootstrap.servers": bootstrap}))


def partitions(cluster: Cluster, topic: str) -> int:
    """How many a topic has; 0: there is none."""
    found = describe_topics(cluster, [topic])[topic]
    return 0 if isinstance(found, PkoError) else len(found.partitions)


def write_numbers(cluster: Cluster, topic: str, numbers: range, parts: int) -> None:
    """A record for each number, spread over the partitions, a batch for each partition; of now, so
    that no retention deletes it."""
    batches = {}
    for n in range(parts):
        mine = [(b"k%d" % i, b"%d" % i) for i in numbers if i % parts == n]
        if mine:
            batches[topic, n] = build_plain(mine, time.time_ns() // 1_000_000)
    for place, answer in produce(cluster, batches).items():
        assert isinstance(answer, int), (place, answer)


def numbers_in(cluster: Cluster, topic: str) -> Counter[int]:
    """How often each number is in a topic, read committed."""
    found: Counter[int] = Counter()
    places = [(topic, n) for n in range(partitions(cluster, topic))]
    ends = known_offsets(cluster, places, LATEST)
    at = {p: o.offset for p, o in known_offsets(cluster, places, EARLIEST).items()}
    while wanted := {p: o for p, o in at.items() if o < ends[p].offset}:
        moved = False
        for place, answer in fetch(cluster, wanted, read_committed=True).items():
            assert not isinstance(answer, PkoError), answer
            records = committed_from(answer.records, at[place], answer.aborted)
            found.update(int(r.value or b"-1") for r in records)
            end = end_of(answer.records, at[place])
            moved, at[place] = moved or end > at[place], end
        if not moved:
            break
    return found


def status_rows(file: Path, *words: str) -> list[dict[str, Any]]:
    """Items of ``pko mirror status -o json``."""
    done = pko("mirror", "status", str(file), "-o", "json", *words)
    assert done.returncode == 0, done.stderr
    rows: list[dict[str, Any]] = json.loads(done.stdout)["items"]
    return rows


def arrived(cluster: Cluster, topic: str, numbers: range) -> None:
    """Wait until all numbers are there, each once."""
    wait_for(
        lambda: partitions(cluster, topic) and numbers_in(cluster, topic).keys() >= set(numbers),
        what=f"all records are in {topic}",
        poll=0.2,
    )
    found = numbers_in(cluster, topic)
    assert {n: count for n, count in found.items() if count > 1} == {}
    assert found.keys() == set(numbers)
