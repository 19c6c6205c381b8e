"""The report on formats: what keys and values are made of, how large they are, how batches are
compressed, and how many bytes another codec would save. Of a sample, of bounded size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pykafka_ops.analysis.cost import money
from pykafka_ops.disk.compression import CODEC_NAMES
from pykafka_ops.spark.engines import functions_of, in_arrow
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.inputs.names import INTERNAL
from pykafka_ops.spark.model import Problem, Report, Section
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.damage import DamageTally, problem_of
from pykafka_ops.spark.reports.formats import columns
from pykafka_ops.spark.reports.formats.count import COUNTED, KEY, MERGED, VALUE, look, merge

Row = dict[str, Any]
NO_RECORDS: Final = "no records can be read"
AS_IT_IS, MIXED = "as it is", "mixed"
WORTH: Final = 0.05
"""The share of its bytes that another codec must save to be advised."""
_ABOUT: Final = 0.02
_FASTEST: Final = ("none", "lz4", "snappy", "zstd", "gzip")


def build(inputs: Inputs, options: ReportOptions) -> Report:
    """The report about ``inputs.now``; sections topics, kinds, sizes and codecs. ``options.sample``
    bounds the records that are read of each topic."""
    options.stage("asking who holds what")
    inputs.freeze(groups=False)
    damage, problems = DamageTally(), []
    held = _held(inputs)
    options.stage("reading some batches of each topic")
    found = inputs.sampled(options.sample, look, COUNTED)
    sampled: list[Mapping[str, Any]] = []
    if found is None:
        problems.append(Problem("records", NO_RECORDS))
    else:
        merged = in_arrow(found.repartition("topic"), merge, MERGED)
        sampled = merged.toArrow().to_pylist()
    if inputs.wanted_topics.every:
        sampled = [one for one in sampled if one["topic"] not in INTERNAL]
    price = options.cost.prices.stored
    topics: list[Row] = []
    parts: dict[str, list[Row]] = {"kinds": [], "sizes": [], "codecs": []}
    for one in sorted(sampled, key=lambda s: s["topic"]):
        for text in one["damage"]:
            damage.add(problem_of(text))
        codecs = _codecs(one, held.get(one["topic"], {}), price)
        kinds = _kinds(one)
        topics.append(_topic(one, held.get(one["topic"], {}), kinds, codecs))
        parts["kinds"] += kinds
        parts["sizes"] += [{"topic": one["topic"], **size} for size in one["sizes"]]
        parts["codecs"] += codecs
    topics.sort(key=lambda r: (-(r["saved_bytes"] or 0), -(r["replica_bytes"] or 0), r["topic"]))
    return Report(
        "formats",
        inputs.now,
        {**inputs.source, "sample": options.sample, "price_gib_month": price,
         "currency": options.cost.currency},
        _summary(topics, price),
        _sections(topics, parts, "" if found is not None else NO_RECORDS),
        [*inputs.problems, *problems, *damage.problems()],
    )  # fmt: skip


def _sections(
    topics: Sequence[Row], parts: Mapping[str, Sequence[Row]], unknown: str
) -> list[Section]:
    note = _sample_note(topics)
    estimate = "Estimated from batches of the sample, compressed again at default levels."
    return [
        Section("topics", "Topics", columns.TOPICS, topics, note, unknown),
        Section("kinds", "What keys and values are", columns.KINDS, parts["kinds"], note,
                unknown),
        Section("sizes", "Sizes", columns.SIZES, parts["sizes"], note, unknown),
        Section("codecs", "Codecs", columns.CODECS, parts["codecs"], estimate, unknown),
    ]  # fmt: skip


def _sample_note(topics: Sequence[Row]) -> str:
    seen = sum(row["sampled_records"] for row in topics)
    every = sum(row["records"] or 0 for row in topics)
    return f"Of a sample: {seen:,} of {every:,} records." if topics else ""


def _held(inputs: Inputs) -> dict[str, Row]:
    """By topic: offsets and partitions, and bytes of all replicas where they are known."""
    found: dict[str, Row] = {}
    partitions = inputs.partitions()
    if partitions is not None:
        f = functions_of(partitions)
        span = (f.col("end_offset") - f.col("start_offset")).alias("span")
        counted = partitions.select("topic", span).groupBy("topic")
        sums = counted.agg(f.sum("span").alias("records"), f.count("*").alias("partitions"))
        found = {row["topic"]: row for row in sums.toArrow().to_pylist()}
    dirs = inputs.log_dirs()
    if dirs is not None:
        f = functions_of(dirs)
        sized = dirs.where(f.col("topic").isNotNull() & ~f.coalesce("future", f.lit(False)))
        sums = sized.groupBy("topic").agg(f.sum("size").alias("bytes"))
        for row in sums.toArrow().to_pylist():
            found.setdefault(row["topic"], {})["bytes"] = row["bytes"]
    return found


def _kinds(one: Mapping[str, Any]) -> list[Row]:
    """The most frequent first, keys before values."""
    rows = [
        {
            "topic": one["topic"],
            **{name: kind[name] for name in ("side", "kind", "schema", "records", "bytes")},
            "share": kind["records"] / one["records"],
        }
        for kind in one["kinds"]
    ]
    return sorted(rows, key=lambda r: (r["side"], -r["records"], r["kind"], r["schema"] or 0))


def _codecs(one: Mapping[str, Any], held: Mapping[str, Any], price: float | None) -> list[Row]:
    """A row per codec that is used or was tried."""
    used = {row["codec"]: row for row in one["used"]}
    could = {row["codec"]: row["stored"] for row in one["could"]}
    plain = sum(row["plain"] for row in one["used"])
    stored = sum(row["stored"] for row in one["used"])
    whole = held.get("bytes")
    rows = []
    for codec in CODEC_NAMES:
        now = used.get(codec, {})
        share = None
        if one["tried"]:
            share = plain / stored if codec == "none" else could[codec] / one["tried"]
        size = None if share is None or whole is None else round(whole * share)
        saved = None if size is None or whole is None else whole - size
        rows.append(
            {
                "topic": one["topic"],
                "codec": codec,
                **{name: now.get(name, 0) for name in ("batches", "records", "stored", "plain")},
                "tried_batches": one["tried_batches"],
                "share_of_now": share,
                "estimated_bytes": size,
                "saved_bytes": saved,
                "saving": None if saved is None or price is None else money(saved, price),
            }
        )
    return rows


def _topic(
    one: Mapping[str, Any],
    held: Mapping[str, Any],
    kinds: Sequence[Mapping[str, Any]],
    codecs: Sequence[Mapping[str, Any]],
) -> Row:
    sizes = {row["side"]: row for row in one["sizes"]}
    most = {side: _most(kinds, side) for side in (KEY, VALUE)}
    stored = sum(row["stored"] for row in one["used"])
    plain = sum(row["plain"] for row in one["used"])
    used = [row["codec"] for row in one["used"]]
    tried = [row for row in codecs if row["share_of_now"] is not None]
    best = _best(tried)
    pays = best is not None and best["share_of_now"] <= 1 - WORTH
    row = {
        "topic": one["topic"],
        "value_kind": most[VALUE][0],
        "value_share": most[VALUE][1],
        "key_kind": most[KEY][0],
        "key_share": most[KEY][1],
        "schemas": len({k["schema"] for k in kinds if k["schema"] is not None}),
        "value_mean": sizes[VALUE]["mean"],
        "value_p99": sizes[VALUE]["p99"],
        "value_max": sizes[VALUE]["largest"],
        "codec": (used[0] if len(used) == 1 else MIXED) if used else None,
        "ratio": round(plain / stored, 4) if stored else None,
        "replica_bytes": held.get("bytes"),
        "best_codec": None if best is None else best["codec"] if pays else AS_IT_IS,
        "saved_bytes": None if best is None else best["saved_bytes"] if pays else 0,
        "saving": None if best is None else best["saving"] if pays else None,
        "sampled_records": one["records"],
        "records": held.get("records"),
        "sampled_partitions": one["partitions"],
        "partitions": held.get("partitions"),
        "advice": None,
    }
    if best is not None and pays:
        row["advice"] = (
            f"set compression.type={best['codec']} at producers: about"
            f" {1 - best['share_of_now']:.0%} less"
        )
    return row


def _best(tried: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The codec with the fewest bytes; of those that are about as good the fastest."""
    least = min((row["share_of_now"] for row in tried), default=0.0)
    near = [row for row in tried if row["share_of_now"] <= least + _ABOUT]
    return min(near, key=lambda row: _FASTEST.index(row["codec"]), default=None)


def _most(kinds: Sequence[Mapping[str, Any]], side: str) -> tuple[str | None, float | None]:
    """The kind that most records are, whatever their schemas, and its share."""
    shares: dict[str, float] = {}
    for row in kinds:
        if row["side"] == side:
            shares[row["kind"]] = shares.get(row["kind"], 0.0) + row["share"]
    found = max(shares, key=lambda kind: (shares[kind], kind), default=None)
    return found, None if found is None else min(1.0, shares[found])


def _summary(topics: Sequence[Row], price: float | None) -> Row:
    saved = [row["saved_bytes"] for row in topics if row["saved_bytes"] is not None]
    total = sum(saved) if saved else None
    return {
        "topics": len(topics),
        "records": sum(row["records"] or 0 for row in topics),
        "sampled_records": sum(row["sampled_records"] for row in topics),
        "replica_bytes": sum(row["replica_bytes"] or 0 for row in topics),
        "saved_bytes": total,
        "saving": None if total is None or price is None else money(total, price),
        "uncompressed_topics": sum(row["codec"] == "none" for row in topics),
        "unknown_topics": sum(row["best_codec"] is None for row in topics),
    }
