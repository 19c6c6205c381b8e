"""Groups of consumers of before 0.9: what they keep in ZooKeeper below ``/consumers``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_offsets import Committed, fetch_offsets
from pykafka_ops.client.leaders import Partition
from pykafka_ops.commands.framework.failures import raise_first
from pykafka_ops.errors import PkoError

ROOT = "/consumers"


class OldConsumers(NamedTuple):
    """What a group keeps there."""

    topics: set[str]
    offsets: dict[Partition, int]
    owners: dict[Partition, str]


class Subscription(NamedTuple):
    """What a member reads: ``topics``, or with the ``pattern`` white_list or black_list those that
    match them, or do not."""

    topics: list[str]
    pattern: str


def consumers(client: Any, group: str) -> OldConsumers:
    """``/consumers/GROUP``; nothing where consumers of before 0.9 never ran."""
    root = f"{ROOT}/{group}"
    owners = dict(_leaves(client, f"{root}/owners"))
    offsets = {p: int(v) for p, v in _leaves(client, f"{root}/offsets") if v.isdecimal()}
    return OldConsumers({topic for topic, _ in (*owners, *offsets)}, offsets, owners)


def subscriptions(client: Any, group: str, members: list[str]) -> dict[str, Subscription]:
    """What each member reads; one that has gone meanwhile is left out."""
    found = {}
    for member in members:
        data = content(client, f"{ROOT}/{group}/ids/{member}")
        try:
            known = json.loads(data or "null")
            found[member] = Subscription(
                sorted(known["subscription"]), str(known.get("pattern", "static"))
            )
        except (ValueError, LookupError, TypeError):
            continue
    return found


def children(client: Any, path: str) -> list[str] | None:
    """The names below a znode, sorted; None where there is no such znode."""
    from kazoo.exceptions import NoNodeError

    try:
        return sorted(client.get_children(path))
    except NoNodeError:
        return None


def content(client: Any, path: str) -> str | None:
    """What is in a znode; None where there is no such znode."""
    from kazoo.exceptions import NoNodeError

    try:
        data: bytes = client.get(path)[0]
    except NoNodeError:
        return None
    return data.decode(errors="replace")


def _leaves(client: Any, path: str) -> Iterator[tuple[Partition, str]]:
    """``TOPIC/PARTITION`` below ``path``, with what is in it."""
    for topic in children(client, path) or ():
        for number in children(client, f"{path}/{topic}") or ():
            text = content(client, f"{path}/{topic}/{number}")
            if number.isdecimal() and text is not None:
                yield (topic, int(number)), text


def committed(cluster: Cluster, group: str) -> dict[Partition, int]:
    """What the group has committed to the brokers."""
    found = fetch_offsets(cluster, [group])[group]
    if isinstance(found, PkoError):
        raise found
    raise_first(value for value in found.values() if isinstance(value, PkoError))
    return {p: value.offset for p, value in found.items() if isinstance(value, Committed)}
