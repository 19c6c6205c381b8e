"""What reports write to an HDFS of one NameNode and one DataNode."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pykafka_ops.errors import StorageError, UsageError
from pykafka_ops.spark.output import history
from pykafka_ops.spark.output.outlets import Outlet, write
from pykafka_ops.spark.output.stores import Store
from tests.support.java.java_kit import BRIEF_JVM, hadoop_classpath, hadoop_of_spark
from tests.support.process.process import Process
from tests.support.spark import reports
from tests.support.waiting import free_port, wait_for, wait_for_port

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SOURCE = "0123abcd"
SERVER = "org.apache.hadoop.hdfs.server"


def site(settings: dict[str, str]) -> str:
    """A file of Hadoop's settings."""
    rows = (f"<property><name>{k}</name><value>{v}</value></property>" for k, v in settings.items())
    return f"<configuration>{''.join(rows)}</configuration>"


@pytest.fixture(scope="module")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    import pyspark

    home = tmp_path_factory.mktemp("hdfs")
    jars = Path(pyspark.__file__).parent / "jars"
    address, nowhere = f"127.0.0.1:{free_port()}", "127.0.0.1:0"
    (home / "core-site.xml").write_text(site({"fs.defaultFS": f"hdfs://{address}"}))
    (home / "hdfs-site.xml").write_text(
        site(
            {
                "dfs.namenode.name.dir": str(home / "names"),
                "dfs.datanode.data.dir": str(home / "data"),
                "dfs.namenode.http-address": nowhere,
                "dfs.datanode.address": nowhere,
                "dfs.datanode.http.address": nowhere,
                "dfs.datanode.ipc.address": nowhere,
            }
        )
    )
    path = f"{home}:{hadoop_classpath(hadoop_of_spark())}:{jars}/*"
    java = ["java", "-Xmx256m", *BRIEF_JVM, "-cp", path]
    names, data = f"{SERVER}.namenode.NameNode", f"{SERVER}.datanode.DataNode"
    subprocess.run([*java, names, "-format"], check=True, capture_output=True, timeout=300)
    first = Process([*java, names], home / "names.log")
    second = Process([*java, data], home / "data.log")
    try:
        port = int(address.rpartition(":")[2])
        wait_for_port("127.0.0.1", port, alive=first.alive, said=first.log_tail)
        yield f"hdfs://{address}"
    finally:
        second.kill()
        first.kill()


def _takes(store: Store) -> bool:
    """Whether there is a data node to write to."""
    try:
        store.write({"probe": b"x"})
    except StorageError:
        return False
    return True


def test_files_and_histories_are_written_to_hdfs_and_read_again(
    spark: SparkSession, hdfs: str
) -> None:
    page, tables = Outlet(f"{hdfs}/pages/lag.html", folder=False), Outlet(f"{hdfs}/t", folder=True)
    for outlet in (page, tables):
        outlet.open(spark)
    assert tables.store.names("") == []
    wait_for(lambda: _takes(tables.store), what="the data node to join")
    for text in (b"first", b"second"):
        write({page: {page.name: text}, tables: {"lag/groups.csv": text}})
        assert page.store.read("lag.html") == tables.store.read("lag/groups.csv") == text
    assert (page.store.names(""), tables.store.names("lag")) == (["lag.html"], ["groups.csv"])
    with pytest.raises(UsageError, match="was not made by pko"):
        page.check_ours(b"pko", yes=False)
    kept = Outlet(f"{hdfs}/history", folder=True)
    kept.open(spark)
    made = reports.lag_report()
    history.append(kept.store, made, SOURCE)
    found, damaged = history.load(kept.store, "lag", SOURCE, made.now + 1)
    assert not damaged
    groups = [row["group"] for row in made.section("groups").rows]
    assert [row["group"] for row in found["groups"]] == groups
