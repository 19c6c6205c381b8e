"""Two brokers in memory that get the same OffsetCommit requests, and what happens to both."""

from __future__ import annotations

import asyncio
import errno
import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.broker.coordinators import hosted
from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity
from pykafka_ops.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.support.memory.commit_desk import OFFSETS, Broker, request
from tests.support.memory.group_requests import join_request, joined
from tests.support.memory.handler_site import ME, OTHER
from tests.support.memory.replication import follower_at, lead

STEPS = 150
SETTINGS: list[dict[str, str]] = [
    *[{}] * 5,
    {"flush.messages": "1"},
    {"max.message.bytes": "100"},
    {"segment.bytes": "500"},
    {"compression.type": "gzip"},
    {"message.timestamp.type": "LogAppendTime"},
]
KINDS = [
    *["time"] * 12,
    *["join", "leave", "full", "epoch", "again", "shared", "topic"],
    *["settings", "alone"] * 3,
]
Act = Callable[["Desk"], object]


class Desk(Broker):
    """A broker whose group has a member; ``careful``: it reads each request field by field."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        monkeypatch: pytest.MonkeyPatch,
        *,
        careful: bool = False,
    ) -> None:
        monkeypatch.setattr(hosted, "_new_id", map(str, itertools.count()).__next__)
        super().__init__(loop, repeat=True)
        self._loop = loop
        self.gone: dict[str, Any] = {}
        if careful:
            api = self.server.dispatch.apis[ApiKey.OFFSET_COMMIT]
            api.load()
            api.shape = None
        assert joined(self.site, 3).member_id
        sync(self, *self.member)

    def said(self) -> list[bytes]:
        """What was written since the last request, once all that could go on has."""
        self._loop.run_until_complete(asyncio.sleep(0))
        assert self._transport is not None
        return self._transport.frames()

    @property
    def member(self) -> tuple[str, int]:
        """A member of the group, and its generation."""
        group = self.site.coordinators.groups.slot_of("g").shard.groups.get("g")
        if group is None or not group.members:
            return "", -1
        return next(iter(group.members)), group.generation


def sync(broker: Broker, member: str, generation: int) -> None:
    every = [SyncGroupRequestAssignment(member_id=member, assignment=b"a")]
    broker.site.ask(
        SyncGroupRequest(
            group_id="g", generation_id=generation, member_id=member, assignments=every
        ),
        3,
    )


Way = tuple[int, int, tuple[str, str]]
"""Version, number of partitions, what is noted with the first and the second of a topic."""


def ways(dice: random.Random) -> list[Way]:
    """What clients of a connection send, as many kinds as it knows the shapes of."""
    notes = [("", ""), ("", ""), ("a", "b"), ("\u00fc", "")]
    return [
        (dice.choice([2, 5, 6, 8, 9]), dice.choice([1, 2, 3]), dice.choice(notes)) for _ in range(2)
    ]


def commit(dice: random.Random, way: Way, member: tuple[str, int]) -> bytes:
    version, count, notes = way
    places = [
        (topic, index, dice.choice([-1, 7, 1 << 40]), dice.randrange(-1, 3), notes[index])
        for topic, index in [("t", 0), ("t", 1), ("u", 0)][:count]
    ]
    id_, generation = member if dice.random() < 0.9 else ("", -1)
    if dice.random() < 0.05:
        generation += 1
    return request(
        *places,
        version=version,
        correlation_id=dice.randrange(1 << 31),
        member_id=id_,
        generation_id_or_member_epoch=generation,
    )


FOLLOWS = {"join": "sync", "shared": "follower", "epoch": "follower"}
"""What happens next, at times after a commit that waits."""


def happening(
    dice: random.Random, member: tuple[str, int], kind: str, kinds: list[str]
) -> tuple[Act, str]:
    """Something that happens to both brokers, and what happens next."""
    kind = kind or dice.choice(kinds)
    ms, short = dice.choice([1, 1, 1, 400, 400, 400, 11_000]), dice.choice([0, 9])
    settings, topic = dice.choice(SETTINGS), dice.choice("tu")

    def act(broker: Desk) -> None:
        site, partition = broker.site, broker.partition
        if kind == "time":
            site.now += ms
            site.pass_time(ms)
            site.coordinators.tick()
        elif kind == "join":
            site.ask(join_request(member[0]), 3)
            site.coordinators.tick()
        elif kind == "sync":
            sync(broker, *member)
        elif kind == "leave":
            members = [MemberIdentity(member_id=member[0])]
            site.ask(LeaveGroupRequest(group_id="g", members=members), 3)
        elif kind == "full":
            site.logs.files.fail_next_write(errno.ENOSPC, short=short, match=OFFSETS)
        elif kind in ("shared", "alone", "epoch"):
            every = {"shared": (ME, OTHER), "alone": (ME,)}.get(kind, partition.replicas)
            lead(partition, every, every, epoch=partition.leader_epoch + 1)
        elif kind == "moved":
            site.coordinators.groups.coordinator.resigned(0)
            if partition.in_sync is not None:
                follower_at(partition, partition.log.log_end_offset)  # or loading waits for it
            site.coordinators.led(partition)
        elif kind == "behind":
            needs = {"min.insync.replicas": "2"} if ms == 1 else {}
            partition.log.update_config(TopicConfig.of(needs))
        elif kind == "again" and partition.log.high_watermark == partition.log.log_end_offset:
            site.coordinators.groups.coordinator.resigned(0)
            site.coordinators.led(partition)
        elif kind == "settings":
            partition.log.update_config(TopicConfig.of(settings))
        elif kind == "follower" and partition.in_sync is not None:
            follower_at(partition, partition.log.log_end_offset)
            site.replicas.wake(partition.key)
        elif kind == "topic":
            topics, gone = site.image.topics, broker.gone
            here, there = (topics, gone) if topic in topics else (gone, topics)
            there[topic] = here.pop(topic)

    return act, FOLLOWS.get(kind, "") if dice.random() < 0.8 else ""


def left_behind(broker: Broker) -> list[Any]:
    """All that commits change."""
    site, partition = broker.site, broker.partition
    shard = site.coordinators.groups.slot_of("g").shard
    tail, meter = partition.log.tail, partition.meter
    active = tail.active
    return [
        broker.state,
        [(id_, kept.memory.held) for id_, kept in shard.offsets.items()],
        [
            (
                id_,
                group.state,
                group.generation,
                [(m.id, m.deadline) for m in group.members.values()],
            )
            for id_, group in shard.groups.items()
        ],
        (tail.start, tail.end, tail.high_watermark, tail.owed, tail.latest_epoch, tail.look_at),
        (tail.offsets, tail.positions, tail.roll_after),
        active and (active.size, active.bytes_since_index, active.latest, active.index_full),
        [getattr(meter, name) for name in ("produces", "bytes_in", "messages_in")],
        {path: bytes(inode.data) for path, inode in site.logs.files.inodes.items()},
        (len(site.replicas.produces), site.armed),
    ]


def check_both(
    dice: random.Random, straight: Desk, careful: Desk, kinds: list[str], odds: float
) -> None:
    """Commits, and by these odds something that happens, end alike at both brokers."""
    sent, follows = ways(dice), ""
    for n in range(STEPS):
        if n and (dice.random() < odds or follows):
            member = straight.member
            kind = follows or ("" if member[0] else "join")
            act, follows = happening(dice, member, kind, kinds)
            act(straight)
            act(careful)
        else:
            frame = commit(dice, dice.choice(sent), straight.member)
            straight.ask(frame)
            careful.ask(frame)
        assert straight.said() == careful.said()
        if n % 10 == 0:
            assert left_behind(straight) == left_behind(careful)
    assert left_behind(straight) == left_behind(careful)
