"""``kafka-offsets`` through Spark; the inputs over a cluster, over its files, and over both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.spark import schemas
from pykafka_ops.spark.inputs import InputQuery, Inputs
from pykafka_ops.spark.inputs.cluster import SHOWN, unknown_ends
from pykafka_ops.spark.inputs.names import Names
from pykafka_ops.spark.inputs.opened import open_inputs
from pykafka_ops.spark.model import Problem
from tests.conftest import Broker
from tests.support.clients.groups_site import STAMP, GroupsSite
from tests.support.spark.frames import rows, run_stream
from tests.support.spark.given import frame_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SEEN = ("topic", "partition", "start_offset", "end_offset", "max_timestamp")
SIZES = ("broker", "topic", "partition", "size")


@pytest.fixture(scope="module")
def site(pko_session: Broker) -> GroupsSite:
    made = GroupsSite(pko_session, "offsets-source")
    made.commit_all()
    return made


def inputs(spark: SparkSession, site: GroupsSite, *, servers: bool, files: bool) -> Inputs:
    return open_inputs(
        spark,
        InputQuery(topics=Names.of([site.topic]), groups=Names.of(site.groups)),
        properties={"bootstrap.servers": site.bootstrap} if servers else None,
        locations=[str(site.data_dir)] if files else [],
    )


def there(frame: DataFrame | None) -> DataFrame:
    assert frame is not None
    return frame


@pytest.mark.parametrize(("servers", "files"), [(True, False), (False, True)])
def test_a_cluster_and_its_files_tell_reports_the_same(
    spark: SparkSession, site: GroupsSite, servers: bool, files: bool
) -> None:
    asked = inputs(spark, site, servers=servers, files=files)
    plain, txn, _ = site.groups
    committed = there(asked.committed()).select("group", "topic", "partition", "offset")
    assert rows(committed) == [
        (plain, site.topic, 0, 8),
        (plain, site.topic, 1, 9),
        (txn, site.topic, 0, 6),
    ]
    assert rows(there(asked.times())) == [
        (site.topic, 0, 6, STAMP + 12_000),
        (site.topic, 0, 8, STAMP + 16_000),
        (site.topic, 1, 9, STAMP + 19_000),
    ]
    moments = [STAMP - 1, STAMP + 9_500, STAMP + 60_000]
    logs = there(asked.ends(moments)).toArrow().to_pylist()
    assert sorted((row["topic"], row["partition"], row["ends"]) for row in logs) == [
        (site.topic, partition, [list(pair) for pair in zip(moments, (0, 5, 20), strict=True)])
        for partition in (0, 1)
    ]
    assert rows(there(asked.partitions()).select(*SEEN)) == [
        (site.topic, partition, 0, 20, STAMP + (38 + partition) * 1000) for partition in (0, 1)
    ]
    sizes = [
        sum(p.stat().st_size for p in (site.data_dir / f"{site.topic}-{n}").glob("*.log"))
        for n in (0, 1)
    ]
    dirs = there(asked.log_dirs()).where("topic is not null").select(*SIZES)
    assert rows(dirs) == [(0, site.topic, n, size) for n, size in enumerate(sizes)]
    configs = there(asked.configs()).where("name = 'retention.ms'")
    assert rows(configs) == [(site.topic, "retention.ms", "-1", "DYNAMIC_TOPIC_CONFIG")]
    assert rows(there(asked.records()).groupBy("partition").count()) == [(0, 20), (1, 20)]
    asked.close()


def test_with_both_batches_come_from_files_and_groups_from_the_cluster(
    spark: SparkSession, site: GroupsSite
) -> None:
    cluster = inputs(spark, site, servers=True, files=False)
    both = inputs(spark, site, servers=True, files=True)
    assert (cluster.batches(), cluster.cleaned()) == (None, None)
    assert rows(there(both.batches()).groupBy("topic").sum("records")) == [(site.topic, 40)]
    assert {row[1] for row in rows(there(both.groups()))} == {"Empty"}
    commits = rows(there(both.commits()))
    assert commits == rows(there(cluster.commits()))
    assert [row[3] for row in commits if row[0] == site.groups[1]] == [2, 6]
    both.close()


def test_a_stream_goes_on_where_its_checkpoint_says(
    spark: SparkSession, pko_session: Broker, topic: str, tmp_path: Path
) -> None:
    site = GroupsSite(pko_session, topic)
    options = {"groups": f"{site.groups[0]},{site.groups[1]}", "path": str(site.data_dir)}
    site.commit(site.groups[0], 3, 4)
    run_stream(spark, "kafka-offsets", None, tmp_path, **options)
    site.commit(site.groups[0], 5)
    site.commit_in_transaction(site.groups[1], 7, good=False)
    site.commit_in_transaction(site.groups[1], 8, good=True)
    run_stream(spark, "kafka-offsets", None, tmp_path, **options)
    made = rows(spark.read.parquet(str(tmp_path / "out")))
    assert sorted(row[:4] for row in made) == [
        (site.groups[0], topic, 0, 3),
        (site.groups[0], topic, 0, 5),
        (site.groups[0], topic, 1, 4),
        (site.groups[1], topic, 0, 8),
    ]


def test_partitions_nobody_could_ask_about_are_problems(spark: SparkSession) -> None:
    rows_ = [{"topic": "t", "partition": n, "leader": n % 2 or None} for n in range(SHOWN + 3)]
    known = {"topic": "a", "partition": 0, "leader": 1, "end_offset": 5}
    found = unknown_ends(frame_of(spark, [*rows_, known], schemas.PARTITIONS))
    assert len(found) == SHOWN + 1
    assert found[:2] == [
        Problem("t-0", "no leader: its offsets are not known"),
        Problem("t-1", "broker 1 does not return its offsets"),
    ]
    assert found[-1] == Problem("partitions", "3 more whose offsets are not known")


def test_of_partitions_nobody_could_ask_about_few_come_to_the_driver(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows_ = [{"topic": "t", "partition": n} for n in range(10 * SHOWN)]
    frame = frame_of(spark, rows_, schemas.PARTITIONS)
    whole, came = type(frame).toArrow, []

    def to_arrow(self: DataFrame) -> pa.Table:
        came.append(whole(self))
        return came[-1]

    monkeypatch.setattr(type(frame), "toArrow", to_arrow)
    assert len(unknown_ends(frame)) == SHOWN + 1
    assert max(table.num_rows for table in came) == SHOWN + 1


def test_something_must_be_named_to_be_read(spark: SparkSession) -> None:
    with pytest.raises(UsageError, match="give --bootstrap-server or --log-dirs"):
        open_inputs(spark, InputQuery())
