"""The life of a log from its making to its close."""

from __future__ import annotations

from pathlib import Path

import pytest

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log.partition_dir import PartitionDir
from pykafka_ops.broker.storage.log_home import LogHome
from pykafka_ops.broker.storage.real_files import RealFiles
from pykafka_ops.errors import KafkaError
from tests.support.memory.logs import NOW, batch_of, filled, values


def test_a_closed_log_is_complete_on_disk_and_refuses_work() -> None:
    w = filled(per_epoch=3)
    w.log.close()
    w.log.close()
    for inode in w.files.inodes.values():
        assert inode.durable is not None and inode.durable == bytes(inode.data)
    with pytest.raises(KafkaError):
        w.append(b"a")
    w.reopen(clean=True)
    assert not w.log.is_open
    assert (w.log.log_end_offset, w.log.is_open) == (10, False)
    assert (w.log.log_start_offset, w.log.is_open) == (0, True)
    assert w.log.epochs.entries() == [(0, 0), (1, 3), (2, 6), (3, 9)]


def test_preallocated_segments_take_and_give_back_their_space(tmp_path: Path) -> None:
    config = TopicConfig(preallocate=True, segment_bytes=1 << 20)
    log = Log.create(PartitionDir(LogHome(str(tmp_path), RealFiles()), "t", 0, config))

    def taken() -> list[bool]:
        paths = sorted((tmp_path / "t-0").glob("*.log"))
        return [p.stat().st_blocks * 512 >= 1 << 20 for p in paths]

    log.append_as_leader(batch_of(b"a"), leader_epoch=0, now=NOW)
    assert taken() == [True]
    log.roll()
    assert taken() == [False, True]
    log.append_as_leader(batch_of(b"b"), leader_epoch=0, now=NOW)
    log.close()
    assert taken() == [False, False]
    again = Log(PartitionDir(LogHome(str(tmp_path), RealFiles()), "t", 0, config))
    assert values(again) == [(0, b"a"), (1, b"b")]
