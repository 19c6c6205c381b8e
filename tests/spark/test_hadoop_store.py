"""Outputs on an S3 in Hadoop's file system for it, whose jars Spark has."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.support.java.java_kit import hadoop_of_spark, s3a_jars
from tests.support.spark.s3 import ENV, KEY, SECRET, S3Server, s3_server
from tests.support.spark.table_program import SECONDS, program
from tests.support.spark.workload import Workload
from tests.support.waiting import free_port

pytestmark = pytest.mark.timeout(SECONDS)
MOST = 4
"""Rows of partitions that a report holds."""
PARTITIONS = "out/parquet/partitions.parquet"


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(tmp_path_factory.mktemp("s3"), "reports") as server:
        yield server


def settings(s3: S3Server) -> dict[str, str]:
    """Those of a session; nobody is at the bucket ``silent``."""
    s3a = {
        "endpoint": f"http://{s3.address}",
        "endpoint.region": "us-east-1",
        "path.style.access": "true",
        "access.key": KEY,
        "secret.key": SECRET,
        "bucket.silent.endpoint": f"http://127.0.0.1:{free_port()}",
        "bucket.silent.retry.limit": "1",
        "bucket.silent.attempts.maximum": "1",
    }
    jars = ",".join(map(str, s3a_jars(hadoop_of_spark())))
    return {"spark.jars": jars, **{f"spark.hadoop.fs.s3a.{k}": v for k, v in s3a.items()}}


def test_every_output_is_written_by_hadoop_and_sections_whole(s3: S3Server, tmp_path: Path) -> None:
    work = Workload(tmp_path, 1)
    for number, place in enumerate(work.places):
        s3.upload(place, f"data{number}")
    logs = [s3.uri(f"data{n}").replace("s3:", "s3a:") for n in range(len(work.places))]
    words = ["lag", *logs, "--configs", work.settings, "--engine", "spark", "-o", "json"]
    for name, place in (
        ("--html", "page.html"), ("--output-file", "lag.json"), ("--csv", "csv"),
        ("--parquet", "parquet"), ("--history", "history"), ("--metrics", "pko.prom"),
    ):  # fmt: skip
        words += [name, f"s3a://{s3.bucket}/out/{place}"]
    page = ["lag", logs[0], "--engine", "spark", "--html"]
    ran, (rows,) = program(
        settings(s3),
        [
            [*words, "--now", "2030-01-01"],
            [*words, "--now", "2030-01-02"],
            [*page, "s3a://no-such/page.html"],
            [*page, "s3a://silent/page.html"],
        ],
        [f"SELECT count(*) FROM parquet.`s3a://{s3.bucket}/{PARTITIONS}`"],
        most=MOST,
        env=ENV,
    )
    assert [code for code, _ in ran] == [1, 1, 1, 1]
    for _, said in ran[:2]:
        assert "wrong CRC" in said
    assert "cannot look at s3a://no-such: there is no such bucket or container" in ran[2][1]
    assert "cannot look at s3a://silent: the store does not answer" in ran[3][1]
    assert [said.count("\n") for _, said in ran[2:]] == [1, 1]
    _look(s3, rows[0][0])


def _look(s3: S3Server, count: int) -> None:
    """What is in the bucket, when the rows of partitions are so many."""
    keys = s3.objects()
    document = json.loads(_read(s3, "out/lag.json"))
    assert document["summary"]["previous_run"] is not None
    section = document["sections"]["partitions"]
    assert count == section["total"] > len(section["rows"])
    assert f"s3a://{s3.bucket}/{PARTITIONS}" in section["note"]
    parts = [key for key in keys if key.startswith("out/csv/partitions.csv/part-")]
    lines = [line for part in parts for line in _read(s3, part).splitlines()]
    assert len({*lines}) == count + 1  # each file begins with the names
    groups = pq.read_table(io.BytesIO(_read(s3, "out/parquet/groups.parquet")))
    assert len(groups) == len(document["sections"]["groups"]["rows"])
    assert _read(s3, "out/page.html").startswith(b"<!DOCTYPE")
    assert _read(s3, "out/pko.prom").startswith(b"# HELP pko_report_")
    assert not [key for key in keys if ".part" in key or "?" in key or "_temporary" in key]


def _read(s3: S3Server, key: str) -> bytes:
    body: bytes = s3.client.get_object(Bucket=s3.bucket, Key=key)["Body"].read()
    return body
