"""A process that runs ``pko spark`` several times in one session, then asks its catalogs.

The argument is JSON: ``conf`` of the session, ``runs`` (words of command lines), ``queries``, and
``most``, the rows of partitions that a lag report holds (null: as many as always). Prints JSON:
exit codes, what was said, and rows of the queries.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from pykafka_ops.cli import main
from pykafka_ops.spark.reports.lag import worst
from pykafka_ops.spark.session import SessionOptions, close, session
from tests.support.java.java_kit import ROOT

SECONDS = 1200
"""For a test with such a process: alone it takes one or two minutes."""


def program(
    conf: Mapping[str, str],
    runs: Sequence[Sequence[object]],
    queries: Sequence[str],
    *,
    path: str = "",
    most: int | None = None,
    env: Mapping[str, str] | None = None,
) -> tuple[list[tuple[int, str]], list[Any]]:
    """Exit codes and standard errors of the runs, and the rows of each query; ``path`` is for
    another PySpark."""
    words = [[str(word) for word in run] for run in runs]
    asked = {"conf": conf, "runs": words, "queries": queries, "most": most}
    argv = [sys.executable, "-m", "tests.support.spark.table_program", json.dumps(asked)]
    paths = os.pathsep.join(filter(None, [path, str(ROOT)]))
    done = subprocess.run(
        argv, cwd=ROOT, env={**os.environ, **(env or {}), "PYTHONPATH": paths},
        capture_output=True, text=True, timeout=SECONDS - 100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    return [tuple(r) for r in found["runs"]], found["rows"]


def run(words: list[str]) -> tuple[int, str]:
    """The exit code of a command line, and its standard error."""
    err = io.StringIO()
    with contextlib.redirect_stderr(err), contextlib.redirect_stdout(io.StringIO()):
        code = main(words)
    return code, err.getvalue()


def answer(asked: dict[str, object]) -> dict[str, object]:
    """What came of it."""
    options = SessionOptions(cores=2, driver_memory="1g", conf=asked["conf"], brief=True)  # type: ignore[arg-type]
    spark = session(options)
    if asked.get("most") is not None:
        worst.MOST_ROWS, worst._SOONEST = asked["most"], 1  # type: ignore[assignment,misc]
    try:
        ran = [run(["spark", *words]) for words in asked["runs"]]  # type: ignore[attr-defined]
        assert all("Traceback" not in said for _, said in ran), ran
        queries: list[str] = asked["queries"]  # type: ignore[assignment]
        try:
            rows = [[list(r) for r in spark.sql(q).collect()] for q in queries]
        except Exception:
            raise SystemExit(f"the runs were {ran}") from None
    finally:
        close(spark)
    return {"runs": ran, "rows": rows}


if __name__ == "__main__":
    print(json.dumps(answer(json.loads(sys.argv[1])), default=str))
