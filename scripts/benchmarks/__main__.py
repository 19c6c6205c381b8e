"""Measure our broker and commands beside Apache Kafka's, in one run.

Both are started by this run on this machine and measured in turns; a cell is the median of the
repeats with the smallest and largest in brackets; the ratio is ours / Apache Kafka's.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import signal
import sys
from pathlib import Path

from confluent_kafka import KafkaException

from scripts.benchmarks import (
    audit,
    cleaner,
    clusters,
    commands,
    compressed,
    coordinators,
    groups,
    life,
    mirror,
    monitor,
    monitor_pages,
    quotas,
    recovery,
    security,
    serving,
    small,
    small_cluster,
    spark,
)
from scripts.benchmarks.context import WORK, Bench
from scripts.benchmarks.results import APACHE, OURS
from scripts.benchmarks.targets import usable

GROUPS = {
    "throughput": serving.throughput,
    "latency": serving.latency,
    "small": small.small,
    "small-cluster": small_cluster.small_cluster,
    "compressed": compressed.compressed,
    "quotas": quotas.quotas,
    "security": security.security,
    "start": life.start,
    "partitions": life.partitions,
    "recovery": recovery.recovery,
    "cleaner": cleaner.cleaner,
    "groups": groups.groups,
    "coordinators": coordinators.coordinators,
    "cluster": clusters.cluster,
    "monitor": monitor.monitor,
    "pages": monitor_pages.pages,
    "mirror": mirror.mirror,
    "commands": commands.commands,
    "dump": commands.dump,
    "audit": audit.audit,
    "spark": spark.spark,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "groups", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)} (default: all)"
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the load, one repeat")
    parser.add_argument("--repeats", type=int, metavar="N", help="repeats of each row (default: 3)")
    parser.add_argument("--only", choices=(OURS, APACHE), help="measure one of the two")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every sample there")
    options = parser.parse_args()
    if unknown := [g for g in options.groups if g not in GROUPS]:
        parser.error(f"no group {unknown[0]}: choose from {', '.join(GROUPS)}")
    return options


def machine() -> dict[str, object]:
    """Where the numbers are from."""
    model = "unknown"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "memory_gb": round(memory / 1e9, 1),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "load_average_at_start": round(os.getloadavg()[0], 2),
    }


def main() -> int:
    options = arguments()
    names, notes = usable([options.only] if options.only else [APACHE, OURS])
    bench = Bench(names, options.repeats or (1 if options.quick else 3), options.quick)
    bench.results.notes += notes
    where = machine()
    WORK.mkdir(parents=True, exist_ok=True)
    failed = False
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for name in options.groups or GROUPS:
        bench.say(name)
        try:
            GROUPS[name](bench)
        except KeyboardInterrupt:
            failed = True
            bench.results.notes.append(f"interrupted during {name}")
            break
        except (AssertionError, OSError, KafkaException) as error:
            failed = True
            bench.results.notes.append(f"{name}: stopped by {repr(error)[:200]}")
            bench.say(f"  {error}")
    shutil.rmtree(WORK, ignore_errors=True)
    print(", ".join(f"{key} {value}" for key, value in where.items()))
    print(bench.results.table())
    if options.json:
        bench.results.write(options.json, where)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
