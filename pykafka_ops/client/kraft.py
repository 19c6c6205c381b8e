"""What a cluster in KRaft says of itself at a glance: quorum, fenced brokers, eligible leaders."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pykafka_ops.analysis.cluster_state import Placed
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.client.eligible import EligibleReplicas, eligible_replicas
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.members import fenced_brokers
from pykafka_ops.client.quorum import Quorum, describe_quorum
from pykafka_ops.errors import ConnectError, PkoError

QUORUM, FENCED = "quorum of controllers", "fenced brokers"


class KraftState(NamedTuple):
    """``controller`` is -1 while there is none, or none answers, None where it is not known;
    ``quorum`` None: nobody told; ``fenced`` None: not known, as before 4.0; ``failed``: what went
    wrong, by what was asked. ``is_kraft``: whether the brokers know of a quorum at all."""

    controller: int | None
    is_kraft: bool
    quorum: Quorum | None
    fenced: list[int] | None
    failed: list[tuple[str, PkoError]]


def kraft_state(cluster: Cluster) -> KraftState:
    """Who leads the quorum and which brokers are fenced; raises nothing. On ZooKeeper the
    controller is that of Metadata, and no broker is registered that does not live."""
    controller: int | None = -1
    quorum: Quorum | None = None
    failed: list[tuple[str, PkoError]] = []
    try:
        quorum = describe_quorum(cluster)
        controller = quorum.leader
    except UnsupportedVersionError:
        return KraftState(cluster.controller, False, None, [], [])
    except ConnectError as error:
        failed.append((QUORUM, error))
    except PkoError as error:  # not allowed: there may be one
        controller = None
        failed.append((QUORUM, error))
    fenced: list[int] | None = None
    try:
        fenced = fenced_brokers(cluster)
    except UnsupportedVersionError:  # before 4.0 nobody says
        pass
    except PkoError as error:
        failed.append((FENCED, error))
    return KraftState(controller, True, quorum, fenced, failed)


def short_of_replicas(partitions: Iterable[Placed]) -> set[str]:
    """Topics with partitions that have fewer replicas in sync than min.insync.replicas, or may
    have: no other has replicas out of the ISR that may lead (KIP-966)."""
    return {
        p.topic for p in partitions if p.leader < 0 or p.min_isr is None or len(p.isr) < p.min_isr
    }


def eligible_of(
    cluster: Cluster, topics: Iterable[str]
) -> tuple[dict[Partition, EligibleReplicas], PkoError | None]:
    """The partitions of these topics with replicas that may lead, and what went wrong; none where
    brokers know nothing of it."""
    try:
        return eligible_replicas(cluster, topics), None
    except UnsupportedVersionError:
        return {}, None
    except PkoError as error:
        return {}, error
