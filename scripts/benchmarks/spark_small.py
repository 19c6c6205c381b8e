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
from pathlib import Path

from scripts.benchmarks.spark_cluster import ran

REPORTS = ("lag", "skew", "retention", "all")
ENGINES = {
    "local": ("--engine", "local"),
    "spark": ("--engine", "spark"),
    "planned": ("--engine", "spark", "--conf", "spark.app.name=pko"),
}
PKO = (sys.executable, "-m", "pykafka_ops", "spark")


def measured(words: list[str]) -> tuple[float, float, int]:
    """Seconds, processor seconds, and MB of one command and all below it; fails where it does."""
    with open(os.devnull, "w") as out:
        code, seconds, watched = ran(words, out, every=0.1)
    assert code == 0, (code, words)
    return seconds, watched.seconds()["all"], watched.mb["all"]


def arguments() -> argparse.Namespace:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("reports", nargs="*", metavar="REPORT", help=f"of {', '.join(REPORTS)}")
    asked.add_argument("--repeats", type=int, default=3)
    asked.add_argument("--engines", nargs="+", choices=ENGINES, default=["local", "spark"])
    return asked.parse_args()


def main() -> None:
    asked = arguments()
    reports = asked.reports or REPORTS
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # `pip install` leaves bytecode, too
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
