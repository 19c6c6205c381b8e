"""Runs ``pko spark`` several times in one session of its own, then asks its catalogs.

The argument is JSON: ``conf`` of the session, ``runs`` (words of command lines), ``queries``.
Prints JSON: exit codes, what was said, and rows of the queries.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys

from pykafka_ops.cli import main
from pykafka_ops.spark.session import SessionOptions, close, session


def run(words: list[str]) -> tuple[int, str]:
    """The exit code of a command line, and its standard error."""
    err = io.StringIO()
    with contextlib.redirect_stderr(err), contextlib.redirect_stdout(io.StringIO()):
        code = main(words)
    return code, err.getvalue()


def program(asked: dict[str, object]) -> dict[str, object]:
    """What came of it."""
    options = SessionOptions(cores=2, driver_memory="1g", conf=asked["conf"], brief=True)  # type: ignore[arg-type]
    spark = session(options)
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
    print(json.dumps(program(json.loads(sys.argv[1])), default=str))
