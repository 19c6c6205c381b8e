"""FindCoordinator leads clients to the broker that looks after their group."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pykafka_ops.analysis.java_hash import partition_for
from pykafka_ops.broker.state.image import PartitionImage
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.find_coordinator import FindCoordinatorRequest
from tests.support.memory.handler_site import ME, OTHER, Site

NONE, NOT_AVAILABLE, INVALID_REQUEST = 0, 15, 42
OFFSETS = "__consumer_offsets"
GROUPS = [f"group-{n}" for n in range(20)]


def offsets_topic(site: Site, leaders: list[int]) -> None:
    """The topic with one partition for each of ``leaders``."""
    partitions = {n: PartitionImage(b, 0, (b,), (b,)) for n, b in enumerate(leaders)}
    site.update({OFFSETS: partitions})


@pytest.fixture
def site() -> Site:
    made = Site()
    offsets_topic(made, [ME, OTHER, ME, OTHER])
    return made


def expected(group: str) -> tuple[int, str, int]:
    broker = partition_for(group, 4) % 2
    return broker, f"host{broker}", 9092 + broker


@pytest.mark.parametrize("version", range(4))
def test_one_group(site: Site, version: int) -> None:
    for group in GROUPS:
        answer = site.ask(FindCoordinatorRequest(key=group), version)
        assert answer.error_code == NONE
        assert (answer.node_id, answer.host, answer.port) == expected(group)
        if version:
            assert answer.error_message == "NONE"


@pytest.mark.parametrize("version", range(4, 7))
def test_several_groups(site: Site, version: int) -> None:
    answer = site.ask(FindCoordinatorRequest(coordinator_keys=GROUPS), version)
    assert [c.key for c in answer.coordinators] == GROUPS
    for found in answer.coordinators:
        assert (found.error_code, found.error_message) == (NONE, "")
        assert (found.node_id, found.host, found.port) == expected(found.key)


def test_a_group_whose_broker_is_away_has_none_for_now(site: Site) -> None:
    site.update({}, alive=(ME,))
    answer = site.ask(FindCoordinatorRequest(coordinator_keys=GROUPS), 4)
    for found in answer.coordinators:
        here = expected(found.key)[0] == ME
        assert found.error_code == (NONE if here else NOT_AVAILABLE)
        assert (found.node_id, found.host, found.port) == (
            expected(found.key) if here else (-1, "", -1)
        )


def test_a_partition_without_a_leader_has_none_for_now() -> None:
    site = Site()
    offsets_topic(site, [-1])
    answer = site.ask(FindCoordinatorRequest(key="g"), 3)
    assert (answer.error_code, answer.node_id, answer.port) == (NOT_AVAILABLE, -1, -1)
    assert answer.error_message == "The coordinator is not available."


def test_a_broker_without_the_clients_listener_is_no_coordinator(site: Site) -> None:
    context = site.context(3)
    context.listener = "INTERNAL"
    answer = site.ask(FindCoordinatorRequest(key="g"), 3, context=context)
    assert answer.error_code == NOT_AVAILABLE


class Topics:
    """Creates the topic as told."""

    def __init__(self, site: Site, code: ErrorCode, leaders: list[int]) -> None:
        self.site = site
        self.code = code
        self.leaders = leaders
        self.asked: list[str] = []
        self.auto = self

    async def ensure_internal(self, name: str, charge: object) -> ErrorCode:
        self.asked.append(name)
        await asyncio.sleep(0)
        if self.leaders:
            offsets_topic(self.site, self.leaders)
        return self.code


def first_time(code: ErrorCode, leaders: list[int]) -> tuple[Any, Topics]:
    site = Site()
    topics = Topics(site, code, leaders)
    site.services.topics = topics  # type: ignore[assignment]

    async def body() -> Any:
        return await site.ask_soon(FindCoordinatorRequest(key="g"), 2)

    return asyncio.run(body()), topics


def test_the_topic_is_made_when_it_is_first_asked_for() -> None:
    answer, topics = first_time(ErrorCode.NONE, [ME])
    assert (answer.error_code, answer.node_id) == (NONE, ME)
    assert topics.asked == [OFFSETS]


@pytest.mark.parametrize(
    ("code", "leaders"),
    [
        (ErrorCode.LEADER_NOT_AVAILABLE, [-1]),
        (ErrorCode.LEADER_NOT_AVAILABLE, []),
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, []),
        (ErrorCode.INVALID_REPLICATION_FACTOR, []),
    ],
)
def test_while_the_topic_is_being_made_clients_try_again(
    code: ErrorCode, leaders: list[int]
) -> None:
    assert first_time(code, leaders)[0].error_code == NOT_AVAILABLE


@pytest.mark.parametrize("version", range(1, 7))
def test_transactional_ids_belong_to_the_other_internal_topic(site: Site, version: int) -> None:
    site.topic("__transaction_state", 3)
    request = FindCoordinatorRequest(key_type=1)
    if version < 4:
        request.key = "tx"
        found = [site.ask(request, version)]
    else:
        request.coordinator_keys = ["tx", "ty"]
        found = site.ask(request, version).coordinators
        assert [c.key for c in found] == ["tx", "ty"]
    for each in found:
        assert (each.error_code, each.node_id, each.host, each.port) == (NONE, ME, "host0", 9092)


def test_share_groups_have_no_coordinator_and_other_types_are_no_request(site: Site) -> None:
    def code(key_type: int, version: int) -> int:
        request = FindCoordinatorRequest(key_type=key_type, coordinator_keys=["k"])
        return int(site.ask(request, version).coordinators[0].error_code)

    assert code(2, 6) == NOT_AVAILABLE
    assert code(2, 5) == INVALID_REQUEST
    assert code(3, 6) == INVALID_REQUEST
    assert code(-1, 6) == INVALID_REQUEST
