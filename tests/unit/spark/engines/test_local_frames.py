"""The local engine's frames, against plain Python over the same rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.spark.engines.local import functions as f
from pykafka_ops.spark.engines.local import grouping
from pykafka_ops.spark.engines.local.frame import LocalFrame
from pykafka_ops.spark.engines.local.session import LocalSession
from pykafka_ops.spark.engines.local.types import named_type
from pykafka_ops.spark.engines.local.xxh64 import SEED, xxh64
from pykafka_ops.spark.schemas import array_of, columns, sql_type

Row = dict[str, Any]
FIELDS = columns("k string, n int, v bigint, w bigint, name string, x double")
small = st.none() | st.integers(-3, 3)
row = st.fixed_dictionaries(
    {
        "k": st.none() | st.sampled_from("abc"),
        "n": small,
        "v": st.none() | st.integers(-(2**40), 2**40),
        "w": st.integers(-100, 100),
        "name": st.none() | st.sampled_from(["", "é", "z", "zz", "\U0001f600"]),
        "x": st.none() | st.integers(-100, 100).map(lambda n: n / 4),
    }
)
some_rows = st.lists(row, max_size=30)


def frame(rows: Sequence[Row], per_batch: int = 4) -> LocalFrame:
    """The rows in several batches."""
    table = pa.Table.from_pylist(list(rows), schema=FIELDS)
    batches = table.to_batches(max_chunksize=per_batch)
    whole = LocalSession().createDataFrame(pa.Table.from_batches(batches, FIELDS), FIELDS)
    assert whole.count() == len(rows)
    return whole


def rows_of(found: LocalFrame) -> list[Row]:
    return found.toArrow().to_pylist()  # type: ignore[no-any-return]


def ordered(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=repr)


def grouped(rows: Sequence[Row], *keys: str) -> dict[tuple[Any, ...], list[Row]]:
    found: dict[tuple[Any, ...], list[Row]] = {}
    for one in rows:
        found.setdefault(tuple(one[key] for key in keys), []).append(one)
    return found


def there(rows: Sequence[Row], name: str) -> list[Any]:
    return [one[name] for one in rows if one[name] is not None]


def least(work: Callable[..., Any], values: Sequence[Any]) -> Any:
    return work(values) if values else None


@given(some_rows, st.integers(1, 40))
def test_groups_are_those_of_a_plain_loop(rows: list[Row], at_once: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "ROWS", at_once)  # sums of sums
        found = frame(rows).groupBy("k", "n").agg(
            f.sum("v").alias("sum"), f.sum("x").alias("reals"), f.min("name").alias("first"),
            f.max("name").alias("last"), f.max("v").alias("most"), f.count("*").alias("count"),
            f.coalesce(f.max(f.col("w") > 50), f.lit(False)).alias("any"),
            (f.sum("w") + f.sum("w")).cast("double").alias("twice"),
        )  # fmt: skip
        wanted = [
            {"k": k, "n": n, "sum": least(sum, there(mine, "v")),
             "reals": least(sum, there(mine, "x")),
             "first": least(min, there(mine, "name")), "last": least(max, there(mine, "name")),
             "most": least(max, there(mine, "v")), "count": len(mine),
             "any": any(r["w"] > 50 for r in mine), "twice": 2.0 * sum(r["w"] for r in mine)}
            for (k, n), mine in grouped(rows, "k", "n").items()
        ]  # fmt: skip
        assert ordered(rows_of(found)) == ordered(wanted)


@given(some_rows)
def test_lists_and_sets_of_groups_leave_out_null(rows: list[Row]) -> None:
    found = frame(rows).groupBy("k").agg(
        f.collect_list(f.struct("n", "v")).alias("all"), f.collect_list("v").alias("values"),
        f.sort_array(f.collect_set("name")).alias("names"), f.countDistinct("n").alias("numbers"),
        f.max_by(f.struct("v", "w"), "w").alias("top"),
    )  # fmt: skip
    by_key = grouped(rows, "k")
    for one in rows_of(found):
        mine = by_key.pop((one["k"],))
        assert one["all"] == [{"n": r["n"], "v": r["v"]} for r in mine]
        assert one["values"] == there(mine, "v")
        assert one["names"] == sorted(set(there(mine, "name")))
        assert one["numbers"] == len(set(there(mine, "n")))
        assert one["top"]["w"] == max(r["w"] for r in mine)
    assert not by_key


@pytest.mark.parametrize("how", ["left", "full"])
@given(left=some_rows, right=some_rows)
def test_joins_are_those_of_two_loops(how: str, left: list[Row], right: list[Row]) -> None:
    there = frame(right).select("k", "n", f.col("w").alias("other"))
    found = frame(left).select("k", "n", "w").join(there, ["k", "n"], how)

    def fits(a: Row, b: Row) -> bool:
        return None not in (a["k"], a["n"]) and (a["k"], a["n"]) == (b["k"], b["n"])

    wanted = []
    for a in left:
        mine = [b["w"] for b in right if fits(a, b)] or [None]
        wanted += [{"k": a["k"], "n": a["n"], "w": a["w"], "other": other} for other in mine]
    if how == "full":
        wanted += [
            {"k": b["k"], "n": b["n"], "w": None, "other": b["w"]}
            for b in right
            if not any(fits(a, b) for a in left)
        ]
    assert ordered(rows_of(found)) == ordered(wanted)


@given(some_rows)
def test_null_is_neither_true_nor_false(rows: list[Row]) -> None:
    made = frame(rows)
    ways: dict[str, tuple[Any, Callable[[Row], bool]]] = {
        "less": (f.col("n") < 1, lambda r: r["n"] is not None and r["n"] < 1),
        "not less": (~(f.col("n") < 1), lambda r: r["n"] is not None and r["n"] >= 1),
        "in": (f.col("k").isin("a", "b"), lambda r: r["k"] in ("a", "b")),
        "not in": (~f.col("k").isin(["a", "b"]), lambda r: r["k"] == "c"),
        "or": (f.col("k").isNull() | (f.col("n") == 0), lambda r: r["k"] is None or r["n"] == 0),
        "and": (f.col("x").isNotNull() & (f.col("v") >= 0),
                lambda r: r["x"] is not None and r["v"] is not None and r["v"] >= 0),
    }  # fmt: skip
    for name, (condition, holds) in ways.items():
        assert rows_of(made.where(condition)) == [r for r in rows if holds(r)], name


@given(some_rows)
def test_expressions_are_those_of_python(rows: list[Row]) -> None:
    found = frame(rows).select(
        f.when(f.col("n") > 1, 1)
        .when(f.col("n") > 0, f.col("v"))
        .otherwise(f.col("w"))
        .alias("case"),
        f.when(f.col("n") > 1, "many").alias("word"),
        f.pmod("w", f.lit(7)).alias("rest"),
        f.floor(f.col("w") / 7).cast("int").alias("down"),
        f.concat(f.coalesce("k", f.lit("?")), f.lit("/"), f.col("w").cast("string")).alias("text"),
        f.array("w", "w").alias("pair"),
        f.size(f.array("w", "w")).alias("two"),
        f.round(f.col("x"), 1).alias("rounded"),
    )
    for one, r in zip(rows_of(found), rows, strict=True):
        n = r["n"]
        case = r["w"] if n is None or n <= 0 else 1 if n > 1 else r["v"]
        assert one["case"] == case
        assert one["word"] == ("many" if n is not None and n > 1 else None)
        assert (one["rest"], one["down"]) == (r["w"] % 7, r["w"] // 7)
        assert one["text"] == f"{r['k'] or '?'}/{r['w']}"
        assert (one["pair"], one["two"]) == ([r["w"], r["w"]], 2)
        if r["x"] is not None:  # halves away from zero
            assert abs(one["rounded"]) == int(abs(r["x"]) * 10 + 0.5) / 10


@given(st.lists(st.integers(-(10**17), 10**17) | st.none()))
def test_ms_of_moments_are_rounded_downwards(micros: list[int | None]) -> None:
    table = pa.table({"at": pa.array(micros, pa.int64()).cast(pa.timestamp("us", tz="UTC"))})
    made = LocalSession().createDataFrame(table, table.schema)
    found = made.select(f.unix_millis("at").alias("ms")).toArrow()["ms"].to_pylist()
    assert found == [None if m is None else m // 1000 for m in micros]


@given(st.lists(st.none() | st.binary(max_size=200)))
def test_hashes_are_xxh64(values: list[bytes | None]) -> None:
    found = xxh64(pa.array(values, pa.binary())).to_pylist()
    wanted = [SEED if v is None else xxhash.xxh64_intdigest(v, seed=SEED) for v in values]
    assert [h % 2**64 for h in found] == wanted
    sliced = xxh64(pa.array([b"x", *values], pa.binary()).slice(1)).to_pylist()
    assert sliced == found


def test_what_is_kept_is_read_once_and_what_is_not_again() -> None:
    reads = []
    batch = pa.RecordBatch.from_pydict({"a": [1, 2]})

    def read() -> Any:
        reads.append(1)
        return iter([batch])

    kept = LocalFrame(["a"], read).persist()
    assert not reads
    assert (kept.count(), kept.select("a").count(), len(reads)) == (2, 2, 1)
    kept.unpersist()
    assert (kept.count(), len(reads)) == (2, 2)


def test_frames_with_other_columns_go_under_each_other() -> None:
    one = frame([{"k": "a", "n": 1, "w": 5}]).select("k", "n")
    other = frame([{"k": "b", "w": 7}]).select("k", "w")
    assert rows_of(one.unionByName(other, allowMissingColumns=True)) == [
        {"k": "a", "n": 1, "w": None},
        {"k": "b", "n": None, "w": 7},
    ]
    with pytest.raises(ValueError, match="not the same columns"):
        one.unionByName(other)


def test_types_go_by_the_names_that_sql_has() -> None:
    nested = array_of(
        pa.struct([("at", pa.int64()), ("of", array_of(pa.string())), ("n", pa.int32())])
    )
    assert sql_type(nested) == "array<struct<at:bigint,of:array<string>,n:int>>"
    assert sql_type(named_type(sql_type(nested))) == sql_type(nested)
    assert named_type("long") == pa.int64()
