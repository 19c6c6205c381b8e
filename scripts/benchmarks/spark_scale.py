"""The lag report over metadata of a cluster nobody has here: how time and memory grow.

    .venv/bin/python -m scripts.benchmarks.spark_scale --partitions 100000 --groups 10000

Every figure that goes in follows from its number, so what comes out is checked. Memory is the
most that was resident: of the driver's Python, of the JVM (driver and, on local cores, executors),
and of the Python workers together.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.lag.report import build
from pykafka_ops.spark.reports.lag.span import ReportSpan
from pykafka_ops.spark.session import SessionOptions, close, session
from tests.support.spark.given import FrameInputs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PER_TOPIC = 10
NOW = 1_800_000_000_000
STEP_MS = 30_000
"""Between two commits of a group."""
LAGS = 1000
"""A pair's lag is its number modulo this."""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/benchmarks/spark_scale", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--partitions", type=int, default=100_000)
    parser.add_argument("--groups", type=int, default=10_000)
    parser.add_argument("--readers", type=int, default=1, help="groups that read each partition")
    parser.add_argument("--commits", type=int, default=20, help="commits of each pair")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--driver-memory", default="2g")
    return parser.parse_args()


def inputs(spark: SparkSession, asked: argparse.Namespace) -> FrameInputs:
    """Frames made where they are read; a record a second and a partition, all groups alive."""
    place = (
        f"concat('topic-', id div {PER_TOPIC}) topic",
        f"cast(id % {PER_TOPIC} as int) partition",
    )
    every = spark.range(asked.partitions)
    partitions = every.selectExpr(
        *place, "1 leader", "array(1, 2, 3) replicas", "array(1, 2, 3) isr",
        "cast(0 as bigint) start_offset", "1000000 + id end_offset",
        f"timestamp_millis({NOW}) max_timestamp",
    )  # fmt: skip
    pairs = spark.range(asked.partitions * asked.readers).selectExpr(
        f"id % {asked.partitions} id", f"id div {asked.partitions} reader", f"id % {LAGS} lag"
    )
    pairs = pairs.selectExpr(
        f"concat('group-', (id div {PER_TOPIC} + reader * {asked.groups // asked.readers})"
        f" % {asked.groups}) group",
        *place, "1000000 + id - lag offset",
    )  # fmt: skip
    committed = pairs.selectExpr("*", "0 leader_epoch", "'' metadata")
    steps = spark.range(asked.commits).selectExpr("id step")
    back = f"({asked.commits} - step)"
    commits = pairs.crossJoin(steps).selectExpr(
        "group", "topic", "partition", f"offset - ({back} - 1) * 30 offset", "0 leader_epoch",
        "'' metadata", f"timestamp_millis({NOW} - {back} * {STEP_MS}) commit_timestamp",
        "cast(null as timestamp) expire_timestamp", "false tombstone", "0 log_partition",
        "step log_offset",
    )  # fmt: skip
    groups = pairs.selectExpr(
        "group", "'Stable' state", "'member' member", "'client' client_id", "'/10.0.0.1' host",
        "topic", "partition",
    )  # fmt: skip
    return FrameInputs(
        spark, now=NOW, partitions=partitions, committed=committed, commits=commits, groups=groups,
        ends=_ends(spark, every, place), times=_times(pairs),
    )  # fmt: skip


def _ends(spark: SparkSession, every: DataFrame, place: tuple[str, ...]) -> DataFrame:
    asked = ReportSpan.of(NOW, None, None, None).asked
    moments = spark.createDataFrame([(m,) for m in asked], "at bigint")
    return every.crossJoin(moments).selectExpr(
        *place,
        "timestamp_millis(at) at",
        f"greatest(0, 1000000 + id - ({NOW} - at) div 1000) offset",
    )


def _times(pairs: DataFrame) -> DataFrame:
    return pairs.selectExpr(
        "topic", "partition", "offset", f"timestamp_millis({NOW} - 5000) timestamp"
    )


def most_resident(pid: int | str) -> int:
    """MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) // 1024
    return 0


def children(pid: int) -> list[int]:
    """All processes below ``pid``."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found += [int(path.parent.name), *children(int(path.parent.name))]
    return found


def cpu_seconds(pid: int) -> float:
    """Spent by ``pid``, by what it waited for, and by all processes below it."""
    ticks = 0
    for number in (pid, *children(pid)):
        try:
            fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def main() -> None:
    asked = arguments()
    begin = time.monotonic()
    spark = session(SessionOptions(cores=asked.cores, driver_memory=asked.driver_memory))
    try:
        started = time.monotonic()
        before = most_resident("self")
        cpu = cpu_seconds(os.getpid())
        report = build(inputs(spark, asked), ReportOptions())
        seconds = time.monotonic() - started
        cpu = cpu_seconds(os.getpid()) - cpu
        pairs = asked.partitions * asked.readers
        lag = sum(n % LAGS for n in range(pairs))
        assert report.summary["lag"] == lag, report.summary
        assert report.summary["partitions"] == pairs, report.summary
        assert report.summary["groups"] == asked.groups, report.summary
        found: dict[str, Any] = {
            **vars(asked),
            "pairs": pairs,
            "commit_rows": pairs * asked.commits,
            "session_seconds": round(started - begin, 1),
            "report_seconds": round(seconds, 1),
            "report_cpu_seconds": round(cpu, 1),
            "driver_python_before_mb": before,
            "driver_python_mb": most_resident("self"),
            "jvm_mb": max(map(most_resident, jvms()), default=0),
            "workers_mb": sum(map(most_resident, workers())),
            "load_average": round(os.getloadavg()[0], 1),
        }
        print(json.dumps(found))
    finally:
        close(spark)


def jvms() -> list[int]:
    return [p for p in children(os.getpid()) if Path(f"/proc/{p}/comm").read_text() == "java\n"]


def workers() -> list[int]:
    return [p for p in children(os.getpid()) if "python" in Path(f"/proc/{p}/comm").read_text()]


if __name__ == "__main__":
    main()
