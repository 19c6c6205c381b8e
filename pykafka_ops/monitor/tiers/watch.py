"""Looks into the book of ``pko audit`` again and again, in a thread of its own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Final

from pykafka_ops.monitor.alerts.rules.facts import AUDIT
from pykafka_ops.monitor.alerts.rules.model import Subject
from pykafka_ops.monitor.history.model import SeriesKey
from pykafka_ops.monitor.history.store import History
from pykafka_ops.monitor.tiers.books import BooksSeen, look
from pykafka_ops.monitor.tiers.figures import AuditFigures, figures, kept
from pykafka_ops.monitor.tiers.settings import BookSettings

log = logging.getLogger("pko.monitor")

EVERY_SECONDS: Final = 60.0
"""How often the book is compared: it grows by runs of ``pko audit collect``."""
JOIN_SECONDS: Final = 5.0


class BookWatch:
    """``start``, ``stop``; what it found may be asked for by any thread. ``now`` gives ms since
    1970."""

    def __init__(
        self, settings: BookSettings, now: Callable[[], int], history: History | None = None
    ) -> None:
        self.settings, self._now, self._history = settings, now, history
        self._seen = BooksSeen([], [], "not looked at yet")
        self._states: dict[str, str | None] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="books", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        if self.settings.pairs:
            self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(JOIN_SECONDS)

    def look(self) -> None:
        """Compare the tiers of all pairs now."""
        self._seen = look(self.settings)
        for one in self.figures():
            self._keep(one)

    def figures(self) -> Sequence[AuditFigures]:
        """Of all pairs, as of the last look."""
        seen, now = self._seen, self._now()
        return [figures(seen, pair, now) for pair in self.settings.pairs]

    def subjects(self, cluster: str) -> list[Subject]:
        """The pairs of a cluster, for the alerts."""
        return [one.subject() for one in self.figures() if one.pair.cluster == cluster]

    def _keep(self, one: AuditFigures) -> None:
        pair, before = one.pair, self._states.get(one.pair.name)
        if one.state is None:
            return
        self._states[pair.name] = one.state
        if self._history is None:
            return
        now = self._now()
        values = {SeriesKey(AUDIT, pair.name, name): value for name, value in kept(one).items()}
        self._history.record(pair.cluster, now, values)
        if before not in (None, one.state):
            text = f"tiers {pair.a} and {pair.b} were {before}, are {one.state}"
            details = {"before": before, "after": one.state}
            self._history.note(pair.cluster, now, AUDIT, pair.name, text, details)

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                self.look()
            except Exception:  # the next look may do better
                log.exception("the book of tiers could not be looked at")
            self._ended.wait(EVERY_SECONDS)
