"""A Spark session with the sources registered: quick to start, quiet, leaving nothing behind.

What goes wrong before a report begins gives a one-line error: no Java, no PySpark, a master that
does not answer or gives no executors.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pykafka_ops.errors import PkoError
from pykafka_ops.spark import conf as settings
from pykafka_ops.spark import package
from pykafka_ops.spark.jvm import Jvm, check_java, environment, variables
from pykafka_ops.spark.master import (
    check_master,
    is_local,
    is_simulated,
    is_standalone,
    wait_for_executors,
)

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

MODULES = ("pyspark", "pyarrow", "numpy")
ANSWER_SECONDS = 60.0
"""Seconds for a driver to start and for a standalone master to know it; Spark itself takes 60."""
EXECUTOR_SECONDS = 60.0
"""Seconds until a standalone master that gives nothing to run on is given up: on machines with
much to do Java takes half a minute to start."""


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """How Spark shall run. ``conf`` wins over what ``pko`` sets by itself.

    ``remote``: a Spark Connect server, beside which nothing else counts.
    ``master``: as spark-submit's (None: this machine's cores, or ``cores`` of them);
    ``packages``, ``py_files``, ``archives``: as spark-submit's; ``debug`` shows Spark's log;
    ``brief``: so little is to be done that Java had better not spend time on compiling it well.
    ``light``: so little that a ``LightSession`` does, unless a session is running already.
    """

    remote: str | None = None
    master: str | None = None
    cores: int | None = None
    driver_memory: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)
    packages: Sequence[str] = ()
    py_files: Sequence[str] = ()
    archives: Sequence[str] = ()
    debug: bool = False
    brief: bool = False
    light: bool = False

    def url(self) -> str:
        """The master's URL, from the most particular place that names one."""
        named = self.master or self.conf.get("spark.master")
        return named or f"local[{self.cores or usable_cores()}]"


@dataclass(slots=True)
class _Started:
    """A JVM started here, and how many sessions of it were not closed yet."""

    jvm: Jvm
    users: int = 0


_started: dict[int, _Started] = {}
"""By the id of the SparkContext."""


def session(options: SessionOptions | None = None) -> SparkSession:
    """A session for ``options`` with the sources registered; the running one where there is one.

    Raises PkoError (no Java, no PySpark, Spark does not start), UsageError (no such master),
    ConnectError (nothing answers there). ``close`` it.
    """
    need_pyspark()
    from pyspark import SparkContext

    options = options or SessionOptions()
    running = SparkContext._active_spark_context
    if running is None and options.light and "PYSPARK_GATEWAY_PORT" not in os.environ:
        from pykafka_ops.spark.light import light_session

        spark = light_session(_start(options))
    else:
        spark = _with_sources(running, options)
    if (started := _started.get(id(spark.sparkContext))) is not None:
        started.users += 1
    return spark


def _with_sources(running: SparkContext | None, options: SessionOptions) -> SparkSession:
    """A session of the running Spark, or of one that is started; it knows the sources."""
    from pyspark.sql import SparkSession

    from pykafka_ops.spark.sources import register

    if running is not None:
        spark = SparkSession(running)
    elif "PYSPARK_GATEWAY_PORT" in os.environ:  # spark-submit started this process
        spark = SparkSession.builder.config(map={**settings.SQL}).getOrCreate()
    else:
        context = _start(options)
        spark = SparkSession(context)
        master = options.url()
        if (is_standalone(master) or is_simulated(master)) and not context.getConf().contains(
            settings.SHUFFLE
        ):
            spark.conf.set(settings.SHUFFLE, settings.shuffle(context.defaultParallelism))
    register(spark)
    return spark


def close(spark: SparkSession) -> None:
    """Done with it: what ``session`` started stops with its last user, all else goes on."""
    key = id(spark.sparkContext)
    started = _started.get(key)
    if started is None:
        return
    started.users -= 1
    if started.users > 0:
        return
    del _started[key]
    _let_go(spark.sparkContext)
    try:
        with contextlib.suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of a command that was cut short
            spark.stop()
    finally:
        started.jvm.end()


def _let_go(context: SparkContext) -> None:
    """End PySpark's server of accumulators, which nobody waits for: it notices within a second."""
    known: Any = context
    server = getattr(known, "_accumulatorServer", None)  # no part of PySpark's interface
    if server is None:
        return
    known._accumulatorServer = None
    server.handle_error = lambda *_: None  # Java's end of the connection may be gone before
    threading.Thread(target=server.shutdown, name="accumulators-end", daemon=True).start()


def need_pyspark() -> None:
    """PkoError with what to install unless PySpark and what it needs are there."""
    for name in MODULES:
        if importlib.util.find_spec(name) is None:
            raise PkoError(
                f"{name} is not installed for {sys.executable}: pip install 'pykafka-ops[spark]'"
            )


def usable_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def machine_memory() -> int:
    """Bytes of memory of the machine, or what the container may have of it."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
    except OSError:
        return total
    return min(total, int(limit)) if limit.isdigit() else total


def _start(options: SessionOptions) -> SparkContext:
    """Start a JVM and connect it to the master."""
    check_java(os.environ)
    master = options.url()
    check_master(master, os.environ)
    from pyspark import SparkConf

    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    jvm = Jvm(tempfile.mkdtemp(prefix="pko-spark-"), debug=options.debug)
    try:
        level = "warn" if options.debug else "error"
        Path(jvm.directory, "log4j2.properties").write_text(settings.log4j(level))
        conf = all_settings(options, master, jvm.directory)
        made = SparkConf(loadDefaults=False).setAll(list(conf.items()))
        archives = conf.get("spark.archives", "")
        with environment(variables(os.environ, local=is_local(master), archives=archives)):
            jvm.launch(made)
            patience = ANSWER_SECONDS if is_standalone(master) else None
            context = jvm.context(made, master, patience)
        wait_for_executors(context, master, EXECUTOR_SECONDS)
    except BaseException:
        jvm.end()
        raise
    _started[id(context)] = _Started(jvm)
    return context


def all_settings(options: SessionOptions, master: str, directory: str) -> dict[str, str]:
    """Every setting of the session; on a real master the package is shipped along."""
    memory = options.driver_memory or settings.driver_memory(machine_memory())
    ours = settings.base(
        master, options.cores or usable_cores(), memory, directory, light=options.light
    )
    if options.brief:
        ours = settings.merged(ours, settings.BRIEF)
    files = list(options.py_files)
    if not is_local(master):
        files.insert(0, package.ship(directory))
    theirs = dict(options.conf)
    for key, values in (
        ("spark.jars.packages", options.packages),
        ("spark.submit.pyFiles", files),
        ("spark.archives", options.archives),
    ):
        if values:
            theirs[key] = ",".join([*filter(None, [theirs.get(key)]), *values])
    return settings.merged(ours, theirs)
