"""``pko quorum replication``: how far each replica of the metadata log is."""

from __future__ import annotations

from pykafka_ops.client.quorum import by_role, leader_of
from pykafka_ops.commands.framework.output import Column, Table, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.quorum.gather import gather
from pykafka_ops.wire.types import ZERO_UUID, uuid_text

COLUMNS = (
    Column("id", right=True),
    Column("role"),
    Column("log_end_offset", "END", right=True),
    Column("lag", right=True),
    Column("fetched_ms_ago", right=True),
    Column("caught_up_ms_ago", right=True),
    Column("directory", optional=True),
    Column("addresses", wide=True),
)


def replication(run: Run) -> Table:
    """A row per voter and observer; times before the leader's own clock, which is the one that the
    answer was made by."""
    found = gather(run)
    leader = leader_of(found)
    rows = []
    for role, r in by_role(found):
        known = leader is not None and r.end >= 0
        rows.append(
            (
                r.id,
                role.lower(),
                r.end if r.end >= 0 else None,
                leader.end - r.end if leader and known else None,
                _ago(leader.caught_up_at if leader else -1, r.fetched_at),
                _ago(leader.caught_up_at if leader else -1, r.caught_up_at),
                uuid_text(r.directory) if r.directory != ZERO_UUID else None,
                [f"{e.listener}://{e.host}:{e.port}" for e in found.addresses.get(r.id, ())],
            )
        )
    return Table("quorum-replicas", COLUMNS, rows_of(COLUMNS, rows))


def _ago(now: int, at: int) -> int | None:
    return max(0, now - at) if now >= 0 and at >= 0 else None
