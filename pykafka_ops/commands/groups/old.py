"""kafka-consumer-groups with ``--zookeeper``: groups of consumers of before 0.9.

Source: ConsumerGroupCommand.ZkConsumerGroupService of Kafka 1.1, the last that had it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.offsets import LATEST, known_offsets
from pykafka_ops.client.topics import all_topics
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.output import PLACE, Column, Table, numbers, rows_of
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.framework.topic_filter import INTERNAL, include_list
from pykafka_ops.commands.groups.old_consumers import (
    ROOT,
    Subscription,
    children,
    committed,
    consumers,
    subscriptions,
)
from pykafka_ops.commands.old_door import opened
from pykafka_ops.errors import PkoError

NAMES = (Column("group"),)
COLUMNS = (
    *PLACE,
    *numbers("current_offset", "log_end_offset", "lag"),
    Column("consumer_id"),
)
TITLES = ("TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "CONSUMER-ID")


class NoZnodeError(PkoError):
    """A znode that must be there is missing, in the words of ZooKeeper's client in Java."""

    def __init__(self, path: str) -> None:
        super().__init__(
            "org.apache.zookeeper.KeeperException$NoNodeException: KeeperErrorCode = NoNode for "
            f"{path}"
        )


class OldRefusal(PkoError):  # noqa: N818 - a request that cannot be met, not a fault
    """What cannot be done with groups in ZooKeeper."""


class OldRow(NamedTuple):
    """A line of ``--describe``; None is shown as a dash."""

    topic: str | None
    partition: int | None
    offset: int | None
    end: int | None
    lag: int | None
    consumer: str | None


def old_groups(run: Run) -> Result:
    """List, describe or delete them."""
    from kazoo.exceptions import KazooException

    with opened(run) as client:
        try:
            found = _done(run, client)
        except KazooException as error:
            text = f"ZooKeeper refuses: {type(error).__name__} {error}".rstrip()
            raise OldRefusal(text) from None
    if found is None:
        raise OldRefusal(
            "offsets that consumers keep in ZooKeeper cannot be reset: give --bootstrap-server for "
            "those in Kafka"
        )
    return found


def _done(run: Run, client: Any) -> Result:
    """The verb done, None where it cannot be."""
    args = run.args
    if args.verb == "list":
        names = _children(client, ROOT)
        rows = [{"group": name} for name in names]
        return Table("groups", NAMES, rows, kafka=[f"{name}\n" for name in names])
    if args.verb == "delete":
        _delete(client, args)
        return 0
    if args.verb == "describe":
        return _describe(client, run.cluster(), args.text("group") or "")
    return None


def _children(client: Any, path: str) -> list[str]:
    found = children(client, path)
    if found is None:
        raise NoZnodeError(path)
    return found


# --- describe ------------------------------------------------------------------------------------


def _describe(client: Any, cluster: Cluster, group: str) -> Table:
    """Offset, end, lag and owner of each partition of what the group has owned, then the members
    that have no partition."""
    if group not in _children(client, ROOT):
        text = f"Error: The consumer group '{group}' does not exist.\n"
        return Table("group-offsets", COLUMNS, [], kafka=[text])
    owned = children(client, f"{ROOT}/{group}/owners") or []
    members = _children(client, f"{ROOT}/{group}/ids")
    known = consumers(client, group)
    topics = {t.name: t for t in all_topics(cluster)}
    leaders = {(t, p.number): p.leader for t in owned if t in topics for p in topics[t].partitions}
    found = known_offsets(cluster, [p for p, leader in leaders.items() if leader >= 0], LATEST)
    offsets = {**known.offsets, **committed(cluster, group)}
    rows, said = [], []
    for place in sorted(leaders):
        offset, end = offsets.get(place), found[place].offset if place in found else None
        lag = None if offset is None or end is None or offset == -1 else end - offset
        owner = known.owners.get(place)
        consumer = None if owner is None else owner.rpartition("-")[0]
        rows.append(OldRow(*place, offset, end, lag, consumer))
        if offset is None:
            said.append(
                f"Error: Could not fetch offset from zookeeper for group '{group}' partition "
                f"'{place[0]}-{place[1]}' due to missing offset data in zookeeper.\n"
            )
    idle = [m for m in members if m not in {row.consumer for row in rows}]
    for member, read in subscriptions(client, group, idle).items():
        rows += [OldRow(None, None, None, None, None, member)] * len(_read(read, topics))
    kafka = (*said, *_text(rows))
    return Table("group-offsets", COLUMNS, rows_of(COLUMNS, rows), kafka=kafka)


def _read(subscription: Subscription, every: Iterable[str]) -> list[str]:
    """The topics of a subscription."""
    if subscription.pattern == "static":
        return subscription.topics
    wanted = subscription.pattern == "white_list"
    regex = include_list(",".join(subscription.topics))
    return [t for t in every if t not in INTERNAL and bool(regex.fullmatch(t)) is wanted]


def _text(rows: Sequence[OldRow]) -> Iterator[str]:
    topic = max([15, *(len(row.topic or "") for row in rows)])
    consumer = max([15, *(len(row.consumer or "") for row in rows)])
    line = f"%-{topic}s %-10s %-15s %-15s %-15s %-{consumer}s \n"
    yield "\n" + line % TITLES
    for row in rows:
        yield line % tuple("-" if value is None else value for value in row)


# --- delete --------------------------------------------------------------------------------------


def _delete(client: Any, args: Args) -> None:
    """Groups, what they keep of one topic, or what all groups keep of it."""
    groups, topic = args.given("group"), args.text("topic")
    if topic is not None and not groups:
        for group in _readers(client, topic):
            _forget(client, group, topic)
        _say(
            "Deleted consumer group information for all inactive consumer groups for topic "
            f"'{topic}' in zookeeper."
        )
    for group in groups:
        of_topic = "" if topic is None else f" topic '{topic}'"
        what = "all consumer group information" if topic is None else "consumer group information"
        try:
            gone = _forget(client, group, topic)
        except NoZnodeError:
            _say(
                f"Error: Delete for group '{group}'{of_topic} failed because group does not exist."
            )
            continue
        _say(
            f"Deleted {what} for group '{group}'{of_topic} in zookeeper."
            if gone
            else f"Error: Delete for group '{group}'{of_topic} failed because its consumers are "
            "still active."
        )


def _readers(client: Any, topic: str) -> list[str]:
    """The groups that keep an offset of it."""
    groups = _children(client, ROOT)
    return [g for g in groups if topic in (children(client, f"{ROOT}/{g}/offsets") or ())]


def _forget(client: Any, group: str, topic: str | None) -> bool:
    """Remove the group, or what it keeps of a topic where it reads others, too; False where it has
    members. NoZnodeError."""
    root = f"{ROOT}/{group}"
    if _children(client, f"{root}/ids"):
        return False
    if topic is None or children(client, f"{root}/owners") == [topic]:
        client.delete(root, recursive=True)
        return True
    for kind in ("owners", "offsets"):
        if children(client, f"{root}/{kind}/{topic}") is not None:
            client.delete(f"{root}/{kind}/{topic}", recursive=True)
    return True


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
