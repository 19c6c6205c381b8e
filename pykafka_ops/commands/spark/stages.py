"""What is being done, on stderr: a bar on a terminal, elsewhere lines if they are asked for."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.framework.run import Run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_EVERY_SECONDS = 0.25


class Stages:
    """Call it with the name of each stage; ``watch`` counts the tasks of a session's jobs."""

    def __init__(self, *, bar: bool, lines: bool) -> None:
        self._lines = lines and not bar
        self._bar: Any = None
        self._task: Any = None
        self._ended = threading.Event()
        self._watcher: threading.Thread | None = None
        if bar:
            self._bar = _progress()

    @classmethod
    def of(cls, run: Run) -> Stages:
        """As the command line and the terminal say."""
        args = run.args
        quiet = args.has("no-progress") or run.debug
        tty = sys.stderr.isatty()
        return cls(
            bar=tty and not quiet, lines=args.has("progress") and not args.has("no-progress")
        )

    def __enter__(self) -> Stages:
        if self._bar is not None:
            self._bar.start()
            self._task = self._bar.add_task("", total=None, tasks="")
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __call__(self, text: str) -> None:
        if self._lines:
            say(f"pko: {text}")
        if self._bar is not None and not self._ended.is_set():
            self._bar.update(self._task, description=text, total=None, completed=0, tasks="")

    def watch(self, spark: SparkSession) -> None:
        """Count tasks until ``stop``."""
        if self._bar is None:
            return
        self._watcher = threading.Thread(target=self._count, args=(spark,), daemon=True)
        self._watcher.start()

    def _count(self, spark: SparkSession) -> None:
        tracker = spark.sparkContext.statusTracker()
        while not self._ended.wait(_EVERY_SECONDS):
            try:
                found = [tracker.getStageInfo(i) for i in tracker.getActiveStageIds()]
            except Exception:  # the session is being stopped
                return
            stages = [info for info in found if info is not None]
            total = sum(info.numTasks for info in stages)
            done = sum(info.numCompletedTasks for info in stages)
            tasks = f"{done}/{total} tasks" if total else ""
            self._bar.update(self._task, total=total or None, completed=done, tasks=tasks)

    def stop(self) -> None:
        """Wipe the bar."""
        self._ended.set()
        if self._watcher is not None:
            self._watcher.join(2)
            self._watcher = None
        if self._bar is not None:
            self._bar.stop()


def _progress() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[tasks]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
