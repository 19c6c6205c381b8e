"""Chooses the leader of several monitors: one at a time may send.

The leader counts up a number in the file. Another monitor takes over once it has seen the same
number for longer than the lease lasts. Both measure spans and compare no wall clock. So setting a
clock never makes two of them send.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Protocol

from pykafka_ops.monitor.alerts.store.database import AlertDatabase

TTL_SECONDS: Final = 10.0
PATIENCE: Final = 1.5
"""Others wait so many times the lease before they take over."""


class Lease(Protocol):
    """Who leads. ``step`` is called about every second; ``held`` says whether this monitor does."""

    def step(self) -> None:
        """Ask for the lead, or keep it. After StorageError or ConnectError the next call tries
        again."""

    def held(self) -> bool:
        """Whether this monitor may send at this moment."""

    def release(self) -> None:
        """Give up the lead, so that another monitor need not wait."""


class FileLease:
    """A lease in the SQLite file that several monitors on one host share."""

    def __init__(
        self,
        database: AlertDatabase,
        *,
        ttl: float = TTL_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``ttl``: seconds that the lease lasts without renewal."""
        self._database, self._ttl, self._clock = database, ttl, clock
        self._until = 0.0
        self._seen: tuple[str, int] | None = None
        self._seen_at = 0.0

    def step(self) -> None:
        """Renew the lease, or take it over where nobody renews it."""
        now, me = self._clock(), self._database.owner
        with self._database.transaction() as db:
            row = db.execute("SELECT owner, beat FROM lease").fetchone()
            free = row is None or row[0] in ("", me) or self._silent(row, now)
            if free:
                beat = 0 if row is None else row[1] + 1
                db.execute("INSERT OR REPLACE INTO lease VALUES (1, ?, ?)", (me, beat))
        self._until = now + self._ttl if free else 0.0

    def _silent(self, row: tuple[str, int], now: float) -> bool:
        if row != self._seen:
            self._seen, self._seen_at = row, now
        return now - self._seen_at >= self._ttl * PATIENCE

    def held(self) -> bool:
        """Whether this monitor renewed the lease within the last ``ttl`` seconds."""
        return self._clock() < self._until

    def release(self) -> None:
        """Let another monitor take over at once."""
        self._until = 0.0
        with self._database.transaction() as db:
            me = self._database.owner
            db.execute("UPDATE lease SET owner = '' WHERE owner = ?", (me,))
