"""Reads of topics through Spark, in a process of its own; prints one JSON object.

python -m scripts.benchmarks.spark_loads BOOTSTRAP DATA_DIR CORES JARS REPEATS TOPIC...

For each topic and way (``kafka``: Spark's own source; ``records``, ``batches``: ours) the seconds
on the clock and of processor time (this process, the JVM, the Python workers), per repeat; a read
before is not counted. All columns are made and thrown away.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pykafka_ops.spark.session import SessionOptions, close, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(root: int) -> float:
    """User and system time of a process, of all below it, and of those that ended there."""
    children: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue
        fields = text.rpartition(")")[2].split()
        number = int(path.parent.name)
        children.setdefault(int(fields[1]), []).append(number)
        ticks[number] = sum(map(int, fields[11:15]))
    total, open_ = 0, [root]
    while open_:
        number = open_.pop()
        total += ticks.get(number, 0)
        open_ += children.get(number, ())
    return total / _TICKS


def measure(spark: SparkSession, kind: str, options: dict[str, str]) -> tuple[float, float]:
    """(seconds, processor seconds) of one read."""
    before, begin = processor_seconds(os.getpid()), time.monotonic()
    frame = spark.read.format(kind).options(**options).load()
    frame.write.format("noop").mode("overwrite").save()
    return time.monotonic() - begin, processor_seconds(os.getpid()) - before


def main() -> None:
    bootstrap, data, cores, jars, repeats, *topics = sys.argv[1:]
    spark = session(
        SessionOptions(
            master=f"local[{cores}]", driver_memory="2g", conf={"spark.jars": jars} if jars else {}
        )
    )
    ways = {
        "kafka": ("kafka", {"kafka.bootstrap.servers": bootstrap}),
        "records": ("kafka-log", {"path": data, "mode": "records"}),
        "batches": ("kafka-log", {"path": data}),
    }
    if not jars:
        del ways["kafka"]
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    try:
        for topic in topics:
            for _ in range(int(repeats) + 1):  # the first is not counted
                for way, (kind, options) in ways.items():
                    seconds = measure(spark, kind, {**options, "subscribe": topic})
                    found.setdefault(topic, {}).setdefault(way, []).append(seconds)
    finally:
        close(spark)
    print(json.dumps({t: {w: s[1:] for w, s in by.items()} for t, by in found.items()}))


if __name__ == "__main__":
    main()
