"""Fetch by followers: they need the right to act in the cluster.

Consumers need that to read each topic (:meth:`Authorizer.readable`). Those are the topics of the
session, not of the request, and are asked for in every request.
"""

from __future__ import annotations

from collections.abc import Callable, Container

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.security.acls.rules import CLUSTER_NAME, Operation, ResourceType


def followable(context: Context) -> Callable[[str], bool]:
    """What says of a topic whether this broker may follow its partitions."""
    may = context.may(Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME)
    return lambda topic: may


class EveryTopic:
    """The topics of those who may read all."""

    def __contains__(self, name: object) -> bool:
        return True


_EVERY_TOPIC = EveryTopic()


def known_topics(context: Context, *, follows: bool) -> Container[str]:
    """The topics that may be read for certain, for requests that come again and again. To be asked
    for in each; of others the ordinary code finds out, and writes the log."""
    authorizer = context.services.authorizer
    assert authorizer is not None
    if not follows:
        return authorizer.known(context, Operation.READ, ResourceType.TOPIC)
    act, cluster = Operation.CLUSTER_ACTION, ResourceType.CLUSTER
    quietly = not authorizer.logs_all
    if quietly and authorizer.allows(context, act, cluster, CLUSTER_NAME, quiet=True):
        return _EVERY_TOPIC
    return ()
