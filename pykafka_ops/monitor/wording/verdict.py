"""How a cluster is, in one sentence, and how old that is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from pykafka_ops.analysis.commits.burrow import OK, REWIND, STALL, STOP, WARN
from pykafka_ops.analysis.lag.rows import AHEAD, LOST, STATUSES
from pykafka_ops.monitor.cluster.view import ClusterView, WatchedGroup
from pykafka_ops.monitor.wording import line
from pykafka_ops.monitor.wording.causes import fenced_alone
from pykafka_ops.monitor.wording.line import Line
from pykafka_ops.monitor.wording.links import in_verdict
from pykafka_ops.monitor.wording.text import many, safe, span

SOON_SECONDS: Final = 86_400
"""A loss of records so near is shown."""
LATE_ROUNDS: Final = 3
"""So many spans between rounds without one make a view stale."""
_GROUPS: Final = {
    LOST: "lost records",
    AHEAD: "beyond the end of a log",
    STOP: "stopped",
    STALL: "stalled",
    REWIND: "went back",
    WARN: "falling behind",
}


def verdict(view: ClusterView) -> Line:
    """What is wrong in one sentence, the worst first; that all is well only where all was asked."""
    if view.at is None:
        return Line("nothing is known yet", line.WARN)
    facts = view.facts or {}
    bad = [
        *_told(facts.get("offline"), "partition", "offline"),
        *_no_leader(facts),
        *_told(facts.get("brokers_missing"), "broker", "gone"),
        *_told(facts.get("brokers_silent"), "broker", "silent"),
        *_told(facts.get("dirs_failed"), "log directory", "failed"),
        *_told(facts.get("under_min_isr"), "partition", "under min ISR"),
        *_told(facts.get("under_replicated"), "partition", "under-replicated"),
    ]
    groups = None if view.groups is None else _suffering(view.groups.values())
    words = bad + [word for word, _ in groups or ()]
    links = in_verdict(view.links)
    words += [word for word, _ in links]
    words += _of_kraft(view)
    unsure = _unsure(view)
    if unsure:
        words.append(unsure)
    old = view.error is not None
    if words:
        text = "; ".join(words)
        worse = bad or any(tone == line.BAD for _, tone in (*(groups or ()), *links))
        tone = line.BAD if worse else line.WARN
        return Line(f"then: {text}" if old else text, tone)
    if old:
        return Line(f"all was well then: {_all_of(view)}", line.WARN)
    return Line(f"all is well: {_all_of(view)}", line.GOOD)


def staleness(view: ClusterView, now: int, poll_ms: int) -> Line | None:
    """That the view is old, in words; None while it is as young as it should be."""
    if view.at is None:
        if view.error is None:
            return None
        return Line(f"NO ANSWER: {safe(view.error.message)}", line.BAD)
    age = span((now - view.at) / 1000)
    if view.error is not None:
        return Line(f"STALE, all of this is {age} old: {safe(view.error.message)}", line.BAD)
    if now - view.at > LATE_ROUNDS * poll_ms + view.took_ms:
        return Line(f"STALE, all of this is {age} old: a round takes its time", line.WARN)
    return None


def suffers(group: WatchedGroup) -> bool:
    """Whether a group deserves a look: its verdict, what retention will take, an unknown lag."""
    return group.row.status != OK or loses_soon(group.loss_in_seconds)


def loses_soon(seconds: float | None) -> bool:
    """Whether retention takes records so soon that it is shown."""
    return seconds is not None and seconds < SOON_SECONDS


def suffering_groups(groups: Iterable[WatchedGroup]) -> list[WatchedGroup]:
    """Those that deserve a look, the worst first."""
    found = [g for g in groups if suffers(g)]
    return sorted(found, key=lambda g: (-STATUSES.index(g.row.status), -(g.row.lag or 0)))


def _no_leader(facts: Mapping[str, object]) -> list[str]:
    if facts.get("quorum_lost"):
        return ["the quorum of controllers is lost"]
    return ["no controller"] if facts.get("no_controller") else []


def _of_kraft(view: ClusterView) -> list[str]:
    """What is not well with controllers and brokers in KRaft, though the cluster works."""
    facts = view.facts or {}
    behind, fenced = facts.get("voters_behind"), fenced_alone(view)
    return [
        *([f"{int(behind)} of {_voters(facts)} does not follow"] if behind == 1 else []),
        *([f"{int(behind)} of {_voters(facts)} do not follow"] if behind and behind > 1 else []),
        *_told(len(fenced), "broker", "fenced"),
    ]


def _voters(facts: Mapping[str, float | None]) -> str:
    return many(int(facts.get("quorum_voters") or 0), "controller")


def _told(count: float | None, noun: str, what: str) -> list[str]:
    if not count:
        return []
    subject = (
        many(int(count), noun) if noun != "log directory" else f"log directories: {int(count)}"
    )
    return [f"{subject} {what}"]


def _suffering(groups: Iterable[WatchedGroup]) -> list[tuple[str, str]]:
    """What is wrong with groups, in words, each with its tone."""
    counts: dict[str, int] = {}
    soonest: float | None = None
    for group in groups:
        status = group.row.status
        if status in _GROUPS:
            counts[status] = counts.get(status, 0) + 1
        loss = group.loss_in_seconds
        if loss is not None and loss < SOON_SECONDS and status != LOST:
            soonest = loss if soonest is None else min(soonest, loss)
    words = [
        (f"{many(counts[status], 'group')} {text}", line.WARN if status == WARN else line.BAD)
        for status, text in _GROUPS.items()
        if status in counts
    ]
    if soonest is not None:
        text = f"loses records in {span(soonest)}" if soonest else "loses records now"
        words.append((f"a group {text}", line.BAD))
    return words


def _unsure(view: ClusterView) -> str | None:
    """What keeps one from saying that all is well."""
    if view.groups is None:
        return "groups are not known"
    if view.not_asked:
        return f"not known: {many(len(view.not_asked), 'answer')} missing"
    unknown = sum(1 for g in view.groups.values() if g.row.status not in (OK, *_GROUPS))
    if unknown:
        return f"{many(unknown, 'group')} of unknown state"
    missing = [k for k in ("under_min_isr", "brokers_missing") if (view.facts or {}).get(k) is None]
    return "min.insync.replicas is not known" if missing else None


def _all_of(view: ClusterView) -> str:
    facts = view.facts or {}
    return ", ".join(
        [
            many(int(facts.get("brokers") or 0), "broker"),
            many(int(facts.get("partitions") or 0), "partition"),
            many(len(view.groups or ()), "group"),
        ]
    )
