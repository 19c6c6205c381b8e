"""Fetch: of topics that the client may read; followers need the right to act in the cluster.

The topics are those of the session, not of the request, and are asked for in every request.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.security.acls.rules import CLUSTER_NAME, Operation, ResourceType


def readable(context: Context, follower: int) -> Callable[[str], bool]:
    """What says of a topic whether this client may read it."""
    if follower < 0:
        return partial(context.may, Operation.READ, ResourceType.TOPIC)
    may = context.may(Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME)
    return lambda topic: may
