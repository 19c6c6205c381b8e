"""What a ZooKeeper needs before it can be started, and what is said where that is missing."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from pykafka_ops.commands.framework.run import execute
from pykafka_ops.commands.zookeeper import zookeeper as command  # the module below has its name
from pykafka_ops.errors import PkoError, SettingError
from pykafka_ops.local import zookeeper
from pykafka_ops.local.children import is_alive, read_record, started_at, tail, write_record
from pykafka_ops.local.zookeeper import RECORD, ZooKeeper, classpath, read_settings
from tests.support.memory.context import args_of, run_of, work_of


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


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In place of a JVM, what writes its arguments to the file returned."""
    home, said = tmp_path / "jdk", tmp_path / "argv"
    (home / "bin").mkdir(parents=True)
    (home / "release").write_text('JAVA_VERSION="17.0.1"\n')
    program = home / "bin" / "java"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {said}\n')
    program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(home))
    return said


def test_a_port_of_tls_may_be_the_only_one(tmp_path: Path, java: Path) -> None:
    server = ZooKeeper(tmp_path / "zk", {"secureClientPort": "0", "ssl.keyStore.password": "x"})
    server.launch().wait(60)
    path = tmp_path / "zk" / "zookeeper.properties"
    written = read_settings(str(path))
    assert "clientPort" not in written
    assert "clientPortAddress" not in written
    assert written["serverCnxnFactory"].endswith(".NettyServerCnxnFactory")
    assert server.connect == server.secure_connect == f"127.0.0.1:{written['secureClientPort']}"
    assert path.stat().st_mode & 0o777 == 0o600, "a password is in it"
    assert server.says() is None


def test_both_ports_have_addresses_of_their_own(tmp_path: Path, java: Path) -> None:
    ports = {"clientPort": "0", "secureClientPort": "0", "secureClientPortAddress": "127.0.0.2"}
    server = ZooKeeper(tmp_path / "zk", ports)
    server.launch().wait(60)
    assert server.connect.startswith("127.0.0.1:")
    assert server.secure_connect.startswith("127.0.0.2:")
    with pytest.raises(PkoError, match="with a secureClientPort"):
        _ = ZooKeeper(tmp_path / "other").secure_connect


def test_kafka_opts_go_to_the_jvm_of_the_command_alone(
    tmp_path: Path, java: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAFKA_OPTS", "-Djava.security.auth.login.config=/a -Dx='1 2'")
    words = ["start", "--data-dir", str(tmp_path / "zk"), "--port", "0"]
    with pytest.raises(PkoError, match="ZooKeeper did not start"):
        execute(run_of(command, words), work_of(command, args_of(command, words)))
    argv = java.read_text().splitlines()
    at = argv.index("-Djava.security.auth.login.config=/a")
    assert argv[at + 1] == "-Dx=1 2"
    assert at < argv.index("-cp")
    ZooKeeper(tmp_path / "zk", {"clientPort": "0"}).launch().wait(60)
    assert "-Dx=1 2" not in java.read_text().splitlines()
