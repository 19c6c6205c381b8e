"""What probes found."""

from __future__ import annotations

from pykafka_ops.client.smoke.plan import OK
from pykafka_ops.metrics.family import Book, Labels, MetricKind
from pykafka_ops.monitor.probes.model import ProbeState, was_run


def tell(book: Book, cluster: str, state: ProbeState, now: float) -> None:
    """Add a probe; ``now`` is of the clock that its spans are of, in seconds."""
    name, last = state.settings.name, state.last
    labels = Labels(cluster=cluster, probe=name)
    ok = state.is_ok(now)
    book.plain("pko_probe_up", "1 if the last run went well").add(
        None if ok is None else int(ok), labels
    )
    runs = book.plain("pko_probe_runs", "Runs by result", MetricKind.COUNTER)
    for good, result in ((True, "ok"), (False, "failed")):
        runs.add(state.runs[good], Labels(cluster=cluster, probe=name, result=result))
    share = state.availability(now)
    book.plain("pko_probe_availability_ratio", "Share of the runs of an hour that went well").add(
        None if share is None else share / 100, labels
    )
    book.plain("pko_probe_age_seconds", "Since the last run").add(state.age(now), labels)
    if last is None:
        return
    book.plain("pko_probe_run_seconds", "How long the last run took").add(
        round(last.total_ms / 1000, 4), labels
    )
    for outcome in last.outcomes:
        if not was_run(outcome):
            continue
        of = Labels(cluster=cluster, probe=name, step=outcome.step)
        book.plain("pko_probe_step_up", "1 if the step of the last run went well").add(
            int(outcome.verdict == OK), of
        )
        seconds = None if outcome.ms is None else round(outcome.ms / 1000, 4)
        book.plain("pko_probe_step_seconds", "How long the step of the last run took").add(
            seconds, of
        )
