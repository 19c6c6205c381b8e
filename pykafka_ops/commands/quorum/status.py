"""``pko quorum status``: one row, for people a fact a line; exit code 4 without a leader."""

from __future__ import annotations

from pykafka_ops.analysis.conditions import ConditionField
from pykafka_ops.client.quorum import leader_of
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.watch import fail_on, met, watched
from pykafka_ops.commands.quorum.gather import behind, glance

COLUMNS = (
    Column("leader", right=True),
    Column("epoch", right=True),
    Column("high_watermark", right=True),
    Column("max_follower_lag", right=True),
    Column("max_follower_lag_ms", right=True),
    Column("voters"),
    Column("observers"),
    Column("silent_voters", right=True, bad=bool),
)
_NUMBERS = ("leader", "epoch", "high_watermark", "max_follower_lag", "max_follower_lag_ms",
            "voters", "observers", "silent_voters")  # fmt: skip


def status(run: Run) -> Table | int:
    """The quorum; with ``--watch`` until Ctrl-C or until ``--fail-on`` holds."""
    failing = fail_on(run, dict.fromkeys(_NUMBERS, ConditionField()))

    def table() -> Table:
        found = glance(run)
        slowest = behind(found)
        row: dict[str, object] = {
            "leader": found.leader if leader_of(found) else None,
            "epoch": found.epoch,
            "high_watermark": found.high_watermark if found.high_watermark >= 0 else None,
            "max_follower_lag": slowest.lag,
            "max_follower_lag_ms": slowest.ms,
            "voters": [r.id for r in found.voters],
            "observers": [r.id for r in found.observers],
            "silent_voters": sum(r.end < 0 for r in found.voters),
        }
        counted = {**row, "voters": len(found.voters), "observers": len(found.observers)}
        notes = met(failing, [counted], ())
        if row["leader"] is None:
            notes = ["pko: the quorum has no leader", *notes]
        return Table("quorum", COLUMNS, [row], notes=notes, exit_code=4 if notes else None)

    return watched(run, table)
