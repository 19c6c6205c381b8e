"""What a log is made of, counted batch by batch and record by record in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from hashlib import blake2b

from pykafka_ops.analysis.heavy import HeavyHitters

#: Different keys and producers that are counted exactly.
CAPACITY = 8192
#: A longer key is counted by its beginning and a digest.
_LONG, _SHOWN = 128, 96
_MOST_OPEN = 100_000

Key = bytes | None


@dataclass(slots=True)
class CodecCount:
    """Batches of one codec: how many, their records' bytes as stored and decompressed.

    ``plain`` counts only batches that were opened, of ``opened`` stored bytes.
    """

    batches: int = 0
    stored: int = 0
    opened: int = 0
    plain: int = 0

    @property
    def ratio(self) -> float | None:
        """Decompressed through stored bytes, None where nothing was opened."""
        return round(self.plain / self.opened, 2) if self.opened else None


@dataclass(slots=True)
class OpenTransaction:
    """A transaction without its end: offsets, and when it began (ms)."""

    producer_id: int
    producer_epoch: int
    first_offset: int
    started: int
    records: int = 0


@dataclass(slots=True)
class LogStats:
    """All counts of a partition, or of several. Sizes are bytes, timestamps ms.

    ``bytes``: whole batches as stored; ``payload``: keys and values before compression.
    ``gaps``: places where offsets are left out between batches; ``missing``: offsets left out there
    and within batches, by compaction; ``lost``: offsets left out where there is damage;
    ``back``: batches whose offsets do not rise.
    """

    segments: int = 0
    batches: int = 0
    records: int = 0
    markers: int = 0
    tombstones: int = 0
    bytes: int = 0
    payload: int = 0
    largest: int = 0
    first_offset: int | None = None
    last_offset: int | None = None
    first_timestamp: int | None = None
    last_timestamp: int | None = None
    gaps: int = 0
    missing: int = 0
    lost: int = 0
    back: int = 0
    committed: int = 0
    aborted: int = 0
    open_uncounted: int = 0
    damages: int = 0
    damaged: int = 0
    formats: dict[int, int] = field(default_factory=dict)
    codecs: dict[str, CodecCount] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)
    keys: HeavyHitters[Key] = field(default_factory=lambda: HeavyHitters(CAPACITY))
    producers: HeavyHitters[int] = field(default_factory=lambda: HeavyHitters(CAPACITY))
    open: dict[int, OpenTransaction] = field(default_factory=dict)

    def batch(self, magic: int, codec: str, size: int, stored: int) -> CodecCount:
        """Count a batch of ``size`` bytes, ``stored`` of them records; the counter of its codec."""
        self.batches += 1
        self.bytes += size
        self.largest = max(self.largest, size)
        self.formats[magic] = self.formats.get(magic, 0) + 1
        slot = size_class(size)
        self.sizes[slot] = self.sizes.get(slot, 0) + 1
        count = self.codecs.setdefault(codec, CodecCount())
        count.batches += 1
        count.stored += stored
        return count

    def offsets(self, first: int, last: int, count: int, *, damaged: bool) -> None:
        """The next batch has ``count`` records at ``first`` to ``last``.

        ``damaged``: there is damage before it, to which left out offsets are put down.
        """
        if self.last_offset is not None:
            left_out = first - self.last_offset - 1
            if left_out > 0 and damaged:
                self.lost += left_out
            elif left_out > 0:
                self.gaps += 1
                self.missing += left_out
            self.back += left_out < 0
        self.missing += max(last - first + 1 - count, 0)
        self.first_offset = first if self.first_offset is None else min(first, self.first_offset)
        self.last_offset = last if self.last_offset is None else max(last, self.last_offset)

    def times(self, first: int, last: int) -> None:
        """Records from ``first`` to ``last``; a time below 0 is none."""
        if first >= 0 and (self.first_timestamp is None or first < self.first_timestamp):
            self.first_timestamp = first
        if last >= 0 and (self.last_timestamp is None or last > self.last_timestamp):
            self.last_timestamp = last

    def in_transaction(self, begun: OpenTransaction) -> None:
        """A batch of a transaction, which it may begin."""
        found = self.open.get(begun.producer_id)
        if found is not None:
            found.records += begun.records
        elif len(self.open) < _MOST_OPEN:
            self.open[begun.producer_id] = begun
        else:
            self.open_uncounted += 1

    def ended(self, producer_id: int, *, commit: bool) -> None:
        """The marker of a transaction."""
        self.open.pop(producer_id, None)
        if commit:
            self.committed += 1
        else:
            self.aborted += 1

    def merge(self, other: LogStats) -> None:
        """Add another partition's counts; offsets and open transactions stay each partition's."""
        for name in _SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.largest = max(self.largest, other.largest)
        for at in (other.first_timestamp, other.last_timestamp):
            if at is not None:
                self.times(at, at)
        for magic, count in other.formats.items():
            self.formats[magic] = self.formats.get(magic, 0) + count
        for slot, count in other.sizes.items():
            self.sizes[slot] = self.sizes.get(slot, 0) + count
        for codec, more in other.codecs.items():
            mine = self.codecs.setdefault(codec, CodecCount())
            mine.batches += more.batches
            mine.stored += more.stored
            mine.opened += more.opened
            mine.plain += more.plain
        self.keys.merge(other.keys)
        self.producers.merge(other.producers)


_SUMS = [f.name for f in fields(LogStats) if f.default == 0 and f.name != "largest"]


def size_class(size: int) -> int:
    """The power of two at or below ``size`` (1 or more)."""
    return 1 << (size.bit_length() - 1)


def counted_key(key: bytes) -> bytes:
    """A key, or of a long one what stands for it: its beginning, and a digest of all of it."""
    if len(key) <= _LONG:
        return key
    digest = blake2b(key, digest_size=8).hexdigest()
    return key[:_SHOWN] + f"… ({len(key)} bytes, blake2b {digest})".encode()
