"""Reports as Prometheus' text, for the textfile directory of node_exporter.

A fact that ``pko monitor`` exports, too, has its name and labels there. What is not known is left
out, never 0. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Final, NamedTuple

from pykafka_ops.analysis.lag.rows import STATUSES
from pykafka_ops.analysis.retention import ORDER as RETENTION_VERDICTS
from pykafka_ops.analysis.skew import BANDS, SEVERE
from pykafka_ops.metrics.family import Book, Labels
from pykafka_ops.metrics.text import write
from pykafka_ops.spark.model import Report, Row, Section

_DAY: Final = 86_400
_BAND_NAMES: Final = (*(name for _, name in BANDS), SEVERE)


class RowMetric(NamedTuple):
    """A sample for each row of ``section`` that knows ``column``.

    ``labels``: what the columns that name the row are called. ``times`` makes the unit of it.
    A column of texts gives 1 with the text as label ``one_of``.
    """

    name: str
    what: str
    section: str
    column: str
    labels: Mapping[str, str]
    times: int = 1
    one_of: str = ""


_GROUP: Final = {"group": "group"}
_TOPIC: Final = {"topic": "topic"}
_BROKER: Final = {"broker": "broker"}
_DIR: Final = {"broker": "broker", "log_dir": "log_dir"}
_PLACE: Final = {"topic": "topic", "partition": "partition"}
_COMMIT: Final = {"group": "consumergroup", **_PLACE}
_READ: Final = {"group": "group", **_PLACE}

# fmt: off
ROW_METRICS: Final[Mapping[str, Sequence[RowMetric]]] = {
    "lag": (
        RowMetric("kafka_consumergroup_current_offset", "Offset that the group committed",
                  "partitions", "current_offset", _COMMIT),
        RowMetric("kafka_consumergroup_lag", "Records between the commit and the log's end",
                  "partitions", "lag", _COMMIT),
        RowMetric("pko_kafka_group_verdict", f"1 for the group's verdict: {', '.join(STATUSES)}",
                  "groups", "status", _GROUP, one_of="verdict"),
        RowMetric("pko_kafka_group_time_lag_seconds", "How much older the next record to read is",
                  "groups", "lag_seconds", _GROUP),
        RowMetric("pko_kafka_group_eta_seconds", "Until the group has caught up",
                  "groups", "catch_up_seconds", _GROUP),
        RowMetric("pko_kafka_group_unknown_partitions", "Partitions whose lag is not known",
                  "groups", "unknown_partitions", _GROUP),
        RowMetric("pko_kafka_group_silence_seconds", "Since the group committed last",
                  "silent_groups", "silence_seconds", _GROUP),
    ),
    "skew": (
        RowMetric("kafka_topic_partitions", "Number of partitions of the topic",
                  "topics", "partitions", _TOPIC),
        RowMetric("pko_kafka_topic_bytes", "Bytes of the topic, one replica of each partition",
                  "topics", "bytes", _TOPIC),
        RowMetric("pko_kafka_topic_unknown_partitions",
                  "Partitions that nobody tells the bytes or records of",
                  "topics", "unknown_partitions", _TOPIC),
        RowMetric("pko_kafka_topic_skew", "Deviation of the partitions' bytes over their mean",
                  "topics", "cv", _TOPIC),
        RowMetric("pko_kafka_topic_skew_band", f"1 for the spread: {', '.join(_BAND_NAMES)}",
                  "topics", "band", _TOPIC, one_of="band"),
        RowMetric("pko_kafka_topic_advised_partitions", "Partitions it takes for the target",
                  "topics", "advised_partitions", _TOPIC),
        RowMetric("pko_kafka_broker_skew_percent", "How far its bytes are from the mean",
                  "brokers", "skew_percent", _BROKER),
    ),
    "retention": (
        RowMetric("kminion_kafka_topic_log_dir_size_total_bytes",
                  "Bytes of the topic, all replicas",
                  "topics", "replica_bytes", {"topic": "topic_name"}),
        RowMetric("pko_kafka_topic_retention_verdict",
                  f"1 for the topic's verdict: {', '.join(RETENTION_VERDICTS)}",
                  "topics", "status", _TOPIC, one_of="verdict"),
        RowMetric("pko_kafka_topic_age_seconds", "Age of the oldest record",
                  "topics", "age_seconds", _TOPIC),
        RowMetric("pko_kafka_topic_over_bytes", "Bytes that are there beyond the policy",
                  "topics", "over_bytes", _TOPIC),
        RowMetric("pko_kafka_log_dir_size_bytes", "Size of the volume",
                  "dirs", "total_bytes", _DIR),
        RowMetric("pko_kafka_log_dir_free_bytes", "What is free there",
                  "dirs", "usable_bytes", _DIR),
        RowMetric("pko_kafka_log_dir_full_seconds", "Until the volume is full",
                  "dirs", "days_to_full", _DIR, times=_DAY),
        RowMetric("pko_kafka_partition_records_at_risk", "Records that go unread at present rates",
                  "at_risk", "records_lost", _READ),
    ),
    "forecast": (
        RowMetric("pko_kafka_broker_growth_bytes_per_day", "Slope of the broker's bytes over runs",
                  "brokers", "bytes_per_day", _BROKER),
        RowMetric("pko_kafka_broker_capacity_seconds", "Until the capacity is reached, as expected",
                  "brokers", "days_expected", _BROKER, times=_DAY),
        RowMetric("pko_kafka_broker_capacity_earliest_seconds", "The same at the earliest",
                  "brokers", "days_earliest", _BROKER, times=_DAY),
        RowMetric("pko_kafka_topic_growth_bytes_per_day", "Slope of the topic's bytes over runs",
                  "topics", "bytes_per_day", _TOPIC),
    ),
}
# fmt: on
"""By kind of report; another kind has the figures of every report alone."""


def metrics_text(
    reports: Sequence[Report], cluster: str, met: Callable[[Report], int | None]
) -> str:
    """One file of these reports. ``cluster`` is the label that tells clusters apart; ``met`` says
    how many rows meet the condition, None where there is none."""
    book = Book()
    for report in reports:
        _of_any(book, report, Labels(cluster=cluster, report=report.kind), met(report))
        for metric in ROW_METRICS.get(report.kind, ()):
            _of_rows(book, report, metric, cluster)
        if report.kind == "lag":
            _of_partitions(book, _rows(report, "partitions"), cluster)
        if report.kind == "audit":
            _audit(book, report, cluster)
    return "".join(write(book))


def _of_any(book: Book, report: Report, labels: Labels, met: int | None) -> None:
    """What every kind of report has."""
    known = dict(labels.pairs)
    book.plain("pko_report_time_seconds", "The moment that the report is about").add(
        report.now / 1000, labels
    )
    book.plain("pko_report_problems", "Places that could not be read").add(
        len(report.problems), labels
    )
    book.plain("pko_report_condition_rows", "Rows that meet --fail-on").add(met, labels)
    rows = book.plain("pko_report_rows", "Rows of a section")
    for section in report.sections:
        if not section.unknown:
            rows.add(len(section.rows), Labels(**known, section=section.name))
    figures = book.plain("pko_report_figure", "A figure of the report's summary")
    for name, value in report.summary.items():
        figures.add(_number(value), Labels(**known, figure=name))


def _of_rows(book: Book, report: Report, metric: RowMetric, cluster: str) -> None:
    family = book.plain(metric.name, metric.what)
    for row in _rows(report, metric.section):
        value = row.get(metric.column)
        labels = {name: _label(row.get(column)) for column, name in metric.labels.items()}
        if metric.one_of:
            if value is not None:
                family.add(1, Labels(cluster=cluster, **labels, **{metric.one_of: _label(value)}))
        elif (number := _number(value)) is not None:
            family.add(number * metric.times, Labels(cluster=cluster, **labels))


def _of_partitions(book: Book, rows: Sequence[Row], cluster: str) -> None:
    """Ends of logs, and what groups have of all their partitions: sums where every lag is known,
    the first loss unless it may be one that is not known."""
    ends: dict[tuple[str, str], int | float | None] = {}
    lags: dict[tuple[str, str], list[int | float | None]] = {}
    losses: dict[str, list[int | float | None]] = {}
    for row in rows:
        group, topic = _label(row.get("group")), _label(row.get("topic"))
        ends[topic, _label(row.get("partition"))] = _number(row.get("log_end_offset"))
        lags.setdefault((group, topic), []).append(_number(row.get("lag")))
        losses.setdefault(group, []).append(_number(row.get("loss_in_seconds")))
    family = book.plain("kafka_topic_partition_current_offset", "Where the log ends")
    for (topic, partition), end in ends.items():
        family.add(end, Labels(cluster=cluster, topic=topic, partition=partition))
    family = book.plain("kafka_consumergroup_lag_sum", "Sum of lags over partitions")
    for (group, topic), every in lags.items():
        total = sum(lag for lag in every if lag is not None)
        labels = Labels(cluster=cluster, consumergroup=group, topic=topic)
        family.add(None if None in every else total, labels)
    family = book.plain("pko_kafka_group_loss_seconds", "Until retention takes what is not read")
    for group, every in losses.items():
        first = min((loss for loss in every if loss is not None), default=None)
        unsure = first is not None and not isfinite(first) and None in every
        family.add(None if unsure else first, Labels(cluster=cluster, group=group))


def _audit(book: Book, report: Report, cluster: str) -> None:
    """Two tiers that are compared; nothing where one is counted alone."""
    tiers = {"tier_a": report.source.get("against"), "tier_b": report.source.get("tier")}
    if tiers["tier_a"] is None:
        return
    labels = Labels(cluster=cluster, **{name: _label(tier) for name, tier in tiers.items()})
    for name, what, figure in (
        ("partitions", "Partitions that are compared", "compared"),
        ("differing_partitions", "Partitions that do not agree", "differing"),
        ("missing_records", "Records that B lacks, at least", "missing"),
        ("extra_records", "Records that B has and A has not, at least", "extra"),
    ):
        book.plain(f"pko_audit_{name}", what).add(_number(report.summary.get(figure)), labels)


def _rows(report: Report, name: str) -> Sequence[Row]:
    found: Section | None = next((s for s in report.sections if s.name == name), None)
    return () if found is None or found.unknown else found.rows


def _number(value: object) -> int | float | None:
    """A number that is known; ∞ is one: never."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isfinite(value) or value > 0 else None


def _label(value: object) -> str:
    return "" if value is None else str(value)
