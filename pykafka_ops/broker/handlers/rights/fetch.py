"""Fetch by followers: they need the right to act in the cluster.

Consumers need that to read each topic (:meth:`Authorizer.readable`). Those are the topics of the
session, not of the request, and are asked for in every request.
"""

from __future__ import annotations

from collections.abc import Callable

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.security.acls.rules import CLUSTER_NAME, Operation, ResourceType


def followable(context: Context) -> Callable[[str], bool]:
    """What says of a topic whether this broker may follow its partitions."""
    may = context.may(Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME)
    return lambda topic: may
