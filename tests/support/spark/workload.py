"""Log directories with everything that reports look at, as a seed draws it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.internal import OffsetCommitKey, OffsetCommitValue, encode
from pykafka_ops.disk.names import partition_dir, segment_file
from pykafka_ops.disk.record import Record

NOW = 1_795_000_000_000
HOUR = 3_600_000
SETTINGS = {
    "orders": {"retention.ms": str(6 * HOUR), "segment.ms": str(HOUR)},
    "payments": {"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.1"},
    "clicks": {"cleanup.policy": "compact,delete", "retention.bytes": "3000"},
}


class Workload:
    """Two log directories, ``places``, with four topics, one of them empty, whose replicas differ
    and are damaged here and there, and commits of four groups; ``settings`` is a file."""

    def __init__(self, root: Path, seed: int) -> None:
        self.random = Random(seed)
        self.places = [root / "data1", root / "data2"]
        self.settings = root / "settings.json"
        self.settings.write_text(json.dumps(SETTINGS))
        self._ends: dict[tuple[str, int], int] = {}
        for number, place in enumerate(self.places):
            place.mkdir()
            if seed % 2:  # brokers are known or not
                (place / "meta.properties").write_text(f"version=0\nbroker.id={number}\n")
        for topic in SETTINGS:
            for partition in range(self.random.randint(1, 4)):
                self._log(topic, partition)
        (self.places[0] / "empty-0").mkdir()
        self._commits()

    def _log(self, topic: str, partition: int) -> None:
        """A log on one directory or on both, there with less of it."""
        draw = self.random
        offset = draw.choice([0, 0, 40])
        time = NOW - draw.choice([1, 20, 300]) * HOUR
        segments = []
        for _ in range(draw.randint(1, 4)):
            base, data = offset, b""
            for _ in range(draw.randint(1, 12)):
                rows = []
                for _ in range(draw.randint(1, 9)):
                    time += draw.randint(0, HOUR // 4)
                    rows.append(self._record(offset, time))
                    offset += 1
                codec = draw.choice([Codec.NONE, Codec.LZ4, Codec.GZIP])
                data += build_batch(rows, base_offset=rows[0].offset, codec=codec)
            segments.append((base, data))
        self._ends[topic, partition] = offset
        several = draw.random() < 0.4
        for place in self.places if several else [draw.choice(self.places)]:
            folder = place / partition_dir(topic, partition)
            folder.mkdir()
            left = segments if place is self.places[0] else segments[:-1] or segments
            for base, data in left:
                (folder / segment_file(base)).write_bytes(self._spoilt(data))

    def _record(self, offset: int, time: int) -> Record:
        draw = self.random
        key = None if draw.random() < 0.2 else b"key-%d" % int(draw.expovariate(0.2))
        value = None if draw.random() < 0.1 else draw.randbytes(draw.randint(0, 60))
        return Record(offset, min(time, NOW + HOUR), key, value)

    def _spoilt(self, data: bytes) -> bytes:
        """Now and then with a wrong byte, or cut."""
        draw, found = self.random, bytearray(data)
        if draw.random() < 0.1:
            found[draw.randrange(len(found))] ^= 1 << draw.randrange(8)
        if draw.random() < 0.05:
            del found[draw.randrange(len(found)) :]
        return bytes(found)

    def _commits(self) -> None:
        draw = self.random
        rows: list[tuple[int, bytes, bytes | None]] = []
        for group in ("billing", "fraud", "search", "idle"):
            for (topic, partition), end in self._ends.items():
                if draw.random() < 0.2:
                    continue
                key = encode(OffsetCommitKey(group=group, topic=topic, partition=partition), 1)
                time = NOW - draw.choice([1, 30]) * HOUR
                offset = draw.randint(0, end)
                while time < NOW - (20 * HOUR if group == "idle" else 0):
                    value = OffsetCommitValue(offset=offset, metadata="", commit_timestamp=time)
                    is_gone = draw.random() < 0.02
                    rows.append((time, key, None if is_gone else encode(value, 3)))
                    time += draw.choice([60_000, HOUR // 2, 2 * HOUR])
                    offset += draw.choice([0, 0, 1, 7, -3]) if offset > 3 else 1
        rows.sort()
        for partition in range(2):
            folder = self.places[partition] / partition_dir("__consumer_offsets", partition)
            folder.mkdir()
            mine = [row for row in rows if hash_of(row[1]) % 2 == partition]
            records = [Record(n, time, key, value) for n, (time, key, value) in enumerate(mine)]
            data = b"".join(
                build_batch(records[n : n + 5], base_offset=n) for n in range(0, len(records), 5)
            )
            (folder / segment_file(0)).write_bytes(data)


def hash_of(key: bytes) -> int:
    """The same in every process."""
    return sum(key)
