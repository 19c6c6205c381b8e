"""What changed between two rounds: the lines of the timeline. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pykafka_ops.monitor.cluster.links import MirrorLink
from pykafka_ops.monitor.cluster.view import ClusterView, WatchedGroup, WatchedTopic
from pykafka_ops.monitor.wording.text import many


class ClusterChange(NamedTuple):
    """One line: its kind (``broker``, ``controller``, ``leader``, ``isr``, ``topic``, ``config``,
    ``group``, ``cluster``), what it is about, a sentence, and what a program wants to know."""

    kind: str
    subject: str
    text: str
    details: Any = None


def changes(before: ClusterView, after: ClusterView) -> Iterator[ClusterChange]:
    """The changes from ``before`` to ``after``; none before the first answer."""
    if before.error is None and after.error is not None:
        yield ClusterChange(
            "cluster", after.name, f"nobody answers any more: {after.error.message}"
        )
    if before.error is not None and after.error is None:
        yield ClusterChange("cluster", after.name, "the cluster answers again")
    if before.at is None or after.error is not None or before.number == after.number:
        return
    yield from _brokers(before, after)
    yield from _topics(before.topics or {}, after.topics or {})
    yield from _links(before.links, after.links)
    if before.groups is not None and after.groups is not None:
        yield from _groups(before.groups, after.groups)


def _brokers(before: ClusterView, after: ClusterView) -> Iterator[ClusterChange]:
    old = {row["id"]: row["state"] for row in before.brokers}
    new = {row["id"]: row["state"] for row in after.brokers}
    for id_ in sorted(old.keys() | new.keys(), key=str):
        was, now = old.get(id_), new.get(id_)
        if was == now:
            continue
        if now is None:
            text = f"broker {id_} has left"
        elif was is None:
            text = f"broker {id_} has joined"
        else:
            text = f"broker {id_} was {was}, is {now}"
        yield ClusterChange("broker", str(id_), text, {"before": was, "after": now})
    if before.controller != after.controller:
        old_one, new_one = (
            str(c) if c >= 0 else "none" for c in (before.controller, after.controller)
        )
        text = f"the controller was broker {old_one}, is {new_one}"
        yield ClusterChange("controller", new_one, text, {"before": old_one, "after": new_one})


def _links(before: Sequence[MirrorLink], after: Sequence[MirrorLink]) -> Iterator[ClusterChange]:
    """What a person would be told of: a link that breaks, is paused, goes on, comes or goes."""
    old, new = ({link.name: link for link in links} for links in (before, after))
    for name in sorted(old.keys() | new.keys()):
        was, now = old.get(name), new.get(name)
        if now is None:
            yield ClusterChange("mirror", name, f"mirror {name} is over")
        elif was is None:
            yield ClusterChange("mirror", name, f"mirror {name} was found: {now.state}")
        else:
            states = [_HEALTHY.get(link.state, link.state) for link in (was, now)]
            if states[0] != states[1]:
                text = f"mirror {name} was {states[0]}, is {states[1]}"
                yield ClusterChange("mirror", name, text, {"before": was.state, "after": now.state})


_HEALTHY: Final = {"ok": "at work", "behind": "at work"}
"""Between these a link goes back and forth."""


def _named(broker: int) -> str:
    return str(broker) if broker >= 0 else "none"


def _topics(
    before: Mapping[str, WatchedTopic], after: Mapping[str, WatchedTopic]
) -> Iterator[ClusterChange]:
    for name in sorted(before.keys() - after.keys()):
        yield ClusterChange("topic", name, f"topic {name} was deleted")
    leaders: Counter[tuple[int, int]] = Counter()
    shrunk: Counter[tuple[int, ...]] = Counter()
    grown: Counter[tuple[int, ...]] = Counter()
    for name in sorted(after):
        old, new = before.get(name), after[name]
        if old is None:
            count = len(new.description.partitions)
            yield ClusterChange(
                "topic", name, f"topic {name} was created with {many(count, 'partition')}"
            )
            continue
        if old.description.id != new.description.id:
            yield ClusterChange("topic", name, f"topic {name} was deleted and created anew")
            continue
        yield from _one_topic(name, old, new)
        if old.description is not new.description:
            _count(old, new, leaders, shrunk, grown)
    for (was, now), count in sorted(leaders.items()):
        details = {"before": was, "after": now, "partitions": count}
        who = "nobody leads" if now < 0 else f"broker {now} leads"
        text = (
            f"{who} {many(count, 'partition')} that {f'broker {was}' if was >= 0 else 'nobody'} led"
        )
        yield ClusterChange("leader", str(now), text, details)
    for counter, word in ((shrunk, "left"), (grown, "joined")):
        for brokers, count in sorted(counter.items()):
            who = ", ".join(map(str, brokers))
            text = f"broker {who} {word} the ISR of {many(count, 'partition')}"
            yield ClusterChange("isr", who, text, {"brokers": list(brokers), "partitions": count})


def _one_topic(name: str, old: WatchedTopic, new: WatchedTopic) -> Iterator[ClusterChange]:
    was, now = len(old.description.partitions), len(new.description.partitions)
    if was != now:
        text = f"topic {name} had {many(was, 'partition')}, has {now}"
        yield ClusterChange("topic", name, text, {"before": was, "after": now})
    if not old.settings or not new.settings or old.settings is new.settings:
        return
    for key in sorted(old.settings.keys() | new.settings.keys()):
        first, second = old.settings.get(key), new.settings.get(key)
        if first != second:
            text = f"{key} of topic {name} was {first}, is {second}"
            details = {"setting": key, "before": first, "after": second}
            yield ClusterChange("config", name, text, details)


def _count(
    old: WatchedTopic,
    new: WatchedTopic,
    leaders: Counter[tuple[int, int]],
    shrunk: Counter[tuple[int, ...]],
    grown: Counter[tuple[int, ...]],
) -> None:
    """Leaders that moved and ISRs that changed, counted: a broker that goes is not 5,000 lines."""
    by_number = {p.number: p for p in old.description.partitions}
    for p in new.description.partitions:
        was = by_number.get(p.number)
        if was is None:
            continue
        if was.leader != p.leader:
            leaders[was.leader, p.leader] += 1
        gone, come = set(was.isr) - set(p.isr), set(p.isr) - set(was.isr)
        if gone:
            shrunk[tuple(sorted(gone))] += 1
        if come:
            grown[tuple(sorted(come))] += 1


def _groups(
    before: Mapping[str, WatchedGroup], after: Mapping[str, WatchedGroup]
) -> Iterator[ClusterChange]:
    for name in sorted(before.keys() - after.keys()):
        yield ClusterChange("group", name, f"group {name} is gone")
    for name in sorted(after):
        old, new = before.get(name), after[name]
        if old is None:
            yield ClusterChange("group", name, f"group {name} is new")
            continue
        if old.row.status != new.row.status:
            text = f"group {name} was {old.row.status}, is {new.row.status}"
            details = {"before": old.row.status, "after": new.row.status, "lag": new.row.lag}
            yield ClusterChange("group", name, text, details)
        yield from _members(name, old, new)


def _members(name: str, old: WatchedGroup, new: WatchedGroup) -> Iterator[ClusterChange]:
    was, now = ({m.id for m in group.members} for group in (old, new))
    if was == now:
        return
    if was and now and not was & now:
        text = f"group {name} has new members alone, {len(now)}: a deployment, or a restart"
    else:
        text = f"group {name} had {many(len(was), 'member')}, has {len(now)}"
    yield ClusterChange("group", name, text, {"before": len(was), "after": len(now)})
