"""Topics, the partitions of one, and those in trouble."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pykafka_ops.analysis.lag.rows import STATUSES
from pykafka_ops.client.topics import PartitionDescription
from pykafka_ops.monitor.cluster.view import ClusterView, WatchedTopic
from pykafka_ops.monitor.wording import causes
from pykafka_ops.monitor.wording.line import Line
from pykafka_ops.monitor.wording.text import many, rate, safe, size, some, span, whole
from pykafka_ops.top.pages import words
from pykafka_ops.top.seen import SeenCluster
from pykafka_ops.top.table import Entry, Page, TopColumn, ViewPlace

OK: Final = "ok"
STATES: Final = {
    "offline": "offline",
    "under_min_isr": "under min ISR",
    "under_replicated": "under-repl.",
    "at_min_isr": "at min ISR",
    "not_preferred": "not preferred",
}
"""Words for the troubles of partitions, worst first."""
_ORDER: Final = (*STATES.values(), OK)


def _badness(value: object) -> object:
    return -_ORDER.index(str(value))


STATE: Final = TopColumn("state", "STATE", 13, tone=words.tone, order=_badness)
TOPICS: Final = (
    TopColumn("topic", "TOPIC"),
    TopColumn("partitions", "PART", 5, right=True, text=whole),
    TopColumn("replicas", "REPL", 4, right=True, rank=2, text=whole),
    TopColumn("records", "OFFSETS", 9, right=True, text=whole),
    TopColumn("rate", "IN/S", 7, right=True, text=rate),
    TopColumn("bytes", "SIZE", 9, right=True, rank=1, text=size),
    TopColumn("retention", "KEPT", 7, right=True, rank=3, text=words.lost_in),
    STATE,
)
PARTITIONS: Final = (
    words.PARTITION,
    TopColumn("leader", "LEADER", 6, right=True),
    TopColumn("replicas", "REPLICAS"),
    TopColumn("isr", "ISR"),
    TopColumn("start", "START", 10, right=True, rank=1, text=whole),
    TopColumn("end", "END", 10, right=True, text=whole),
    TopColumn("bytes", "SIZE", 9, right=True, rank=2, text=size),
    STATE,
)
TROUBLED: Final = (
    TopColumn("topic", "TOPIC"),
    words.PARTITION,
    STATE,
    TopColumn("leader", "LEADER", 6, right=True),
    TopColumn("replicas", "REPLICAS", 10, rank=2),
    TopColumn("isr", "ISR", 10, rank=1),
    TopColumn("cause", "CAUSE"),
)


def topics_page(seen: SeenCluster) -> Page:
    """All topics by name."""
    found = seen.view.topics
    worst = _worst_by_topic(seen.view)
    return Page(
        "topics" if found is None else f"topics ({len(found)})",
        TOPICS,
        [_topic(name, topic, worst.get(name, OK)) for name, topic in (found or {}).items()],
        command=("pko", "topics", "list"),
        empty="not known yet" if found is None else "no topics",
    )


def _topic(name: str, topic: WatchedTopic, state: str) -> Entry:
    partitions = topic.description.partitions
    records = None
    if len(topic.starts) == len(topic.ends) and all(o >= 0 for o in (*topic.starts, *topic.ends)):
        records = sum(topic.ends) - sum(topic.starts)
    replicas = max((len(p.replicas) for p in partitions), default=None)
    return Entry(
        name,
        (
            *(name, len(partitions), replicas, records, topic.rate_in, topic.bytes),
            *(_kept(topic.settings), state),
        ),
        ViewPlace("topic", name),
    )


def _kept(settings: Mapping[str, str]) -> object:
    """Seconds of retention; None: not known."""
    if "delete" not in settings.get("cleanup.policy", "delete"):
        return "never"
    text = settings.get("retention.ms", "")
    if text == "-1":
        return "never"
    return int(text) / 1000 if text.isdigit() else None


def _worst_by_topic(view: ClusterView) -> dict[str, str]:
    found: dict[str, str] = {}
    for kind, word in STATES.items():
        for topic, _ in (view.troubled or {}).get(kind, ()):
            found.setdefault(topic, word)
    return found


def topic_page(seen: SeenCluster, place: ViewPlace) -> Page:
    """The partitions of a topic; Enter shows the newest records of one."""
    topic = (seen.view.topics or {}).get(place.name)
    title = f"topic {safe(place.name)}"
    command = ("pko", "topics", "describe", place.name)
    if topic is None:
        gone = f"there is no topic {safe(place.name)}"
        return Page(title, PARTITIONS, [], command=command,
                    empty="not known yet" if seen.view.topics is None else gone)  # fmt: skip
    states: dict[int, str] = {}
    for kind, word in STATES.items():
        for name, number in (seen.view.troubled or {}).get(kind, ()):
            if name == place.name:
                states.setdefault(number, word)
    sizes = _sizes(seen.view, place.name)
    entries = [
        Entry(
            p.number,
            (
                *(p.number, _leader(p), p.replicas, p.isr),
                *(_at(topic.starts, p.number), _at(topic.ends, p.number)),
                *(sizes.get((p.number, p.leader)), states.get(p.number, OK)),
            ),
            ViewPlace("messages", place.name, p.number),
        )
        for p in topic.description.partitions
    ]
    return Page(title, PARTITIONS, entries, _about(seen.view, place.name, topic), command)


def _leader(p: PartitionDescription) -> object:
    return p.leader if p.leader >= 0 else "none"


def _at(offsets: Sequence[int], number: int) -> int | None:
    return offsets[number] if number < len(offsets) and offsets[number] >= 0 else None


def _sizes(view: ClusterView, topic: str) -> dict[tuple[int, int], int]:
    """Bytes by partition and broker."""
    return {
        (r.partition, broker): r.size
        for broker, dirs in (view.dirs or {}).items()
        for d in dirs
        for r in d.replicas
        if r.topic == topic and not r.future
    }


def _about(view: ClusterView, name: str, topic: WatchedTopic) -> list[Line]:
    kept = ", ".join(f"{k}={safe(v)}" for k, v in sorted(topic.settings.items()))
    lines = [
        Line(
            f"{many(len(topic.description.partitions), 'partition')}, {rate(topic.rate_in)} "
            f"records/s in, {size(topic.bytes)} with all replicas"
        ),
        Line(f"settings: {kept or '-'}"),
    ]
    readers = [g for g in (view.groups or {}).values() if name in g.topics]
    readers.sort(key=lambda g: (-STATUSES.index(g.row.status), -(g.row.lag or 0)))
    states = [
        f"{safe(g.row.group)} {g.row.status} {span(g.row.lag_seconds)} behind" for g in readers
    ]
    unknown = "not known" if view.groups is None else "none"
    worst = readers[0].row.status if readers else "ok"
    lines.append(Line(f"groups: {some(states) or unknown}", words.tone(worst)))
    return lines


def troubled_page(seen: SeenCluster) -> Page:
    """Partitions in trouble, and why."""
    entries = [
        Entry(
            (one.topic, one.partition.number),
            (
                *(one.topic, one.partition.number, STATES[one.kind], _leader(one.partition)),
                *(one.partition.replicas, one.partition.isr, one.cause),
            ),
            ViewPlace("topic", one.topic),
        )
        for one in causes.troubled(seen.view)
    ]
    known = seen.view.troubled is not None
    return Page(
        f"partitions in trouble ({len(entries)})" if known else "partitions in trouble",
        TROUBLED,
        entries,
        command=("pko", "cluster", "status"),
        empty="no partition is in trouble" if known else "not known yet",
    )
