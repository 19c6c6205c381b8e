"""The quorum of controllers in KRaft: who leads, who votes, how far each is (DescribeQuorum).

Metadata and DescribeCluster name a random broker as the controller in KRaft, for clients that want
one to send requests to: the truth is the leader of the metadata log.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pykafka_ops.client.answers import raise_error
from pykafka_ops.client.cluster import ANY, Cluster
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import add_raft_voter as av
from pykafka_ops.wire.messages import describe_quorum as dq
from pykafka_ops.wire.messages import remove_raft_voter as rv

LOG: Final = "__cluster_metadata"
_LEADER, _FOLLOWER, _OBSERVER = "Leader", "Follower", "Observer"


class QuorumReplica(NamedTuple):
    """A replica of the metadata log. ``end``: its end offset, -1: not known; times in ms as the
    leader's clock has them, -1: not known."""

    id: int
    directory: bytes
    end: int
    fetched_at: int
    caught_up_at: int


class QuorumEndpoint(NamedTuple):
    """Where a voter listens."""

    listener: str
    host: str
    port: int


class Quorum(NamedTuple):
    """``leader`` is -1 while there is none; ``addresses`` of voters by id, none before 3.9."""

    leader: int
    epoch: int
    high_watermark: int
    voters: Sequence[QuorumReplica]
    observers: Sequence[QuorumReplica]
    addresses: dict[int, list[QuorumEndpoint]]


def leader_of(quorum: Quorum) -> QuorumReplica | None:
    """The leader among the voters; None while there is none."""
    return next((r for r in quorum.voters if r.id == quorum.leader), None)


def by_role(quorum: Quorum) -> Iterator[tuple[str, QuorumReplica]]:
    """The leader, the other voters, then who only reads."""
    leader = leader_of(quorum)
    if leader is not None:
        yield _LEADER, leader
    for replica in sorted(quorum.voters):
        if leader is None or replica.id != leader.id:
            yield _FOLLOWER, replica
    for replica in sorted(quorum.observers):
        yield _OBSERVER, replica


def describe_quorum(cluster: Cluster, *, to: int = ANY) -> Quorum:
    """The quorum as its leader sees it, which brokers ask, or (``to`` CONTROLLER) answers itself.
    UnsupportedVersionError on ZooKeeper, KafkaError, ConnectError, also where no leader answers."""
    request = dq.DescribeQuorumRequest(
        topics=[dq.TopicRequest(topic_name=LOG, partitions=[dq.PartitionRequest()])]
    )
    answer = cluster.call(
        request, dq.DescribeQuorumResponse, to=to, name="describeMetadataQuorum",
        again=_is_passing if to == ANY else None,
    )  # fmt: skip
    raise_error(answer)
    found = [p for t in answer.topics if t.topic_name == LOG for p in t.partitions]
    if len(found) != 1:
        text = f"the answer has {len(found)} partitions of {LOG}, not 1"
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, text)
    (log,) = found
    raise_error(log)
    return Quorum(
        log.leader_id,
        log.leader_epoch,
        log.high_watermark,
        [_replica(r) for r in log.current_voters],
        [_replica(r) for r in log.observers],
        {
            n.node_id: [QuorumEndpoint(e.name, e.host, e.port) for e in n.listeners]
            for n in answer.nodes
        },
    )


def _is_passing(answer: dq.DescribeQuorumResponse) -> bool:
    """The controller that was asked leads no more."""
    codes = {p.error_code for t in answer.topics for p in t.partitions} | {answer.error_code}
    return bool(codes & {ErrorCode.NOT_CONTROLLER, ErrorCode.NOT_LEADER_OR_FOLLOWER})


def _replica(state: dq.ReplicaState) -> QuorumReplica:
    return QuorumReplica(
        state.replica_id,
        state.replica_directory_id,
        state.log_end_offset,
        state.last_fetch_timestamp,
        state.last_caught_up_timestamp,
    )


def add_voter(
    cluster: Cluster,
    controller: int,
    directory: bytes,
    endpoints: Sequence[QuorumEndpoint],
    *,
    to: int = ANY,
) -> None:
    """Give a controller, which runs and reads the metadata log, a vote (KIP-853).
    UnsupportedVersionError on ZooKeeper and before 3.9, KafkaError, ConnectError."""
    request = av.AddRaftVoterRequest(
        cluster_id=None,
        timeout_ms=int(cluster.config.request_timeout * 1000),
        voter_id=controller,
        voter_directory_id=directory,
        listeners=[av.Listener(name=e.listener, host=e.host, port=e.port) for e in endpoints],
    )
    answer = cluster.call(request, av.AddRaftVoterResponse, to=to, name="addRaftVoter")
    raise_error(answer)


def remove_voter(cluster: Cluster, controller: int, directory: bytes, *, to: int = ANY) -> None:
    """Take the vote of a controller, by its id and that of its metadata directory (KIP-853).
    UnsupportedVersionError on ZooKeeper and before 3.9, KafkaError, ConnectError."""
    request = rv.RemoveRaftVoterRequest(
        cluster_id=None, voter_id=controller, voter_directory_id=directory
    )
    answer = cluster.call(request, rv.RemoveRaftVoterResponse, to=to, name="removeRaftVoter")
    raise_error(answer)


def controller_of(cluster: Cluster, said: int | None = None) -> int:
    """The controller's node id: the leader of the quorum, on ZooKeeper what brokers ``said`` (None:
    in Metadata); -1 while there is none. KafkaError, ConnectError where a quorum does not tell."""
    try:
        return describe_quorum(cluster).leader
    except UnsupportedVersionError:
        cluster.brokers()
        return cluster.controller if said is None else said
