"""Metadata, CreateTopics, DeleteTopics, CreatePartitions."""

from __future__ import annotations

from typing import Any

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from pykafka_ops.wire.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from pykafka_ops.wire.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from pykafka_ops.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from pykafka_ops.wire.types import ZERO_UUID
from tests.support.differential.core import Cases, Side

CASES = Cases()
UNKNOWN_ID = bytes(range(16))
NEW_IDS = ("*/topic_id",)
"""Ids that each broker draws for itself."""


# -- Metadata ------------------------------------------------------------------------------------


def described(side: Side, note: str, *names: str | None, **more: Any) -> Any:
    """Metadata of these topics (full names), none of which is created by asking."""
    version = more.pop("version", None)
    topics = [MetadataRequestTopic(name=name) for name in names]
    fields = {"allow_auto_topic_creation": False, **more}
    return side.ask(MetadataRequest(topics=topics, **fields), version, note)


@CASES.add(ApiKey.METADATA, "0-12")
def metadata(side: Side, version: int) -> None:
    side.create(partitions=3)
    side.create("other")
    described(side, "one", side.topic())
    described(side, "two", side.topic(), side.topic("other"))
    described(side, "twice", side.topic(), side.topic())
    described(
        side, "what may be done to a topic", side.topic(), include_topic_authorized_operations=True
    )
    described(
        side,
        "what may be done to the cluster",
        side.topic(),
        include_cluster_authorized_operations=True,
    )
    if version > 0:
        described(side, "none")
    if version >= 4:
        odd = (side.topic("none"), "", ".", "..", "a/b", "x" * 249, "x" * 250, "ä")
        for name in odd:
            described(side, f"unknown {name[-9:]!r}", name)
        described(side, "known and unknown", side.topic(), side.topic("none"))
    if version >= 10:
        described(side, "null name", None)
    side.ask(MetadataRequest(topics=None if version else []), note="all", own_only=True)


@CASES.add(ApiKey.METADATA, "10-12")
def metadata_by_id(side: Side, version: int) -> None:
    side.create()
    id_ = side.id_of()

    def ask(note: str, *topics: MetadataRequestTopic) -> None:
        asked = MetadataRequest(topics=list(topics), allow_auto_topic_creation=False)
        side.ask(asked, note=note)

    ask("id", MetadataRequestTopic(topic_id=id_, name=None))
    ask("id and name", MetadataRequestTopic(topic_id=id_, name=side.topic()))
    ask("id and another name", MetadataRequestTopic(topic_id=id_, name=side.topic("other")))
    ask("unknown id", MetadataRequestTopic(topic_id=UNKNOWN_ID, name=None))
    ask("unknown id and name", MetadataRequestTopic(topic_id=UNKNOWN_ID, name=side.topic()))
    known, unknown = (MetadataRequestTopic(topic_id=i, name=None) for i in (id_, UNKNOWN_ID))
    ask("known and unknown id", known, unknown)
    ask("id twice", known, known)
    ask("id, then name", known, MetadataRequestTopic(name=side.topic()))
    ask("neither", MetadataRequestTopic(topic_id=ZERO_UUID, name=None))


@CASES.add(ApiKey.METADATA, "0-12")
def creation_by_asking(side: Side, version: int) -> None:
    names = [side.topic("auto"), "b/d", ""]
    topics = [MetadataRequestTopic(name=name) for name in names]
    side.ask(MetadataRequest(topics=topics), note="asked", own_only=True)


# -- CreateTopics --------------------------------------------------------------------------------


def topic(name: str, count: int = 1, factor: int = 1, **more: Any) -> CreatableTopic:
    """A topic to create; ``replicas`` are brokers by partition, ``config`` is its settings."""
    replicas = more.pop("replicas", {})
    config = more.pop("config", {})
    return CreatableTopic(
        name=name,
        num_partitions=count,
        replication_factor=factor,
        assignments=[
            CreatableReplicaAssignment(partition_index=i, broker_ids=ids)
            for i, ids in (replicas.items() if isinstance(replicas, dict) else replicas)
        ],
        configs=[CreatableTopicConfig(name=k, value=v) for k, v in config.items()],
    )


def create(side: Side, note: str, *topics: CreatableTopic, **more: Any) -> Any:
    request = CreateTopicsRequest(topics=list(topics), **{"timeout_ms": 60_000, **more})
    return side.ask(request, note=note)


