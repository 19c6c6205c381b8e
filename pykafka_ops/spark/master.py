"""``--master``, checked before Spark starts, so that a wrong one gives a one-line error."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pykafka_ops.errors import ConnectError, UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOCAL = re.compile(r"local(\[(\*|[1-9]\d{0,5})(,\s*\d{1,5})?\])?")
_HOST = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\s:,/\[\]]+):(?P<port>\d{1,5})")
_HOW = "write local, local[4], spark://HOST:7077, yarn or k8s://https://HOST:6443"


def is_local(master: str) -> bool:
    """Whether everything runs in this machine's driver."""
    return master.startswith("local") and not master.startswith("local-cluster")


def is_standalone(master: str) -> bool:
    """Whether it is a master of Spark's own kind."""
    return master.startswith("spark://")


def check_master(master: str, env: Mapping[str, str]) -> None:
    """UsageError for what is no master, ConnectError where nothing listens."""
    if is_standalone(master):
        _reach(master)
    elif master == "yarn":
        if not (env.get("HADOOP_CONF_DIR") or env.get("YARN_CONF_DIR")):
            raise UsageError(
                "--master yarn: set HADOOP_CONF_DIR or YARN_CONF_DIR to the directory with the "
                "cluster's yarn-site.xml"
            )
    elif not (_LOCAL.fullmatch(master) or re.fullmatch(r"k8s://\S+", master)):
        raise UsageError(f"--master {master}: {_HOW}")


def standalone_hosts(master: str) -> list[tuple[str, int]]:
    """Host and port of each master in ``spark://a:7077,b:7077``; UsageError."""
    found = []
    for part in master.removeprefix("spark://").split(","):
        match = _HOST.fullmatch(part)
        if match is None or not 0 < int(match["port"]) < 65536:
            raise UsageError(f"--master {master}: {part!r} is no HOST:PORT; {_HOW}")
        found.append((match["host"].strip("[]"), int(match["port"])))
    return found


def _reach(master: str) -> None:
    """ConnectError unless one of the masters accepts a connection."""
    troubles = []
    for host, port in standalone_hosts(master):
        try:
            with socket.create_connection((host, port), timeout=5):
                return
        except OSError as e:
            troubles.append(f"{host}:{port} {_reason(e)}")
    raise ConnectError(
        f"--master {master}: {'; '.join(troubles)}; is the master running there? "
        "Its web page shows its URL"
    )


def _reason(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return "does not answer"
    if isinstance(error, socket.gaierror):
        return "is no known host"
    return (error.strerror or str(error)).lower()


def wait_for_executors(spark: SparkSession, master: str, seconds: float) -> None:
    """Until a standalone master has given an executor; ConnectError after ``seconds``.

    Spark itself would wait for ever. YARN and Kubernetes queue on purpose, so they are not asked.
    """
    if not is_standalone(master):
        return
    scala = spark.sparkContext._jsc.sc()
    end = time.monotonic() + seconds
    while int(scala.getExecutorMemoryStatus().size()) < 2:  # the driver is one
        if time.monotonic() > end:
            raise ConnectError(
                f"{master} gave no executor within {seconds:g} s: are workers registered there, "
                "with a core and memory (spark.executor.memory) to spare?"
            )
        time.sleep(0.05)
