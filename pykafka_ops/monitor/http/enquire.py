"""What endpoints ask of a cluster only because somebody looks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.monitor.cluster.enquiries import WAIT_SECONDS, EnquiryReply
from pykafka_ops.monitor.cluster.questions import OpenTransactions, open_transactions
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.wording.transactions import TransactionsShown, transactions_shown

T = TypeVar("T")


def enquire(
    watched: WatchedCluster,
    key: tuple[str, ...],
    question: Callable[[Cluster], T],
    wait: float = WAIT_SECONDS,
) -> EnquiryReply[T]:
    """What a cluster says when it is asked now."""
    if watched.enquiries is None:
        return EnquiryReply(None, "this monitor does not ask for it")
    return watched.enquiries.ask(key, question, wait)


def transactions_of(
    watched: WatchedCluster, view: ClusterView, now: int, wait: float = WAIT_SECONDS
) -> tuple[EnquiryReply[OpenTransactions], TransactionsShown]:
    """The open transactions of a cluster, and what they hold up; nothing where they are not
    known."""
    question = partial(open_transactions, topics=view.topics or {})
    reply = enquire(watched, ("transactions",), question, wait)
    if reply.value is None:
        return reply, TransactionsShown((), ())
    stable = {(p.topic, p.partition): p.stable for p in reply.value.held}
    return reply, transactions_shown(reply.value, watched.waiting_at(stable), now)
