"""Somebody else cuts or removes a segment under the running broker: its partition alone is lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log.writing import LOOK_MS
from pykafka_ops.broker.storage.real_files import RealFiles
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import NOW, batch_of, values
from tests.support.memory.storage_site import TOPIC_ID, Site, append

Damage = Callable[[Path], None]


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 10)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def lengthen(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"more")


def replace(path: Path) -> None:
    path.unlink()
    path.write_bytes(b"")


def refused(call: Callable[[], object]) -> None:
    with pytest.raises(KafkaError) as caught:
        call()
    assert caught.value.code == ErrorCode.KAFKA_STORAGE_ERROR


@pytest.fixture
def site(tmp_path: Path) -> Site:
    site = Site(RealFiles(), dirs=(str(tmp_path / "a"),))
    logs = site.start()
    for n in range(2):
        log = logs.create("t", n, TOPIC_ID)
        append(log, b"a")
        append(log, b"b")
    return site


def active(site: Site) -> Path:
    return Path(site.paths[0], "t-0", f"{0:020d}.log")


def later(log: Log) -> None:
    """Append when the file is looked at again."""
    log.append_as_leader(batch_of(b"c"), leader_epoch=0, now=NOW + LOOK_MS)


def reopened(log: Log) -> None:
    """Append when the file was closed to make room for others."""
    log.segments[-1].log.close()
    append(log, b"c")


@pytest.mark.parametrize("write", [append, later])
@pytest.mark.parametrize("damage", [cut, empty, lengthen])
def test_nothing_is_acknowledged_on_a_log_that_was_cut(
    site: Site, damage: Damage, write: Callable[..., object], caplog: pytest.LogCaptureFixture
) -> None:
    log = site.logs.get("t", 0)
    other = site.logs.get("t", 1)
    assert log is not None
    assert other is not None
    damage(active(site))
    refused(lambda: write(log, b"c") if write is append else write(log))
    refused(lambda: append(log, b"d"))
    refused(lambda: values(log, 0, 1))
    assert site.gone == [(site.paths[0], [("t", 0)], False)]
    said = [r.getMessage() for r in caplog.records]
    assert said == [
        f"{active(site)} was cut or removed by somebody else: t-0 is offline until the next start"
    ]
    refused(lambda: site.logs.create("t", 0, TOPIC_ID, is_new=False))
    assert append(other, b"c") == 2
    assert site.logs.offline == []
    site.logs.close()


@pytest.mark.parametrize("damage", [os.unlink, replace])
@pytest.mark.parametrize("use", [later, reopened, Log.flush, Log.roll])
def test_a_log_that_was_removed_is_noticed(
    site: Site, damage: Damage, use: Callable[[Log], object]
) -> None:
    log = site.logs.get("t", 0)
    assert log is not None
    damage(active(site))
    refused(lambda: use(log))
    assert site.logs.partitions() == [("t", 1)]
    site.logs.close()


def test_after_the_next_start_what_is_left_is_served(site: Site) -> None:
    log = site.logs.get("t", 0)
    assert log is not None
    cut(active(site))
    refused(lambda: append(log, b"c"))
    site.logs.close()
    again = site.start().get("t", 0)
    assert again is not None
    assert values(again) == [(0, b"a")]
    assert append(again, b"c") == 1
    site.logs.close()


def test_a_partition_that_was_cut_can_be_deleted(site: Site) -> None:
    log = site.logs.get("t", 0)
    assert log is not None
    empty(active(site))
    refused(lambda: append(log, b"c"))
    assert site.logs.delete("t", 0)
    assert append(site.logs.create("t", 0, TOPIC_ID), b"new") == 0
    site.logs.close()
