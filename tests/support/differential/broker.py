"""ApiVersions, FindCoordinator, InitProducerId, DescribeCluster, DescribeLogDirs; odd frames."""

from __future__ import annotations

import struct

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest
from pykafka_ops.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from pykafka_ops.wire.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from pykafka_ops.wire.messages.describe_cluster import DescribeClusterRequest
from pykafka_ops.wire.messages.describe_log_dirs import (
    DescribableLogDirTopic,
    DescribeLogDirsRequest,
)
from pykafka_ops.wire.messages.fetch import FetchRequest
from pykafka_ops.wire.messages.find_coordinator import FindCoordinatorRequest
from pykafka_ops.wire.messages.init_producer_id import InitProducerIdRequest
from pykafka_ops.wire.messages.list_offsets import ListOffsetsRequest
from pykafka_ops.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.support.differential.core import Cases, Side, trimmed
from tests.support.differential.fetch import fill, part, topic_of
from tests.support.differential.produce import ends, produce, request
from tests.support.waiting import wait_for
from tests.support.wire.raw import Connection, batch

CASES = Cases()
GROUP, TRANSACTION, SHARE = 0, 1, 2


# -- ApiVersions -----------------------------------------------------------------------------------


@CASES.add(ApiKey.API_VERSIONS, "0-4")
def versions(side: Side, version: int) -> None:
    names = ("test", "", " ", "a b", "-a", "a-", "a.b-c1", "ä", "x" * 300)
    for name in names if version >= 3 else ("test",):
        asked = ApiVersionsRequest(client_software_name=name, client_software_version="1.0")
        side.ask(asked, note=f"name {name[:9]!r}")
        asked = ApiVersionsRequest(client_software_name="test", client_software_version=name)
        side.ask(asked, note=f"version {name[:9]!r}")
    for client in (None, "", "x" * 500, "ä\n"):
        named = ApiVersionsRequest(client_software_name="a", client_software_version="b")
        side.ask(named, note=f"client {(client or 'none')[:9]!r}", client_id=client)


@CASES.add(ApiKey.API_VERSIONS, "0")
def unknown_versions(side: Side, version: int) -> None:
    tail = b"\x02a\x02b\x00"
    for asked in (5, 6, 100, 32767, -1, -32768):
        frame = struct.pack(">hhih", ApiKey.API_VERSIONS, asked, 7, 1) + b"c\0" + tail
        side.send_raw(frame, f"version {asked}")
        side.still_there(f"after version {asked}")
    frame = struct.pack(">hhih", ApiKey.API_VERSIONS, 77, 7, 1) + b"c"
    side.send_raw(frame, "version 77, header only")
    side.still_there("after version 77, header only")


# -- odd frames ------------------------------------------------------------------------------------


@CASES.add(ApiKey.METADATA, "0-12")
def odd_frames(side: Side, version: int) -> None:
    side.create()
    good = encode_request(MetadataRequest(topics=[]), version, 9, "c")[4:]
    head = 11 + (version >= 9)

    def send(note: str, frame: bytes) -> None:
        answer = side.send_raw(frame, note)
        if answer is not None:
            side.steps[-1] = side.steps[-1]._replace(data="answered")
        side.still_there(f"after {note}")

    send("header only", good[:head])
    send("cut in the body", good[:-1])
    send("cut in the header", good[:9])
    send("without a version", good[:2])
    send("empty", b"")
    send("bytes behind", good + b"\0" * 8)
    send("junk behind", good + b"\xff" * 3)
    send("more topics than bytes", good[:head] + b"\x7f\xff\xff\xff")
    send("negative count", good[:head] + struct.pack(">i", -7))


@CASES.add(ApiKey.METADATA, "12")
def unknown_apis(side: Side, version: int) -> None:
    for key in (999, -1, 52, 55, 64, 70, 71, 72, 74, 75, 80, 32767):
        side.send_raw(struct.pack(">hhih", key, 0, 1, 1) + b"c\0", f"key {key}")
        side.still_there(f"after key {key}")
    for api, asked in ((ApiKey.METADATA, 13), (ApiKey.METADATA, -1), (ApiKey.FETCH, 18)):
        side.send_raw(struct.pack(">hhih", api, asked, 1, 1) + b"c\0\0", f"{api.name} v{asked}")
        side.still_there(f"after {api.name} v{asked}")
    for api in (ApiKey.PRODUCE, ApiKey.LIST_OFFSETS, ApiKey.CREATE_TOPICS):
        side.send_raw(struct.pack(">hhih", api, 99, 1, 1) + b"c\0", f"{api.name} v99")
        side.still_there(f"after {api.name} v99")


