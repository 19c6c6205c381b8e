"""Transactions that hang, looked for once a minute beside the rounds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from pykafka_ops.monitor.cluster.questions import open_transactions
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.wording.transactions import hanging_by_topic

EVERY_SECONDS: Final = 60.0
WAIT_SECONDS: Final = 2.0
"""How long a round waits for an answer; one that comes later counts at the next look."""


class HangingWatch:
    """What was found last, by cluster; ``clock`` gives seconds that only grow."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[str, tuple[float, Mapping[str, int] | None]] = {}

    def of(self, watched: WatchedCluster, view: ClusterView, now: int) -> Mapping[str, int] | None:
        """How many hang in each topic that has any (``now`` in ms); None: not known."""
        known = self._known.get(view.name)
        if known is not None and self._clock() - known[0] < EVERY_SECONDS:
            return known[1]
        found = None
        if watched.enquiries is not None and view.error is None:
            question = partial(open_transactions, topics=view.topics or {})
            reply = watched.enquiries.ask(("transactions",), question, WAIT_SECONDS)
            if reply.value is not None and not reply.why:
                found = hanging_by_topic(reply.value, now)
        self._known[view.name] = self._clock(), found
        return found
