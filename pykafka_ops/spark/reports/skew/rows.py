"""Figures of a topic and its partitions, from what was counted of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa

from pykafka_ops.analysis.logs.stats import counted_key
from pykafka_ops.analysis.skew import (
    Imbalance,
    TopicFacts,
    advice,
    hot,
    imbalance,
    partitions_for,
)
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.known import known_sum
from pykafka_ops.spark.reports.skew.volume import Volume, extent
from pykafka_ops.spark.schemas import array_of, columns

Key = tuple[str, int]
Row = dict[str, Any]
PARTITION: Final = columns(
    "topic string, partition int, leader int, rack string, records bigint, bytes bigint,"
    "share double, ratio_to_mean double, hot boolean, average_size double,"
    "bytes_per_second double, records_per_second double, null_keys bigint, unique_keys bigint,"
    "size_p50 bigint, size_p95 bigint, size_p99 bigint"
)
"""Rows of ``partitions``."""
TOPIC: Final = pa.schema(
    [
        *columns(
            "topic string, partitions bigint, unknown_partitions bigint, records bigint,"
            "bytes bigint, max_over_mean double, cv double, gini double,"
            "records_max_over_mean double, records_cv double, records_gini double, band string,"
            "average_size double, compression_ratio double, codecs string,"
            "bytes_per_second double, peak_bytes_per_second double,"
            "advised_partitions bigint, sampled double, advice string"
        ),
        ("parts", array_of(PARTITION)),
    ]
)
"""Rows of ``topics``, each with those of its partitions."""
_NO_COUNTS: Final[Mapping[str, Any]] = {}
_OF_NOTHING: Final[Mapping[str, Any]] = dict.fromkeys(
    ("nulls", "unique_keys", "size_p50", "size_p95", "size_p99"), 0
)
"""Of a partition without records, where they were read."""


@dataclass(slots=True)
class SkewFacts:
    """What was counted: volumes by partition, length of windows and bytes of each topic's fullest
    one, ``leaders`` by partition, ``racks`` by broker, records' counts by partition, keys by topic;
    ``read``: whether records were, ``sampled``: a sample of them."""

    volumes: Mapping[Key, Volume]
    window: int | None
    peaks: Mapping[str, int]
    racks: Mapping[int, str | None]
    leaders: Mapping[Key, int | None] = field(default_factory=dict)
    counts: Mapping[Key, Mapping[str, Any]] = field(default_factory=dict)
    keys: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    read: bool = False
    sampled: bool = False

    def counted(self, key: Key) -> Mapping[str, Any]:
        """What was counted of a partition's records: nothing where it has none, and nothing is
        known where a sample has none of it, or nobody knows whether it has any."""
        records = self.volumes[key].records
        nothing = self.read and records is not None and not (self.sampled and records)
        return self.counts.get(key, _OF_NOTHING if nothing else _NO_COUNTS)

    def span(self, topic: str, numbers: Sequence[int]) -> float | None:
        """Seconds from the first to the last record of a topic; None: unknown, or no time."""
        first, last = extent([self.volumes[topic, n] for n in numbers]) or (0, 0)
        return (last - first) / 1000 if last > first else None


def topic_rows(
    gathered: Mapping[str, Any],
    *,
    window: int | None,
    peaks: Mapping[str, int],
    racks: Mapping[int, str | None],
    options: ReportOptions,
    read: bool,
) -> Iterator[Row]:
    """TOPIC of a row of ``gather.gathered``."""
    topic = gathered["topic"]
    parts = sorted(gathered["parts"], key=lambda part: part["partition"])
    facts = SkewFacts(
        {(topic, p["partition"]): _volume(p) for p in parts},
        window,
        peaks,
        racks,
        {(topic, p["partition"]): p["leader"] for p in parts},
        {(topic, p["partition"]): p["counts"] for p in parts if p["counts"] is not None},
        {topic: gathered["keys"] or ()},
        read,
        options.key_sample is not None,
    )
    numbers = [part["partition"] for part in parts]
    span = facts.span(topic, numbers)
    mine = _partition_rows(facts, topic, numbers, span)
    yield {**_topic_row(facts, options, topic, mine, span), "parts": mine}


def _volume(part: Mapping[str, Any]) -> Volume:
    codecs = {pair["codec"]: pair["held"] or 0 for pair in part["codecs"] or ()}
    return Volume(part["records"], part["bytes"], part["first"], part["last"], codecs)


def _per(amount: int | None, by: float | None) -> float | None:
    """An amount per record or per second: 0 of nothing, None where either is not known."""
    if amount is None:
        return None
    return amount / by if by else 0.0 if not amount else None


def _hot(sizes: Sequence[int | None]) -> Iterator[bool | None]:
    """Which stand out among those that are known."""
    found = iter(hot([size for size in sizes if size is not None]))
    for size in sizes:
        yield None if size is None else next(found)


def _partition_rows(
    facts: SkewFacts, topic: str, numbers: Sequence[int], span: float | None
) -> list[Row]:
    sizes = [facts.volumes[topic, n].bytes for n in numbers]
    known = [size for size in sizes if size is not None]
    total = sum(known)
    rows = []
    for number, size, is_hot in zip(numbers, sizes, _hot(sizes), strict=True):
        key = topic, number
        records = facts.volumes[key].records
        counts = facts.counted(key)
        leader = facts.leaders.get(key)
        rows.append(
            {
                "topic": topic,
                "partition": number,
                "leader": leader,
                "rack": None if leader is None else facts.racks.get(leader),
                "records": records,
                "bytes": size,
                "share": None if size is None else size / total if total else 0.0,
                "ratio_to_mean": None if size is None else
                                 size * len(known) / total if total else 1.0,
                "hot": is_hot,
                "average_size": None if records is None else _per(size, records),
                "bytes_per_second": _per(size, span),
                "records_per_second": _per(records, span),
                "null_keys": None if counts.get("rate") else counts.get("nulls"),
                **{name: counts.get(name)
                   for name in ("unique_keys", "size_p50", "size_p95", "size_p99")},
            }
        )  # fmt: skip
    return rows


def _topic_row(
    facts: SkewFacts, options: ReportOptions, topic: str, mine: Sequence[Row], span: float | None
) -> Row:
    size, records = (known_sum(r[name] for r in mine) for name in ("bytes", "records"))
    told = [r for r in mine if None not in (r["bytes"], r["records"])]
    both = sum(r["bytes"] for r in told), sum(r["records"] for r in told)
    balance, of_records = (_imbalance(mine, name) for name in ("bytes", "records"))
    peak = facts.peaks.get(topic)
    rate = _per(size, span)
    peak_rate = 0.0 if size == 0 else None
    if peak is not None and facts.window:
        peak_rate = peak * 1000 / facts.window
    if peak_rate is not None and rate is not None:
        peak_rate = max(peak_rate, rate)  # all was written in less than a window
    target = options.target if options.target is not None else peak_rate
    advised = (
        None
        if target is None
        else partitions_for(target, options.producer_rate, options.consumer_rate)
    )
    codecs: dict[str, int] = {}
    for row in mine:
        for codec, held in facts.volumes[topic, row["partition"]].codecs.items():
            codecs[codec] = codecs.get(codec, 0) + held
    return {
        "topic": topic,
        "partitions": len(mine),
        "unknown_partitions": sum(None in (r["bytes"], r["records"]) for r in mine),
        "records": records,
        "bytes": size,
        **_measures(balance),
        **{f"records_{name}": value for name, value in _measures(of_records).items()},
        "band": None if balance is None else balance.band,
        "average_size": _per(*both) if told else None,
        "compression_ratio": _compression(facts, mine, codecs, *both),
        "codecs": ", ".join(sorted(codecs, key=lambda c: (-codecs[c], c))) or None,
        "bytes_per_second": rate,
        "peak_bytes_per_second": peak_rate,
        "advised_partitions": advised,
        "sampled": _sampled(facts, topic, mine) if facts.sampled else None,
        "advice": None
        if balance is None
        else advice(_advice_facts(facts, topic, mine, balance, advised)),
    }


def _imbalance(rows: Sequence[Row], name: str) -> Imbalance | None:
    """Of what is known; None where nothing is."""
    known = [row[name] for row in rows if row[name] is not None]
    return imbalance(known) if known else None


def _measures(balance: Imbalance | None) -> Row:
    return dict.fromkeys(Imbalance._fields) if balance is None else balance._asdict()


def _sampled(facts: SkewFacts, topic: str, mine: Sequence[Row]) -> float | None:
    """How much of a topic's records is read; None where a sample has none of them."""
    found = [facts.counted((topic, row["partition"])) for row in mine]
    return min((counts.get("rate") or 1.0 for counts in found if counts), default=None)


