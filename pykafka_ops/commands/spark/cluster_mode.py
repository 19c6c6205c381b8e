"""``--deploy-mode cluster``: the same command line, run by a driver in the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.spark.options import ARGS, ENGINE, FILE, PROGRESS

if TYPE_CHECKING:
    from pykafka_ops.spark.session import SessionOptions

_OF_SPARK = {"debug", *(option.long for option in (*ENGINE, *PROGRESS, FILE, ARGS))}
"""Options that are about Spark and this terminal, not about the report."""


def in_cluster(run: Run) -> bool:
    """Whether that is asked for."""
    return run.args.text("deploy-mode") == "cluster"


def submit_report(run: Run, engine: SessionOptions) -> int:
    """Run the report there; files are written where the driver runs."""
    from pykafka_ops.spark.submit import submit

    return submit(engine, "cluster", words_of(run))


def words_of(run: Run) -> list[str]:
    """The command line again, without what is about Spark."""
    args = run.args
    words = ["spark", args.verb]
    for name, values in args.values.items():
        if name in _OF_SPARK:
            continue
        option = args.options.get(name)
        if option is not None and not option.value:
            words.append(f"--{name}")
        words += [f"--{name}={value}" for value in values]
    return words
