"""Rows of the heaviest keys: counted, estimated, or not told from noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pykafka_ops.analysis.sampled import ALL, NOISE, SAMPLE
from pykafka_ops.spark.reports.skew.rows import key_text


def key_row(topic: str, payload: int, row: Mapping[str, Any]) -> dict[str, Any]:
    """The row of KEYS for one of MERGED, of a topic with ``payload`` bytes of keys and values that
    were read."""
    basis = ALL if row["rate"] is None else NOISE if row["share"] is None else SAMPLE
    made: dict[str, Any] = {
        "topic": topic,
        "key": key_text(row["key"]),
        "basis": basis,
        "partitions": [],
    }
    if basis == NOISE:
        unknown = dict.fromkeys(("records", "bytes", "share", "share_high", "error"))
        return made | unknown | {"share_low": 0.0}
    made["partitions"] = [
        {"partition": p, "share": size / row["bytes"] if row["bytes"] else 0.0}
        for p, size in sorted(
            zip(row["places"], row["place_bytes"], strict=True),
            key=lambda place: (-place[1], place[0]),
        )
    ]
    if basis == SAMPLE:  # what was read stands for the rest
        sums = {name: round(row[name] / row["rate"]) for name in ("records", "bytes", "error")}
        return made | sums | {name: row[name] for name in ("share", "share_low", "share_high")}
    sums = {name: row[name] for name in ("records", "bytes", "error")}
    share = row["bytes"] / payload if payload else 0.0
    high = (row["bytes"] + row["error"]) / payload if payload else 0.0
    return made | sums | {"share": share, "share_low": share, "share_high": min(1.0, high)}
