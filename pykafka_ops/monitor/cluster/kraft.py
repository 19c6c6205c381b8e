"""Facts of clusters in KRaft: the quorum, fenced brokers, who may lead what is short. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from pykafka_ops.client.eligible import EligibleReplicas
from pykafka_ops.client.quorum import Quorum, leader_of
from pykafka_ops.monitor.cluster.answers import Answers, NotAsked, Partition
from pykafka_ops.monitor.cluster.view import ClusterView

BEHIND_MS: Final = 10_000
"""A voter that has not caught up for so long is behind: followers ask anew within 2 s
(controller.quorum.fetch.timeout.ms)."""
Fact = int | float | None
FACTS: Final = (
    "quorum_lost", "quorum_voters", "voters_behind", "brokers_fenced", "elr", "last_known_elr",
)  # fmt: skip


def voters_behind(quorum: Quorum) -> list[int] | None:
    """The voters that do not follow, by the clock of the leader; None where that is not known."""
    leader = leader_of(quorum)
    if leader is None or leader.caught_up_at < 0:
        return None
    return [
        r.id
        for r in quorum.voters
        if r.id != leader.id and leader.caught_up_at - r.caught_up_at > BEHIND_MS
    ]


def kraft_facts(got: Answers) -> dict[str, Fact]:
    """``FACTS`` of a round; None: not known, as replicas that may lead until they are asked for. On
    ZooKeeper no quorum can be lost."""
    if not got.is_kraft:
        return dict.fromkeys(FACTS, 0) | {"quorum_voters": None}
    quorum = got.quorum
    behind = None if quorum is None else voters_behind(quorum)
    return {
        "quorum_lost": int(got.controller < 0) if got.controller_known else None,
        "quorum_voters": None if quorum is None else len(quorum.voters),
        "voters_behind": None if behind is None else len(behind),
        "brokers_fenced": None if got.fenced is None else len(got.fenced),
        "elr": None,
        "last_known_elr": None,
    }


def short_topics(view: ClusterView) -> list[str]:
    """Topics of a cluster in KRaft with partitions that have too few replicas in sync."""
    kinds = ("offline", "under_min_isr") if view.is_kraft else ()
    return sorted({topic for kind in kinds for topic, _ in (view.troubled or {}).get(kind, ())})


def with_eligible(
    view: ClusterView, found: Mapping[Partition, EligibleReplicas], missing: NotAsked | None
) -> ClusterView:
    """The view with who may lead what is short; ``missing``: why that is not known."""
    if missing is not None:
        return replace(view, eligible=None, not_asked=[*view.not_asked, missing])
    facts = {
        **(view.facts or {}),
        "elr": sum(bool(e.elr) for e in found.values()),
        "last_known_elr": sum(bool(e.last_known) for e in found.values()),
    }
    return replace(view, eligible=found, facts=facts)
