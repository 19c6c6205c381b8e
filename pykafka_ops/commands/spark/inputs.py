"""What the reports read: a cluster, directories, or both."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pykafka_ops.commands.spark.ask import ReportRequest
    from pykafka_ops.spark.inputs import Inputs


LITTLE = 2 << 30
"""Bytes of logs up to which a report is a brief thing."""
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_brief(asked: ReportRequest) -> bool:
    """Whether little is to be read: lag of a cluster, or small logs of this machine."""
    if any(_URI.match(location) for location in asked.dirs):
        return False
    if not asked.dirs:
        return asked.kinds == ("lag",)
    return _log_bytes(asked.dirs) <= LITTLE


def _log_bytes(dirs: Sequence[str]) -> int:
    """Bytes of the segments in directories, and in those one level below; more than LITTLE at most
    once that is passed."""
    total, left = 0, [(path, 1) for path in dirs]
    while left and total <= LITTLE:
        path, depth = left.pop()
        try:
            with os.scandir(path) as found:
                for entry in found:
                    if entry.name.endswith(".log"):
                        total += entry.stat().st_size
                    elif depth and entry.is_dir():
                        left.append((entry.path, depth - 1))
        except NotADirectoryError:
            total += os.stat(path).st_size
        except OSError:
            continue
    return total


def look_first(asked: ReportRequest) -> None:
    """Raises for what would fail in any case, before seconds are spent on starting Spark."""
    from pykafka_ops.spark.inputs.settings import read_settings
    from pykafka_ops.spark.reach import reached
    from pykafka_ops.spark.sources.files import replicas

    if asked.configs is not None:
        read_settings(asked.configs)
    for location in asked.dirs:
        if not _URI.match(location) and not os.access(location, os.R_OK):
            replicas(location)
    if asked.properties:
        with reached(asked.properties) as cluster:
            cluster.metadata([])


def open_inputs(asked: ReportRequest, spark: SparkSession) -> Inputs:
    """The inputs of a command line. Raises UsageError, StorageError."""
    from pykafka_ops.spark.inputs import InputQuery, opened

    strict = bool(asked.options.get("strict"))
    query = InputQuery(asked.now, asked.since, asked.until, asked.topics, asked.groups, strict)
    return opened.open_inputs(
        spark,
        query,
        properties=asked.properties or None,
        locations=asked.dirs,
        configs=asked.configs,
    )
