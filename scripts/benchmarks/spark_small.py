"""Reports on the data of ``pko spark demo``, by each engine in turns, as a person runs them.

python -m scripts.benchmarks.spark_small [--repeats N] [--engines local spark ...] [REPORT ...]

``planned`` is Spark that plans queries for everything (``--conf`` has it do so). Prints the least
of seconds and of processor seconds of all processes, and the most memory of them together, by
report and engine; each run is a process of its own, its start included.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scripts.benchmarks.spark_scale import children

REPORTS = ("lag", "skew", "retention", "all")
ENGINES = {
    "local": ("--engine", "local"),
    "spark": ("--engine", "spark"),
    "planned": ("--engine", "spark", "--conf", "spark.app.name=pko"),
}
PKO = (sys.executable, "-m", "pykafka_ops", "spark")


def measured(words: list[str]) -> tuple[float, float, int]:
    """Seconds, processor seconds, and MB of one command and all below it; fails where it does.

    Processes are looked at one by one: what Spark's Python workers spend nobody waits for, so that
    no parent is told of it.
    """
    begin, most = time.monotonic(), 0
    spent: dict[int, int] = {}
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            every = (process.pid, *children(process.pid))
            spent |= {pid: ticks for pid in every if (ticks := processor_ticks(pid))}
            most = max(most, sum(map(resident, every)))
            time.sleep(0.1)
    assert process.returncode == 0, (process.returncode, words)
    busy = sum(spent.values()) / os.sysconf("SC_CLK_TCK")
    return time.monotonic() - begin, busy, most


def processor_ticks(pid: int) -> int:
    """Of one process without its children; 0 once it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(map(int, fields[11:13]))


def resident(pid: int) -> int:
    """MB of one process; 0 once it is gone."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") >> 20


def arguments() -> argparse.Namespace:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("reports", nargs="*", metavar="REPORT", help=f"of {', '.join(REPORTS)}")
    asked.add_argument("--repeats", type=int, default=3)
    asked.add_argument("--engines", nargs="+", choices=ENGINES, default=["local", "spark"])
    return asked.parse_args()


def main() -> None:
    asked = arguments()
    reports = asked.reports or REPORTS
    found: dict[tuple[str, str], list[tuple[float, float, int]]] = {}
    with tempfile.TemporaryDirectory(prefix="pko-small-") as directory:
        kept = Path(directory, "demo")
        subprocess.run([*PKO, "demo", "--keep", kept], stdout=subprocess.DEVNULL, check=True)
        for _ in range(asked.repeats):
            for report in reports:
                for engine in asked.engines:
                    words = [*PKO, report, str(kept / "kafka-logs"), "-o", "json"]
                    words += ["--html", str(Path(directory, "page.html")), *ENGINES[engine]]
                    found.setdefault((report, engine), []).append(measured(words))
    print("| report | engine | seconds | processor seconds | MB |\n|---|---|--:|--:|--:|")
    for (report, engine), runs in found.items():
        seconds, busy, most = zip(*runs, strict=True)
        print(f"| `{report}` | {engine} | {min(seconds):.1f} | {min(busy):.1f} | {max(most)} |")


if __name__ == "__main__":
    main()
