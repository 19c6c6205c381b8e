"""Spark's settings for ``pko``: for a quick and quiet session that shares nothing. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.master import is_local, is_simulated, is_standalone, standalone_hosts

MIB = 1 << 20
LOOPBACK = ("127.0.0.1", "localhost", "::1")
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
SHUFFLE = "spark.sql.shuffle.partitions"

SQL = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.python.filterPushdown.enabled": "true",
    "spark.sql.adaptive.enabled": "true",
}
"""Settings that the sources and reports rely on."""

_REMEMBERED = {
    "spark.ui.retainedJobs": "50",
    "spark.ui.retainedStages": "50",
    "spark.ui.retainedTasks": "1000",
    "spark.sql.ui.retainedExecutions": "5",
}
"""Of what was done Spark keeps ten to a hundred times as much for a page that is not served: plans
of a report's queries take megabytes."""

_STORES = {
    "spark.hadoop.fs.s3a.attempts.maximum": "3",
    "spark.hadoop.fs.s3a.retry.limit": "4",
}
"""How often Hadoop's file system for S3 asks again where nobody answers: by itself it gives up
after minutes, so after half a minute. A store that is busy is asked more often than that."""

_LONG_PATH = 60
"""A socket's path may have 107 bytes, Spark's part of it some 40. Such sockets to the Python
workers take a fifth less processor time for records of 1 KB than those of the network."""

BRIEF = {JAVA_OPTIONS: "-XX:TieredStopAtLevel=1"}
"""For little work: a third less processor time for a report of a second's worth of data, since
most of it goes into compiling Spark itself; for much work the better code pays."""


def driver_memory(machine: int) -> str:
    """The driver's heap for a machine with ``machine`` bytes of memory: a quarter, 512m to 4g."""
    return f"{min(max(machine // 4 // MIB, 512), 4096)}m"


def pairs(words: Iterable[str]) -> dict[str, str]:
    """``--conf KEY=VALUE``; UsageError for what is none."""
    found = {}
    for word in words:
        key, eq, value = word.partition("=")
        if not eq or not key.strip():
            raise UsageError(f"--conf {word}: write KEY=VALUE")
        found[key.strip()] = value
    return found


def base(
    master: str, cores: int, memory: str, directory: str, *, light: bool = False
) -> dict[str, str]:
    """Settings of a session; ``cores`` is what a local one runs on, ``directory`` its own.

    A catalog in memory leaves Hive's and Derby's classes alone; as many shuffle partitions as
    cores keep small reports from hundreds of empty tasks; parallel collection without the region
    bookkeeping of G1 is the cheapest on few cores. Where a ``light`` session leaves Java little to
    do, collection by one thread takes as long and a quarter less memory.
    """
    collector = "Serial" if light else "Parallel"
    conf = {
        "spark.app.name": "pko",
        "spark.master": master,
        "spark.submit.deployMode": "client",
        "spark.driver.memory": memory,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **_REMEMBERED,
        **_STORES,
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": f"file:{directory}/warehouse",
        **SQL,
        "spark.python.worker.faulthandler.enabled": "true",
        JAVA_OPTIONS: f"-Dlog4j2.configurationFile=file:{directory}/log4j2.properties"
        f" -Djava.io.tmpdir={directory} -XX:+Use{collector}GC -XX:-UsePerfData",
    }
    if is_local(master):
        conf |= {
            "spark.local.dir": directory,
            SHUFFLE: str(cores),
            # What a task reads behind a shuffle, packed: all of them share one heap.
            "spark.sql.adaptive.advisoryPartitionSizeInBytes": "16m",
            "spark.driver.host": LOOPBACK[0],
            "spark.driver.bindAddress": LOOPBACK[0],
        }
        if len(directory) < _LONG_PATH:
            conf["spark.python.unix.domain.socket.enabled"] = "true"
    elif is_simulated(master) or (
        is_standalone(master) and standalone_hosts(master)[0][0] in LOOPBACK
    ):
        conf["spark.driver.host"] = LOOPBACK[0]
    return conf


def shuffle(parallelism: int) -> int:
    """Shuffle partitions for that many tasks at a time: Spark's 200 are mostly empty on few cores,
    and each starts a Python task."""
    return min(max(2 * parallelism, 8), 200)


def merged(ours: Mapping[str, str], theirs: Mapping[str, str]) -> dict[str, str]:
    """``theirs`` wins, but options of the driver's Java add up."""
    made = {**ours, **theirs}
    if JAVA_OPTIONS in ours and JAVA_OPTIONS in theirs:
        made[JAVA_OPTIONS] = f"{ours[JAVA_OPTIONS]} {theirs[JAVA_OPTIONS]}"
    return made


def log4j(level: str) -> str:
    """A log4j2 configuration that writes ``level`` and worse to stderr."""
    return (
        f"rootLogger.level = {level}\n"
        "rootLogger.appenderRef.stderr.ref = stderr\n"
        "appender.stderr.type = Console\n"
        "appender.stderr.name = stderr\n"
        "appender.stderr.target = SYSTEM_ERR\n"
        "appender.stderr.layout.type = PatternLayout\n"
        "appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex\n"
    )
