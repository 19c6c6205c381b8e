"""The history of commits as the ``kafka-offsets`` source reads it, called as Spark calls it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.commit_log import commits_since
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.spark import schemas
from pykafka_ops.spark.sources.offsets.source import KafkaOffsets
from tests.conftest import Broker
from tests.support.clients.groups_site import GroupsSite
from tests.support.waiting import wait_for

Row = dict[str, Any]


def source(site: GroupsSite, *, files: bool, **options: str) -> KafkaOffsets:
    where = {"path": str(site.data_dir)} if files else {"kafka.bootstrap.servers": site.bootstrap}
    return KafkaOffsets({**where, "topics": site.topic, **options})


def rows_of(batches: list[pa.RecordBatch]) -> list[Row]:
    table = pa.Table.from_batches(batches, schemas.arrow(schemas.OFFSETS))
    found: list[Row] = table.to_pylist()
    return sorted(found, key=lambda row: (row["log_partition"], row["log_offset"]))


def read(site: GroupsSite, *, files: bool, **options: str) -> list[Row]:
    """In the order of the log."""
    reader = source(site, files=files, **options).reader(schemas.OFFSETS)
    return rows_of([b for part in reader.partitions() for b in reader.read(part)])


def offsets(found: list[Row], group: str) -> list[tuple[int, int | None]]:
    return [(r["partition"], r["offset"]) for r in found if r["group"] == group]


def test_a_cluster_and_its_files_tell_what_held(broker: Broker, topic: str) -> None:
    site = GroupsSite(broker, topic)
    site.commit_all()
    plain, txn, gone = site.groups
    wait_for(
        lambda: offsets(read(site, files=False), txn)[1:] != [],
        what="the end of the transactions",
    )
    live, stored = (read(site, files=files) for files in (False, True))
    assert live == stored
    for number, wanted in ((0, [3, 5, 8]), (1, [4, 6, 9])):
        assert [o for partition, o in offsets(live, plain) if partition == number] == wanted
    assert offsets(live, txn) == [(0, 2), (0, 6)]
    ended = offsets(live, gone)
    assert sorted(ended[:2]) == [(0, 1), (1, 1)]
    assert sorted(partition for partition, _ in ended[2:]) == [0, 1]
    assert {offset for _, offset in ended[2:]} == {None}
    dead = [row["tombstone"] for row in live if row["offset"] is None]
    assert dead == [True, True]


def test_what_a_group_commits_behind_an_open_transaction_is_told(
    broker: Broker, topic: str
) -> None:
    site = GroupsSite(broker, topic)
    producer = site.begin(site.groups[0], 7)
    site.commit(site.groups[0], 3, 4)
    for files in (False, True):
        found = read(site, files=files)
        assert sorted(offsets(found, site.groups[0])) == [(0, 3), (1, 4)]
    producer.commit_transaction(120)
    wait_for(lambda: len(read(site, files=False)) == 3, what="the end of the transaction")
    for files in (False, True):
        found = read(site, files=files, groups=site.groups[0])
        assert sorted(offsets(found, site.groups[0])) == [(0, 3), (0, 7), (1, 4)]


def test_the_reader_of_pko_groups_tells_the_same(broker: Broker, topic: str) -> None:
    site = GroupsSite(broker, topic)
    group = site.groups[0]
    for offset in (3, 5):
        site.commit(group, offset, offset + 1)
    cluster = Cluster(ClientConfig.of({"bootstrap.servers": site.bootstrap}))
    wanted = commits_since(cluster, 0, {group})
    cluster.close()
    made: dict[tuple[str, str, int], list[tuple[int, int]]] = {}
    for row in read(site, files=False, groups=group):
        key = row["group"], row["topic"], row["partition"]
        moment = round(row["commit_timestamp"].timestamp() * 1000)
        made.setdefault(key, []).append((moment, row["offset"]))
    assert made == {key: [tuple(c[:2]) for c in commits] for key, commits in wanted.items()}


def test_since_leaves_out_what_was_before(broker: Broker, topic: str) -> None:
    site = GroupsSite(broker, topic)
    group = site.groups[0]
    site.commit(group, 3)
    first = read(site, files=False, groups=group)[-1]
    behind = round(first["commit_timestamp"].timestamp() * 1000) + 1
    site.commit(group, 5)
    for files in (False, True):
        found = read(site, files=files, groups=group, since=str(behind))
        assert offsets(found, group) == [(0, 5)]


@pytest.mark.parametrize("files", [False, True], ids=["cluster", "files"])
def test_a_stream_tells_each_commit_once(broker: Broker, topic: str, files: bool) -> None:
    site = GroupsSite(broker, topic)
    plain, txn, _ = site.groups

    def step(begin: Any) -> tuple[list[Row], Any]:
        stream = source(site, files=files).streamReader(schemas.OFFSETS)
        begin = stream.initialOffset() if begin is None else begin
        end = stream.latestOffset(begin, ReadAllAvailable())
        batches = [b for part in stream.partitions(begin, end) for b in stream.read(part)]
        return rows_of(batches), end

    site.commit(plain, 3, 4)
    first, place = step(None)
    assert sorted(offsets(first, plain)) == [(0, 3), (1, 4)]
    site.commit(plain, 5)
    open_one = site.begin(txn, 7)
    second, place = step(place)
    assert offsets(second, plain) == [(0, 5)]
    assert offsets(second, txn) == []
    open_one.abort_transaction(120)
    site.commit_in_transaction(txn, 8, good=True)
    third: list[Row] = []

    def ended() -> bool:  # a coordinator answers before the marker is written
        nonlocal place
        found, place = step(place)
        third.extend(found)
        return bool(third)

    wait_for(ended, what="the end of the transaction")
    assert (offsets(third, txn), offsets(third, plain)) == ([(0, 8)], [])
    assert step(place)[0] == []
