"""Ends what processes that are gone have left open at the target: their transactions.

Until it ends, readers of committed records wait, and nobody can ask for positions.
"""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.transactions import list_transactions, terminate
from pykafka_ops.errors import PkoError

_OPEN = ("Ongoing",)


def transactional_id(group: str, slot: int) -> str:
    """Of the member in a slot."""
    return f"{group}.{slot}"


def fence_slots(cluster: Cluster, group: str, slots: Sequence[int]) -> list[str]:
    """Fence the producers of slots that nobody has; the transactional ids. Raises PkoError."""
    fenced = [transactional_id(group, slot) for slot in slots]
    for name in fenced:
        terminate(cluster, name)
    return fenced


def open_slots(cluster: Cluster, group: str) -> list[int]:
    """The slots with an open transaction, as far as brokers tell (from 3.0 on; KIP-664)."""
    try:
        found, _ = list_transactions(cluster, states=_OPEN)
    except PkoError:
        return []
    before = f"{group}."
    ids = [t.transactional_id for t in found if t.transactional_id.startswith(before)]
    tails = [name.removeprefix(before) for name in ids]
    return [int(tail) for tail in tails if tail.isascii() and tail.isdigit() and len(tail) < 6]
