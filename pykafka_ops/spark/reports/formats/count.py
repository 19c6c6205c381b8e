"""What sampled batches hold: counted partition by partition and merged topic by topic, in
executors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pyarrow as pa

from pykafka_ops.disk.batch import HEADER_SIZE
from pykafka_ops.disk.compression import CODEC_NAMES, Codec, compress
from pykafka_ops.payload.kinds import JSON_SCHEMA as LIKE_JSON
from pykafka_ops.payload.kinds import PROTOBUF as LIKE_PROTOBUF
from pykafka_ops.payload.kinds import REGISTRY, kind_of, schema_kind
from pykafka_ops.spark.arrow import row_batches
from pykafka_ops.spark.inputs.sampling import Damage, Sampled, SampledBatch
from pykafka_ops.spark.reports.sketches import Sizes
from pykafka_ops.spark.schemas import Row, array_of, columns

KEY, VALUE = "key", "value"
SIDES: Final = (KEY, VALUE)
CODECS: Final = tuple(Codec(n) for n in range(1, len(CODEC_NAMES)))
"""Those that could be used instead."""
_TRIED: Final = 4 << 20
"""Bytes of a partition's batches, before compression, that every codec is tried on, about."""
_SCHEMAS: Final = 100
"""Schema ids of a topic and side that are told; records of the others count."""
_QUANTILES: Final = (0.5, 0.99)

_KINDS: Final = columns("side string, kind string, schema bigint, records bigint, bytes bigint,"
                        "protobuf bigint, json bigint")  # fmt: skip
_USED: Final = columns("codec string, batches bigint, records bigint, stored bigint, plain bigint")
_SIZED: Final = columns("side string, sizes binary, bytes bigint, largest bigint")
_SAID: Final = columns("side string, records bigint, bytes bigint, mean double, p50 bigint,"
                       "p99 bigint, largest bigint")  # fmt: skip
_COMMON: Final = {
    "kinds": array_of(_KINDS),
    "used": array_of(_USED),
    "could": array_of(columns("codec string, stored bigint")),
    "texts": array_of(pa.string()),
}
COUNTED: Final = columns(
    "topic string, partition int, records bigint, batches bigint, kinds kinds, used used,"
    "tried bigint, tried_batches bigint, could could, sizes sizes, damage texts",
    **_COMMON, sizes=array_of(_SIZED),
)  # fmt: skip
"""A partition: ``tried`` are the bytes on disk of the batches that every codec was tried on,
``could`` what they would take."""
MERGED: Final = columns(
    "topic string, partitions bigint, records bigint, batches bigint, kinds kinds, used used,"
    "tried bigint, tried_batches bigint, could could, sizes sizes, damage texts",
    **_COMMON, sizes=array_of(_SAID),
)  # fmt: skip
"""The same of a topic; kinds by schema are judged."""
_KindKey = tuple[str, str, int | None]


@dataclass(slots=True)
class _Side:
    """Sizes of keys or values that are not null."""

    sizes: Sizes = field(default_factory=Sizes)
    bytes: int = 0
    largest: int = 0

    def add(self, lengths: Sequence[int]) -> None:
        if lengths:
            self.sizes.add(np.array(lengths, np.int64))
            self.bytes += sum(lengths)
            self.largest = max(self.largest, *lengths)