@CASES.add(ApiKey.CREATE_TOPICS, "0-7", masks=NEW_IDS)
def creations(side: Side, version: int) -> None:
    name = side.topic
    create(side, "plain", topic(name("plain"), 3))
    create(side, "again", topic(name("plain"), 3))
    create(side, "defaults", topic(name("defaults"), -1, -1))
    create(side, "assigned", topic(name("assigned"), -1, -1, replicas={1: [0], 0: [0]}))
    config = {"retention.ms": "5000", "cleanup.policy": "compact,delete", "segment.ms": "1000"}
    create(side, "config", topic(name("config"), config=config))
    create(side, "two", topic(name("a")), topic(name("b"), 2))
    create(side, "one good, one bad", topic(name("c")), topic(name("d"), 0))
    create(side, "twice", topic(name("e")), topic(name("e"), 2), topic(name("f")))
    create(side, "no topics")
    described(side, "are there", *map(name, "abcdef"), version=8)


MANY = {0: [0], 1: [0]}
ASSIGNED: dict[str, Any] = {
    "unknown broker": {0: [7]},
    "known and unknown broker": {0: [0, 7]},
    "broker twice": {0: [0, 0]},
    "not from 0": {1: [0], 2: [0]},
    "gap": {0: [0], 2: [0]},
    "negative partition": {-1: [0]},
    "partition twice": [(0, [0]), (0, [0])],
    "uneven replicas": {0: [0], 1: []},
}
NEVER_IN_EARNEST = {"negative broker": {0: [-1]}, "no brokers": {0: []}}
"""Kafka accepts these, and then its controller is stuck for good."""

SETTINGS: dict[str, dict[str, str | None]] = {
    "unknown setting": {"no.such": "1"},
    "bad value": {"retention.ms": "soon"},
    "value out of range": {"segment.bytes": "1"},
    "bad policy": {"cleanup.policy": "shred"},
    "null value": {"retention.ms": None},
    "empty value": {"retention.ms": ""},
    "broker setting": {"log.retention.ms": "1"},
    "min isr 0": {"min.insync.replicas": "0"},
    "bad format": {"message.format.version": "nine"},
    "old format": {"message.format.version": "2.0"},
    "remote": {"remote.storage.enable": "true"},
}
COUNTS = [(0, 1), (-2, 1), (1, 0), (1, 2), (1, -2), (0, 0), (-1, 1), (1, -1)]


@CASES.add(ApiKey.CREATE_TOPICS, "0-7", masks=NEW_IDS)
def creations_with_odd_counts(side: Side, version: int) -> None:
    for validate in (True, False) if version else (False,):
        for count, factor in COUNTS:
            asked = topic(side.topic(f"{count}x{factor}"), count, factor)
            create(side, f"{count} x {factor}, {validate}", asked, validate_only=validate)
        for count, factor in ((2, -1), (-1, 1), (2, 1)):
            asked = topic(side.topic("both"), count, factor, replicas=MANY)
            create(side, f"{count} x {factor} assigned, {validate}", asked, validate_only=validate)


@CASES.add(ApiKey.CREATE_TOPICS, "0-7", masks=NEW_IDS)
def creations_with_odd_brokers(side: Side, version: int) -> None:
    for n, (note, replicas) in enumerate(ASSIGNED.items()):
        asked = topic(side.topic(f"t{n}"), -1, -1, replicas=replicas)
        if version:
            create(side, f"validated: {note}", asked, validate_only=True)
        create(side, note, asked, timeout_ms=300 if note == "unknown broker" else 60_000)
    for note, replicas in NEVER_IN_EARNEST.items() if version else ():
        asked = topic(side.topic("never"), -1, -1, replicas=replicas)
        create(side, f"validated: {note}", asked, validate_only=True)


@CASES.add(ApiKey.CREATE_TOPICS, "0-7", masks=NEW_IDS)
def creations_with_odd_settings(side: Side, version: int) -> None:
    for n, (note, config) in enumerate(SETTINGS.items()):
        asked = topic(side.topic(f"t{n}"), config=config)
        if version:
            create(side, f"validated: {note}", asked, validate_only=True)
        create(side, note, asked)


@CASES.add(ApiKey.CREATE_TOPICS, "0-7", masks=NEW_IDS)
def names(side: Side, version: int) -> None:
    for name in ("", ".", "..", "a/b", "ä", "a b", "x" * 250, "__cluster_metadata"):
        create(side, f"name {name[:12]!r}", topic(name))
    base = side.topic("x")
    create(side, "with a dot", topic(f"{base}.y"))
    create(side, "collides", topic(f"{base}_y"))
    create(side, "collide with each other", topic(f"{base}.z"), topic(f"{base}_z"))
    create(side, "longest", topic(side.topic("").ljust(249, "x")))
    create(side, "collides, validated", topic(f"{base}_y"), validate_only=True)


