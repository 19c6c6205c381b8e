"""Reads are cut into tasks, and spared what they do not need, without changing what they give."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.names import parse_segment_file
from pykafka_ops.errors import UsageError
from pykafka_ops.spark.sources.files import replicas
from pykafka_ops.spark.sources.log import plan as log_plan
from pykafka_ops.spark.sources.log.options import log_options
from tests.support.spark.log_tables import column, reader, record, table, write_log

GOLDEN = Path(__file__).resolve().parents[4] / "golden" / "segments"
SEGMENTS = ([5] * 40, [1] * 30, [7, 70, 7])
COUNT = 200 + 30 + 84


@pytest.fixture(scope="module", params=["indexed", "bare"])
def log_dir(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    made: Path = tmp_path_factory.mktemp(request.param)
    write_log(made, "a", SEGMENTS, indexed=request.param == "indexed")
    write_log(made, "b", [[3] * 5], partition=1, codec=Codec.LZ4)
    return made


@pytest.mark.parametrize("size", [1, 700, 2_000, 10**9])
def test_tasks_of_any_size_give_the_same_rows(log_dir: Path, size: int) -> None:
    for mode, name in (("records", "offset"), ("batches", "base_offset")):
        whole = column(log_dir, name, mode=mode, subscribe="a")
        assert column(log_dir, name, mode=mode, subscribe="a", maxBytesPerPartition=size) == whole
    assert whole == sorted(set(whole))


def test_large_segments_are_cut_where_the_index_shows_batches_and_small_ones_share_a_task(
    tmp_path: Path,
) -> None:
    write_log(tmp_path, "a", [[5] * 400])
    for partition in range(20):
        write_log(tmp_path, "small", [[1]], partition=partition)
    size = sum(s.size for r in replicas(str(tmp_path)) for s in r.segments)
    cut = reader(tmp_path, subscribe="a", maxBytesPerPartition=size // 10).partitions()
    assert 8 <= len(cut) <= 14
    assert len(reader(tmp_path, subscribe="small").partitions()) == 1
    assert len(reader(tmp_path, subscribe="a", minPartitions=7).partitions()) >= 7


@given(st.integers(0, COUNT + 10), st.integers(0, COUNT + 10))
def test_offsets_bound_records_exactly_and_batches_by_overlap(
    log_dir: Path, low: int, high: int
) -> None:
    bounds = {
        "startingOffsets": f'{{"a": {{"0": {low}}}}}',
        "endingOffsets": f'{{"a": {{"0": {high}}}}}',
        "subscribe": "a",
    }
    expected = list(range(low, min(high, COUNT)))
    assert column(log_dir, "offset", mode="records", **bounds) == expected
    found = table(log_dir, **bounds)
    spans = zip(found["base_offset"].to_pylist(), found["last_offset"].to_pylist(), strict=True)
    covered = {offset for base, last in spans for offset in range(base, last + 1)}
    assert covered >= set(expected)
    if expected:
        assert min(covered) > low - 70
        assert max(covered) < high + 70


@given(st.integers(-5, 10 * COUNT + 50), st.integers(-5, 10 * COUNT + 50))
def test_timestamps_bound_records_as_offsets_for_times_do(
    log_dir: Path, since: int, until: int
) -> None:
    moments = {"startingTimestamp": max(since, 0), "endingTimestamp": max(until, 0)}
    offsets = range(COUNT)
    first = next((n for n in offsets if record(n).timestamp >= moments["startingTimestamp"]), COUNT)
    last = next((n for n in offsets if record(n).timestamp >= moments["endingTimestamp"]), COUNT)
    found = column(log_dir, "offset", mode="records", subscribe="a", **moments)
    assert found == list(range(first, last))


def test_a_moment_without_records_behind_it_ends_the_read_or_is_an_error(log_dir: Path) -> None:
    late = {"mode": "records", "startingTimestamp": 10**9}
    assert table(log_dir, **late).num_rows == 0
    with pytest.raises(UsageError, match=r"no record at or after timestamp 1000000000"):
        table(log_dir, startingOffsetsByTimestampStrategy="error", **late)


@pytest.mark.parametrize("damage", sorted(GOLDEN.glob("damage-*index-*")), ids=lambda p: p.name)
def test_a_damaged_index_misleads_nobody(damage: Path) -> None:
    whole = column(damage, "offset", mode="records")
    for size in (1, 500):
        assert column(damage, "offset", mode="records", maxBytesPerPartition=size) == whole
    for low in range(0, 160, 13):
        found = column(
            damage, "offset", mode="records", startingOffsets=f'{{"{damage}": {{"0": {low}}}}}'
        )
        assert found == [offset for offset in whole if offset >= low]


def test_which_partitions_are_read_is_as_in_sparks_source(log_dir: Path) -> None:
    def topics(**options: object) -> set[str]:
        return set(column(log_dir, "topic", **options))

    assert topics() == {"a", "b"}
    assert topics(subscribe="b,c") == {"b"}
    assert topics(subscribePattern="[a]") == {"a"}
    assert topics(assign='{"b": [1], "a": [3]}') == {"b"}
    assert topics(subscribe="nobody") == set()


def test_of_a_partition_in_several_directories_records_come_from_the_longest(
    tmp_path: Path,
) -> None:
    for name, last in (("one", 3), ("two", 5), ("three", 4)):
        write_log(tmp_path / name, "a", [[2, last]])
    paths = ",".join(str(tmp_path / name) for name in ("one", "two", "three"))
    assert column(paths, "offset", mode="records") == list(range(7))
    assert len(column(paths, "base_offset")) == 6
    assert set(column(paths, "log_dir", replicas="one")) == {str(tmp_path / "two")}


def test_open_and_aborted_transactions_are_left_out_of_what_is_committed() -> None:
    path = GOLDEN / "v2-transactions-open"
    (replica,) = replicas(str(path))
    stable = log_plan.seeker(replica).stable_end()
    every = column(path, "offset", mode="records")
    committed = column(path, "offset", mode="records", isolationLevel="read_committed")
    assert committed
    assert max(committed) < stable <= max(every)
    assert set(committed) < set(every)


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("v[12]-*")), ids=lambda p: p.name)
def test_the_end_of_a_log_is_told_from_its_tail(path: Path) -> None:
    (replica,) = replicas(str(path))
    ends = [last + 1 for last in column(path, "last_offset")]
    if ends:
        assert log_plan.seeker(replica).end_offset() == max(ends)
    else:
        names = [parse_segment_file(p.name) for p in path.glob("*.log")]
        assert log_plan.seeker(replica).end_offset() == max(n.offset for n in names if n)


def test_a_segment_deleted_after_planning_is_told_and_the_rest_read(tmp_path: Path) -> None:
    folder = write_log(tmp_path, "a", [[5], [5], [5]])
    plan = reader(tmp_path)
    tasks = plan.partitions()
    logs = sorted(folder.glob("*.log"))
    logs[0].unlink()
    logs[1].rename(str(logs[1]) + ".deleted")
    rows = [row for task in tasks for batch in plan.read(task) for row in batch.to_pylist()]
    assert [row["base_offset"] for row in rows] == [None, 5, 10]
    assert "deleted" in rows[0]["problem"]
    assert (rows[0]["records"], rows[0]["topic"]) == (0, "a")


def test_a_planned_range_gives_the_same_after_more_was_written(tmp_path: Path) -> None:
    folder = write_log(tmp_path, "a", [[5, 5]])
    plan = reader(tmp_path, mode="records")
    tasks = plan.partitions()
    log = folder / "00000000000000000000.log"
    log.write_bytes(log.read_bytes() * 3)
    assert [b["offset"].to_pylist() for t in tasks for b in plan.read(t)] == [list(range(10))]


def test_options_that_contradict_each_other_are_refused() -> None:
    for options, said in (
        ({}, "option path is missing"),
        ({"path": "x", "mode": "all"}, "mode=all"),
        ({"path": "x", "subscribe": "a", "assign": "{}"}, "only one of them"),
        ({"path": "x", "assign": "[1]"}, "option assign"),
        ({"path": "x", "startingOffsets": "soon"}, "startingOffsets=soon"),
        ({"path": "x", "endingOffsets": '{"a": 1}'}, "endingOffsets"),
        ({"path": "x", "isolationLevel": "none"}, "isolationLevel=none"),
        ({"path": "x", "minPartitions": "0"}, "minPartitions=0"),
    ):
        with pytest.raises(UsageError) as error:
            log_options(options)  # type: ignore[arg-type]
        assert said in str(error.value)
