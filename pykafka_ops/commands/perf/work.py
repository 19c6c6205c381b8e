"""The work of each verb, found late."""

from __future__ import annotations

from pykafka_ops.commands.framework.run import Result, Run, Work


def do(run: Run) -> Result:
    """What ``Args.verb`` says."""
    work: Work
    match run.args.verb:
        case "produce":
            from pykafka_ops.commands.perf.produce import produce as work
        case "consume" if run.args.has("share"):
            from pykafka_ops.commands.perf.share import consume_shared as work
        case "consume":
            from pykafka_ops.commands.perf.consume import consume as work
        case "latency":
            from pykafka_ops.commands.perf.latency import latency as work
    return work(run)
