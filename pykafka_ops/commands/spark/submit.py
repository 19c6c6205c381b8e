"""``pko spark submit``: the user's own program."""

from __future__ import annotations

import os

from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.spark.ask import wish
from pykafka_ops.commands.spark.cluster_mode import in_cluster
from pykafka_ops.commands.spark.signals import ended_by_signals
from pykafka_ops.errors import UsageError


def submit(run: Run) -> int:
    """Run it with the sources registered; its exit code."""
    file = run.args.text("file") or ""
    arguments = run.args.given("args")
    try:
        with open(file, "rb") as program:
            program.read(1)
    except OSError as e:
        raise UsageError(f"{file}: {e.strerror}") from None
    engine = wish(run)
    if in_cluster(run):
        from pykafka_ops.spark.submit import submit as to_cluster

        words = ["spark", "submit", os.path.basename(file), *arguments]
        return to_cluster(engine, "cluster", words, files=[file])
    from pykafka_ops.spark.session import close, session
    from pykafka_ops.spark.submit import run_here

    with ended_by_signals(mute=False):  # the program may have something to say yet
        if engine.remote is not None:
            from pykafka_ops.spark.jvm import environment
            from pykafka_ops.spark.remote import connect

            remote = connect(engine.remote, run.env)
            try:
                with environment({"SPARK_REMOTE": engine.remote}):  # what its builder looks for
                    return run_here(file, arguments)
            finally:
                remote.stop()
        spark = session(engine)
        try:
            return run_here(file, arguments)
        finally:
            close(spark)
