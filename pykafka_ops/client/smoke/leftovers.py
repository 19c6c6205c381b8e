"""What runs left behind that were killed: found by its names, removed, or used again."""

from __future__ import annotations

from collections.abc import Iterable

from pykafka_ops.client.group_offsets import delete_groups
from pykafka_ops.client.groups import list_groups
from pykafka_ops.client.smoke.names import PREFIX, is_left_behind
from pykafka_ops.client.smoke.site import SmokeSite
from pykafka_ops.client.topic_changes import delete_topics
from pykafka_ops.client.transactions import list_transactions
from pykafka_ops.errors import PkoError

DONE = ("Empty", "CompleteCommit", "CompleteAbort")


def clear(site: SmokeSite, now_ms: int) -> list[str]:
    """Remove topics and groups of runs that are over; a line for each that went."""
    gone: list[str] = []
    topics = _old((t.name for t in site.topics), now_ms)
    try:
        if topics:
            done = delete_topics(site.cluster, topics)
            gone += [f"topic {name}" for name in topics if done[name] is None]
        groups = _old(list_groups(site.cluster)[0], now_ms)
        if groups:
            left = delete_groups(site.cluster, groups)
            gone += [f"group {name}" for name in groups if left[name] is None]
    except PkoError:
        return gone  # what is wrong shows in the steps
    return gone


def make_room(site: SmokeSite, own: str, now_ms: int) -> list[str]:
    """Before anything is made: what was left behind goes, a line for each; the transactional id is
    ``own``, that of the run before, else one that is free."""
    gone = clear(site, now_ms)
    site.transactional_id = own or transactional_id(site, now_ms)
    return gone


def transactional_id(site: SmokeSite, now_ms: int) -> str:
    """The id of a run that is over, else a new one: Kafka has no request that removes one."""
    try:
        listed = list_transactions(site.cluster)[0]
    except PkoError:
        return site.name
    free = [
        t.transactional_id
        for t in listed
        if t.state in DONE and is_left_behind(t.transactional_id, now_ms)
    ]
    return min(free, default=site.name)


def _old(names: Iterable[str], now_ms: int) -> list[str]:
    return sorted(n for n in names if n.startswith(PREFIX) and is_left_behind(n, now_ms))