@CASES.add(ApiKey.FETCH, "0-12")
def answers_in_order(side: Side, version: int) -> None:
    side.create()
    waiting = FetchRequest(max_wait_ms=60, min_bytes=1, topics=[topic_of(side, [part()])])
    requests = [(waiting, version), (MetadataRequest(topics=[]), 8), (waiting, version)]
    frames = [encode_request(trimmed(r, v), v, n, "c") for n, (r, v) in enumerate(requests, 71)]
    with Connection(side.bootstrap) as connection:
        connection.send(b"".join(frames))
        side.note("answered", [connection.read()[0] for _ in requests])


TAIL = b"\0\1\2 behind the request"


@CASES.add(ApiKey.FETCH, "0-17")
def bytes_behind(side: Side, version: int) -> None:
    side.ask(FetchRequest(max_wait_ms=0), note="asked", tail=TAIL)
    side.still_there("afterwards")


@CASES.add(ApiKey.LIST_OFFSETS, "0-9")
def tail_of_bytes(side: Side, version: int) -> None:
    side.ask(ListOffsetsRequest(replica_id=-1), note="asked", tail=TAIL)
    side.still_there("afterwards")


# -- FindCoordinator, InitProducerId ---------------------------------------------------------------


def internal_topics(side: Side) -> None:
    """Wait until the broker has made the topics that coordinators keep."""
    for kind in (GROUP, TRANSACTION):
        asked = FindCoordinatorRequest(key="any", key_type=kind)
        wait_for(lambda a=asked: side.send(a, 3).error_code == 0, what="a coordinator")


@CASES.add(ApiKey.FIND_COORDINATOR, "0-6")
def coordinators(side: Side, version: int) -> None:
    internal_topics(side)
    if version < 4:
        for kind in (GROUP, TRANSACTION, SHARE, 3, -1) if version else (GROUP,):
            for key in ("group", "", "ä", "g" * 1000):
                asked = FindCoordinatorRequest(key=key, key_type=kind)
                side.ask(asked, note=f"type {kind} key {key[:6]!r}")
        return
    for kind in (GROUP, TRANSACTION, SHARE, 3, -1):
        for keys in ([], ["one"], ["one", "two", ""], ["one", "one"], ["ä"]):
            asked = FindCoordinatorRequest(coordinator_keys=keys, key_type=kind)
            side.ask(asked, note=f"type {kind} keys {keys}")


@CASES.add(ApiKey.FIND_COORDINATOR, "6")
def share_coordinators(side: Side, version: int) -> None:
    keys = ["g:AAAAAAAAAAAAAAAAAAAAAA:0", "g:bad:0", "g"]
    for key in keys:
        asked = FindCoordinatorRequest(coordinator_keys=[key], key_type=SHARE)
        side.ask(asked, note=f"key {key!r}")


def ids_there(side: Side) -> None:
    """Wait until the broker has a first block of producer ids."""
    asked = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=0)
    wait_for(lambda: side.send(asked, 1).error_code == 0, what="a producer id")


@CASES.add(ApiKey.INIT_PRODUCER_ID, "0-5")
def producer_ids(side: Side, version: int) -> None:
    def ask(note: str, **fields: object) -> None:
        asked = InitProducerIdRequest(
            **{"transactional_id": None, "transaction_timeout_ms": 60000, **fields}  # type: ignore[arg-type]
        )
        side.ask(asked, note=note)

    ids_there(side)
    ask("a new one")
    for timeout in (0, -1, 2**31 - 1):
        ask(f"timeout {timeout}", transaction_timeout_ms=timeout)
    ask("empty id", transactional_id="")
    for producer, epoch in ((5, 3), (5, -1), (-1, 3), (0, 0), (-2, -2)):
        ask(f"producer {producer} epoch {epoch}", producer_id=producer, producer_epoch=epoch)


@CASES.add(ApiKey.INIT_PRODUCER_ID, "0-5")
def transactional_producers(side: Side, version: int) -> None:
    internal_topics(side)
    name = side.topic("me")
    for timeout in (0, -1, 900_001):
        asked = InitProducerIdRequest(transactional_id=name, transaction_timeout_ms=timeout)
        side.ask(asked, note=f"timeout {timeout}")


@CASES.add(ApiKey.INIT_PRODUCER_ID, "0-5")
def what_an_id_is_good_for(side: Side, version: int) -> None:
    side.create()
    ids_there(side)
    asked = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=0)
    answer = side.ask(asked, note="a new one")
    again = side.send(asked, version)
    side.note("another each time", again.producer_id != answer.producer_id)
    identity = answer.producer_id, answer.producer_epoch
    for sequence in (0, 1, 1, 5):
        data = batch([b"x"], producer=(*identity, sequence))
        produce(side, data, f"sequence {sequence}", name="t", acks=-1, version=9)
    ends(side)


