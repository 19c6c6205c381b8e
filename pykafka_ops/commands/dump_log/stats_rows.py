"""What ``pko dump-log stats`` prints: grids for people, one object a partition for machines."""

from __future__ import annotations

import sys

from pykafka_ops.analysis.bars import bar, size_text
from pykafka_ops.analysis.logs.stats import LogStats, OpenTransaction
from pykafka_ops.analysis.moments import moment_text
from pykafka_ops.commands.dump_log.items import part_of
from pykafka_ops.commands.dump_log.row_output import row_output
from pykafka_ops.commands.dump_log.segments import SegmentPath
from pykafka_ops.commands.framework.output import Column, Table, numbers, say, write
from pykafka_ops.commands.framework.terminal import bar_width, bars_are_blocks
from pykafka_ops.commands.payload.formats import PayloadFormat
from pykafka_ops.commands.payload.texts import UNPRINTED

Row = dict[str, object]

TOTAL = "all"
_PLAIN = (
    *("segments", "batches", "records", "markers", "tombstones", "bytes", "payload", "largest"),
    *("first_offset", "last_offset", "gaps", "missing", "lost", "back"),
    *("committed", "aborted", "damages", "damaged"),
)
COLUMNS = (
    Column("partition"),
    Column("segments", right=True, wide=True),
    Column("bytes", right=True),
    Column("batches", right=True),
    Column("records", right=True),
    Column("payload", right=True, wide=True),
    Column("first_offset", right=True),
    Column("last_offset", right=True),
    Column("missing", right=True, optional=True, bad=bool),
    Column("tombstones", right=True, wide=True),
    Column("markers", right=True, wide=True),
    Column("largest", "LARGEST-BATCH", right=True, wide=True),
    Column("gaps", right=True, wide=True),
    Column("lost", right=True, optional=True, bad=bool),
    Column("back", right=True, optional=True, bad=bool),
    Column("committed", right=True, wide=True),
    Column("aborted", right=True, wide=True),
    Column("open", right=True, optional=True, bad=bool),
    Column("first_time"),
    Column("last_time"),
    Column("damages", right=True, optional=True, bad=bool),
    Column("damaged", "DAMAGED-BYTES", right=True, optional=True, bad=bool),
)


class StatsOutput:
    """Writes partitions as they are counted, and at the end what they are together.

    ``most`` keys and producers are shown. ``hanging`` are the open transactions with their
    partition.
    """

    def __init__(self, form: str, most: int, key_format: PayloadFormat | None) -> None:
        self.form, self.most, self.key_format = form, most, key_format
        self.machine = form in ("json", "yaml")
        self.out = row_output(form, "log-stats", COLUMNS, name="partition")
        self.hanging: list[tuple[str, OpenTransaction]] = []
        self.partitions = 0

    def damage(self, row: Row) -> None:
        """Damage is data, too, where machines read."""
        if self.machine:
            self.out.add(row)

    def partition(self, first: SegmentPath, stats: LogStats) -> None:
        """One partition is counted; ``first`` is its first segment."""
        self.partitions += 1
        if self.machine:
            where = {"directory": first.folder, "topic": first.topic, "partition": first.partition}
            hanging = len(stats.open) + stats.open_uncounted
            self.out.add({"kind": "partition", **where, **self.item(stats, hanging)})
        else:
            self.out.add(flat(first.place, stats))
        self.out.flush()

    def close(self, total: LogStats) -> None:
        """All together."""
        if self.machine:
            hanging = len(self.hanging) + total.open_uncounted
            made = self.item(total, hanging)
            self.out.add({"kind": "total", "partitions": self.partitions, **made})
        elif self.form != "name" and self.partitions > 1:
            row = flat(TOTAL, total)
            row["open"] = len(self.hanging) + total.open_uncounted
            self.out.add(row)
        self.out.close()
        if self.form in ("table", "wide"):
            for table in self.grids(total):
                if table.rows:
                    sys.stdout.write("\n")
                    write(table, self.form, flags=False)
            self._bounds(total)

    def item(self, stats: LogStats, hanging: int) -> Row:
        """Everything about a partition; null where records were not opened.

        ``hanging`` transactions are open; of all together they are not listed once more.
        """
        opened = self.most > 0
        made: Row = {name: getattr(stats, name) for name in _PLAIN}
        if not opened:
            made |= {"tombstones": None, "payload": None}
        made |= {
            "first_timestamp": stats.first_timestamp,
            "last_timestamp": stats.last_timestamp,
            "formats": {f"v{magic}": n for magic, n in sorted(stats.formats.items())},
            "codecs": codec_rows(stats),
            "batch_sizes": [
                {"from": size, "to": 2 * size - 1, "batches": n}
                for size, n in sorted(stats.sizes.items())
            ],
            "keys": [self._key(key, n) for key, n in stats.keys.top(self.most)],
            "keys_error": stats.keys.error if opened else None,
            "producers": [
                {"producer_id": p, "bytes": n} for p, n in stats.producers.top(max(self.most, 10))
            ],
            "producers_error": stats.producers.error,
            "open": hanging,
            "open_transactions": [_open(txn) for txn in stats.open.values()],
        }
        return made

    def _key(self, key: bytes | None, size: int) -> Row:
        if self.key_format is not None:
            return {**self.key_format.shown("key", key), "bytes": size}
        return {**part_of("key", key), "bytes": size}

    def grids(self, total: LogStats) -> list[Table]:
        """The pictures below the partitions; bars only on a terminal."""
        bars = sys.stdout.isatty()
        end = None if bars else -1
        codecs = codec_rows(total)
        sizes: list[Row] = [
            {"size": f"{size_text(size)} to {size_text(2 * size)}", "batches": n}
            for size, n in _range_rows(total)
        ]
        keys = [self._shown(key, n, total) for key, n in total.keys.top(self.most)]
        producers: list[Row] = [
            {"producer_id": p, "bytes": n} for p, n in total.producers.top(max(self.most, 10))
        ]
        if bars:
            for rows, value in ((sizes, "batches"), (keys, "bytes"), (producers, "bytes")):
                _draw(rows, value)
        hanging: list[Row] = [
            {"partition": place, **_open(txn), "started": moment_text(txn.started)}
            for place, txn in self.hanging
        ]
        return [
            Table("codecs", _CODECS, codecs),
            Table("sizes", _SIZES[:end], sizes),
            Table("keys", _KEYS[:end], keys),
            Table("producers", _PRODUCERS[:end], producers),
            Table("open", _OPEN, hanging),
        ]  # fmt: skip

    def _shown(self, key: bytes | None, size: int, total: LogStats) -> Row:
        share = f"{100 * size / total.payload:.1f}%" if total.payload else None
        text = self._key(key, size)["key"]
        line = "(null)" if key is None else str(text).translate(UNPRINTED)[:60] or '""'
        return {"key": line, "bytes": size, "share": share}

    def _bounds(self, total: LogStats) -> None:
        """How exact the heaviest keys are."""
        for name, counted in (("keys", total.keys), ("producers", total.producers)):
            if not counted.exact:
                say(
                    f"too many {name} to count each: of any, up to {counted.error} bytes are missed"
                )


