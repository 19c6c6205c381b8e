"""The alert service: rounds go in, messages go out, both stored in between.

Every monitor evaluates the rules; the leader, which holds the lease, sends. A new leader continues
with what the one before had stored, so no message is sent twice and each first message gets its
closing one.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.errors import PkoError, StorageError, UsageError
from pykafka_ops.monitor.alerts.delivery.send import send
from pykafka_ops.monitor.alerts.delivery.workers import DeliveryWorkers
from pykafka_ops.monitor.alerts.rules.desk import AlertDesk
from pykafka_ops.monitor.alerts.rules.incidents import CLOSE, OPEN, Notice
from pykafka_ops.monitor.alerts.rules.model import INFO, Alert, PollRound, Silence
from pykafka_ops.monitor.alerts.settings.rules import silence
from pykafka_ops.monitor.alerts.settings.tables import AlertSettings
from pykafka_ops.monitor.alerts.store.database import AlertDatabase, LostLeadError
from pykafka_ops.monitor.alerts.store.lease import FileLease, Lease
from pykafka_ops.monitor.alerts.store.records import load, store
from pykafka_ops.monitor.alerts.store.spool import Delivery, Spool

STEP_SECONDS: Final = 1.0
log = logging.getLogger(__name__)


def wall_ms() -> int:
    """Now, in ms since 1970."""
    return int(time.time() * 1000)


class AlertsNow(NamedTuple):
    """What a page shows. ``leads``: whether this monitor sends; ``trouble``: why it can store, and
    so send, nothing ("" where all is well)."""

    leads: bool
    trouble: str
    firing: Sequence[Alert]
    pending: Sequence[Alert]
    past: Sequence[Alert]
    silences: Sequence[Silence]


class AlertService:
    """``start``, then ``take`` every round, ``close`` at the end. All methods may be called from
    any thread."""

    def __init__(
        self,
        settings: AlertSettings,
        path: str,
        clusters: Sequence[str],
        *,
        now: Callable[[], int] = wall_ms,
        lease: Callable[[AlertDatabase], Lease] | None = None,
    ) -> None:
        """``path``: the SQLite file, which monitors on one host share; ``clusters``: those that the
        monitor watches. StorageError."""
        self.settings, self._clusters, self._now = settings, tuple(clusters), now
        owner = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._database = AlertDatabase(path, owner)
        self.lease = lease(self._database) if lease else FileLease(self._database)
        self.spool = Spool(self._database)
        self._lock = threading.RLock()
        self._desk = self._new_desk()
        self._leads = False
        self._trouble = ""
        self._rounds: dict[str, PollRound] = {}
        self._workers = DeliveryWorkers(
            settings.receivers, self.spool, self.lease, now, settings.url
        )
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="alerts", daemon=True)

    def _new_desk(self) -> AlertDesk:
        s = self.settings
        return AlertDesk(
            s.rules, s.everybody, lambda: str(uuid.uuid4()),
            silences=s.silences, window_ms=s.window_ms, heartbeats=s.heartbeats,
        )  # fmt: skip

    def start(self) -> None:
        """Begin to send."""
        self.step()
        self._workers.start()
        self._thread.start()

    def close(self) -> None:
        """End. The next start, or another monitor, delivers what is left."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()
            self._workers.stop()
        try:
            self.lease.release()
        except PkoError as error:
            log.warning("cannot release the lease of alerts: %s", error)
        self._database.close()

    def take(self, found: PollRound) -> None:
        """Evaluate a round of a cluster; messages go out within a second."""
        with self._lock:
            self._rounds[found.cluster] = found
            self._desk.take(found)

    def step(self) -> None:
        """Keep or take the lead, and send what is due. Called every second."""
        with self._lock:
            try:
                self.lease.step()
                held = self.lease.held()
                if held and not self._leads:
                    self._lead()
                self._leads = held
                if held:
                    self._send_due()
                else:
                    self._desk.stored()  # the leader stores them
                self._trouble = ""
            except LostLeadError:
                self._leads = False
            except PkoError as error:
                if str(error) != self._trouble:
                    log.warning("cannot send alerts: %s", error)
                self._trouble = str(error)

    def _lead(self) -> None:
        """Continue with what was stored, and evaluate the last rounds again."""
        desk = self._new_desk()
        desk.adopt(*load(self._database))
        desk.engine.drop_rules(self._now(), self._clusters)
        # what this monitor found and the leader before had not stored
        found_here = [*self._desk.pending(), *self._desk.firing()]
        desk.adopt([a for a in found_here if a.key not in desk.engine.open])
        for found in self._rounds.values():
            desk.take(found)
        self._desk = desk

    def _send_due(self) -> None:
        now = self._now()
        self._desk.step(now)
        changes = self._desk.changes
        if changes:
            store(self._database, changes, now)
            self._desk.stored()
            if changes.notices:
                self._workers.wake()

    def _run(self) -> None:
        while not self._ended.wait(STEP_SECONDS):
            self.step()

    # --- what people see and do ------------------------------------------------------------------

    def state(self) -> AlertsNow:
        """All alerts, for people."""
        with self._lock:
            desk = self._desk
            return AlertsNow(
                self._leads, self._trouble, desk.firing(), desk.pending(),
                list(desk.engine.past), desk.silences,
            )  # fmt: skip

    def deliveries(self, most: int = 200) -> list[Delivery]:
        """The newest messages, with what went wrong. StorageError."""
        return self.spool.deliveries(most)

    def deliveries_by_result(self) -> dict[tuple[str, str], int]:
        """Tries since the start by receiver and result, as ``delivery.workers`` names them."""
        return dict(self._workers.counts)

    def silence(self, values: Mapping[str, object]) -> Silence:
        """Add a silence; ``values`` are those of ``[[silence]]``. UsageError."""
        made = silence(values, "silence")
        self._change(lambda: self._desk.silence(made))
        return made

    def end_silence(self, id_: str) -> None:
        """End a silence that somebody added. UsageError."""
        self._change(lambda: self._desk.end_silence(id_))

    def acknowledge(self, id_: str, who: str, why: str = "") -> None:
        """``who`` acknowledges an alert: it is not repeated. UsageError."""
        self._change(lambda: self._desk.acknowledge(id_, who, why, self._now()))

    def _change(self, make: Callable[[], object]) -> None:
        with self._lock:
            if not (self._leads and self.lease.held()):
                raise UsageError("another monitor sends the alerts now: do it there")
            make()
            try:
                store(self._database, self._desk.changes, self._now())
            except LostLeadError:
                self._leads = False
                raise
            except StorageError as error:
                raise StorageError(f"cannot store it, a restart forgets it: {error}") from None
            self._desk.stored()


