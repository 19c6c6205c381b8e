"""``pko spark demo``: a cluster with a past, and the three reports on it."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.spark.engine import OF_SPARK, need_arrow
from pykafka_ops.commands.spark.signals import ended_by_signals
from pykafka_ops.commands.spark.stages import Stages
from pykafka_ops.errors import UsageError
from pykafka_ops.spark.output import atomic

PAGE = "pko-demo.html"
_PASSED = ("cores", "driver-memory", "conf", "top")


def demo(run: Run) -> int:
    """The reports' exit code; the data is gone afterwards unless ``--keep`` says where it stays."""
    _need(run)
    from pykafka_ops.spark.demo.run import run as run_demo

    args = run.args
    kept = args.text("keep")
    page = _page(run, Path(kept).expanduser() if kept else None)
    directory = Path(kept).expanduser() if kept else Path(tempfile.mkdtemp(prefix="pko-demo-"))
    try:
        with ended_by_signals(), Stages.of(run) as stages:

            def show(text: str) -> None:
                stages.stop()
                run.note(text)

            return run_demo(directory / "kafka-logs", page, _options(run), stages, show)
    finally:
        if not kept:
            shutil.rmtree(directory, ignore_errors=True)


def _need(run: Run) -> None:
    """PkoError for what is missing, before data is made up."""
    if not any(run.args.has(name) for name in OF_SPARK):
        need_arrow()
        return
    from pykafka_ops.spark.jvm import check_java
    from pykafka_ops.spark.session import need_pyspark

    need_pyspark()
    check_java(run.env)


def _page(run: Run, kept: Path | None) -> Path:
    """Where the page goes: as ``--html`` says, else with what is kept, else here.

    Raises UsageError for a file that is not ours, StorageError where nothing can be written.
    """
    given = run.args.text("html")
    page = Path(given).expanduser() if given else (kept or Path()) / PAGE
    atomic.writable(page)
    if not run.args.has("yes") and atomic.foreign(page, b"pykafka-ops"):
        raise UsageError(f"{page} was not made by pko: give --yes to write over it")
    return page


def _options(run: Run) -> list[str]:
    """The options of the reports that this command line has too."""
    args = run.args
    words = [
        w for name in _PASSED if args.has(name) for v in args.texts(name) for w in (f"--{name}", v)
    ]
    return [
        *("--output", run.output),
        *words,
        *(f"--{name}" for name in ("progress", "no-progress", "debug") if args.has(name)),
    ]
