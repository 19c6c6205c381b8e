"""What ``pko dump-log find`` prints: matches, or how many there are, in every format."""

from __future__ import annotations

from typing import NamedTuple

from pykafka_ops.analysis.moments import moment_text
from pykafka_ops.commands.dump_log.items import TIME_TYPES, part_of
from pykafka_ops.commands.dump_log.row_output import JsonLines, RowOutput, row_output
from pykafka_ops.commands.dump_log.segments import SegmentPath
from pykafka_ops.commands.framework.output import Column
from pykafka_ops.commands.payload.formats import PayloadFormat, payload_format
from pykafka_ops.commands.payload.texts import ROOM, cut, text_of
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.control import ControlType
from pykafka_ops.disk.salvage import SoundBatch

Row = dict[str, object]
COLUMNS = (
    Column("partition"),
    Column("offset", right=True),
    Column("time"),
    Column("file", wide=True),
    Column("position", right=True, wide=True),
    Column("record_position", right=True, wide=True),
    Column("producer_id", right=True, wide=True),
    Column("control", optional=True),
    Column("key"),
    Column("value"),
    Column("headers", wide=True),
)
COUNT_COLUMNS = (
    Column("partition"),
    Column("file"),
    Column("count", right=True),
)


class FoundRecord(NamedTuple):
    """A record that was looked for. ``record_position`` is its byte in the file, None where it lies
    in a compressed batch; ``control`` is the type of a control record."""

    segment: SegmentPath
    batch: SoundBatch
    offset: int
    timestamp: int
    record_position: int | None
    key: bytes | None
    value: bytes | None
    headers: list[tuple[str, bytes | None]]
    control: int | None


class Shown:
    """How keys and values of matches are shown."""

    def __init__(self, key: PayloadFormat | None, value: PayloadFormat | None) -> None:
        self.key, self.value = key, value

    def item(self, match: FoundRecord) -> Row:
        """A match as JSON has it."""
        return {
            "kind": "match",
            **match.segment.where(),
            "offset": match.offset,
            "timestamp": match.timestamp if match.timestamp >= 0 else None,
            "timestamp_type": _time_type(match.batch),
            "position": match.batch.position,
            "batch_size": match.batch.header.size,
            **_span(match.batch),
            "record_position": match.record_position,
            "producer_id": _producer(match.batch),
            "control": control_name(match.control),
            **self._payload("key", match.key, self.key, match),
            **self._payload("value", match.value, self.value, match),
            "headers": [{"key": _name(k), **part_of("value", v)} for k, v in match.headers],
        }

    def _payload(
        self, part: str, data: bytes | None, made: PayloadFormat | None, match: FoundRecord
    ) -> Row:
        if made is not None and match.control is None:
            return made.shown(part, data)
        return part_of(part, data)

    def row(self, match: FoundRecord) -> Row:
        """A match as a flat row."""
        return {
            "partition": match.segment.place,
            "offset": match.offset,
            "time": moment_text(match.timestamp) if match.timestamp >= 0 else None,
            "file": match.segment.path,
            "position": match.batch.position,
            "record_position": match.record_position,
            "producer_id": _producer(match.batch),
            "control": control_name(match.control),
            "key": self._line(match.key, self.key, match),
            "value": self._line(match.value, self.value, match),
            "headers": [f"{_name(k)}={text_of(v)[0] or ''}" for k, v in match.headers],
        }

    def _line(
        self, data: bytes | None, made: PayloadFormat | None, match: FoundRecord
    ) -> str | None:
        if made is not None and match.control is None and data is not None:
            return made.line(data)
        return text_of(data)[0]


def _time_type(batch: SoundBatch) -> str | None:
    header = batch.header
    if isinstance(header, BatchHeader):
        return TIME_TYPES[int(header.is_log_append_time)]
    return TIME_TYPES[int(header.timestamp_type)]


def _span(batch: SoundBatch) -> Row:
    """First and last offset of a batch; of old formats the last one is all that is stored."""
    header = batch.header
    if isinstance(header, BatchHeader):
        return {"base_offset": header.base_offset, "last_offset": header.last_offset}
    return {"base_offset": None, "last_offset": header.offset}


def _producer(batch: SoundBatch) -> int | None:
    header = batch.header
    if isinstance(header, BatchHeader) and header.has_producer_id:
        return header.producer_id
    return None


def control_name(kind: int | None) -> str | None:
    """``COMMIT``, ``ABORT``, ...; None for ordinary records."""
    if kind is None:
        return None
    return ControlType(kind).name if kind in ControlType.__members__.values() else f"type {kind}"


def _name(name: str) -> str:
    return payload_format("utf-8", "").text(name.encode("utf-8", "surrogateescape"))


Counts = dict[SegmentPath, int]
"""Matches by file, of each that is looked through."""


class Writer:
    """Writes matches as they come, or only counts them."""

    def __init__(self, out: RowOutput, shown: Shown, counts: Counts | None) -> None:
        self.out, self.shown, self.counts = out, shown, counts
        self.rich = isinstance(out, JsonLines) or out.form == "yaml"
        self.cut = {"table": ROOM, "wide": 1 << 30}.get(out.form, 0)

    def match(self, match: FoundRecord) -> None:
        """One more match."""
        if self.counts is not None:
            self.counts[match.segment] += 1
        elif self.rich:
            self.out.add(self.shown.item(match))
        else:
            row = self.shown.row(match)
            if self.cut:
                row |= {part: cut(row[part], self.cut) for part in ("key", "value")}
            self.out.add(row)

    def damage(self, row: Row) -> None:
        """Damage is data, too, where machines read."""
        if self.rich:
            self.out.add(row)

    def flush(self) -> None:
        """What is ready goes out."""
        self.out.flush()

    def close(self) -> None:
        """The counts, and what a table waited for."""
        if self.counts is not None:
            for segment, count in self.counts.items():
                if self.rich:
                    self.out.add({"kind": "count", **segment.where(), "count": count})
                else:
                    row = {"partition": segment.place, "file": segment.path, "count": count}
                    self.out.add(row)
        self.out.close()


def writer(form: str, shown: Shown, counts: Counts | None) -> Writer:
    """The writer of ``-o form``."""
    columns = COLUMNS if counts is None else COUNT_COLUMNS
    return Writer(row_output(form, "log-matches", columns, name="file"), shown, counts)
