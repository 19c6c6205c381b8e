"""The quorum, of the brokers or of the controllers that the command line names."""

from __future__ import annotations

from typing import NamedTuple

from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.client.quorum import Quorum, describe_quorum, leader_of
from pykafka_ops.commands.framework.controllers import enter
from pykafka_ops.commands.framework.glance import at_a_glance
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import CheckFailed, ConnectError, PkoError

NO_QUORUM = "the cluster has no quorum of controllers: it is on ZooKeeper"


class SlowestVoter(NamedTuple):
    """How far the follower with the least is behind the leader, in records and in ms (None: not
    known)."""

    lag: int | None
    ms: int | None


def glance(run: Run) -> Quorum:
    """Ask for it, and do not wait long. CheckFailed where brokers answer and the quorum does not,
    otherwise as :func:`gather`."""
    cluster = run.cluster()
    at_a_glance(cluster.config)
    try:
        return gather(run)
    except ConnectError as error:
        if run.args.has("bootstrap-controller"):
            raise
        cluster.metadata([])  # raises where brokers do not answer either
        raise CheckFailed(f"the quorum of controllers does not answer: {error}") from None


def gather(run: Run) -> Quorum:
    """Ask for it. PkoError, on ZooKeeper, too."""
    cluster, to = enter(run)
    try:
        return describe_quorum(cluster, to=to)
    except UnsupportedVersionError:
        raise PkoError(NO_QUORUM) from None


def behind(found: Quorum) -> SlowestVoter:
    """Of the voter with the least; nothing is known while there is no leader, or of a voter that
    the leader has not heard of."""
    leader = leader_of(found)
    if leader is None:
        return SlowestVoter(None, None)
    last = min(found.voters, key=lambda r: r.end)
    if last.id == leader.id:
        return SlowestVoter(0, 0)
    lag = leader.end - last.end if last.end >= 0 else None
    known = leader.caught_up_at >= 0 and last.caught_up_at >= 0
    return SlowestVoter(lag, leader.caught_up_at - last.caught_up_at if known else None)
