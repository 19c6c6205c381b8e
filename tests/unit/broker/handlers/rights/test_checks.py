"""Rights that requests need: the rest of a request is served, and what is refused says so."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pykafka_ops.broker.handlers import ROUTES, rights
from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.handlers.rights.checks import after
from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.services.authorizer import Authorizer
from pykafka_ops.broker.state.steps import Steps
from pykafka_ops.errors import KafkaError
from pykafka_ops.security.acls.rules import (
    ANYBODY,
    CLUSTER_NAME,
    AclBinding,
    AclEntry,
    Operation,
    Permission,
    ResourcePattern,
    ResourceType,
)
from pykafka_ops.wire.apis import APIS
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from pykafka_ops.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from pykafka_ops.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.support.memory.asking import api_of, driven
from tests.support.memory.handler_site import Site
from tests.support.wire.raw import batch

TOPIC, GROUP, CLUSTER = ResourceType.TOPIC, ResourceType.GROUP, ResourceType.CLUSTER
REFUSED = ErrorCode.TOPIC_AUTHORIZATION_FAILED


class Guarded:
    """A broker's handlers behind an authorizer whose rules a test gives."""

    def __init__(self) -> None:
        self.site = Site()
        self.authorizer = Authorizer()
        self.site.services.acls = cast(Any, SimpleNamespace(authorizer=self.authorizer))
        self._rights: list[AclBinding] = []

    def allow(self, operation: Operation, type_: ResourceType, *names: str) -> None:
        entry = AclEntry(ANYBODY, "*", operation, Permission.ALLOW)
        self._rights += [AclBinding(ResourcePattern(type_, name), entry) for name in names]
        self.authorizer.load(self._rights)

    def forbid_all(self) -> None:
        self._rights.clear()
        self.authorizer.load([])

    def ask(self, request: Any, version: int, context: Context | None = None) -> Any:
        api = api_of(request)
        context = context or self.site.context(version)
        context.api_key = api
        handle = rights.guarded(api, ROUTES[api].load())
        return driven(handle(context, request))


@pytest.fixture
def guarded() -> Guarded:
    made = Guarded()
    made.site.topic("a")
    made.site.topic("b")
    made.site.topic("c")
    return made


def produce(topics: Iterable[str], acks: int = 1) -> ProduceRequest:
    data = [PartitionProduceData(index=0, records=memoryview(bytearray(batch())))]
    return ProduceRequest(
        acks=acks,
        timeout_ms=1000,
        topic_data=[TopicProduceData(name=t, partition_data=data) for t in topics],
    )


def test_every_api_that_is_announced_has_a_row() -> None:
    assert set(rights.RIGHTS) == set(ROUTES)


def test_what_a_client_may_write_is_written_and_the_answer_keeps_the_order(
    guarded: Guarded,
) -> None:
    guarded.allow(Operation.WRITE, TOPIC, "a", "c")
    answer = guarded.ask(produce("abc"), 9)
    found = [(t.name, t.partition_responses[0].error_code) for t in answer.responses]
    assert found == [("a", 0), ("b", REFUSED), ("c", 0)]
    assert answer.responses[1].partition_responses[0].base_offset == -1
    logs = guarded.site.replicas
    ends = {name: logs.find(name, 0).log.log_end_offset for name in "abc"}  # type: ignore[union-attr]
    assert ends == {"a": 1, "b": 0, "c": 1}


@pytest.mark.parametrize(("topics", "closes"), [("a", False), ("ab", True), ("b", True)])
def test_without_an_answer_the_connection_says_that_something_was_refused(
    guarded: Guarded, topics: str, closes: bool
) -> None:
    guarded.allow(Operation.WRITE, TOPIC, "a")
    context = guarded.site.context(9)
    guarded.ask(produce(topics, acks=0), 9, context)
    assert context.close_connection == closes


def test_a_transaction_needs_the_right_to_its_id(guarded: Guarded) -> None:
    guarded.allow(Operation.WRITE, TOPIC, "a")
    records = bytearray(batch(attributes=0x10, producer=(1, 0, 0)))
    request = produce("a")
    request.transactional_id = "t"
    request.topic_data[0].partition_data[0].records = memoryview(records)
    code = guarded.ask(request, 9).responses[0].partition_responses[0].error_code
    assert code == ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED


def fetch(*topics: str, session: tuple[int, int] = (0, -1)) -> FetchRequest:
    partition = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1000)
    return FetchRequest(
        max_wait_ms=0,
        max_bytes=10_000,
        session_id=session[0],
        session_epoch=session[1],
        topics=[FetchTopic(topic=name, partitions=[partition]) for name in topics],
    )


def errors(answer: Any) -> dict[str, int]:
    return {t.topic: t.partitions[0].error_code for t in answer.responses}


def test_a_right_that_is_taken_away_ends_a_session_that_has_it(guarded: Guarded) -> None:
    guarded.allow(Operation.READ, TOPIC, "a")
    guarded.site.append("a", 0, batch())
    first = guarded.ask(fetch("a", "b", session=(0, 0)), 11)
    assert errors(first) == {"a": 0, "b": REFUSED}
    guarded.forbid_all()
    again = guarded.ask(fetch(session=(first.session_id, 1)), 11)
    assert errors(again)["a"] == REFUSED


def test_a_follower_must_be_allowed_to_act_in_the_cluster(guarded: Guarded) -> None:
    guarded.allow(Operation.READ, TOPIC, "a")
    request = fetch("a")
    request.replica_id = 1
    assert errors(guarded.ask(request, 11)) == {"a": REFUSED}
    guarded.allow(Operation.CLUSTER_ACTION, CLUSTER, CLUSTER_NAME)
    assert errors(guarded.ask(request, 11))["a"] != REFUSED


def test_a_request_none_of_which_is_allowed_does_not_reach_the_handler(guarded: Guarded) -> None:
    request = OffsetCommitRequest(
        group_id="g",
        topics=[
            OffsetCommitRequestTopic(
                name="a", partitions=[OffsetCommitRequestPartition(partition_index=0)]
            )
        ],
    )
    with pytest.raises(KafkaError) as refused:
        guarded.ask(request, 8)
    assert refused.value.code == ErrorCode.GROUP_AUTHORIZATION_FAILED
    guarded.allow(Operation.READ, GROUP, "g")
    answer = guarded.ask(request, 8)  # the handler would say that this is not the coordinator
    assert answer.topics[0].partitions[0].error_code == REFUSED


def test_a_name_is_asked_for_once_and_counted(
    guarded: Guarded, caplog: pytest.LogCaptureFixture
) -> None:
    partition = ListOffsetsPartition(partition_index=0, timestamp=-1)
    topics = [ListOffsetsTopic(name="b", partitions=[partition]) for _ in range(3)]
    with caplog.at_level("INFO", "kafka.authorizer.logger"):
        guarded.ask(ListOffsetsRequest(topics=topics), 5)
    (record,) = caplog.records
    assert record.getMessage().endswith("for request = ListOffsets with resourceRefCount = 3")


def test_requests_are_served_from_their_bytes_only_with_all_rights(guarded: Guarded) -> None:
    request = produce("a")
    asked = []
    shape = rights.guarded_shape(0, lambda *about: asked.append(about))
    shape(guarded.site.context(9), request, memoryview(b""))
    assert not asked
    guarded.allow(Operation.WRITE, TOPIC, "a")
    shape(guarded.site.context(9), request, memoryview(b""))
    assert len(asked) == 1


def test_an_answer_that_comes_later_is_shaped_then() -> None:
    def doubled(found: Any) -> Any:
        return found * 2

    async def soon() -> Any:
        return 4

    def steps() -> Steps[Any]:
        yield None
        return 5

    promise = Deferred()
    heard: list[object] = []
    later: Any = after(promise, doubled)
    later.then(heard.append)
    promise.resolve(3)
    assert heard == [6]
    assert asyncio.run(cast(Any, after(soon(), doubled))) == 8
    assert driven(after(steps(), doubled)) == 10
    assert after(None, doubled) is None


def test_names_of_apis_are_those_of_the_audit_log() -> None:
    assert APIS[api_of(fetch())].name == "Fetch"
