"""The metrics of a mirror, by Prometheus' names; docs/mirror.md lists them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pykafka_ops.metrics.family import Book, Family, Labels, MetricKind
from pykafka_ops.mirror.report.offset_metrics import add_offsets
from pykafka_ops.mirror.report.status import link_status
from pykafka_ops.mirror.run.view import LinkView

PREFIX: Final = "pko_mirror_"
_GAUGE, _COUNTER = MetricKind.GAUGE, MetricKind.COUNTER

LINK: Final = (
    ("up", _GAUGE, "1 while a link copies or is paused, 0 while it cannot"),
    ("paused", _GAUGE, "1 while the whole link is paused"),
    ("leader", _GAUGE, "1 in the process that makes topics and translates offsets"),
    ("joins_total", _COUNTER, "how often the process took its place in the group of the link"),
    ("rounds_total", _COUNTER, "rounds of copying"),
    ("failed_rounds_total", _COUNTER, "rounds that were given up and done again"),
    ("records_total", _COUNTER, "records that were copied and committed"),
    ("bytes_total", _COUNTER, "bytes of batches that were copied and committed"),
    ("last_round_timestamp_seconds", _GAUGE, "when the last round ended"),
    ("look_age_seconds", _GAUGE, "since both clusters were last looked at"),
    ("topics", _GAUGE, "topics that are mirrored"),
    ("troubles", _GAUGE, "things that could not be made at the target"),
)
PARTITION: Final = (
    ("lag_records", "lag", "records (offsets) of the source that are not copied yet"),
    ("lag_bytes", "lag_bytes", "their bytes, estimated"),
    ("lag_seconds", "lag_seconds", "since when the oldest of them waits"),
    ("eta_seconds", "eta_seconds", "when the partition has caught up, at the pace of now"),
    ("position", "position", "the next offset of the source to copy"),
    ("source_end_offset", "source_end", "the end of the partition at the source"),
    ("target_end_offset", "target_end", "the end of the partition at the target"),
    ("partition_stopped", "trouble", "1 while the partition cannot be copied"),
)
PARTITION_COUNTERS: Final = (
    ("partition_records_total", "records", "records that were copied"),
    ("partition_bytes_total", "bytes", "bytes of batches that were copied"),
    ("skipped_records_total", "skipped", "records that the target finds too large, left out"),
    ("lost_offsets_total", "lost", "offsets that the source deleted before they were copied"),
)


def families(views: Iterable[LinkView], now_ms: int) -> Iterable[Family]:
    """The metrics of all links of a process."""
    book = Book()
    for view in views:
        status = link_status(view, now_ms)
        labels = Labels(source=view.link.source, target=view.link.target)
        values = _of_link(view, status)
        for name, kind, what in LINK:
            book.plain(PREFIX + name, what, kind).add(values[name], labels)
        for row in status["partitions"]:
            _of_partition(book, view, row)
        add_offsets(book, view.link, view.offsets)
    return book


def _of_link(view: LinkView, status: Mapping[str, Any]) -> dict[str, float | None]:
    last = status["last_round_ms"]
    return {
        "up": int(view.state in ("copying", "paused")),
        "paused": int(view.state == "paused"),
        "leader": int(status["leads"]),
        "joins_total": view.joins,
        "rounds_total": view.rounds,
        "failed_rounds_total": view.failed_rounds,
        "records_total": view.records,
        "bytes_total": view.bytes,
        "last_round_timestamp_seconds": None if last is None else last / 1000,
        "look_age_seconds": status["looked_seconds"],
        "topics": status["topics"] if view.outlook is not None else None,
        "troubles": len(status["troubles"]) if view.outlook is not None else None,
    }


def _of_partition(book: Book, view: LinkView, row: Mapping[str, Any]) -> None:
    labels = Labels(
        source=view.link.source,
        target=view.link.target,
        topic=row["topic"],
        partition=row["partition"],
    )
    for name, key, what in PARTITION:
        value = int(row[key] is not None) if key == "trouble" else row[key]
        book.plain(PREFIX + name, what).add(value, labels)
    for name, key, what in PARTITION_COUNTERS:
        book.plain(PREFIX + name, what, _COUNTER).add(row[key], labels)