@dataclass(slots=True)
class _Counts:
    """What was seen; ``kinds`` has records, bytes, and how many could be Protobuf or are JSON."""

    partitions: int = 1
    records: int = 0
    batches: int = 0
    kinds: dict[_KindKey, list[int]] = field(default_factory=dict)
    used: dict[str, list[int]] = field(default_factory=dict)
    tried: int = 0
    tried_plain: int = 0
    tried_batches: int = 0
    could: Counter[str] = field(default_factory=Counter)
    sides: dict[str, _Side] = field(default_factory=lambda: {side: _Side() for side in SIDES})
    damage: dict[str, None] = field(default_factory=dict)

    def add(self, batch: SampledBatch) -> None:
        """Count a batch."""
        self.records += len(batch.values)
        self.batches += 1
        for side, found in ((KEY, batch.keys), (VALUE, batch.values)):
            for data in found:
                self._add(side, data)
            self.sides[side].add([len(data) for data in found if data is not None])
        plain = batch.stored if batch.plain is None else len(batch.plain) + HEADER_SIZE
        used = self.used.setdefault(batch.codec, [0, 0, 0, 0])
        for n, more in enumerate((1, len(batch.values), batch.stored, plain)):
            used[n] += more
        if batch.plain and self.tried_plain < _TRIED:
            self.tried_plain += len(batch.plain)
            self.tried += batch.stored
            self.tried_batches += 1
            for codec in CODECS:
                self.could[CODEC_NAMES[codec]] += HEADER_SIZE + len(compress(codec, batch.plain))

    def _add(self, side: str, data: bytes | None) -> None:
        found = kind_of(data)
        row = self.kinds.setdefault((side, found.kind, found.schema), [0, 0, 0, 0])
        row[0] += 1
        row[1] += len(data or b"")
        row[2] += LIKE_PROTOBUF in found.could_be
        row[3] += LIKE_JSON in found.could_be

    def merge(self, row: Mapping[str, Any]) -> None:
        """Add a row of COUNTED."""
        for name in ("records", "batches", "tried", "tried_batches"):
            setattr(self, name, getattr(self, name) + row[name])
        for one in row["kinds"]:
            held = self.kinds.setdefault((one["side"], one["kind"], one["schema"]), [0, 0, 0, 0])
            for n, name in enumerate(("records", "bytes", "protobuf", "json")):
                held[n] += one[name]
        for one in row["used"]:
            held = self.used.setdefault(one["codec"], [0, 0, 0, 0])
            for n, name in enumerate(("batches", "records", "stored", "plain")):
                held[n] += one[name]
        for one in row["could"]:
            self.could[one["codec"]] += one["stored"]
        for one in row["sizes"]:
            side = self.sides[one["side"]]
            side.sizes.merge(Sizes(one["sizes"]))
            side.bytes += one["bytes"]
            side.largest = max(side.largest, one["largest"])
        self.damage |= dict.fromkeys(row["damage"])

    def row(self, **named: object) -> dict[str, Any]:
        """What both schemas have."""
        return {
            **named,
            "records": self.records,
            "batches": self.batches,
            "used": [
                {"codec": codec, "batches": b, "records": r, "stored": s, "plain": p}
                for codec, (b, r, s, p) in sorted(self.used.items())
            ],
            "tried": self.tried,
            "tried_batches": self.tried_batches,
            "could": [{"codec": c, "stored": s} for c, s in sorted(self.could.items())],
            "damage": sorted(self.damage),
        }

    def kind_rows(self) -> list[dict[str, Any]]:
        """Kinds as COUNTED has them."""
        return [
            {"side": side, "kind": kind, "schema": schema, "records": r, "bytes": b,
             "protobuf": p, "json": j}
            for (side, kind, schema), (r, b, p, j) in sorted(
                self.kinds.items(), key=lambda k: (k[0][0], k[0][1], k[0][2] or 0)
            )
        ]  # fmt: skip

    def judged(self) -> list[dict[str, Any]]:
        """Kinds with what schemas are of; of many schemas the rarest have no id."""
        found: dict[_KindKey, list[int]] = {}
        told = {side: self._most_used(side) for side in SIDES}
        for (side, kind, schema), counts in self.kinds.items():
            if kind == REGISTRY:
                kind = schema_kind(counts[0], counts[2], counts[3])
            kept = schema if schema in told[side] else None
            held = found.setdefault((side, kind, kept), [0, 0, 0, 0])
            for n, more in enumerate(counts):
                held[n] += more
        self.kinds = found
        return self.kind_rows()

    def _most_used(self, side: str) -> set[int | None]:
        known = [(counts[0], schema) for (s, _, schema), counts in self.kinds.items()
                 if s == side and schema is not None]  # fmt: skip
        return {schema for _, schema in sorted(known, reverse=True)[:_SCHEMAS]}

    def size_rows(self) -> Iterator[dict[str, Any]]:
        """Sizes as MERGED has them."""
        for side, found in self.sides.items():
            count = int(found.sizes.counts.sum())
            p50, p99 = found.sizes.quantiles(_QUANTILES) or (None, None)
            yield {
                "side": side,
                "records": count,
                "bytes": found.bytes,
                "mean": found.bytes / count if count else None,
                "p50": None if p50 is None else min(p50, found.largest),
                "p99": None if p99 is None else min(p99, found.largest),
                "largest": found.largest if count else None,
            }


def look(partition: Mapping[str, Any], batches: Sampled) -> Iterator[Row]:
    """COUNTED of a partition."""
    counts = _Counts()
    for found in batches:
        if isinstance(found, Damage):
            counts.damage[found.text] = None
        else:
            counts.add(found)
    sizes = [
        {"side": side, "sizes": s.sizes.pack(), "bytes": s.bytes, "largest": s.largest}
        for side, s in counts.sides.items()
    ]
    named = {"topic": partition["topic"], "partition": partition["partition"]}
    yield counts.row(**named, kinds=counts.kind_rows(), sizes=sizes)


def merge(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """MERGED of the COUNTED rows of some topics, of which all rows come."""
    topics: dict[str, _Counts] = {}
    for batch in batches:
        for row in batch.to_pylist():
            topic = topics.get(row["topic"])
            if topic is None:
                topic = topics[row["topic"]] = _Counts(partitions=0)
            topic.partitions += 1
            topic.merge(row)
    yield from row_batches(
        MERGED,
        (
            counts.row(topic=name, partitions=counts.partitions, kinds=counts.judged(),
                       sizes=list(counts.size_rows()))
            for name, counts in sorted(topics.items())
        ),
    )  # fmt: skip
