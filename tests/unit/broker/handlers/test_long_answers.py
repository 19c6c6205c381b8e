"""Answers that are long because of what the broker knows, whatever was asked: made in steps."""

from __future__ import annotations

from collections.abc import Callable
from types import GeneratorType
from typing import Any

import pytest

from pykafka_ops.broker.state.image import PartitionImage
from pykafka_ops.broker.state.steps import FEW, STEP
from pykafka_ops.wire.messages.describe_producers import DescribeProducersRequest, TopicRequest
from pykafka_ops.wire.messages.list_groups import ListGroupsRequest
from pykafka_ops.wire.messages.metadata import MetadataRequest
from pykafka_ops.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from pykafka_ops.wire.messages.offset_fetch import OffsetFetchRequest
from tests.support.memory import asking
from tests.support.memory.group_requests import code_of, commit_request
from tests.support.memory.handler_site import ME, Site, batch
from tests.support.memory.steps import counted

MANY = FEW + 10 * STEP
ONE = PartitionImage(ME, 0, (ME,), (ME,))


def topics(site: Site) -> None:
    site.update({f"topic{n}": {0: ONE} for n in range(MANY)})


def partitions(site: Site) -> None:
    site.update({"topic": dict.fromkeys(range(MANY), ONE)})


def groups(site: Site) -> None:
    for n in range(MANY):
        commit = commit_request(5)
        commit.group_id = f"g{n}"
        assert code_of(site.ask(commit, 8)) == 0


def offsets(site: Site) -> None:
    site.update({"t": dict.fromkeys(range(MANY), ONE)})
    places = [OffsetCommitRequestPartition(partition_index=n) for n in range(MANY)]
    topics = [OffsetCommitRequestTopic(name="t", partitions=places)]
    site.ask(OffsetCommitRequest(group_id="g", topics=topics), 8)


def producers(site: Site) -> None:
    for n in range(MANY):
        site.append("t", 0, batch(b"a", producer_id=n, producer_epoch=0, base_sequence=0))


CASES: dict[str, tuple[Callable[[Site], None], Any, int, Callable[[Any], list[Any]]]] = {
    "topics": (topics, MetadataRequest(topics=None), 9, lambda a: a.topics),
    "partitions": (
        partitions,
        MetadataRequest(topics=None),
        9,
        lambda a: [p for t in a.topics if t.name == "topic" for p in t.partitions],
    ),
    "groups": (groups, ListGroupsRequest(), 4, lambda a: a.groups),
    "offsets": (
        offsets,
        OffsetFetchRequest(group_id="g", topics=None),
        7,
        lambda a: a.topics[0].partitions,
    ),
    "producers": (
        producers,
        DescribeProducersRequest(topics=[TopicRequest(name="t", partition_indexes=[0])]),
        0,
        lambda a: a.topics[0].partitions[0].active_producers,
    ),
}


@pytest.mark.parametrize(("fill", "request_", "version", "items"), CASES.values(), ids=CASES)
def test_others_have_a_turn_every_few_items(
    site: Site,
    fill: Callable[[Site], None],
    request_: Any,
    version: int,
    items: Callable[[Any], list[Any]],
) -> None:
    fill(site)
    steps = asking.ask(site.context(version), request_)
    assert isinstance(steps, GeneratorType)
    answer, pauses = counted(steps)
    assert len(items(asking.shown(request_, version, answer))) >= MANY
    assert pauses >= (MANY - FEW) / STEP
