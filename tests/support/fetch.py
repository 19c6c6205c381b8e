"""Fetch ahead what tests need: ``python -m tests.support.fetch``.

Each test would fetch it too, but in its own time, while others wait for it. What cannot be fetched
is named, and left to those tests.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial

from tests.support.go import go_kit
from tests.support.java import java_kit
from tests.support.node import node_kit
from tests.support.process import apache_kraft
from tests.support.spark import airflow_kit, connect_kit

Fetch = Callable[[], object]
LONGEST = 1500
"""Seconds: a server that does not answer must not keep all tests waiting."""
FAILS = (OSError, AssertionError, subprocess.SubprocessError, java_kit.JavaMissingError)


def java() -> Iterator[tuple[str, Fetch]]:
    """What Maven fetches, and another Spark."""
    for version in (java_kit.SERVER, apache_kraft.VERSION, apache_kraft.NEWEST):
        yield f"Apache Kafka {version}", partial(java_kit.server_classpath, version)
    for version in java_kit.CLIENTS:
        yield f"kafka-clients {version}", partial(java_kit.clients_classpath, version)
    for version in java_kit.STREAMS:
        yield f"kafka-streams {version}", partial(java_kit.streams_classpath, version)
    yield "MirrorMaker", java_kit.mirror_classpath
    yield "HDFS", lambda: java_kit.hadoop_classpath(java_kit.hadoop_of_spark())
    yield "S3A", lambda: java_kit.s3a_jars(java_kit.hadoop_of_spark())
    yield "Spark's Kafka connector", java_kit.connector_jars
    yield "Iceberg", java_kit.iceberg_jar
    yield "Spark for Iceberg", partial(java_kit.pyspark_of, java_kit.SPARK_OF_ICEBERG)


def wanted() -> Iterator[tuple[str, Fetch]]:
    """What can be had here, by name."""
    if java_kit.missing() is None:
        yield from java()
    yield "Airflow", partial(airflow_kit.python_of, airflow_kit.VERSIONS[0])
    yield "Spark Connect's client", connect_kit.modules
    if node_kit.missing() is None:
        yield "KafkaJS", node_kit.fetch
    if go_kit.missing() is None:
        for package in go_kit.PACKAGES:
            yield f"franz-go ({package})", partial(go_kit.built, package)


def main() -> None:
    """Fetch all, as far as there is time."""
    signal.alarm(LONGEST)
    for name, fetch in wanted():
        try:
            fetch()
        except FAILS as error:
            sys.stderr.write(f"{name} could not be fetched ahead: {error}\n")


if __name__ == "__main__":
    main()
