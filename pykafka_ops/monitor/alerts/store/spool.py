"""Messages that wait for their receivers: sent at least once, with growing pauses between tries.

A message of an incident waits until the one before it was sent. When that one was given up, so is
this: a closing message without its first one says nothing.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Final, NamedTuple

from pykafka_ops.monitor.alerts.rules.incidents import OPEN, Notice
from pykafka_ops.monitor.alerts.store.database import AlertDatabase
from pykafka_ops.monitor.alerts.store.records import DEAD, SENT, WAITING

FIRST_WAIT_MS: Final = 5_000
MOST_WAIT_MS: Final = 600_000
KEPT_DONE: Final = 1_000
"""Messages that were sent or given up and stay in the file, for each receiver."""
_FIELDS: Final = "id, notice, receiver, phase, state, attempts, next_at, created, done_at, reason"


class Delivery(NamedTuple):
    """A message to one receiver. Times in ms; ``reason``: what went wrong last."""

    id: str
    notice: str
    receiver: str
    phase: str
    state: str
    attempts: int
    next_at: int
    created: int
    done_at: int | None
    reason: str


def wait_ms(attempts: int) -> int:
    """How long to wait after so many tries."""
    return min(FIRST_WAIT_MS << min(max(attempts - 1, 0), 20), MOST_WAIT_MS)


class Spool:
    """The messages in the file; every method raises StorageError."""

    def __init__(self, database: AlertDatabase) -> None:
        self._database = database

    def claim(self, receiver: str, now: int) -> tuple[Delivery, Notice] | None:
        """The next message that is due, with this try counted; None where none is. Only the leader
        may call this: LostLeadError."""
        with self._database.transaction(fenced=True) as db:
            row = db.execute(
                f"SELECT {_FIELDS} FROM spool s WHERE state = ? AND receiver = ?"
                # a due time far ahead was set before the clock was set back
                " AND (next_at <= ? OR next_at > ?) AND NOT EXISTS (SELECT 1 FROM spool b WHERE"
                " b.state = ? AND b.incident = s.incident AND b.receiver = s.receiver"
                " AND b.number < s.number) ORDER BY number LIMIT 1",
                (WAITING, receiver, now, now + MOST_WAIT_MS, WAITING),
            ).fetchone()
            if row is None:
                return None
            found = Delivery(*row)
            attempts = found.attempts + 1
            later = now + wait_ms(attempts)
            db.execute(
                "UPDATE spool SET attempts = ?, next_at = ? WHERE id = ?",
                (attempts, later, found.id),
            )
            stored = db.execute("SELECT body FROM notices WHERE id = ?", (found.notice,))
            notice = Notice.from_dict(json.loads(stored.fetchone()[0]))
        return found._replace(attempts=attempts, next_at=later), notice

    def opened(self, notice: Notice, receiver: str) -> bool:
        """Whether the receiver got the incident's first message."""
        with self._database.transaction() as db:
            row = db.execute(
                "SELECT state FROM spool WHERE incident = ? AND receiver = ? AND phase = ?",
                (notice.incident, receiver, OPEN),
            ).fetchone()
        return row is None or row[0] == SENT

    def sent(self, id_: str, now: int) -> None:
        """It arrived."""
        self._done(id_, SENT, "", now)

    def gave_up(self, id_: str, reason: str, now: int) -> None:
        """It is not tried again."""
        self._done(id_, DEAD, reason, now)

    def failed(self, id_: str, reason: str) -> None:
        """It is tried again later."""
        with self._database.transaction() as db:
            db.execute("UPDATE spool SET reason = ? WHERE id = ?", (reason, id_))

    def again(self, id_: str, now: int) -> bool:
        """Try a message that was given up once more; return whether there is one."""
        with self._database.transaction() as db:
            done = db.execute(
                "UPDATE spool SET state = ?, attempts = 0, next_at = ?, created = ?, done_at = NULL"
                " WHERE id = ? AND state = ?",
                (WAITING, now, now, id_, DEAD),
            )
            return done.rowcount > 0

    def deliveries(self, most: int = 200) -> list[Delivery]:
        """The newest messages, waiting, sent and given up."""
        with self._database.transaction() as db:
            rows = db.execute(f"SELECT {_FIELDS} FROM spool ORDER BY number DESC LIMIT ?", (most,))
            return [Delivery(*row) for row in rows]

    def counts(self) -> dict[str, int]:
        """How many messages wait, were sent, were given up."""
        with self._database.transaction() as db:
            rows = db.execute("SELECT state, count(*) FROM spool GROUP BY state").fetchall()
        return {**dict.fromkeys((WAITING, SENT, DEAD), 0), **dict(rows)}

    def _done(self, id_: str, state: str, reason: str, now: int) -> None:
        with self._database.transaction() as db:
            db.execute(
                "UPDATE spool SET state = ?, reason = ?, done_at = ? WHERE id = ?",
                (state, reason, now, id_),
            )
            _trim(db, state, id_)


def _trim(db: sqlite3.Connection, state: str, id_: str) -> None:
    """Delete the oldest messages of this state, and notices that no message refers to."""
    (receiver,) = db.execute("SELECT receiver FROM spool WHERE id = ?", (id_,)).fetchone()
    db.execute(
        "DELETE FROM spool WHERE number IN (SELECT number FROM spool WHERE state = ? AND receiver"
        " = ? ORDER BY number DESC LIMIT -1 OFFSET ?)",
        (state, receiver, KEPT_DONE),
    )
    db.execute("DELETE FROM notices WHERE id NOT IN (SELECT notice FROM spool)")
