"""What access rules cost: CPU of the broker for small requests, with rules and without.

Four brokers in turns, two of a kind: how much two of a kind differ says what the figures are worth.
Of each broker the cheapest of many short rounds counts, which work for others does not move. Beside
it stand the quartiles of the ratio in each turn.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import ExitStack
from statistics import quantiles
from typing import Any, NamedTuple

from pykafka_ops.security.acls.rules import (
    ANYBODY,
    CLUSTER_NAME,
    Operation,
    PatternType,
    Permission,
    ResourceType,
)
from pykafka_ops.wire.apis import APIS
from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.message import table_of
from pykafka_ops.wire.messages.create_acls import AclCreation, CreateAclsRequest
from pykafka_ops.wire.messages.find_coordinator import FindCoordinatorRequest
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest
from pykafka_ops.wire.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from pykafka_ops.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from pykafka_ops.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from pykafka_ops.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from scripts.benchmarks.context import WORK, Bench, new_topic
from scripts.benchmarks.results import OURS, Row
from scripts.benchmarks.targets import Target, targets, wait_idle
from tests.support.waiting import wait_for
from tests.support.wire import raw
from tests.support.wire.raw import Connection

SETTINGS = {
    "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
}
RULES, AT_ONCE = 1_000, 100
"""Rules about other topics, and how many are added in one request."""
REQUESTS = 200
"""Of one round."""
GROUP = "bench"
LIMIT = 1.03
KINDS = ("Produce, 1 record, acks=1", "Fetch, 1 partition", "OffsetCommit", "Heartbeat", "Metadata")
ROWS = {
    kind: Row(
        f"broker CPU, {kind}: with access rules / without", "", LIMIT, digits=3, absolute=True
    )
    for kind in KINDS
}
EQUALS = {
    kind: Row(f"the same of two equal brokers, {kind}", "", LIMIT, digits=3, absolute=True)
    for kind in KINDS
}


class Client(NamedTuple):
    """A connection to a broker, and a request of each kind."""

    target: Target
    connection: Connection
    frames: dict[str, bytes]

    def cost(self, kind: str) -> float:
        """Seconds of CPU for a request."""
        ask, frame = self.connection.ask, self.frames[kind]
        began = self.target.process.cpu_seconds()
        for _ in range(REQUESTS):
            ask(frame)
        return (self.target.process.cpu_seconds() - began) / REQUESTS


def rights(bench: Bench) -> None:
    """A row for each kind of request, and beside it the one that should be 1."""
    rounds = bench.scaled(60, 5)
    with ExitStack() as stack:
        pairs = [
            list(_two(stack, name, more)) for name, more in (("without", {}), ("with", SETTINGS))
        ]
        for kind in KINDS:
            turns = _turns(kind, [*pairs[0], *pairs[1]], rounds)
            without, equal, with_rules, with_equal = map(min, zip(*turns, strict=True))
            ratios = [(c + d) / (a + b) for a, b, c, d in turns]
            quartiles = " ".join(f"{ratio:.3f}" for ratio in quantiles(ratios, n=4))
            bench.say(f"  {kind}: quartiles of {rounds} turns {quartiles}")
            ours = pairs[1][0].target
            bench.add(ROWS[kind], ours, min(with_rules, with_equal) / min(without, equal))
            bench.add(EQUALS[kind], ours, max(without, equal) / min(without, equal))


def _turns(kind: str, clients: list[Client], rounds: int) -> list[list[float]]:
    """What a request costs each of them, turn by turn; each begins in one of four."""
    turns = []
    for turn in range(rounds):
        costs = [0.0] * len(clients)
        for place in range(len(clients)):
            at = (place + turn) % len(clients)
            costs[at] = clients[at].cost(kind)
        turns.append(costs)
    return turns


def _two(stack: ExitStack, name: str, settings: dict[str, str]) -> Iterator[Client]:
    for number in (1, 2):
        (target,) = stack.enter_context(targets([OURS], WORK, f"{name}-{number}", settings))
        target.start()
        topic = new_topic(target)
        connection = stack.enter_context(Connection(target.bootstrap))
        if settings:
            _add_rules(connection, topic)
        yield Client(target, connection, _frames(connection, topic))
        wait_idle(target)


def _add_rules(connection: Connection, topic: str) -> None:
    """The rights that the client needs, and many that are others'."""
    own = [
        _rule(ResourceType.CLUSTER, CLUSTER_NAME),
        _rule(ResourceType.TOPIC, topic),
        _rule(ResourceType.GROUP, GROUP),
    ]
    others = [
        _rule(ResourceType.TOPIC, f"{topic[: n % 3]}other-{n}", f"User:u{n}", n % 2 == 0)
        for n in range(RULES)
    ]
    for begin in range(0, RULES, AT_ONCE):
        request = CreateAclsRequest(creations=[*own, *others[begin : begin + AT_ONCE]])
        answer = _ask(connection, request, 2)
        assert not any(result.error_code for result in answer.results), answer


