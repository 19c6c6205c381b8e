"""Which replica a consumer should read from: the one in its rack (KIP-392).

Counterpart of ``ReplicaManager.findPreferredReadReplica`` with ``RackAwareReplicaSelector``.
"""

from __future__ import annotations

from collections.abc import Callable

from pykafka_ops.broker.state.replication.in_sync import InSync

LEADER = -1


def nearest(
    view: InSync, leader: int, offset: int, rack: str, rack_of: Callable[[int], str | None]
) -> int:
    """The broker to read ``offset`` from, LEADER if that is the leader.

    It is one of the ISR that has the offset and stands in ``rack``: the one that is furthest, of
    those the one that was caught up last. A leader in that rack comes before all others.
    ``rack_of`` gives None for a broker that is gone.
    """
    if rack_of(leader) == rack:
        return LEADER
    near = [
        (follower.end, follower.caught_up, id_)
        for id_, follower in view.followers.items()
        if id_ in view.isr and follower.start <= offset <= follower.end and rack_of(id_) == rack
    ]
    return max(near)[2] if near else LEADER