# -- what is the broker's own ----------------------------------------------------------------------

OFFSETS = "__consumer_offsets"


@CASES.add(ApiKey.PRODUCE, "0-11")
def internal_topic(side: Side, version: int) -> None:
    internal_topics(side)
    side.ask(request([(OFFSETS, 0, batch([b"x"]))]), note="known partition")
    side.ask(request([(OFFSETS, 99, batch([b"x"]))]), note="unknown partition")


@CASES.add(ApiKey.METADATA, "0-12", masks=("*/topic_id",))
def internal_topic_described(side: Side, version: int) -> None:
    internal_topics(side)
    side.ask(MetadataRequest(topics=[MetadataRequestTopic(name=OFFSETS)]), note="asked")


@CASES.add(ApiKey.DELETE_RECORDS, "0-2")
def internal_records(side: Side, version: int) -> None:
    internal_topics(side)
    asked = DeleteRecordsPartition(partition_index=0, offset=0)
    topics = [DeleteRecordsTopic(name=OFFSETS, partitions=[asked])]
    side.ask(DeleteRecordsRequest(topics=topics, timeout_ms=60_000), note="asked")


@CASES.add(ApiKey.CREATE_TOPICS, "0-7")
def internal_topic_again(side: Side, version: int) -> None:
    internal_topics(side)
    wanted = CreatableTopic(name=OFFSETS, num_partitions=1, replication_factor=1)
    side.ask(CreateTopicsRequest(topics=[wanted], timeout_ms=60_000), note="asked")


# -- DescribeCluster, DescribeLogDirs ------------------------------------------------------------


@CASES.add(ApiKey.DESCRIBE_CLUSTER, "0-1")
def clusters(side: Side, version: int) -> None:
    for kind in (1, 2, 3, 0, -1) if version else (1,):
        for operations in (False, True):
            asked = DescribeClusterRequest(
                include_cluster_authorized_operations=operations, endpoint_type=kind
            )
            side.ask(asked, note=f"type {kind}, {operations}")


@CASES.add(ApiKey.DESCRIBE_LOG_DIRS, "0-4")
def log_directories(side: Side, version: int) -> None:
    side.create(partitions=3)
    fill(side)
    fill(side, index=2, count=1)
    side.create("segments", segment_bytes=500)
    fill(side, "segments", count=5)

    def ask(note: str, *topics: tuple[str, list[int]]) -> None:
        wanted = [DescribableLogDirTopic(topic=side.topic(n), partitions=p) for n, p in topics]
        side.ask(DescribeLogDirsRequest(topics=wanted), note=note)

    ask("one", ("t", [0]))
    ask("all of it", ("t", [0, 1, 2]))
    ask("some", ("t", [2, 9, -1]))
    ask("two", ("t", [0]), ("segments", [0]))
    ask("unknown", ("none", [0]))
    ask("twice", ("t", [0, 0]), ("t", [0]))
    ask("topic twice", ("t", [0]), ("t", [1]))
    ask("no partitions", ("t", []))
    ask("no topics")
    side.ask(DescribeLogDirsRequest(topics=None), note="all", own_only=True)


@CASES.add(ApiKey.ALTER_REPLICA_LOG_DIRS, "0-2")
def moves_between_directories(side: Side, version: int) -> None:
    """There is one directory: what can be asked for is refused, or there already."""
    side.create(partitions=2)
    fill(side)
    described = side.send(DescribeLogDirsRequest(topics=None), 1)
    here = described.results[0].log_dir

    def ask(note: str, *moves: tuple[str, str, list[int]]) -> None:
        dirs = [
            AlterReplicaLogDir(
                path=path, topics=[AlterReplicaLogDirTopic(name=side.topic(n), partitions=p)]
            )
            for path, n, p in moves
        ]
        side.ask(AlterReplicaLogDirsRequest(dirs=dirs), note=note)

    ask("nothing")
    ask("where it is", (here, "t", [0, 1]))
    ask("no such directory", ("/nowhere/else", "t", [0]))
    ask("relative", ("else", "t", [0]))
    ask("empty path", ("", "t", [0]))
    ask("unknown partition", (here, "t", [0, 7, -1]))
    ask("unknown topic", (here, "none", [0]))
    ask("unknown topic and directory", ("/nowhere/else", "none", [0]))
    ask("twice", (here, "t", [0, 0]))
    ask("to two directories", (here, "t", [0]), ("/nowhere/else", "t", [0]))
    ask("no partitions", (here, "t", []))
