"""Follows an audit topic, and adds up what tiers say they have counted.

Each message counts once: the position in the topic and the sums are written together, and a uuid
that has been seen is not taken again.
"""

from __future__ import annotations

from collections.abc import Iterator
from sqlite3 import Connection
from typing import Final, NamedTuple

from pykafka_ops.analysis.books.tiers import AuditMessageError, Published, TierCount, read_message
from pykafka_ops.audit.book import AuditBook
from pykafka_ops.audit.book_file import from_stored, to_stored
from pykafka_ops.audit.latest import records_of
from pykafka_ops.audit.source import AuditPlace, PartitionSource, PlaceReading, ReadSoFar
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import PkoError

_MOST_MESSAGES: Final = 10_000


class Followed(NamedTuple):
    """Messages that were new, those that had been there before, and those that are none."""

    new: int
    again: int
    refused: int
    first_refusal: str = ""


def follow(book: AuditBook, stream: str, source: PartitionSource, topic: str) -> Followed:
    """Take what is new in the audit topic; ``stream`` names the cluster. Raises PkoError."""
    places, failed = source.places(lambda name: name == topic)
    for error in failed.values():
        raise error
    if not places:
        raise PkoError(f"there is no topic {topic}: producers that are audited make it")
    job = _Following(book, stream)
    readings = [job.reading(place) for place in places]
    errors = source.read([one for one in readings if one.first < one.stop], job.settle)
    for error in errors.values():
        raise error
    return Followed(job.new, job.again, job.refused, job.first_refusal)


class _Following:
    def __init__(self, book: AuditBook, stream: str) -> None:
        self._book, self._stream = book, stream
        self.new = self.again = self.refused = 0
        self.first_refusal = ""

    def reading(self, place: AuditPlace) -> PlaceReading:
        query = "SELECT next FROM positions WHERE stream = ? AND topic = ? AND partition = ?"
        found = self._book.rows(query, self._stream, *place.key)
        first = int(str(found[0][0])) if found else place.start
        if first > place.log_end:
            first = place.start  # the topic was made anew; uuids tell what was there before
        first = max(first, place.start)
        taker = _MessageTaker(first, max(first, place.end))
        return PlaceReading(place, first, max(first, place.end), taker)

    def settle(self, feed: ReadSoFar, reading: PlaceReading) -> None:
        taker = reading.taker
        assert isinstance(taker, _MessageTaker)
        found, taker.found = taker.found, []
        with self._book.transaction() as database:
            for offset, value in found:
                self._take(database, f"{reading.place.partition} {offset}", value)
            database.execute(
                "INSERT OR REPLACE INTO positions VALUES (?, ?, ?, ?)",
                (self._stream, *reading.place.key, feed.position),
            )

    def _take(self, database: Connection, place: str, value: bytes | None) -> None:
        try:
            one = read_message(value)
        except AuditMessageError as error:
            self.refused += 1
            self.first_refusal = self.first_refusal or f"offset {place.split()[1]}: {error}"
            return
        name = one.uuid or f"{self._stream} {place}"
        done = database.execute(
            "INSERT OR IGNORE INTO deliveries VALUES (?, ?)", (name, one.bucket_start)
        )
        if not done.rowcount:
            self.again += 1
            return
        self.new += 1
        _add(database, one)


def _add(database: Connection, one: Published) -> None:
    key = (one.topic, one.tier, one.bucket_start, one.host, one.application)
    where = "topic = ? AND tier = ? AND bucket = ? AND host = ? AND application = ?"
    old = database.execute(f"SELECT checksum, records FROM published WHERE {where}", key).fetchone()
    checksum = one.checksum
    if old is not None:
        known = old[0] is not None and checksum is not None
        checksum = (from_stored(old[0]) + (checksum or 0)) % 2**64 if known else None
    stored = None if checksum is None else to_stored(checksum)
    database.execute(
        "INSERT INTO published (topic, tier, bucket, host, application, bucket_end, records, bytes,"
        " checksum, seen_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET records = min(records + excluded.records, 1 << 62),"
        " bytes = min(bytes + excluded.bytes, 1 << 62), checksum = excluded.checksum,"
        " bucket_end = max(bucket_end, excluded.bucket_end),"
        " seen_ms = max(seen_ms, excluded.seen_ms)",
        (*key, one.bucket_end, one.records, one.bytes, stored, one.time),
    )


def published(book: AuditBook) -> Iterator[tuple[TierCount, int]]:
    """All that tiers have said, and the length of each bucket (ms)."""
    query = (
        "SELECT topic, bucket, tier, sum(records), sum(bytes), max(bucket_end)"
        " FROM published GROUP BY topic, bucket, tier"
    )
    for topic, bucket, tier, records, size, end in book.rows(query):
        figures = [int(str(number)) for number in (bucket, records, size, end)]
        start = figures[0]
        yield TierCount(str(topic), start, str(tier), figures[1], figures[2]), figures[3] - start


class _MessageTaker:
    """Takes the values of records."""

    def __init__(self, first: int, stop: int) -> None:
        self._first, self._stop = first, stop
        self.found: list[tuple[int, bytes | None]] = []

    def usual(self, data: bytes | memoryview, place: int) -> tuple[int, int]:
        """Nothing is simple here."""
        return place, -1

    def batch(self, data: bytes, header: BatchHeader) -> None:
        """As ``Taker``."""
        self.old(records_of(data, header))

    def old(self, records: Iterator[Record]) -> None:
        """As ``Taker``."""
        for record in records:
            if self._first <= record.offset < self._stop:
                self.found.append((record.offset, record.value))

    @property
    def is_full(self) -> bool:
        """As ``Taker``."""
        return len(self.found) >= _MOST_MESSAGES

    def ends_at(self, stop: int) -> None:
        """As ``Taker``."""
        self._stop = stop
