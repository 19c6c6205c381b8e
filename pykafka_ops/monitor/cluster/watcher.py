"""A thread that asks a cluster, round after round."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import GLANCE_SECONDS, ClientConfig
from pykafka_ops.client.kraft import eligible_of
from pykafka_ops.client.record_times import record_times
from pykafka_ops.errors import PkoError
from pykafka_ops.monitor.cluster.enquiries import Enquiries
from pykafka_ops.monitor.cluster.kraft import short_topics
from pykafka_ops.monitor.cluster.poller import Poller, not_asked
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster

log = logging.getLogger("pko.monitor")

MOST_TOPICS: Final = 500
"""Topics short of replicas of which is asked who may lead them."""
Hear = Callable[[WatchedCluster, ClusterView], None]
"""Called in the thread after each round, also one without answers."""
Beside = Callable[[Cluster, WatchedCluster], None]
"""Asks more in the thread, after each round that had answers."""


def now_ms() -> int:
    """The time of the machine (ms since 1970)."""
    return int(time.time() * 1000)


class Watcher:
    """Watches one cluster every ``poll_ms``; ``start``, then ``stop``.

    ``hearers`` are called after every round; what they raise is logged and does not end it.
    """

    def __init__(
        self,
        name: str,
        config: ClientConfig,
        *,
        poll_ms: int,
        hearers: Sequence[Hear] = (),
        beside: Sequence[Beside] = (),
    ) -> None:
        self.watched = WatchedCluster(name)
        self.poll_ms = poll_ms
        self.hearers = list(hearers)
        self._beside = list(beside)
        config.request_timeout = config.silence = min(config.request_timeout, GLANCE_SECONDS)
        config.api_timeout = min(config.api_timeout, 2 * GLANCE_SECONDS)
        config.patience = min(config.patience, GLANCE_SECONDS)
        self._cluster = Cluster(config)
        self.watched.enquiries = self._enquiries = Enquiries(Cluster(config))
        self._poller = Poller(self._cluster, now_ms)
        self._ended = threading.Event()
        self._due = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"watch-{name}", daemon=True)

    @property
    def requests(self) -> Mapping[str, int]:
        """How many were sent to the brokers, by API; grows while it is looked at."""
        return self._cluster.asked

    def start(self) -> None:
        """Begin to ask."""
        self._thread.start()

    def stop(self, wait: float = 15.0) -> None:
        """Ask no more; waits for the round under way, ``wait`` seconds at most."""
        self._ended.set()
        self._due.set()
        self._enquiries.close()
        if self._thread.is_alive():
            self._thread.join(wait)

    def hurry(self) -> None:
        """Begin the next round now; behind the one under way."""
        self._due.set()

    def _run(self) -> None:
        while not self._ended.is_set():
            began = time.monotonic()
            self._round()
            left = self.poll_ms / 1000 - (time.monotonic() - began)
            self._due.wait(max(left, 0.05))
            self._due.clear()
        self._cluster.close()

    def _round(self) -> None:
        try:
            self.ask()
        except PkoError as error:
            missing = not_asked("cluster", error)
            if self.watched.view.error is None:
                log.warning(
                    "cluster %s does not answer: %s", self.watched.view.name, missing.message
                )
            self.watched.failed(missing)
        except Exception:  # the next round may do better; what is shown grows old and says so
            log.exception("a round of cluster %s failed", self.watched.view.name)
            self.watched.failed(not_asked("cluster", PkoError("the monitor failed; see its log")))
        for hear in self.hearers:
            try:
                hear(self.watched, self.watched.view)
            except Exception:
                log.exception("what follows a round of %s failed", self.watched.view.name)

    def ask(self) -> ClusterView:
        """One round, now, in the thread of the caller. Raises PkoError where nobody answers."""
        if not self.watched.view.number:
            self.watched.recall(self._poller.earlier_ends())
        copied = self.watched.copied
        self._poller.mirrored = copied.topics
        view = self.watched.take(self._poller.ask())
        short = short_topics(view)[:MOST_TOPICS]
        found, error = eligible_of(self._cluster, short) if short else ({}, None)
        missing = None if error is None else not_asked("eligible leader replicas", error)
        self.watched.tell_eligible(found, missing)
        mirrored = copied.times_wanted()
        wanted = {*self.watched.times_wanted(), *mirrored}
        if wanted:
            try:
                times = record_times(self._cluster, wanted)
                self.watched.learn_times(times)
                copied.learn(times, mirrored)
            except PkoError as error:
                log.info("times of records of %s: %s", view.name, error)
        for ask in self._beside:
            try:
                ask(self._cluster, self.watched)
            except PkoError as error:
                log.info("what is asked beside a round of %s: %s", view.name, error)
            except Exception:  # the round itself went well
                log.exception("what is asked beside a round of %s failed", view.name)
        return self.watched.view
