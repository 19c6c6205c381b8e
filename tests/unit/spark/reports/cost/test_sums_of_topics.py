"""Partitions become topics in executors: what the report is given are rows of topics."""

from __future__ import annotations

from typing import Any

from pykafka_ops.analysis.cost import FOUND, MEASURED, SCALED, CostRules
from pykafka_ops.analysis.retention import RetentionPolicy
from pykafka_ops.spark.engines import made_frame
from pykafka_ops.spark.engines.local.session import LocalSession
from pykafka_ops.spark.reports.cost.gather import topic_sums, with_copies
from pykafka_ops.spark.reports.cost.judge import FIGURES
from tests.support.spark.given import FrameInputs

HOUR = 3_600_000
Row = dict[str, Any]


def figures(topic: str, partition: int, size: int | None = 100, **more: Any) -> Row:
    known = {"written": 1.0, "read": 2.0, "growth": 3, "readers": 1, "needed": 0,
             "need_known": True, "damaged": 0, "damage": []}  # fmt: skip
    known["ages"] = [{"age": 30, "bytes": size or 0}]
    return {"topic": topic, "partition": partition, "bytes": size, **known, **more}


def replica(topic: str, partition: int, size: int | None, **more: Any) -> Row:
    return {"broker": 1, "log_dir": "/d", "topic": topic, "partition": partition, "size": size,
            "future": False, **more}  # fmt: skip


def given(*rows: Row, **frames: Any) -> tuple[FrameInputs, Any]:
    session: Any = LocalSession()
    table = made_frame(session, [[r[n] for n in FIGURES.names] for r in rows], FIGURES)
    inputs = FrameInputs(session, now=0, **frames)
    inputs.source = {"servers": "b:9092"} if "partitions" in frames else {}
    return inputs, table


def test_copies_are_those_that_were_found_and_as_many_as_there_should_be() -> None:
    dirs = [replica("t", 0, 7), replica("t", 0, 8), replica("t", 0, 9, future=True),
            replica("t", 1, None)]  # fmt: skip
    parts = [{"topic": "t", "partition": p, "replicas": r} for p, r in enumerate(([1, 2, 3], []))]
    inputs, table = given(figures("t", 0), figures("t", 1), log_dirs=dirs, partitions=parts)
    found = {r["partition"]: r for r in with_copies(inputs, table, None).toArrow().to_pylist()}
    assert [sorted(found[p]["sizes"] or []) for p in (0, 1)] == [[7, 8], []]
    assert [found[p]["wanted"] for p in (0, 1)] == [3, None]
    asked = with_copies(inputs, table, 2).toArrow().to_pylist()
    assert {r["wanted"] for r in asked} == {2}


def test_a_topic_is_a_row_whatever_partitions_it_has() -> None:
    rows = [figures(topic, p) for topic in ("b", "a") for p in range(500)]
    rows += [figures("dark", 0), figures("dark", 1, None, growth=None, need_known=False)]
    inputs, table = given(*rows, log_dirs=[replica("a", p, 50) for p in range(500)])
    week = (RetentionPolicy(retention_ms=7 * 24 * HOUR), None)
    policies: Any = dict.fromkeys(("a", "b"), week)
    one, two, dark = topic_sums(inputs, table, policies, CostRules(replication=2))
    assert [row["topic"] for row in (one, two, dark)] == ["a", "b", "dark"]
    assert (one["bytes"], one["written"], one["growth"]) == (50_000, 500.0, 1_500)
    assert (one["replica_bytes"], one["replication"], one["basis"]) == (75_000, 2, SCALED)
    assert (two["replica_bytes"], two["basis"]) == (100_000, SCALED)
    assert (one["kind"], one["proposed_ms"], one["gone"]) == ("retention", 24 * HOUR, 50_000)
    nothing = ("bytes", "growth", "replica_bytes", "needed", "kind", "gone")
    assert [dark[name] for name in nothing] == [None] * len(nothing)
    (alone,) = topic_sums(*given(figures("t", 0)), {}, CostRules())
    assert (alone["replica_bytes"], alone["basis"]) == (100, FOUND)
    full = given(figures("t", 0), log_dirs=[replica("t", 0, 100)])
    (measured,) = topic_sums(*full, {}, CostRules(replication=1))
    assert measured["basis"] == MEASURED
