"""A recovery on a full disk: what is there is read, what could not be stored waits for room."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import NOW, batch_of, end_txn, values
from tests.support.memory.storage_site import TOPIC_ID, Site, append

PRODUCER = {"producer_id": 7, "producer_epoch": 0}
COUNT = 12


def killed(*, aborted: bool = False) -> Site:
    """A broker's directory after kill -9, with ``COUNT`` records of a producer in one log."""
    site = Site(dirs=("/a",))
    site.config = TopicConfig(index_interval_bytes=1)
    log = site.start().create("t", 0, TOPIC_ID)
    for n in range(COUNT):
        data = batch_of(b"x", base_sequence=n, transactional=aborted, **PRODUCER)
        log.append_as_leader(data, leader_epoch=n // 4, now=NOW)
    if aborted:
        end_txn(log, 7, commit=False, now=NOW)
        site.memory.remove(f"/a/t-0/{0:020d}.txnindex")
    site.kill()
    return site


def restart_full(site: Site) -> Log:
    site.memory.capacity = site.memory.used
    log = site.start().get("t", 0)
    assert log is not None
    return log


def state(log: Log) -> tuple[object, ...]:
    return log.log_start_offset, values(log), log.epochs.entries(), log.producers.entries()


def test_a_log_is_whole_though_nothing_about_it_could_be_stored() -> None:
    with_room = killed().start().get("t", 0)
    assert with_room is not None
    site = killed()
    filled = []
    log = restart_full(site)
    site.logs.on_full = filled.append
    assert state(log) == state(with_room)
    with pytest.raises(KafkaError) as caught:
        append(log, b"more")
    assert caught.value.code == ErrorCode.KAFKA_STORAGE_ERROR
    assert filled
    assert site.gone == []


def test_the_first_start_tells_of_the_full_disk() -> None:
    site = killed()
    site.memory.capacity = site.memory.used
    site.start()
    assert site.logs.dirs[0].lacks_room


@pytest.mark.parametrize("stopped", [True, False])
def test_with_room_again_nothing_is_missing(stopped: bool) -> None:
    expected = killed().start().get("t", 0)
    assert expected is not None
    site = killed()
    restart_full(site)
    site.memory.capacity = None
    if stopped:
        site.logs.close()
    else:
        site.kill()
    log = site.start().get("t", 0)
    assert log is not None
    assert state(log) == state(expected)
    append(log, b"more")


def test_aborted_transactions_are_never_shown_for_want_of_space() -> None:
    site = killed(aborted=True)
    log = restart_full(site)
    with pytest.raises(KafkaError) as caught:
        log.open()
    assert caught.value.code == ErrorCode.KAFKA_STORAGE_ERROR
    site.memory.capacity = None
    log.open()
    assert len(log.aborted_transactions(0, COUNT)) == 1
    site.kill()
