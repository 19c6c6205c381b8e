"""The threads beside the copying of a link: one looks for what has changed at both clusters, and
one, in the process that leads, translates the offsets of groups."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.errors import PkoError, internal
from pykafka_ops.mirror.run.clients import ClusterTroubleError, connected
from pykafka_ops.mirror.run.outlook import DeepFindings, LinkOutlook
from pykafka_ops.mirror.run.syncer import Syncer
from pykafka_ops.mirror.run.told import Told, log
from pykafka_ops.mirror.settings.model import LinkSettings

CONTROL_SECONDS: Final = 1.0
"""How often it is looked whether something is paused."""
DUTY_SECONDS: Final = 1.0


class Duty(Protocol):
    """What the leader does for groups (``mirror.groups.duty``)."""

    def step(self, now_ms: int) -> None:
        """Do what is due."""

    def status(self) -> Mapping[str, Any]:
        """What it did."""

    def close(self) -> None:
        """End."""


MakeDuty = Callable[[Cluster, Cluster, LinkSettings], Duty]
"""With connections of its own to source and target."""


class LinkFollower:
    """``outlook`` is the last one (None: none yet), ``trouble`` why there is no newer one.
    ``leads`` is set while this process is to change the target."""

    def __init__(
        self,
        link: LinkSettings,
        source: ClientConfig,
        target: ClientConfig,
        told: Told,
        stopped: threading.Event,
        make_duty: MakeDuty,
    ) -> None:
        self.link, self._told, self._stopped = link, told, stopped
        self._make_duty = make_duty
        self._source, self._target = source, target
        self.outlook: LinkOutlook | None = None
        self.trouble: str | None = None
        self.looked = threading.Event()
        self.leads = threading.Event()
        self._soon = threading.Event()
        self._next_ms = self._next_deep_ms = 0
        self._away: set[str] = set()
        self._kept = DeepFindings()
        self._duty: Duty | None = None
        self._threads = [
            threading.Thread(target=run, name=f"{name} {link.name}", daemon=True)
            for name, run in (("look", self._look), ("offsets", self._translate))
        ]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Wait until the threads have ended; ``stopped`` must be set."""
        self._soon.set()
        for thread in self._threads:
            thread.join()

    def look_soon(self, *, deep: bool = True) -> None:
        """Look now; ``deep``: at settings and rules too."""
        self._next_ms = 0
        if deep:
            self._next_deep_ms = 0
        self._soon.set()

    def offsets(self) -> Mapping[str, Any]:
        """What the translation says of itself; nothing where another process does it."""
        duty = self._duty
        return {} if duty is None else duty.status()

    # --- looking ---------------------------------------------------------------------------------

    def _look(self) -> None:
        syncer = Syncer(self.link, self._source, self._target)
        try:
            while not self._stopped.is_set():
                try:
                    self._look_once(syncer)
                except ClusterTroubleError as error:
                    self.trouble = error.ours
                    self._away.add(error.alias)
                    self._told.trouble(f"cluster {error.alias}", str(error))
                except PkoError as error:
                    self.trouble = in_one_line(error)
                    self._told.trouble("the look at both clusters", self.trouble)
                except Exception as error:
                    log.exception("%s: %s", self.link.name, internal(error))
                    self.trouble = internal(error)
                self._soon.wait(CONTROL_SECONDS)
                self._soon.clear()
        finally:
            syncer.close()

    def _look_once(self, syncer: Syncer) -> None:
        now = _now_ms()
        if self.outlook is not None and now < self._next_ms:
            self.outlook.control = syncer.control_state()
            return
        deep = now >= self._next_deep_ms
        outlook, source, _ = syncer.look(now, deep=deep)
        changed = False
        if self.leads.is_set():
            changed = syncer.apply(outlook, source, now, self._told)
        self._kept.add(outlook, deep=deep)
        self._told.troubles("sync: ", outlook.troubles)
        self._told.notes(outlook.plan.notes)
        self.outlook, self.trouble = outlook, None
        self.looked.set()
        for alias in self._away:
            self._told.trouble(f"cluster {alias}", None)
        self._away.clear()
        self._told.trouble("the look at both clusters", None)
        self._next_ms = 0 if changed else now + self.link.topics_every_ms
        if deep and self.leads.is_set():
            self._next_deep_ms = now + self.link.configs_every_ms

    # --- offsets of groups -----------------------------------------------------------------------

    def _translate(self) -> None:
        while not self._stopped.wait(DUTY_SECONDS):
            try:
                self._translate_once()
            except Exception as error:
                log.exception("%s: offsets: %s", self.link.name, internal(error))
        self._close_duty()

    def _translate_once(self) -> None:
        if not self.leads.is_set() or self.outlook is None:
            self._close_duty()
            return
        if self._duty is None:
            source, target = connected(self._source), connected(self._target)
            self._duty = self._make_duty(source, target, self.link)
        self._duty.step(_now_ms())

    def _close_duty(self) -> None:
        if self._duty is not None:
            self._duty.close()
            self._duty = None


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