@CASES.add(ApiKey.CREATE_TOPICS, "1-7", masks=NEW_IDS)
def validations(side: Side, version: int) -> None:
    name = side.topic
    create(side, "plain", topic(name("a"), 3), validate_only=True)
    create(side, "defaults", topic(name("a"), -1, -1), validate_only=True)
    create(side, "assigned", topic(name("a"), -1, -1, replicas={0: [0]}), validate_only=True)
    create(side, "config", topic(name("a"), config={"retention.ms": "1"}), validate_only=True)
    create(side, "twice", topic(name("a")), topic(name("a")), validate_only=True)
    side.create("there")
    create(side, "is there", topic(name("there")), validate_only=True)
    described(side, "still not there", name("a"), version=8)


@CASES.add(ApiKey.CREATE_TOPICS, "0-7", masks=NEW_IDS)
def creation_without_time(side: Side, version: int) -> None:
    for timeout in (0, -1):
        create(side, f"timeout {timeout}", topic(side.topic(f"t{timeout}")), timeout_ms=timeout)


# -- DeleteTopics --------------------------------------------------------------------------------


def delete(side: Side, note: str, *names: str, **more: Any) -> Any:
    states = more.pop("states", None) or [DeleteTopicState(name=name) for name in names]
    if side.case.version >= 6:
        asked = DeleteTopicsRequest(topics=states, **{"timeout_ms": 60_000, **more})
    else:
        asked = DeleteTopicsRequest(topic_names=list(names), **{"timeout_ms": 60_000, **more})
    return side.ask(asked, note=note)


@CASES.add(ApiKey.DELETE_TOPICS, "0-6")
def deletions(side: Side, version: int) -> None:
    for name in "abc":
        side.create(name)
    name = side.topic
    delete(side, "one", name("a"))
    delete(side, "again", name("a"))
    delete(side, "one of two", name("b"), name("none"))
    delete(side, "odd names", "", "a/b", "x" * 250)
    delete(side, "none")
    delete(side, "without time", name("c"), timeout_ms=0)


@CASES.add(ApiKey.DELETE_TOPICS, "0-6")
def deletion_twice(side: Side, version: int) -> None:
    side.create()
    delete(side, "twice", side.topic(), side.topic())


@CASES.add(ApiKey.DELETE_TOPICS, "6")
def deletions_by_id(side: Side, version: int) -> None:
    for name in "abcd":
        side.create(name)
    by_id = [DeleteTopicState(topic_id=side.id_of(name)) for name in "abcd"]
    delete(side, "one", states=by_id[:1])
    delete(side, "again", states=by_id[:1])
    delete(side, "unknown", states=[DeleteTopicState(topic_id=UNKNOWN_ID)])
    delete(side, "neither", states=[DeleteTopicState()])
    both = DeleteTopicState(name=side.topic("b"), topic_id=side.id_of("b"))
    delete(side, "name and id", states=[both])
    mixed = [by_id[1], DeleteTopicState(name=side.topic("c"))]
    delete(side, "one by id, one by name", states=mixed)
    same = [by_id[3], DeleteTopicState(name=side.topic("d"))]
    delete(side, "the same by id and by name", states=same)
    delete(side, "unknown twice", states=[DeleteTopicState(topic_id=UNKNOWN_ID)] * 2)


# -- CreatePartitions ------------------------------------------------------------------------------


@CASES.add(ApiKey.CREATE_PARTITIONS, "0-3")
def more_partitions(side: Side, version: int) -> None:
    side.create(partitions=2)

    def ask(note: str, count: int, *brokers: list[int], name: str = "t", **more: Any) -> None:
        wanted = [CreatePartitionsAssignment(broker_ids=each) for each in brokers]
        if more.pop("empty", False) or wanted:
            more["assignments"] = wanted
        entry = CreatePartitionsTopic(
            name=side.topic(name), count=count, assignments=more.pop("assignments", None)
        )
        topics = [entry] * more.pop("times", 1)
        fields = {"timeout_ms": 60_000, "validate_only": False, **more}
        side.ask(CreatePartitionsRequest(topics=topics, **fields), note=note)

    for count in (0, -1, 1, 2):
        ask(f"to {count}", count)
    ask("unknown", 5, name="none")
    ask("empty assignment", 3, empty=True)
    ask("too few assigned", 4, [0])
    ask("too many assigned", 3, [0], [0])
    ask("unknown broker", 3, [9])
    ask("broker twice", 3, [0, 0])
    ask("no brokers", 3, [])
    ask("negative broker", 3, [-1])
    ask("validated", 3, validate_only=True)
    ask("validated, assigned", 3, [0], validate_only=True)
    ask("topic twice", 3, times=2)
    described(side, "as before", side.topic(), version=8)
    ask("more", 3)
    ask("assigned", 5, [0], [0])
    described(side, "afterwards", side.topic(), version=8)
    ask("without time", 6, timeout_ms=0)
    side.ask(CreatePartitionsRequest(topics=[], timeout_ms=100), note="no topics")