def _rule(
    type_: ResourceType, name: str, principal: str = ANYBODY, prefixed: bool = False
) -> AclCreation:
    return AclCreation(
        resource_type=type_,
        resource_name=name,
        resource_pattern_type=PatternType.PREFIXED if prefixed else PatternType.LITERAL,
        principal=principal,
        host="*",
        operation=Operation.ALL,
        permission_type=Permission.ALLOW,
    )


def _frames(connection: Connection, topic: str) -> dict[str, bytes]:
    """A request of each kind, by a member of a group."""
    member, generation = _joined(connection)
    partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=1)
    commit = OffsetCommitRequest(
        group_id=GROUP,
        generation_id_or_member_epoch=generation,
        member_id=member,
        topics=[OffsetCommitRequestTopic(name=topic, partitions=[partition])],
    )
    heartbeat = HeartbeatRequest(group_id=GROUP, generation_id=generation, member_id=member)
    metadata = MetadataRequest(
        topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False
    )
    frames = (
        raw.produce(topic, raw.batch([bytes(100)])),
        raw.fetch(topic, 0, max_bytes=200),
        encode_request(commit, 8, 1, "bench"),
        encode_request(heartbeat, 4, 1, "bench"),
        encode_request(metadata, 12, 1, "bench"),
    )
    made = dict(zip(KINDS, frames, strict=True))
    assert raw.produced(connection.ask(made[KINDS[0]]))[0] == 0
    assert raw.fetched(connection.ask(made[KINDS[1]]))[0] == 0
    return made


def _joined(connection: Connection) -> tuple[str, int]:
    """The only member of a group, and its generation."""
    protocol = JoinGroupRequestProtocol(name="range", metadata=b"")
    request = JoinGroupRequest(
        group_id=GROUP,
        session_timeout_ms=1_800_000,
        rebalance_timeout_ms=60_000,
        protocol_type="consumer",
        protocols=[protocol],
    )
    find = FindCoordinatorRequest(key=GROUP)
    wait_for(lambda: not _ask(connection, find, 0).error_code, what="the coordinator")
    joined = _ask(connection, request, 2)
    assert not joined.error_code, joined
    own = SyncGroupRequestAssignment(member_id=joined.member_id, assignment=b"")
    sync = SyncGroupRequest(
        group_id=GROUP,
        generation_id=joined.generation_id,
        member_id=joined.member_id,
        assignments=[own],
    )
    assert _ask(connection, sync, 1).error_code == 0
    return joined.member_id, joined.generation_id


def _ask(connection: Connection, request: Any, version: int) -> Any:
    connection.send(encode_request(request, version, 1, "bench"))
    number, body = connection.read()
    kind = APIS[table_of(type(request)).api].response
    return decode_response(kind, version, struct.pack(">i", number) + body)[1]
