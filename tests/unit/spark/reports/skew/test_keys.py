"""Heavy keys as tasks count and merge them, without a session."""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.spark.engines import local_session, made_frame
from pykafka_ops.spark.reports.skew import key_tree
from pykafka_ops.spark.reports.skew import keys as skew_keys

Record = tuple[str, int, bytes | None, int]
"""Topic, partition, key, size."""
RECORDS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]),
        st.integers(0, 2),
        st.one_of(st.none(), st.integers(0, 40).map(lambda n: b"k%d" % n)),
        st.integers(0, 500),
    ),
    max_size=120,
)


def _hash(key: bytes | None) -> int:
    digest = blake2b(key or b"", digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _batch(records: list[Record]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict(
        {
            "topic": pa.array([r[0] for r in records], pa.string()),
            "partition": pa.array([r[1] for r in records], pa.int32()),
            "key": pa.array([r[2] for r in records], pa.binary()),
            "hash": pa.array([_hash(r[2]) for r in records], pa.int64()),
            "keyless": pa.array([r[2] is None for r in records], pa.bool_()),
            "size": pa.array([r[3] for r in records], pa.int64()),
        }
    )


def _run(tasks: list[list[Record]], top: int = 1000) -> list[dict[str, object]]:
    rows = [
        {**row, "task": number}
        for number, task in enumerate(tasks)
        for batch in skew_keys.count_task(iter([_batch(task)]))
        for row in batch.to_pylist()
    ]
    table = pa.Table.from_pylist(rows, schema=skew_keys.COUNTED)
    counts = made_frame(local_session(), table, skew_keys.COUNTED)
    found: list[dict[str, object]] = (
        key_tree.merged(counts, key_tree.task_count(counts), top).toArrow().to_pylist()
    )
    return found


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skew_keys, "CAPACITY", 8)


@settings(max_examples=60, deadline=None)
@given(st.lists(RECORDS, min_size=1, max_size=4))
def test_with_few_keys_all_is_exact(tasks: list[list[Record]]) -> None:
    records = [r for task in tasks for r in task]
    found = _run(tasks)
    weights: Counter[tuple[str, bytes]] = Counter()
    counts: Counter[tuple[str, bytes]] = Counter()
    places: Counter[tuple[str, bytes, int]] = Counter()
    for topic, partition, key, size in records:
        if key is not None:
            weights[topic, key] += size
            counts[topic, key] += 1
            places[topic, key, partition] += size
    keys = [r for r in found if r["partition"] is None]
    assert {(r["topic"], r["key"]): r["bytes"] for r in keys} == dict(weights)
    assert {(r["topic"], r["key"]): r["records"] for r in keys} == dict(counts)
    assert all(r["error"] == 0 for r in keys)
    for r in keys:
        by_place = dict(zip(r["places"], r["place_bytes"], strict=True))  # type: ignore[call-overload]
        assert by_place == {
            p: places[t, k, p] for t, k, p in places if (t, k) == (r["topic"], r["key"])
        }
    totals = Counter((r[0], r[1]) for r in records)
    parts = [r for r in found if r["partition"] is not None]
    assert {(r["topic"], r["partition"]): r["records"] for r in parts} == dict(totals)
    nulls = Counter((r[0], r[1]) for r in records if r[2] is None)
    assert all(r["nulls"] == nulls[r["topic"], r["partition"]] for r in parts)  # type: ignore[index]
    for r in parts:
        different = {k for t, p, k, _ in records if k and (t, p) == (r["topic"], r["partition"])}
        assert r["unique_keys"] == len(different)


@pytest.mark.usefixtures("small")
def test_with_many_keys_the_error_holds() -> None:
    tasks: list[list[Record]] = [
        [
            *(("a", n % 3, b"k%d" % (n * n * (task + 1) % 97), n % 50 + 1) for n in range(400)),
            *(("a", 0, b"heavy", 40) for _ in range(150)),
        ]
        for task in range(4)
    ]
    true: Counter[bytes] = Counter()
    for task in tasks:
        for _, _, key, size in task:
            assert key is not None
            true[key] += size
    keys = [r for r in _run(tasks) if r["partition"] is None]
    assert 0 < len(keys) <= 8
    assert keys[0]["key"] == b"heavy"
    for r in keys:
        weight = true[r["key"]]  # type: ignore[index]
        assert r["bytes"] <= weight <= r["bytes"] + r["error"]  # type: ignore[operator]


def test_the_heaviest_come_first_and_no_more_than_asked() -> None:
    keys = [r["key"] for r in _run([[("a", 0, b"k%d" % n, n) for n in range(9)]], top=2)]
    assert keys == [None, b"k8", b"k7"]


def test_keys_are_counted_in_chunks_as_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    records: list[Record] = [("a", n % 2, b"k%d" % (n % 7), n) for n in range(100)]
    at_once = _run([records])
    monkeypatch.setattr(skew_keys, "CHUNK", 10)
    batches = [_batch(records[i : i + 7]) for i in range(0, 100, 7)]
    parts = list(skew_keys.count_task(iter(batches)))
    chunked = [r for b in key_tree.merging(1000)(iter(parts)) for r in b.to_pylist()]
    assert sorted(chunked, key=str) == sorted(at_once, key=str)


@settings(max_examples=30, deadline=None)
@given(st.lists(RECORDS, min_size=1, max_size=12), st.integers(2, 4))
def test_merged_as_a_tree_few_keys_are_exact(tasks: list[list[Record]], fan: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        at_once = _run(tasks)
        patch.setattr(key_tree, "FAN", fan)
        assert sorted(_run(tasks), key=_figures) == sorted(at_once, key=_figures)


def _figures(row: dict[str, object]) -> str:
    return str([row[name] for name in ("topic", "partition", "key", "bytes", "records")])


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("fan", [2, 3, 100])
def test_in_a_tree_the_error_holds_and_stays_bounded(
    monkeypatch: pytest.MonkeyPatch, fan: int
) -> None:
    """Skewed keys in many tasks: the first one weighs as much as all others together."""
    monkeypatch.setattr(key_tree, "FAN", fan)
    tasks: list[list[Record]] = [
        [("a", n % 3, b"k%d" % (n * 7919 % (task + 40) if n % 2 else 0), 10) for n in range(200)]
        for task in range(20)
    ]
    true = Counter(key for task in tasks for _, _, key, _ in task)
    keys = [r for r in _run(tasks) if r["partition"] is None]
    assert keys[0]["key"] == b"k0"
    for r in keys:
        weight = true[r["key"]] * 10  # type: ignore[index]
        assert r["bytes"] <= weight <= r["bytes"] + r["error"]  # type: ignore[operator]
        assert r["error"] <= 20 * 200 * 10 / 4  # type: ignore[operator] # total / (capacity / 2)


def test_a_task_hands_on_what_it_counted_before_it_is_too_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    records: list[Record] = [(f"t{n % 9}", 0, b"k%d" % (n % 27), n) for n in range(300)]
    at_once = _run([records])
    monkeypatch.setattr(skew_keys, "CHUNK", 10)
    monkeypatch.setattr(skew_keys, "_MOST_NOTES", 5)
    batches = [_batch(records[i : i + 7]) for i in range(0, 300, 7)]
    table = pa.Table.from_batches(list(skew_keys.count_task(iter(batches))))
    counts = made_frame(local_session(), table, skew_keys.COUNTED)
    assert table.num_rows > len(at_once)
    found = key_tree.merged(counts, 1, 1000).toArrow().to_pylist()
    assert sorted(found, key=_figures) == sorted(at_once, key=_figures)
