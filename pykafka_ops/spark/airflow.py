"""``pko spark`` as an operator of Apache Airflow, 2 (from 2.10 on) and 3.

The report is made by a process of its own: a task that is stopped ends it and its Spark. Needs
``apache-airflow`` where it is imported; ``pko`` may be of another Python.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from pykafka_ops.spark.result import ReportResult

try:
    from airflow.sdk import BaseOperator
except ImportError:
    try:
        from airflow.models import BaseOperator
    except ImportError:
        raise ImportError(
            "pykafka_ops.spark.airflow needs Apache Airflow: pip install apache-airflow"
        ) from None
try:
    from airflow.sdk.exceptions import AirflowException, AirflowFailException
except ImportError:
    from airflow.exceptions import AirflowException, AirflowFailException

_USAGE = 2
"""The exit code for a command line that no retry makes better."""
_TOLD = 5
"""Lines of standard error that the task's error repeats."""
_STOP_SECONDS = 30.0
_OUTPUT = "output-file"
_PATHS = ("html", "csv", "parquet", "history", "metrics", _OUTPUT)
"""Options that name what is written."""


class PkoSparkOperator(BaseOperator):  # type: ignore[misc] # of Airflow, where it is
    """Makes a report; pushes a :class:`ReportResult` as a plain dict (``ReportResult.from_dict``).

    ``report`` is a verb of ``pko spark``: lag, skew, retention, audit, all. ``options`` are its
    options by their long names: a text, several of them, or True for a switch. A secret belongs
    into the file that ``command-config`` names. ``pko`` are the first words of the command line
    (default: this Python's), ``env`` variables beside those of the worker. ``accept`` has the exit
    codes with which the task succeeds: 0; add 4 where a condition that is met shall not fail it, 1
    for what could not be read. The result is pushed in any case. A wrong command line (2) fails
    without retries.
    """

    template_fields: Sequence[str] = ("options", "env")

    def __init__(
        self,
        *,
        report: str = "lag",
        options: Mapping[str, str | Sequence[str] | bool] | None = None,
        pko: Sequence[str] = (sys.executable, "-m", "pykafka_ops"),
        env: Mapping[str, str] | None = None,
        accept: Collection[int] = (0,),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.report = report
        self.options = options
        self.pko = pko
        self.env = env
        self.accept = accept
        self._process: subprocess.Popen[str] | None = None

    def execute(self, context: Any) -> dict[str, Any]:
        """Make the report; raises AirflowException for exit codes that are not accepted."""
        named = self.options or {}
        with tempfile.TemporaryDirectory(prefix="pko-airflow-") as directory:
            path = str(named.get(_OUTPUT) or os.path.join(directory, "report.json"))
            before = _stamp(path)
            code, said = self._run(self.words(path))
            document = None if _stamp(path) == before else json.loads(Path(path).read_bytes())
        if document is None:
            kind = AirflowFailException if code == _USAGE else AirflowException
            raise kind(f"pko spark {self.report} ended with {code}: {said}")
        paths = {name: str(named[name]) for name in _PATHS if name in named}
        result = ReportResult.of(self.report, code, document, paths)
        self.log.info("%s: %s", result.tone, result.verdict)
        if code not in self.accept:
            context["ti"].xcom_push(key="return_value", value=result.as_dict())
            raise AirflowException(
                f"pko spark {self.report} ended with {code}: {said or result.verdict}"
            )
        return result.as_dict()

    def words(self, path: str) -> list[str]:
        """The command line, whose document goes to ``path``."""
        words = [*self.pko, "spark", self.report]
        for name, value in (self.options or {}).items():
            if isinstance(value, bool):
                words += [f"--{name}"] if value else []
            elif name not in (_OUTPUT, "output"):
                values = [value] if isinstance(value, str) else value
                words += [f"--{name}={one}" for one in values]
        return [*words, "--output=json", f"--{_OUTPUT}={path}"]

    def _run(self, words: Sequence[str]) -> tuple[int, str]:
        """Its exit code, and what it said last; each line goes to the task's log at once."""
        self.log.info("%s", " ".join(words))
        last: deque[str] = deque(maxlen=_TOLD)
        self._process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, errors="replace", env={**os.environ, **(self.env or {})},
        )  # fmt: skip
        with self._process as process:
            assert process.stderr is not None
            for line in process.stderr:
                last.append(line.rstrip())
                self.log.info("%s", last[-1])
            code = process.wait()
        return code, "; ".join(last)

    def on_kill(self) -> None:
        """End the process, and with it its Spark; by force after half a minute."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_STOP_SECONDS)
            return
        process.kill()


def _stamp(path: str) -> tuple[int, int] | None:
    """Which file is there: each report is renamed into its place."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns
