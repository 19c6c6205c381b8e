"""CreateTopics: codes and texts are those of Apache Kafka 3.9.1 in ZooKeeper mode."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.errors import StorageError
from pykafka_ops.wire.apis import APIS
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import decode_response
from pykafka_ops.wire.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from tests.support.memory.replica_double import eventually
from tests.support.memory.topic_desk import TopicDesk, at_desk

TOO_MANY = ErrorCode.POLICY_VIOLATION
GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "wire" / "java-topics.jsonl"


def topic(
    name: str,
    partitions: int = -1,
    factor: int = -1,
    *,
    replicas: list[list[int]] | None = None,
    config: dict[str, str | None] | None = None,
) -> CreatableTopic:
    return CreatableTopic(
        name=name,
        num_partitions=partitions,
        replication_factor=factor,
        assignments=[
            CreatableReplicaAssignment(partition_index=i, broker_ids=ids)
            for i, ids in enumerate(replicas or [])
        ],
        configs=[CreatableTopicConfig(name=n, value=v) for n, v in (config or {}).items()],
    )


async def create(desk: TopicDesk, *topics: CreatableTopic, version: int = 7, **rest: Any) -> Any:
    on = rest.pop("on", 0)
    rest.setdefault("timeout_ms", 60_000)
    return await desk.ask(CreateTopicsRequest(topics=list(topics), **rest), version, on=on)


async def refused(desk: TopicDesk, asked: CreatableTopic, **rest: Any) -> tuple[ErrorCode, Any]:
    (result,) = (await create(desk, asked, **rest)).topics
    assert (result.num_partitions, result.replication_factor, result.configs) == (-1, -1, [])
    return ErrorCode(result.error_code), result.error_message


def test_a_topic_exists_when_the_answer_comes(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        (result,) = (await create(desk, topic("t", 3, 1, config={"retention.ms": "5"}))).topics
        assert (result.error_code, result.error_message) == (0, None)
        assert (result.num_partitions, result.replication_factor) == (3, 1)
        assert result.topic_id == desk.image().topics["t"].topic_id
        assert desk.image().has_leaders("t", range(3))
        shown = {c.name: (c.value, c.config_source) for c in result.configs}
        assert shown["retention.ms"] == ("5", 1)
        assert shown["segment.bytes"] == ("1073741824", 5)

    at_desk(tmp_path, body)


def test_the_settings_shown_are_those_apache_kafka_shows(tmp_path: Path) -> None:
    frames = [json.loads(line) for line in GOLDEN.read_text().splitlines()]
    frame = next(f for f in frames if f["api_key"] == 19)
    golden = decode_response(
        APIS[19].response, frame["api_version"], bytes.fromhex(frame["response"])
    )[1]
    (theirs,) = golden.topics

    async def body(desk: TopicDesk) -> None:
        (ours,) = (await create(desk, topic("t", config={"retention.ms": "86400000"}))).topics
        assert {_shown(c) for c in ours.configs} == {_shown(c) for c in theirs.configs}

    at_desk(tmp_path, body)


def _shown(config: Any) -> tuple[Any, ...]:
    return (config.name, config.value, config.read_only, config.config_source, config.is_sensitive)


def test_defaults_come_from_the_broker(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        (result,) = (await create(desk, topic("t"))).topics
        assert (result.num_partitions, result.replication_factor) == (4, 2)

    settings = {"num.partitions": "4", "default.replication.factor": "2"}
    at_desk(tmp_path, body, brokers=2, settings=settings)


def test_assignments_by_hand_may_name_brokers_that_do_not_exist(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        (result,) = (await create(desk, topic("t", replicas=[[0, 9]]))).topics
        assert (result.error_code, result.replication_factor) == (0, 2)
        partition = desk.image().partition("t", 0)
        assert partition is not None
        assert (partition.replicas, partition.isr) == ((0, 9), (0,))
        # Nobody alive holds a replica: it exists, and the answer waits in vain.
        code, text = await refused(desk, topic("dead", replicas=[[9]]), timeout_ms=20)
        assert (code, text) == (ErrorCode.REQUEST_TIMED_OUT, None)
        code, text = await refused(desk, topic("dead", replicas=[[9]]))
        assert (code, text) == (ErrorCode.TOPIC_ALREADY_EXISTS, "Topic 'dead' already exists.")

    at_desk(tmp_path, body)


REFUSALS = [
    (topic("old"), ErrorCode.TOPIC_ALREADY_EXISTS, "Topic 'old' already exists."),
    (
        topic("c.d"),
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        "Topic 'c.d' collides with existing topics: c_d",
    ),
    (
        topic("bad name"),
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        "Topic name is invalid: 'bad name' contains one or more characters other than ASCII"
        " alphanumerics, '.', '_' and '-'",
    ),
    (
        topic(""),
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        "Topic name is invalid: the empty string is not allowed",
    ),
    (
        topic("t", 1, 3),
        ErrorCode.INVALID_REPLICATION_FACTOR,
        "Replication factor: 3 larger than available brokers: 1.",
    ),
    (
        topic("t", 1, 0),
        ErrorCode.INVALID_REPLICATION_FACTOR,
        "Replication factor must be larger than 0.",
    ),
    (topic("t", 0, 1), ErrorCode.INVALID_PARTITIONS, "Number of partitions must be larger than 0."),
    (
        topic("t", 2**31 - 1, 1),
        ErrorCode.INVALID_PARTITIONS,
        "Number of partitions must be at most 10000.",
    ),
    (
        topic("t", 2, -1, replicas=[[0]]),
        ErrorCode.INVALID_REQUEST,
        "Both numPartitions or replicationFactor and replicasAssignments were set. Both cannot be"
        " used at the same time.",
    ),
    (
        topic("t", replicas=[[0], [0, 1]]),
        ErrorCode.INVALID_REPLICA_ASSIGNMENT,
        "All partitions should have the same number of replicas",
    ),
    (
        topic("t", replicas=[[0, 0]]),
        ErrorCode.INVALID_REPLICA_ASSIGNMENT,
        "Duplicate replica assignment found: HashMap(0 -> ArrayBuffer(0, 0))",
    ),
    (
        topic("t", replicas=[[-1]]),
        ErrorCode.INVALID_REPLICA_ASSIGNMENT,
        "Invalid broker id in replica list: [-1]",
    ),
    (
        topic("t", config={"no.such": "1"}),
        ErrorCode.INVALID_CONFIG,
        "Unknown topic config name: no.such",
    ),
    (
        topic("t", config={"retention.ms": "abc"}),
        ErrorCode.INVALID_CONFIG,
        "Invalid value abc for configuration retention.ms: Not a number of type LONG",
    ),
    (
        topic("t", config={"retention.ms": None, "flush.ms": None}),
        ErrorCode.INVALID_CONFIG,
        "Null value not supported for topic configs: retention.ms,flush.ms",
    ),
    (
        topic("__cluster_metadata"),
        ErrorCode.INVALID_REQUEST,
        "Creation of internal topic __cluster_metadata is prohibited.",
    ),
]


@pytest.mark.parametrize("only", [False, True])
def test_what_may_not_be_is_refused_in_kafkas_words(tmp_path: Path, only: bool) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, topic("old"), topic("c_d"))
        for asked, code, text in REFUSALS:
            assert await refused(desk, asked, validate_only=only) == (code, text)
        assert set(desk.image().topics) == {"old", "c_d"}

    at_desk(tmp_path, body)


def test_one_request_makes_so_many_partitions_and_no_more(tmp_path: Path) -> None:
    by_hand = topic("by-hand", replicas=[[0]] * 2)

    async def body(desk: TopicDesk) -> None:
        asked = [topic("a", 9_998, 1), topic("b", 3, 1), by_hand, topic("c", 1, 1)]
        results = (await create(desk, *asked, validate_only=True)).topics
        assert {r.name: (ErrorCode(r.error_code), r.error_message) for r in results} == {
            "a": (ErrorCode.NONE, None),
            "b": (TOO_MANY, "Excessively large number of partitions per request."),
            "by-hand": (ErrorCode.NONE, None),
            "c": (TOO_MANY, "Excessively large number of partitions per request."),
        }

    at_desk(tmp_path, body)


def test_partitions_must_be_numbered_from_zero(tmp_path: Path) -> None:
    asked = topic("t", replicas=[[0], [0]])
    asked.assignments[1].partition_index = 2

    async def body(desk: TopicDesk) -> None:
        assert await refused(desk, asked) == (
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "partitions should be a consecutive 0-based integer sequence",
        )

    at_desk(tmp_path, body)


def test_one_bad_topic_does_not_hinder_the_others(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        answer = await create(desk, topic("a.b"), topic("bad!"), topic("a_b"), topic("c"))
        codes = [result.error_code for result in answer.topics]
        assert codes == [0, ErrorCode.INVALID_TOPIC_EXCEPTION, ErrorCode.INVALID_TOPIC_EXCEPTION, 0]
        assert set(desk.image().topics) == {"a.b", "c"}

    at_desk(tmp_path, body)


def test_a_topic_asked_for_twice_is_refused_twice(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        answer = await create(desk, topic("t"), topic("u"), topic("t"))
        assert [(r.name, r.error_code) for r in answer.topics] == [("t", 42), ("u", 0), ("t", 42)]
        assert answer.topics[0].error_message == "Found multiple entries for this topic."

    at_desk(tmp_path, body)


def test_validation_creates_nothing_and_tells_what_would_be(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        (result,) = (await create(desk, topic("t", 2, 1), validate_only=True)).topics
        assert (result.error_code, result.num_partitions, result.topic_id) == (0, 2, bytes(16))
        assert desk.image().topics == {}

    at_desk(tmp_path, body)


def test_no_time_to_wait_means_timed_out_though_created(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        code, text = await refused(desk, topic("t"), timeout_ms=0)
        assert (code, text) == (ErrorCode.REQUEST_TIMED_OUT, None)
        code, _ = await refused(desk, topic("t"))
        assert code == ErrorCode.TOPIC_ALREADY_EXISTS

    at_desk(tmp_path, body)


def test_two_requests_for_one_topic_create_it_once(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        answers = await asyncio.gather(*(create(desk, topic("t")) for _ in range(5)))
        codes = sorted(answer.topics[0].error_code for answer in answers)
        assert codes == [0, 36, 36, 36, 36]

    at_desk(tmp_path, body)


def test_only_the_controller_creates(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        (result,) = (await create(desk, topic("t"), on=1)).topics
        assert (result.error_code, result.error_message) == (ErrorCode.NOT_CONTROLLER, None)

    at_desk(tmp_path, body, brokers=2)


@pytest.mark.parametrize("version", range(8))
def test_every_version_is_served(tmp_path: Path, version: int) -> None:
    async def body(desk: TopicDesk) -> None:
        answer = await create(desk, topic("t", 2, 1), topic("bad!", 1, 1), version=version)
        assert [result.error_code for result in answer.topics] == [0, 17]
        assert len(desk.image().topics["t"].partitions) == 2

    at_desk(tmp_path, body)


def test_a_store_that_cannot_be_written_is_an_error_not_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pykafka_ops.broker.runtime.controller.loop.RETRY_S", 0.0)

    async def body(desk: TopicDesk) -> None:
        store = desk.nodes[0].store

        async def broken(_: object) -> Any:
            raise StorageError("cannot write the metadata file: disk I/O error")

        with monkeypatch.context() as patch:
            patch.setattr(store, "multi", broken)
            (result,) = (await create(desk, topic("t"))).topics
            assert result.error_code == ErrorCode.KAFKA_STORAGE_ERROR
        await eventually(lambda: desk.nodes[0].loop.is_active)
        (result,) = (await create(desk, topic("t"))).topics
        assert result.error_code == ErrorCode.NONE

    at_desk(tmp_path, body)
