"""Elects the leader of monitors on several hosts: the leader of a Kafka group.

The lead lasts for the session timeout, counted from the moment at which the last answered heartbeat
was sent. The coordinator elects nobody else before that, so two monitors never send at the same
time. Each measures spans only; clocks of hosts are not compared.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from pykafka_ops.client.candidates import SESSION_MS, Candidate, beat, resign, stand
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.monitor.alerts.store.lease import FileLease

GROUP: Final = "__pko_monitor-alerts"
BEAT_SECONDS: Final = 2.0
MARGIN: Final = 0.9
"""The share of the session timeout that counts: clocks do not run equally fast."""
log = logging.getLogger(__name__)


class KafkaLease:
    """Talks to the group in a thread of its own. ``own``: the lease in the monitor's file, which
    the leader needs as well."""

    def __init__(
        self,
        own: FileLease,
        cluster: Cluster,
        *,
        group: str = GROUP,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Only the thread uses ``cluster``, and closes it."""
        self._own, self._cluster, self._group, self._clock = own, cluster, group, clock
        self._until = 0.0
        self._member: Candidate | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lead of alerts", daemon=True)

    def step(self) -> None:
        """Keep the lease of the file; the thread keeps the other."""
        if self._thread.ident is None:
            self._thread.start()
        self._own.step()

    def held(self) -> bool:
        """Whether the group elected this monitor, and cannot have elected another since."""
        return self._clock() < self._until and self._own.held()

    def release(self) -> None:
        """Leave the group."""
        self._until = 0.0
        self._ended.set()
        self._own.release()
        if self._thread.ident is not None:
            self._thread.join(2 * BEAT_SECONDS)

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                self._beat()
            except KafkaError as error:
                self._member, self._until = None, 0.0  # the group knows this member no longer
                log.info("joining the group again that elects who sends alerts: %s", error)
            except PkoError as error:
                log.warning("cannot renew the lease of alerts: %s", error)
            self._ended.wait(BEAT_SECONDS)
        try:
            if self._member is not None:
                resign(self._cluster, self._member)
        except PkoError as error:
            log.info("cannot leave the group that elects who sends alerts: %s", error)
        self._cluster.close()

    def _beat(self) -> None:
        started = self._clock()
        if self._member is None or not beat(self._cluster, self._member):
            self._member = stand(self._cluster, self._group, self._member)
            # elected at a moment that is not known: from the next heartbeat on it is
            started = self._clock()
            if not beat(self._cluster, self._member):
                return
        leads = self._member.leads and not self._ended.is_set()
        self._until = started + MARGIN * SESSION_MS / 1000 if leads else 0.0
