"""Reports on a cluster of any size whose figures follow from a rule: are they right, how long do
they take, and how much memory?

    scripts/spark_scale lag skew retention --partitions 1000 10000 100000 1000000

The cluster is one process that answers for all brokers (tests/support/by_rule), beside ``pko``. A
line of JSON for each run: seconds, seconds of processor time (of all, of each kind of process, and
of the cluster, which is not in that of all), and the most MB that were resident at a time: of the
driver's Python, of the JVM (driver and, on local cores, executors), of the Python workers together,
and of all of them; MB of the report in JSON and of its page. The exit code is 1
where a figure is not what the rule says.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from tests.support.by_rule import expected
from tests.support.by_rule.rules import ClusterRules
from tests.support.by_rule.server import RuledCluster, running

EVERY: Final = 0.5
"""Seconds between two looks at the memory of all processes."""
PER_GROUP: Final = 100
"""Partitions of a group."""
NOW: Final = 1_800_000_000_000
PATIENT: Final = "default.api.timeout.ms=600000\nrequest.timeout.ms=300000\n"
"""Of the client: one process answers for all brokers, one request after the other."""
SILENCE: Final = "5m"
"""How long that process may answer nothing, where the machine has other work."""
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_TICK: Final = os.sysconf("SC_CLK_TCK")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/spark_scale", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("reports", nargs="+", choices=sorted(expected.SUMMARIES))
    parser.add_argument("--partitions", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--brokers", type=int, default=1_000)
    add_engine(parser)
    return parser.parse_args()


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Options for what makes the reports; ``engine_words`` hands them on."""
    parser.add_argument("--engine", default="spark", choices=("auto", "local", "spark"))
    parser.add_argument("--driver-memory", default="1g")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--conf", action="append", default=[], metavar="KEY=VALUE",
                        help="of Spark, as of pko spark; again and again")  # fmt: skip


def engine_words(asked: argparse.Namespace) -> list[str]:
    """The same as words of ``pko spark``."""
    words = ["--engine", asked.engine]
    if asked.engine == "spark":
        words += ["--driver-memory", asked.driver_memory, "--cores", str(asked.cores)]
        words += [word for pair in asked.conf for word in ("--conf", pair)]
    return words


@dataclass(slots=True)
class Watched:
    """What ``pko`` and its children used: MB by kind of process, most at a time; processor time by
    kind and process, as last seen."""

    mb: dict[str, int] = field(default_factory=dict)
    cpu: dict[tuple[str, int], float] = field(default_factory=dict)

    def look(self, root: int) -> None:
        """Take in what is used now."""
        now: dict[str, int] = {}
        for pid, name, pages, seconds in processes(root):
            kind = "python" if pid == root else "jvm" if name == "java" else "workers"
            for key in (kind, "all"):
                now[key] = now.get(key, 0) + pages * _PAGE // (1 << 20)
            self.cpu[kind, pid] = max(seconds, self.cpu.get((kind, pid), 0.0))
        for kind, size in now.items():
            self.mb[kind] = max(size, self.mb.get(kind, 0))

    def seconds(self) -> dict[str, float]:
        """Of processor time, by kind of process and of all."""
        found = {"all": 0.0}
        for (kind, _), seconds in self.cpu.items():
            for key in (kind, "all"):
                found[key] = found.get(key, 0.0) + seconds
        return found


def processes(root: int) -> Iterator[tuple[int, str, int, float]]:
    """A process and all below it: id, name, resident pages, seconds of processor time."""
    children: dict[int, list[int]] = {}
    found: dict[int, tuple[str, int, float]] = {}
    for pid in [int(name) for name in os.listdir("/proc") if name.isdigit()]:
        try:
            head, _, rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
        except OSError:
            continue
        values = rest.split()
        children.setdefault(int(values[1]), []).append(pid)
        spent = (int(values[11]) + int(values[12])) / _TICK
        found[pid] = head.partition("(")[2], int(values[21]), spent
    left = [root]
    while left:
        pid = left.pop()
        if pid in found:
            yield pid, *found[pid]
        left += children.get(pid, [])


@contextmanager
def watching(root: int, every: float = EVERY) -> Iterator[Watched]:
    """Look at the processes again and again, in a thread."""
    watched, ended = Watched(), threading.Event()

    def watch() -> None:
        while not ended.wait(every):
            watched.look(root)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield watched
    finally:
        ended.set()
        thread.join()


def ran(argv: Sequence[str], out: IO[str], every: float = EVERY) -> tuple[int, float, Watched]:
    """Run a command, looked at after so many seconds each: its exit code, seconds, and what it
    used."""
    begin = time.monotonic()
    with subprocess.Popen(argv, stdout=out) as process, watching(process.pid, every) as watched:
        code = process.wait()
    return code, time.monotonic() - begin, watched


def spent(pid: int) -> float:
    """Seconds of processor time of a process and all below it."""
    return sum(seconds for *_, seconds in processes(pid))


def measured(
    kind: str, rules: ClusterRules, cluster: RuledCluster, asked: argparse.Namespace, patience: str
) -> bool:
    """Make a report and print what it took; whether its figures are right. ``patience`` is a file
    with the settings of the client."""
    with tempfile.TemporaryFile("w+") as out, tempfile.NamedTemporaryFile(suffix=".html") as page:
        argv = [sys.executable, "-m", "pykafka_ops", "spark", kind, "-b", cluster.address,
                "-o", "json", "--now", str(rules.now), "--command-config", patience,
                "--timeout", SILENCE, "--html", page.name,
                *engine_words(asked)]  # fmt: skip
        begin = spent(cluster.pid)
        code, seconds, watched = ran(argv, out)
        answering = spent(cluster.pid) - begin
        size = out.tell()
        page_size = Path(page.name).stat().st_size
        out.seek(0)
        summary: dict[str, Any] = json.load(out)["summary"] if code == 0 else {}
    wrong = expected.differences(summary, expected.SUMMARIES[kind](rules))
    line = {
        "report": kind, "engine": asked.engine, "brokers": rules.brokers,
        "partitions": rules.partitions, "groups": rules.groups, "code": code,
        "seconds": round(seconds, 1), "cpu_seconds": round(watched.seconds()["all"], 1),
        **{f"{name}_cpu": round(used, 1)
           for name, used in sorted(watched.seconds().items()) if name != "all"},
        "cluster_cpu": round(answering, 1),
        **{f"{name}_mb": mb for name, mb in sorted(watched.mb.items())},
        "json_mb": round(size / (1 << 20), 1), "page_mb": round(page_size / (1 << 20), 1),
        "load": round(os.getloadavg()[0], 1),
        "wrong": {k: [str(v) for v in pair] for k, pair in wrong.items()},
    }  # fmt: skip
    print(json.dumps(line), flush=True)
    return not wrong


def main() -> int:
    asked = arguments()
    right = True
    for partitions in asked.partitions:
        rules = ClusterRules(NOW, asked.brokers, partitions, groups=max(1, partitions // PER_GROUP))
        with running(rules) as cluster, tempfile.NamedTemporaryFile("w") as file:
            file.write(PATIENT)
            file.flush()
            for kind in asked.reports:
                right &= measured(kind, rules, cluster, asked, file.name)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
