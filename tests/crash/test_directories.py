"""Directories that are full, read-only, missing or taken."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.clients.base import Message, RefusedError
from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.load import PLAIN, Load, check_ledger
from tests.support.clients.samples import messages
from tests.support.process.broker import BrokerProcess
from tests.support.process.mounts import mount
from tests.support.waiting import wait_for

MakeBroker = Callable[..., BrokerProcess]


def test_a_second_broker_on_the_same_directory_is_refused(
    make_broker: MakeBroker, topic: str
) -> None:
    first = make_broker().start()
    second = BrokerProcess(first.data_dir, log=first.log.with_suffix(".second"))
    code, said = second.start_refused()
    assert code not in (0, -9)
    assert str(first.data_dir) in said
    assert "Traceback" not in said
    assert len([line for line in said.splitlines() if "ERROR" in line or "pko:" in line]) <= 2
    client = ConfluentClient(first.bootstrap)
    client.create_topic(topic)
    assert client.produce(topic, messages(3)) == [0, 1, 2]
    assert first.stop() == 0


def test_after_a_kill_the_directory_is_free_again(make_broker: MakeBroker) -> None:
    broker = make_broker().start()
    broker.kill()
    broker.start()
    assert broker.stop() == 0


def test_a_full_disk_loses_nothing_acknowledged(
    make_broker: MakeBroker, topic: str, small_disk: Path
) -> None:
    logs = small_disk / "logs"
    broker = make_broker(log_dirs=logs, log_segment_bytes=1_000_000).start()
    client = ConfluentClient(broker.bootstrap)
    client.create_topic(topic)
    load = Load(broker.bootstrap, topic, 0, PLAIN | {"acks": "all"}, size=20_000).start()
    wait_for(lambda: load.failed, what="a record refused for want of space")
    load.abandon()
    assert load.acked, broker.log_tail()
    if broker.running.alive():
        assert client.list_topics() == {topic}
        broker.kill()
    else:
        assert broker.running.popen.returncode not in (0, -11)
    assert "Traceback" not in broker.log.read_text()
    assert mount("-o", "remount,size=60m", str(small_disk))
    broker.start()
    found = client.consume(topic, client.offsets(topic)[1])
    check_ledger(load, found, exactly=False)
    assert client.produce(topic, messages(5)) == list(range(len(found), len(found) + 5))


def test_when_one_of_two_disks_is_full_the_other_serves(
    make_broker: MakeBroker, topic: str, small_disk: Path, tmp_path: Path
) -> None:
    roomy = tmp_path / "roomy"
    dirs = f"{small_disk / 'logs'},{roomy}"
    broker = make_broker(log_dirs=dirs, log_segment_bytes=1_000_000).start()
    client = ConfluentClient(broker.bootstrap)
    client.create_topic(topic, 2)
    on_roomy = [p for p in (0, 1) if (roomy / f"{topic}-{p}").is_dir()]
    assert len(on_roomy) == 1, "partitions go round the directories"
    good, bad = on_roomy[0], 1 - on_roomy[0]
    load = Load(broker.bootstrap, topic, bad, PLAIN | {"acks": "all"}, size=20_000).start()
    wait_for(lambda: load.failed, what="a record refused for want of space")
    load.abandon()
    sent = [Message(bytes(1000)) for _ in range(1000)]
    assert client.produce(topic, sent, partition=good) == list(range(1000))
    assert len(client.consume(topic, 1000, partition=good)) == 1000
    assert broker.running.alive()


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A directory nobody can write to, not even root where a tmpfs can be mounted."""
    path = tmp_path / "read-only"
    path.mkdir()
    mounted = mount("-t", "tmpfs", "-o", "size=1m,ro", "pko-test", str(path))
    if not mounted:
        if os.getuid() == 0:
            pytest.skip("root may write everywhere, and cannot mount here")
        path.chmod(0o500)
    yield path
    if mounted:
        subprocess.run(["umount", "-l", str(path)], check=True)
    else:
        path.chmod(0o700)


def test_a_read_only_directory_is_named_and_refused(
    make_broker: MakeBroker, read_only: Path
) -> None:
    broker = make_broker(log_dirs=read_only)
    code, said = broker.start_refused()
    assert code not in (0, -9)
    assert str(read_only) in said
    assert "Traceback" not in said


def test_one_read_only_directory_of_two_is_left_out(
    make_broker: MakeBroker, topic: str, read_only: Path, tmp_path: Path
) -> None:
    broker = make_broker(log_dirs=f"{tmp_path / 'good'},{read_only}").start()
    client = ConfluentClient(broker.bootstrap)
    client.create_topic(topic, 4)
    for partition in range(4):
        assert client.produce(topic, messages(3), partition=partition) == [0, 1, 2]
    assert str(read_only) in broker.log.read_text()
    assert broker.stop() == 0


def test_a_directory_of_another_cluster_is_refused(make_broker: MakeBroker, tmp_path: Path) -> None:
    one, two = make_broker("one").start(), make_broker("two").start()
    assert one.stop() == 0
    assert two.stop() == 0
    logs = tmp_path / "logs"
    mixed = make_broker("one", log_dirs=logs).start()
    assert mixed.stop() == 0
    other = make_broker("two", log_dirs=logs)
    code, said = other.start_refused()
    assert code not in (0, -9)
    assert "cluster" in said.lower()
    assert "Traceback" not in said


def test_an_oversized_message_leaves_the_log_as_it_was(make_broker: MakeBroker, topic: str) -> None:
    broker = make_broker(message_max_bytes=10_000).start()
    client = ConfluentClient(broker.bootstrap)
    client.create_topic(topic)
    with pytest.raises(RefusedError):
        client.produce(topic, [Message(bytes(20_000))])
    assert client.produce(topic, messages(2)) == [0, 1]


def test_strangers_named_like_partitions_stop_nothing_and_keep_their_bytes(
    make_broker: MakeBroker, tmp_path: Path
) -> None:
    data, segment = tmp_path / "data", "00000000000000000000.log"
    noise = bytes(range(256)) * 4
    (data / "empty-0").mkdir(parents=True)
    (data / "noise-0").mkdir()
    (data / "noise-0" / segment).write_bytes(noise)
    (data / "file-0").write_bytes(noise)
    names = ["empty", "noise", "file"]
    broker = make_broker().start()
    client = ConfluentClient(broker.bootstrap)
    assert client.list_topics() == set()
    assert (data / "noise-0" / segment).read_bytes() == noise
    for name in names:
        client.create_topic(name)
        assert client.produce(name, messages(2)) == [0, 1]
    broker.kill()
    client = ConfluentClient(broker.start().bootstrap)
    for name in names:
        assert len(client.consume(name, 2)) == 2
    assert broker.stop() == 0
    (noises,) = data.glob("noise-0.*-stray")
    (file,) = data.glob("file-0.*-stray")
    assert (noises / segment).read_bytes() == file.read_bytes() == noise
