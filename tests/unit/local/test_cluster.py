"""What a directory of a cluster remembers, and what of it cannot be."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.local import children
from pykafka_ops.local.broker import RECORD as PROCESS
from pykafka_ops.local.broker import LocalBroker
from pykafka_ops.local.cluster import RECORD, LocalCluster


def made(directory: Path, brokers: int, **settings: str) -> None:
    record = {"version": 1, "brokers": brokers, "settings": settings}
    children.write_record(directory / RECORD, record)


def test_a_new_directory_gets_three_brokers_with_ids_from_zero(tmp_path: Path) -> None:
    cluster = LocalCluster(tmp_path)
    assert [b.broker_id for b in cluster.brokers] == [0, 1, 2]
    assert not cluster.exists
    assert len({b.directory for b in cluster.brokers}) == 3


def test_a_directory_keeps_its_number_of_brokers_and_their_settings(tmp_path: Path) -> None:
    made(tmp_path, 2, **{"num.partitions": "6", "log.retention.hours": "1"})
    cluster = LocalCluster(tmp_path, settings={"num.partitions": 7})
    assert len(cluster.brokers) == 2
    assert cluster.brokers[1].settings["num.partitions"] == "7"
    assert cluster.brokers[1].settings["log.retention.hours"] == "1"


def test_brokers_can_be_added_but_not_lost(tmp_path: Path) -> None:
    made(tmp_path, 2)
    assert len(LocalCluster(tmp_path, 4).brokers) == 4
    with pytest.raises(UsageError, match="holds a cluster of 2 brokers: start it with -n 2"):
        LocalCluster(tmp_path, 1)


@pytest.mark.parametrize("count", [0, -1, 65])
def test_a_number_of_brokers_that_cannot_be_is_refused(tmp_path: Path, count: int) -> None:
    with pytest.raises(UsageError, match="a cluster here has 1 to 64"):
        LocalCluster(tmp_path, count)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"brokers": "many", "settings": 3}'])
def test_a_damaged_record_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / RECORD).write_text(text)
    assert len(LocalCluster(tmp_path).brokers) == 3


@pytest.mark.parametrize(
    ("count", "copies", "least"), [(1, "1", "1"), (2, "2", "2"), (5, "3", "2")]
)
def test_internal_topics_have_as_many_replicas_as_there_are_brokers_for(
    tmp_path: Path, count: int, copies: str, least: str
) -> None:
    settings = LocalCluster(tmp_path, count).brokers[0].settings
    assert settings["offsets.topic.replication.factor"] == copies
    assert settings["transaction.state.log.replication.factor"] == copies
    assert settings["transaction.state.log.min.isr"] == least


def test_a_broker_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no broker 3 in .*: it has 0 to 2"):
        LocalCluster(tmp_path).broker(3)


def test_a_broker_that_never_ran_has_no_pid_and_stops_at_once(tmp_path: Path) -> None:
    broker = LocalBroker(tmp_path, broker_id=4)
    assert (broker.pid, broker.stop(), broker.port) == (None, None, 0)
    for text in ("", "{}", '{"pid": 1}', '{"pid": "1", "started": 2, "port": "x"}'):
        (tmp_path / PROCESS).write_text(text)
        assert (broker.pid, broker.port) == (None, 0)
    broker.kill()


def test_a_process_that_ends_instead_of_serving_is_told_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import sys; sys.stderr.write('pko: bad luck\\n')"
    monkeypatch.setattr(LocalBroker, "argv", lambda self, port: [sys.executable, "-c", code])
    broker = LocalBroker(tmp_path, broker_id=7)
    with pytest.raises(PkoError, match=r"broker 7 did not start: pko: bad luck \(see "):
        broker.start()
    assert broker.pid is None


def test_a_process_that_stays_silent_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import time; time.sleep(600)"
    monkeypatch.setattr(LocalBroker, "argv", lambda self, port: [sys.executable, "-c", code])
    broker = LocalBroker(tmp_path, mortal=True)
    broker.launch()
    pid = broker.pid
    assert pid is not None
    with pytest.raises(PkoError, match="served nobody for 0 s"):
        broker.wait_ready(0.05)
    assert not children.is_alive(pid)


SERVES = """
import json, os, sys, time
while not os.path.exists(sys.argv[2]):
    time.sleep(0.005)
name = sys.argv[1] + "/broker.pid"
listeners = ["PLAINTEXT://127.0.0.1:4711"]
json.dump({"pid": os.getpid(), "listeners": listeners}, open(name + ".new", "w"))
os.replace(name + ".new", name)
time.sleep(600)
"""
"""What a broker leaves once it serves, which it may when the second file is there."""


def test_a_broker_that_another_program_launched_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = LocalBroker(tmp_path, mortal=True), LocalBroker(tmp_path)
    first.data_dir.mkdir()
    (first.data_dir / "broker.pid").write_text('{"pid": 99999999, "listeners": ["X://h:1"]}')
    may = tmp_path / "may"
    argv = [sys.executable, "-c", SERVES, str(first.data_dir), str(may)]
    monkeypatch.setattr(LocalBroker, "argv", lambda self, port: argv)
    try:
        first.launch()
        assert (second.pid, second.is_ready, second.port) == (first.pid, False, 0)
        may.touch()
        second.start()
        assert (second.pid, second.is_ready, second.port) == (first.pid, True, 4711)
        first.wait_ready()
    finally:
        first.kill()
    assert not second.is_ready
    assert second.port == 4711


def test_one_start_of_a_directory_waits_for_the_other(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with (
        children.locked(lock, "a start", 60),
        pytest.raises(PkoError, match="a start is under way, for 0 s already"),
        children.locked(lock, "a start", 0.01),
    ):
        pytest.fail("two at once")
    with children.locked(lock, "a start", 0.01):
        pass
