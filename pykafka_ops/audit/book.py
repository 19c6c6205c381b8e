"""Books of tiers: how far each partition was counted, and its lines.

What is counted and how far are written in one transaction, so that a process that is killed counts
nothing twice.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple, Self

from pykafka_ops.analysis.books.compare import PartitionBook
from pykafka_ops.analysis.books.latest import LastValue
from pykafka_ops.analysis.books.line import EMPTY, BookLine, Lines
from pykafka_ops.audit.book_file import (
    explained,
    from_stored,
    open_book,
    open_to_read,
    to_stored,
)
from pykafka_ops.audit.source import AuditPlace
from pykafka_ops.errors import StorageError


class Tier(NamedTuple):
    """A tier: its name, where its records are (what ``collect`` was told), bucket length in ms."""

    id: int
    name: str
    source: Mapping[str, object]
    width: int


class CountedPlace(NamedTuple):
    """A partition of a tier: from which offset up to which it was counted, when its end was looked
    at and reached (ms, -1: never), its latest timestamp."""

    id: int
    topic: str
    partition: int
    topic_id: str
    compacted: bool
    first: int
    next: int
    read_ms: int
    newest_ms: int


_PLACE = "id, topic, partition, topic_id, compacted, first, next, read_ms, newest_ms"
_LINE = "records, bytes, checksum, chain, first_offset, last_offset, first_ms, last_ms"


class AuditBook:
    """A file of books; close it when done. Methods raise StorageError."""

    def __init__(self, path: str, *, must_exist: bool = False, read_only: bool = False) -> None:
        """Open or create it; ``:memory:`` for none. Raises UsageError too."""
        self.path = path
        self.database = open_to_read(path) if read_only else open_book(path, must_exist=must_exist)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self.database.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing of what is written in it."""
        with explained(self.path):
            self.database.execute("BEGIN IMMEDIATE")
            try:
                yield self.database
            except BaseException:
                self.database.execute("ROLLBACK")
                raise
            self.database.execute("COMMIT")

    def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """What a query finds."""
        with explained(self.path):
            return self.database.execute(query, values).fetchall()

    # --- tiers -----------------------------------------------------------------------------------

    def tiers(self) -> list[Tier]:
        """Every tier, by name."""
        found = self.rows("SELECT id, name, source, width FROM tiers ORDER BY name")
        return [Tier(int(str(i)), str(n), json.loads(str(s)), int(str(w))) for i, n, s, w in found]

    def tier(self, name: str) -> Tier | None:
        """The tier of a name."""
        return next((tier for tier in self.tiers() if tier.name == name), None)

    def put_tier(self, name: str, source: Mapping[str, object], width: int) -> Tier:
        """Add a tier, or say where it is now."""
        with self.transaction() as database:
            database.execute(
                "INSERT INTO tiers (name, source, width) VALUES (?, ?, ?)"
                " ON CONFLICT (name) DO UPDATE SET source = excluded.source",
                (name, json.dumps(source), width),
            )
        found = self.tier(name)
        assert found is not None
        return found

    def forget_tier(self, tier: Tier) -> None:
        """Drop all that is known of a tier."""
        for place in self.places(tier):
            self.forget(place)
        with self.transaction() as database:
            database.execute("DELETE FROM tiers WHERE id = ?", (tier.id,))

    # --- places ----------------------------------------------------------------------------------

    def places(self, tier: Tier) -> list[CountedPlace]:
        """The partitions of a tier, in order."""
        query = f"SELECT {_PLACE} FROM places WHERE tier = ? ORDER BY topic, partition"
        return [_place(row) for row in self.rows(query, tier.id)]

    def place(self, tier: Tier, topic: str, partition: int) -> CountedPlace | None:
        """One of them."""
        query = f"SELECT {_PLACE} FROM places WHERE tier = ? AND topic = ? AND partition = ?"
        return next((_place(row) for row in self.rows(query, tier.id, topic, partition)), None)

    def begin(self, tier: Tier, place: AuditPlace) -> CountedPlace:
        """A new partition, counted from its first offset on."""
        with self.transaction() as database:
            database.execute(
                "INSERT INTO places (tier, topic, partition, topic_id, compacted, first, next,"
                " read_ms, newest_ms) VALUES (?, ?, ?, ?, ?, ?, ?, -1, -1)",
                (tier.id, *place.key, place.topic_id, place.compacted, place.start, place.start),
            )
        found = self.place(tier, *place.key)
        assert found is not None
        return found

    def forget(self, place: CountedPlace) -> None:
        """Drop what was counted of a partition."""
        with self.transaction() as database:
            for table in ("lines", "dropped", "latest"):
                database.execute(f"DELETE FROM {table} WHERE place = ?", (place.id,))
            database.execute("DELETE FROM places WHERE id = ?", (place.id,))

    def skip_to(self, place: CountedPlace, offset: int) -> None:
        """The records up to this offset are gone: go on behind them."""
        with self.transaction() as database:
            database.execute("UPDATE places SET next = ? WHERE id = ?", (offset, place.id))

    def keep(self, place: CountedPlace, lines: Lines, position: int) -> None:
        """Add lines that follow what was counted, up to this offset."""
        with self.transaction() as database:
            before = self._lines(place, lines)
            rows = []
            for start, line in lines.items():
                whole = before.get(start, EMPTY).then(line)
                rows.append((place.id, start, *_stored(whole)))
            database.executemany(
                "INSERT OR REPLACE INTO lines VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows
            )
            newest = max((line.last_ms for line in lines.values()), default=-1)
            self._move(place, position, newest)

    def keep_latest(self, place: CountedPlace, values: Iterable[LastValue], position: int) -> None:
        """Put the last values of keys, up to this offset."""
        found = list(values)
        with self.transaction() as database:
            database.executemany(
                "INSERT OR REPLACE INTO latest VALUES (?, ?, ?, ?, ?, ?)",
                [(place.id, to_stored(v.key), v.offset, to_stored(v.hash), *v[3:]) for v in found],
            )
            newest = max((v.timestamp for v in found), default=-1)
            self._move(place, position, newest)

    def reached(self, place: CountedPlace, read_ms: int) -> None:
        """All that was there at this time (ms) is counted."""
        with self.transaction() as database:
            database.execute("UPDATE places SET read_ms = ? WHERE id = ?", (read_ms, place.id))

    def drop_span(self, place: CountedPlace, from_ms: int, to_ms: int) -> None:
        """Records of this time (ms) were gone before they could be counted."""
        with self.transaction() as database:
            database.execute("INSERT INTO dropped VALUES (?, ?, ?)", (place.id, from_ms, to_ms))

    def prune(self, tier: Tier, before_ms: int) -> int:
        """Drop the lines of buckets before this time; how many."""
        ids = [place.id for place in self.places(tier)]
        gone = 0
        with self.transaction() as database:
            for number in ids:
                found = database.execute(
                    "DELETE FROM lines WHERE place = ? AND start >= 0 AND start < ?",
                    (number, before_ms),
                )
                if found.rowcount:
                    gone += found.rowcount
                    database.execute("INSERT INTO dropped VALUES (?, 0, ?)", (number, before_ms))
        return gone

    # --- what was counted ------------------------------------------------------------------------

    def book(self, place: CountedPlace) -> PartitionBook:
        """The lines of a partition."""
        spans = self.rows("SELECT from_ms, to_ms FROM dropped WHERE place = ?", place.id)
        with explained(self.path):
            lines = self._lines(place, None)
        times = [line.last_ms for line in lines.values()]
        # A clock that is wrong must not hide how far a tier is.
        known = [time for time in times if time <= place.read_ms]
        newest = max(known or times, default=place.newest_ms)
        return PartitionBook(
            lines,
            place.read_ms,
            newest,
            [(int(str(first)), int(str(last))) for first, last in spans],
        )

    def latest(self, place: CountedPlace) -> Iterator[LastValue]:
        """The last values of the keys of a compacted partition, in the order of their hashes."""
        query = (
            "SELECT key, offset, hash, time, tombstone FROM latest WHERE place = ?"
            " ORDER BY key < 0, key"
        )
        with explained(self.path):
            for key, offset, value, time, gone in self.database.execute(query, (place.id,)):
                yield LastValue(from_stored(key), offset, from_stored(value), time, bool(gone))

    def count_keys(self, place: CountedPlace) -> int:
        """How many keys of a compacted partition have a value."""
        query = "SELECT count(*) FROM latest WHERE place = ? AND NOT tombstone"
        return int(str(self.rows(query, place.id)[0][0]))

    def _move(self, place: CountedPlace, position: int, newest: int) -> None:
        """Go on from where the place was seen last."""
        done = self.database.execute(
            "UPDATE places SET next = ?, newest_ms = max(newest_ms, ?) WHERE id = ? AND next = ?",
            (position, newest, place.id, place.next),
        )
        if not done.rowcount:
            raise StorageError(
                f"{self.path}: another pko audit collect counts {place.topic}-{place.partition} of "
                "this tier now"
            )

    def _lines(self, place: CountedPlace, wanted: Lines | None) -> dict[int, BookLine]:
        query = f"SELECT start, {_LINE} FROM lines WHERE place = ?"
        if wanted is not None and len(wanted) < 500:
            query += f" AND start IN ({','.join(map(str, wanted))})"
        found = {}
        for start, records, size, checksum, chain, *rest in self.database.execute(
            query, (place.id,)
        ):
            sums = from_stored(checksum), from_stored(chain)
            found[start] = BookLine(records, size, *sums, *rest)
        return found


def _place(row: tuple[object, ...]) -> CountedPlace:
    number, topic, partition, topic_id, compacted, *rest = row
    figures = [int(str(value)) for value in rest]
    return CountedPlace(
        int(str(number)), str(topic), int(str(partition)), str(topic_id), bool(compacted), *figures
    )


def _stored(line: BookLine) -> tuple[int, ...]:
    return (*line[:2], to_stored(line.checksum), to_stored(line.order), *line[4:])
