"""A broker on a full disk starts, serves what it has, and says so."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.clients.base import RefusedError
from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.samples import messages
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for

MakeBroker = Callable[..., BrokerProcess]
HELD = "no space for the metadata file"
ROOM = "there is room for the metadata file"


def fill(disk: Path) -> Path:
    """Take every byte of the disk; the file that has them."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 16, 1):
            try:
                while file.write(bytes(size)) == size:
                    pass
            except OSError as error:
                assert error.errno == errno.ENOSPC
    return filler


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "stopped"])
def test_a_full_disk_is_no_reason_not_to_start(
    make_broker: MakeBroker, topic: str, small_disk: Path, killed: bool, tmp_path: Path
) -> None:
    broker = BrokerProcess(small_disk / "data", log=tmp_path / "log")
    try:
        client = ConfluentClient(broker.start().bootstrap)
        client.create_topic(topic, 2)
        sent = [message for n in range(20) for message in messages(20)]
        assert client.produce(topic, sent) == list(range(len(sent)))
        if killed:
            filler = fill(small_disk)
            broker.kill()
        else:
            assert broker.stop() == 0
            filler = fill(small_disk)
        for _ in range(2):  # a start leaves nothing behind that would be in the next one's way
            said = len(broker.log.read_text())
            client = ConfluentClient(broker.start().bootstrap)
            assert client.list_topics() == {topic}
            assert len(client.consume(topic, len(sent))) == len(sent)
            with pytest.raises(RefusedError):
                client.create_topic(f"{topic}-more")
            assert client.list_topics() == {topic}
            log = broker.log.read_text()[said:]
            assert log.count(HELD) == 1, log
            assert "Traceback" not in log
            broker.kill()
        client = ConfluentClient(broker.start().bootstrap)
        filler.unlink()
        wait_for(lambda: ROOM in broker.log.read_text(), what="room noticed")
        client.create_topic(f"{topic}-more")
        assert client.produce(topic, messages(3)) == [len(sent) + n for n in range(3)]
        broker.kill()
        client = ConfluentClient(broker.start().bootstrap)
        assert client.list_topics() == {topic, f"{topic}-more"}
        assert len(client.consume(topic, len(sent) + 3)) == len(sent) + 3
        assert broker.stop() == 0
    finally:
        broker.kill()


def test_a_log_file_without_space_stops_nothing(
    make_broker: MakeBroker, topic: str, tmp_path: Path
) -> None:
    broker = BrokerProcess(
        tmp_path / "data", log=tmp_path / "out", arguments=["--log-file", "/dev/full"]
    )
    try:
        client = ConfluentClient(broker.start().bootstrap)
        client.create_topic(topic)
        assert client.produce(topic, messages(3)) == [0, 1, 2]
        assert broker.stop() == 0
        assert "rror" not in broker.log.read_text()
    finally:
        broker.kill()


def test_topics_are_deleted_to_make_room(topic: str, small_disk: Path, tmp_path: Path) -> None:
    properties = ["--override", "log.segment.delete.delay.ms=1000"]
    broker = BrokerProcess(small_disk / "data", log=tmp_path / "log", arguments=properties)
    try:
        client = ConfluentClient(broker.start().bootstrap)
        for name in ("kept", topic):
            client.create_topic(name, 2)
            client.produce(name, [message for _ in range(200) for message in messages(20)])
        fill(small_disk)
        with pytest.raises(RefusedError):
            client.create_topic(f"{topic}-more", 500)
        client.delete_topic(topic)
        wait_for(lambda: client.list_topics() == {"kept"}, what="topic gone")
        broker.kill()
        client = ConfluentClient(broker.start().bootstrap)
        assert client.list_topics() == {"kept"}
        wait_for(lambda: created(client, f"{topic}-more"), what="room for another")
        assert "Traceback" not in broker.log.read_text()
    finally:
        broker.kill()


def created(client: ConfluentClient, name: str) -> bool:
    try:
        client.create_topic(name)
    except RefusedError:
        return False
    return True