def _compression(
    facts: SkewFacts, mine: Sequence[Row], codecs: Mapping[str, int], size: int, records: int
) -> float | None:
    """Payload per record over bytes on disk per record; 1 for what is not compressed. A sample does
    not tell it."""
    if set(codecs) == {"none"}:
        return 1.0
    counts = [facts.counts.get((r["topic"], r["partition"]), _NO_COUNTS) for r in mine]
    if any(c.get("rate") for c in counts):
        return None
    read, payload = (sum(c.get(name, 0) for c in counts) for name in ("records", "bytes"))
    if not read or not size or not records:
        return None
    return float(payload / read) / (size / records)


def _advice_facts(
    facts: SkewFacts, topic: str, mine: Sequence[Row], balance: Imbalance, advised: int | None
) -> TopicFacts:
    told = [r for r in mine if r["bytes"] is not None]
    fullest = max(told, key=lambda r: (r["bytes"], -r["partition"]))
    counts = [facts.counts[key] for r in mine if (key := (topic, r["partition"])) in facts.counts]
    payload, read = (sum(c[name] for c in counts) for name in ("bytes", "records"))
    is_sample = any(c["rate"] for c in counts)
    shares = {
        key_text(k["key"]): (k["share_low"] or 0.0) if is_sample else k["bytes"] / payload
        for k in facts.keys.get(topic, ())
        if payload
    }
    return TopicFacts(
        len(mine),
        known_sum(r["records"] for r in mine),
        balance,
        advised,
        fullest["partition"],
        fullest["share"],
        shares if counts else None,
        sum(c["nulls"] for c in counts) / read if read else None,
        is_sample,
    )


def key_text(key: bytes) -> str:
    """A key as text where it is printable, else in hexadecimal digits; a long one shortened."""
    shown = counted_key(key)
    try:
        text = shown.decode()
    except UnicodeDecodeError:
        return f"0x{shown.hex()}" if shown is key else f"0x{key[:64].hex()}… ({len(key)} bytes)"
    return text if text.isprintable() else f"0x{key.hex()}"