_BAR = Column("bar", " ", spare=True)
_SIZES = (Column("size", "BATCH-SIZE", right=True), *numbers("batches"), _BAR)
_KEYS = (Column("key"), *numbers("bytes", "share"), _BAR)
_PRODUCERS = (*numbers("producer_id", "bytes"), _BAR)
_CODECS = (
    Column("codec"),
    Column("batches", right=True),
    Column("stored", right=True),
    Column("plain", right=True),
    Column("ratio", right=True),
)
_OPEN = (
    Column("partition", "OPEN-TRANSACTION-IN"),
    Column("producer_id", right=True),
    Column("producer_epoch", "EPOCH", right=True),
    Column("first_offset", right=True),
    Column("records", right=True),
    Column("started"),
)


def _range_rows(stats: LogStats) -> list[tuple[int, int]]:
    """Size classes from the smallest to the largest, empty ones between them included."""
    if not stats.sizes:
        return []
    found, size = [], min(stats.sizes)
    while size <= max(stats.sizes):
        found.append((size, stats.sizes.get(size, 0)))
        size *= 2
    return found


def _draw(rows: list[Row], value: str) -> None:
    width, plain = bar_width(50), not bars_are_blocks()
    numbers = [n for row in rows if isinstance(n := row[value], int)]
    for row, number in zip(rows, numbers, strict=True):
        row["bar"] = bar(number, max(numbers), width, plain=plain)


def codec_rows(stats: LogStats) -> list[Row]:
    """One for each codec; ``plain`` and ``ratio`` are null where no records were opened."""
    return [
        {
            "codec": name,
            "batches": count.batches,
            "stored": count.stored,
            "plain": count.plain if count.opened else None,
            "ratio": count.ratio,
        }
        for name, count in sorted(stats.codecs.items())
    ]


def _open(txn: OpenTransaction) -> Row:
    return {
        "producer_id": txn.producer_id,
        "producer_epoch": txn.producer_epoch,
        "first_offset": txn.first_offset,
        "started": txn.started,
        "records": txn.records,
    }


def flat(place: str, stats: LogStats) -> Row:
    """A partition as a row."""
    row: Row = {"partition": place, **{name: getattr(stats, name) for name in _PLAIN}}
    row["open"] = len(stats.open) + stats.open_uncounted
    for name, at in (("first", stats.first_timestamp), ("last", stats.last_timestamp)):
        row[f"{name}_time"] = None if at is None else moment_text(at, parts=False)
    return row
