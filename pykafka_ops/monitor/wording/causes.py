"""Why partitions are in trouble: brokers that are gone or silent, disks, moves, slow followers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from pykafka_ops.client.quorum import leader_of
from pykafka_ops.client.topics import PartitionDescription
from pykafka_ops.monitor.cluster.kraft import voters_behind
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.wording.links import broken_links
from pykafka_ops.monitor.wording.text import many, some, span

OFFLINE, UNDER_MIN_ISR, UNDER_REPLICATED = "offline", "under_min_isr", "under_replicated"
KINDS: Final = {
    OFFLINE: "offline, nobody can read or write them",
    UNDER_MIN_ISR: "under min ISR, acks=all is refused",
    UNDER_REPLICATED: "under-replicated",
}
"""Troubles with a cause, worst first, and what they mean."""


class Troubled(NamedTuple):
    """A partition in its worst trouble, and why."""

    topic: str
    partition: PartitionDescription
    kind: str
    cause: str


def troubled(view: ClusterView) -> list[Troubled]:
    """Every partition that is in one of KINDS, the worst first, each once."""
    brokers = _brokers(view)
    found, seen = [], set()
    for kind in KINDS:
        for topic, number in (view.troubled or {}).get(kind, ()):
            watched = (view.topics or {}).get(topic)
            if (topic, number) in seen or watched is None:
                continue
            seen.add((topic, number))
            partition = numbered(watched.description.partitions, number)
            if partition is not None:
                found.append(
                    Troubled(topic, partition, kind, _cause(view, brokers, topic, partition))
                )
    return found


def numbered(
    partitions: Sequence[PartitionDescription], number: int
) -> PartitionDescription | None:
    """The partition of that number; they are in its order, mostly without gaps."""
    if number < len(partitions) and partitions[number].number == number:
        return partitions[number]
    return next((p for p in partitions if p.number == number), None)


def broken(view: ClusterView) -> list[str]:
    """A sentence per kind and cause, the worst first."""
    lines = []
    facts = view.facts or {}
    if facts.get("quorum_lost"):
        lines.append("no controller leads the quorum: no leader is elected, no topic made")
    elif facts.get("no_controller"):
        lines.append("no controller: no leader is elected, no topic made")
    lines += _of_quorum(view)
    groups: dict[tuple[str, str], list[Troubled]] = {}
    for one in troubled(view):
        groups.setdefault((one.kind, one.cause), []).append(one)
    for (kind, cause), members in groups.items():
        topics = list(dict.fromkeys(t.topic for t in members))
        lines.append(
            f"{many(len(members), 'partition')} {KINDS[kind]}: {cause} ({some(topics, 2)})"
        )
    named = " ".join(lines)
    for broker, state in _brokers(view).items():
        word = _state_word(broker, state)
        if state in ("down", "silent") and word not in named:
            lines.append(word)
    for broker, dirs in (view.dirs or {}).items():
        lines += [
            f"broker {broker}: log directory {some([d.path])} has failed"
            for d in dirs
            if d.error is not None
        ]
    lines += [
        f"broker {b} is fenced: registered, but without heartbeats, or not let in"
        for b in fenced_alone(view)
    ]
    return [*lines, *broken_links(view.links)]


def fenced_alone(view: ClusterView) -> list[int]:
    """Fenced brokers that are not gone anyway, as partitions show those."""
    gone = {int(str(row["id"])) for row in view.brokers if row["state"] == "down"}
    return [broker for broker in view.fenced or () if broker not in gone]


def _of_quorum(view: ClusterView) -> list[str]:
    """The controllers that do not follow, and since when."""
    quorum = view.quorum
    leader = None if quorum is None else leader_of(quorum)
    if quorum is None or leader is None:
        return []
    lines = []
    behind = set(voters_behind(quorum) or ())
    for voter in (v for v in quorum.voters if v.id in behind):
        since = "never heard of"
        if voter.caught_up_at >= 0:
            since = f"for {span((leader.caught_up_at - voter.caught_up_at) / 1000)}"
        of = len(quorum.voters)
        lines.append(f"controller {voter.id} does not follow the quorum of {of}, {since}")
    return lines


def _brokers(view: ClusterView) -> dict[int, str]:
    return {int(str(row["id"])): str(row["state"]) for row in view.brokers}


def _state_word(broker: int, state: str) -> str:
    return f"broker {broker} is gone" if state == "down" else f"broker {broker} does not answer"


def _cause(
    view: ClusterView, brokers: dict[int, str], topic: str, partition: PartitionDescription
) -> str:
    """What ails the replicas that are missing: the state of their brokers, first of all."""
    missing = [b for b in partition.replicas if b not in partition.isr] or [
        b for b in partition.replicas if brokers.get(b) != "up"
    ]
    states = [_state_word(b, brokers[b]) for b in missing if brokers.get(b) in ("down", "silent")]
    if states:
        return _and(states) + _may_lead(view, topic, partition)
    failed = [b for b in missing if _has_failed_dir(view, b)]
    if failed:
        return _and([f"a log directory of broker {b} has failed" for b in failed])
    move = (view.moves or {}).get((topic, partition.number))
    if move is not None and set(missing) & set(move.adding):
        return "a move is under way"
    if not missing:
        return "too few replicas for min.insync.replicas" if partition.leader >= 0 else "no leader"
    return _and([f"the replica on broker {b} is behind" for b in missing])


def _may_lead(view: ClusterView, topic: str, partition: PartitionDescription) -> str:
    """Who is out of the ISR, but has all that was acknowledged (KIP-966)."""
    found = (view.eligible or {}).get((topic, partition.number))
    if found is None or not found.elr:
        return ""
    return f"; in the ELR, which may lead: {', '.join(map(str, found.elr))}"


def _has_failed_dir(view: ClusterView, broker: int) -> bool:
    return any(d.error is not None for d in (view.dirs or {}).get(broker, ()))


def _and(words: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(words))
