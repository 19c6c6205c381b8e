"""``kafka-metadata-quorum describe``, as MetadataQuorumCommand of Kafka 4.3 prints it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from pykafka_ops.client.members import CONTROLLERS, describe_members
from pykafka_ops.client.quorum import Quorum, QuorumReplica, by_role, leader_of
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.quorum.gather import behind, gather
from pykafka_ops.commands.transactions.kafka import table
from pykafka_ops.errors import UsageError
from pykafka_ops.wire.types import ZERO_UUID, uuid_text

TITLES = ("NodeId", "DirectoryId", "LogEndOffset", "Lag", "LastFetchTimestamp",
          "LastCaughtUpTimestamp", "Status")  # fmt: skip
NEITHER = "One of --status or --replication must be specified with describe sub-command"
BOTH = "Only one of --status or --replication should be specified with describe sub-command"


def describe(run: Run) -> Table:
    """``--status`` or ``--replication``."""
    args = run.args
    if args.has("status") and args.has("replication"):
        raise UsageError(BOTH)
    if args.has("human-readable") and not args.has("replication"):
        raise UsageError("--human-readable can only be used along with --replication")
    if not args.has("status") and not args.has("replication"):
        raise UsageError(NEITHER)
    found = gather(run)
    if args.has("replication"):
        now = int(time.time() * 1000) if args.has("human-readable") else None
        return Table("quorum-replicas", (), [], kafka=_replication(found, now))
    if args.has("bootstrap-controller"):
        cluster_id = describe_members(run.cluster(), endpoints=CONTROLLERS).cluster_id
    else:
        run.cluster().brokers()
        cluster_id = run.cluster().cluster_id
    return Table("quorum", (), [], kafka=_status(found, cluster_id))


def _status(found: Quorum, cluster_id: str | None) -> Iterator[str]:
    slowest, leader = behind(found), leader_of(found)
    least = min((r.end for r in found.voters), default=-1)
    facts = (
        ("ClusterId", cluster_id),
        ("LeaderId", found.leader),
        ("LeaderEpoch", found.epoch),
        ("HighWatermark", found.high_watermark),
        ("MaxFollowerLag", leader.end - least if leader else -1),
        ("MaxFollowerLagTimeMs", -1 if slowest.ms is None else slowest.ms),
        ("CurrentVoters", _listed(found, found.voters)),
        ("CurrentObservers", _listed(found, found.observers)),
    )
    for name, value in facts:
        yield f"{name + ':':<23} {value}\n"


def _listed(found: Quorum, replicas: Sequence[QuorumReplica]) -> str:
    parts = []
    for r in replicas:
        words = [f'"id": {r.id}']
        if r.directory != ZERO_UUID:
            words.append(f'"directoryId": "{uuid_text(r.directory)}"')
        if r.id in found.addresses:
            ends = ", ".join(f'"{e.listener}://{e.host}:{e.port}"' for e in found.addresses[r.id])
            words.append(f'"endpoints": [{ends}]')
        parts.append(f"{{{', '.join(words)}}}")
    return f"[{', '.join(parts)}]"


def _replication(found: Quorum, now: int | None) -> Iterator[str]:
    leader = leader_of(found)
    end = leader.end if leader else -1
    yield from table(
        TITLES,
        [
            (
                r.id, uuid_text(r.directory), r.end, end - r.end, _time(r.fetched_at, now),
                _time(r.caught_up_at, now), role,
            )
            for role, r in by_role(found)
        ],
    )  # fmt: skip


def _time(at: int, now: int | None) -> str:
    return str(at) if now is None or at < 0 else f"{now - at} ms ago"
