"""``--master``, checked before Spark starts, so that a wrong one gives a one-line error."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pykafka_ops.errors import ConnectError, UsageError

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

_LOCAL = re.compile(r"local(\[(\*|[1-9]\d{0,5})(,\s*\d{1,5})?\])?")
_CLUSTER = re.compile(r"local-cluster\[\s*[1-9]\d{0,2}\s*,\s*[1-9]\d{0,3}\s*,\s*[1-9]\d{2,6}\s*\]")
_HOST = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\s:,/\[\]]+):(?P<port>\d{1,5})")
_EVERY_SECONDS = 1.0
_KUBERNETES = re.compile(r"k8s://\S+")
_HOW = "write local, local[4], spark://HOST:7077, yarn or k8s://https://HOST:6443"


def is_local(master: str) -> bool:
    """Whether everything runs in this machine's driver."""
    return master.startswith("local") and not master.startswith("local-cluster")


def is_simulated(master: str) -> bool:
    """Whether it is ``local-cluster[WORKERS,CORES,MIB]``: workers and executors as processes of
    this machine, where jobs are tried that will run on a cluster."""
    return _CLUSTER.fullmatch(master) is not None


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
    elif not (is_simulated(master) or _LOCAL.fullmatch(master) or _KUBERNETES.fullmatch(master)):
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


LOST_SECONDS = 20.0
"""Seconds without a single executor, and without a master that answers, until it is given up."""


@contextlib.contextmanager
def guarded(spark: SparkSession, master: str) -> Iterator[None]:
    """ConnectError once a standalone master and all its executors are gone: Spark itself would wait
    for ever, with the jobs it has. Other masters see to that themselves."""
    if not is_standalone(master):
        yield
        return
    ended, lost = threading.Event(), threading.Event()
    watch = threading.Thread(target=_watch, args=(spark, master, ended, lost), daemon=True)
    watch.start()
    try:
        yield
    except Exception as error:
        if lost.is_set():
            raise ConnectError(
                f"{master} is gone, and all its executors: is the master still running there?"
            ) from error
        raise
    finally:
        ended.set()
        watch.join(_EVERY_SECONDS)


def _watch(spark: SparkSession, master: str, ended: threading.Event, lost: threading.Event) -> None:
    scala = spark.sparkContext._jsc.sc()
    since = time.monotonic()
    try:
        while not ended.wait(_EVERY_SECONDS):
            if int(scala.getExecutorMemoryStatus().size()) > 1 or _answers(master):
                since = time.monotonic()
            elif time.monotonic() - since > LOST_SECONDS:
                lost.set()
                spark.sparkContext.cancelAllJobs()
                return
    except Exception:  # the session is being stopped
        return


def _answers(master: str) -> bool:
    try:
        _reach(master)
    except ConnectError:
        return False
    return True


def wait_for_executors(context: SparkContext, master: str, seconds: float) -> None:
    """Until a standalone master has given an executor; ConnectError after ``seconds``.

    Spark itself would wait for ever. YARN and Kubernetes queue on purpose, so they are not asked.
    """
    if not is_standalone(master):
        return
    scala = context._jsc.sc()
    end = time.monotonic() + seconds
    while int(scala.getExecutorMemoryStatus().size()) < 2:  # the driver is one
        if time.monotonic() > end:
            raise ConnectError(
                f"{master} gave no executor within {seconds:g} s: are workers registered there, "
                "with a core and memory (spark.executor.memory) to spare?"
            )
        time.sleep(0.05)
