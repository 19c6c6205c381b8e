"""What a ZooKeeper needs before it can be started, and what is said where that is missing."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from pykafka_ops.errors import PkoError, SettingError
from pykafka_ops.local import zookeeper
from pykafka_ops.local.children import is_alive, read_record, started_at, tail, write_record
from pykafka_ops.local.zookeeper import RECORD, ZooKeeper, classpath, read_settings


def test_the_jars_of_pyspark_hold_all_that_zookeeper_needs() -> None:
    jars = classpath({}).split(os.pathsep)
    assert all(Path(jar).is_file() for jar in jars)
    names = [Path(jar).name for jar in jars]
    assert any(name.startswith("zookeeper-3") for name in names)
    assert not any("log4j-core" in name or "native-epoll" in name for name in names)


def test_a_spark_without_zookeeper_is_told_by_the_jar_that_is_missing(tmp_path: Path) -> None:
    (tmp_path / "jars").mkdir()
    with pytest.raises(PkoError, match=r"no zookeeper-\[0-9\]\*\.jar in .*/jars"):
        classpath({"SPARK_HOME": str(tmp_path)})


def test_without_pyspark_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(PkoError, match=r"pip install 'pykafka-ops\[spark\]'"):
        classpath({})


def test_without_java_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(PkoError, match=r"ZooKeeper needs Java, .*apt-get install openjdk"):
        ZooKeeper(tmp_path / "zk", {"clientPort": "0"}).launch()


def test_a_port_in_use_is_refused_before_anything_is_started(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PkoError, match=rf"listens on 127\.0\.0\.1:{port} already"):
            ZooKeeper(tmp_path, {"clientPort": str(port)}).launch()
    assert not (tmp_path / RECORD).exists()


@pytest.mark.parametrize("port", ["", "-1", "x", "65536", "٣"])
def test_a_port_is_a_number(tmp_path: Path, port: str) -> None:
    with pytest.raises(SettingError, match=r"clientPort=.*: a port is a number"):
        ZooKeeper(tmp_path, {"clientPort": port}).launch()


def test_settings_come_from_kafkas_file(tmp_path: Path) -> None:
    path = tmp_path / "zookeeper.properties"
    path.write_text("# a comment\ndataDir=/tmp/zk\nclientPort = 2181\n")
    assert read_settings(str(path)) == {"dataDir": "/tmp/zk", "clientPort": "2181"}
    with pytest.raises(SettingError, match=r"cannot read .*: No such file"):
        read_settings(str(tmp_path / "none"))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": "x"}', "{}", "\x00"])
def test_a_damaged_pid_file_means_that_none_runs(tmp_path: Path, text: str) -> None:
    (tmp_path / RECORD).write_text(text)
    server = ZooKeeper(tmp_path)
    assert server.running() is None
    assert server.stop() is None


def test_a_pid_that_went_to_another_process_is_not_taken_for_ours(tmp_path: Path) -> None:
    mine = started_at(os.getpid())
    assert mine is not None
    assert is_alive(os.getpid(), mine)
    assert not is_alive(os.getpid(), mine + 1)
    record = {"pid": os.getpid(), "started": mine + 1, "host": "127.0.0.1", "port": 1}
    write_record(tmp_path / RECORD, record)
    assert read_record(tmp_path / RECORD) == record
    assert ZooKeeper(tmp_path).stop() is None


def test_the_end_of_a_log_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("a\nb\n\nc\n")
    assert tail(tmp_path / "log", 2) == "b | c"
    assert tail(tmp_path / "none") == ""


def test_a_directory_where_none_was_started_has_no_address(tmp_path: Path) -> None:
    with pytest.raises(PkoError, match="no ZooKeeper was started on"):
        _ = ZooKeeper(tmp_path).connect
    assert zookeeper.answers("127.0.0.1", 1) is None
