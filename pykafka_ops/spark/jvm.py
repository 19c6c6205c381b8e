"""The driver's JVM: start it in the background, connect to it, end it and remove its files.

It ends by itself when this process does: it reads from a pipe that breaks then.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pykafka_ops.errors import ConnectError, PkoError, first_line
from pykafka_ops.local.java import require_java
from pykafka_ops.spark import package

if TYPE_CHECKING:
    from pyspark import SparkConf, SparkContext

JAVA = 17
"""What Spark 4 asks for (https://spark.apache.org/docs/latest/)."""
_STOP_SECONDS = 10.0
_CAUSES = (
    re.compile(r"^(?:Error|Exception in thread \S+) *:? *(?:[\w.$]+(?:Exception|Error): )?(.+)$"),
    re.compile(r"^(?:Caused by: )?[\w.$]+(?:Exception|Error): (.+)$"),
    re.compile(r"^(.*(?:not found|cannot|failed|invalid|unrecognized).*)$", re.IGNORECASE),
)


def check_java(env: Mapping[str, str]) -> None:
    """Raises PkoError, in one line with what to install, unless Spark can start here."""
    require_java(env, JAVA, "Spark")


class Jvm:
    """One driver's JVM; ``directory`` is its own and goes with it."""

    def __init__(self, directory: str, *, debug: bool) -> None:
        self.directory, self.debug = directory, debug
        self.log = Path(directory, "spark.log")
        self._gateway: Any = None

    def launch(self, conf: SparkConf) -> None:
        """Start it; PkoError with the cause where that fails."""
        from pyspark import java_gateway

        launch: Any = java_gateway.launch_gateway
        with self.log.open("wb") as log:
            quiet = {} if self.debug else {"stdout": log, "stderr": log}
            try:
                self._gateway = launch(conf, popen_kwargs=quiet)
            except Exception as e:
                raise PkoError(f"Spark does not start: {self._cause() or e}") from e

    def context(self, conf: SparkConf, master: str, patience: float | None) -> SparkContext:
        """Connect to the master; ConnectError once it has not answered for ``patience`` s (None:
        however long it takes)."""
        from pyspark import SparkContext

        late = threading.Event()
        timer = threading.Timer(patience or 0.0, self._give_up, (late,))
        timer.daemon = True
        if patience is not None:
            timer.start()
        try:
            with _own_interrupts():
                return SparkContext(gateway=self._gateway, conf=conf)
        except Exception as e:
            if late.is_set():
                raise ConnectError(
                    f"--master {master} does not answer as Spark of this version would, within "
                    f"{patience:g} s"
                ) from e
            raise PkoError(f"Spark does not start: {self._cause() or first_line(e)}") from e
        finally:
            timer.cancel()

    def _give_up(self, late: threading.Event) -> None:
        late.set()
        self._process().kill()

    def _process(self) -> subprocess.Popen[bytes]:
        found: subprocess.Popen[bytes] = self._gateway.proc
        return found

    def _cause(self) -> str | None:
        """What its log says went wrong."""
        with contextlib.suppress(OSError):
            return cause_of(self.log.read_text(errors="replace"))
        return None

    def end(self) -> None:
        """Stop it, by force if need be, and remove what it wrote."""
        from pyspark import SparkContext

        if self._gateway is not None:
            with contextlib.suppress(Exception):
                self._gateway.shutdown()
            process = self._process()
            if process.stdin is not None:
                with contextlib.suppress(OSError):
                    process.stdin.close()
            try:
                process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            SparkContext._gateway = SparkContext._jvm = None
        shutil.rmtree(self.directory, ignore_errors=True)


@contextlib.contextmanager
def _own_interrupts() -> Iterator[None]:
    """Keep our handler of SIGINT. PySpark's speaks to the JVM on the connection that waits for an
    answer already, which fails with a traceback; a session that is closed ends its jobs anyway."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def cause_of(text: str) -> str | None:
    """The line in the output of spark-submit or a driver that says what was wrong."""
    lines = [line.strip() for line in text.splitlines()]
    for pattern in _CAUSES:
        for line in lines:
            if match := pattern.match(line):
                return match[1]
    return None


@contextlib.contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """``os.environ`` with ``variables``, which children get, for a while."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def variables(env: Mapping[str, str], *, local: bool, archives: str) -> dict[str, str]:
    """What the driver's environment needs so that Python workers find Python and this package.

    Workers of a cluster take PYSPARK_PYTHON, else the Python of ``archives`` (``env.tar.gz#name``),
    else the path of this one.
    """
    path = os.pathsep.join(p for p in (str(package.root()), env.get("PYTHONPATH", "")) if p)
    made = {"PYTHONPATH": path, "PYSPARK_PYTHON": sys.executable}
    if local:
        made["SPARK_LOCAL_IP"] = "127.0.0.1"
    elif env.get("PYSPARK_PYTHON"):
        made["PYSPARK_PYTHON"] = env["PYSPARK_PYTHON"]
    elif "#" in archives:
        made["PYSPARK_PYTHON"] = f"./{archives.split('#')[1].split(',')[0]}/bin/python"
    made["PYSPARK_DRIVER_PYTHON"] = sys.executable
    return made