def send_test(settings: AlertSettings, name: str, now: int) -> str:
    """Send a test message to receiver ``name``, or to the receivers of rule ``name``, at once and
    without the spool. Return a line that says what was sent. UsageError, DeliveryError."""
    rule = next((r for r in settings.rules if r.name == name), None)
    if name in settings.receivers:
        receivers: Sequence[str] = [name]
    elif rule is not None:
        receivers = settings.everybody if rule.notify is None else rule.notify
    else:
        known = [*settings.receivers, *(r.name for r in settings.rules)]
        raise UsageError(f"there is no receiver and no alert {name}{did_you_mean(name, known)}")
    if not receivers:
        raise UsageError(f"alert {name} has no receiver: add a [notify.NAME]")
    opened = _test(name, rule.severity if rule else INFO, now)
    closed = replace(opened, id=f"{opened.incident}-{CLOSE}", phase=CLOSE)
    for each in receivers:
        send(settings.receivers[each], opened, settings.url)
        send(settings.receivers[each], closed, settings.url)
    return f"sent a test alert, opened and resolved, to {', '.join(receivers)}"


def _test(name: str, severity: str, now: int) -> Notice:
    id_ = str(uuid.uuid4())
    alert = {
        "id": str(uuid.uuid4()), "key": [name, "test", "group", "test"], "severity": severity,
        "state": "firing", "since": now, "fired_at": now, "facts": {},
        "summary": "a test of pko monitor: nothing is wrong",
    }  # fmt: skip
    return Notice(
        f"{id_}-{OPEN}", id_, OPEN, "test", "test", severity, now, now, 1, (alert,)
    )  # fmt: skip
