"""What must not be lost of compacted logs (I1, I3)."""

from __future__ import annotations

from dataclasses import dataclass, field

from pykafka_ops.disk.batch import scan
from pykafka_ops.disk.record import iter_records
from tests.support.simulated.ledger import Committed, demand

TOPIC = "tidy"
PARTITIONS = 2
NAMES = frozenset({TOPIC, "__consumer_offsets", "__transaction_state"})
_LARGEST_RECORD = 1 << 20


@dataclass(slots=True)
class Compacted(Committed):
    """What is committed of a compacted log, and at which offset each key was written last."""

    latest: dict[bytes, int] = field(default_factory=dict)

    def take(self, where: str, data: bytes) -> None:
        """Records below the high watermark of one replica, some of which may be gone (I3)."""
        for position, header in scan(memoryview(data)):
            base, fresh = header.base_offset, header.next_offset > self.end
            demand(not fresh or base == self.end, "I4", f"{where}: {self.end} precedes {base}")
            for record in iter_records(data, position, header, _LARGEST_RECORD):
                key = bytes(record.key or b"")
                content = key if header.is_control else bytes(record.value or b"")
                if not fresh:
                    known = self.values.get(record.offset)
                    said = f"{where}: offset {record.offset} holds {content!r}, it was {known!r}"
                    demand(known == content, "I3", said)
                    continue
                self.values[record.offset] = content
                if header.is_transactional:
                    self.latest.pop(key, None)  # it may be aborted: then an older one counts
                else:
                    self.latest[key] = record.offset
            self.end = max(self.end, header.next_offset)

    def check_whole(self, where: str, data: bytes) -> None:
        """A leader's log from its start has what each key was written last, or something newer
        (I1). Tombstones are kept for longer than a run lasts."""
        found: dict[bytes, int] = {}
        for position, header in scan(memoryview(data)):
            if not header.is_control:
                for record in iter_records(data, position, header, _LARGEST_RECORD):
                    found[bytes(record.key or b"")] = record.offset
        for key, offset in self.latest.items():
            there = found.get(key, -1)
            said = f"{where}: {key!r} was written last at {offset}, {there} is there"
            demand(there >= offset, "I1", said)
