"""Directories that Apache Kafka 3.9.1 wrote, opened, repaired and extended by our logs."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path
from zlib import crc32

import pytest

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log.partition_dir import PartitionDir
from pykafka_ops.broker.storage.log.parts import Checkpointed
from pykafka_ops.broker.storage.log_home import LogHome, StorageSettings
from pykafka_ops.broker.storage.real_files import RealFiles
from pykafka_ops.broker.storage.recovery import Recovery
from pykafka_ops.disk.checksum import crc32c
from pykafka_ops.disk.index import check_offset_index, check_time_index
from pykafka_ops.disk.txn_index import check_txn_index
from tests.support.golden.segments import CASES, SEGMENTS
from tests.support.memory.logs import NOW, batch_of, headers, values

CONFIG = TopicConfig(segment_bytes=1 << 14, index_interval_bytes=1024)
LATE = 2_000_000_000_000
"""After everything in the golden data, so that no producer counts as idle for a negative time."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return tmp_path


def place(case: str, root: Path) -> Path:
    """A writable copy of a case as partition directory ``t-0``."""
    target = root / "t-0"
    shutil.copytree(SEGMENTS / case, target)
    for path in target.iterdir():
        path.chmod(0o644)
    return target


def settings() -> StorageSettings:
    return StorageSettings(clock=lambda: LATE, producer_id_expiration_ms=2**62)


def open_log(root: Path, **known: int) -> Log:
    place = PartitionDir(LogHome(str(root), RealFiles(), settings()), "t", 0, CONFIG)
    return Log(place, Checkpointed(**known))


def recover(root: Path, recovery_point: int | None = None) -> int:
    work = Recovery(
        RealFiles(),
        str(root / "t-0"),
        CONFIG,
        recovery_point=recovery_point,
        settings=settings(),
    )
    return work.run().end_offset


def valid_prefix(data: bytes) -> int:
    """Bytes of whole batches with right checksums: what Kafka's recovery keeps of a segment."""
    at = 0
    while at + 17 < len(data):
        size = 12 + struct.unpack_from(">i", data, at + 8)[0]
        if size < 26 or at + size > len(data):
            break
        if data[at + 16] >= 2:
            good = size >= 61 and crc32c(data[at + 21 : at + size]) == int.from_bytes(
                data[at + 17 : at + 21], "big"
            )
        else:
            good = crc32(data[at + 16 : at + size]) == int.from_bytes(
                data[at + 12 : at + 16], "big"
            )
        if not good:
            break
        at += size
    return at


def expected_after_recovery(case: str) -> dict[str, bytes]:
    """What must stand in the ``.log`` files afterwards."""
    kept: dict[str, bytes] = {}
    for path in sorted((SEGMENTS / case).glob("*.log")):
        data = path.read_bytes()
        good = valid_prefix(data)
        kept[path.name] = data[:good]
        if good < len(data):
            break
    return kept


def logs_in(directory: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(directory.glob("*.log"))}


@pytest.mark.parametrize("case", CASES)
def test_recovery_keeps_exactly_the_valid_prefix(case: str, tmp_path: Path) -> None:
    directory = place(case, tmp_path)
    end = recover(tmp_path)
    assert logs_in(directory) == expected_after_recovery(case)
    last = headers(list(logs_in(directory).values())[-1])
    if last:
        assert end == last[-1].next_offset
    for path in directory.glob("*index"):
        base, data = int(path.stem), path.read_bytes()
        {
            ".index": check_offset_index,
            ".timeindex": check_time_index,
            ".txnindex": check_txn_index,
        }[path.suffix](data, base, path.name)
    again = {p.name: p.read_bytes() for p in directory.iterdir()}
    assert recover(tmp_path) == end
    assert {p.name: p.read_bytes() for p in directory.iterdir()} == again, "it is idempotent"


@pytest.mark.parametrize("case", [c for c in CASES if not c.startswith("damage")])
def test_a_cleanly_stopped_log_opens_with_everything_in_it(case: str, tmp_path: Path) -> None:
    directory = place(case, tmp_path)
    before = {p.name: p.read_bytes() for p in directory.iterdir()}
    log = open_log(tmp_path)
    stored = b"".join(data for data in logs_in(directory).values())
    batches = headers(stored)
    assert log.log_end_offset == (batches[-1].next_offset if batches else log.log_start_offset)
    read = b""
    offset = log.log_start_offset
    while offset < log.log_end_offset:
        result = log.read(offset, 1 << 20, up_to=log.log_end_offset)
        part = b"".join(bytes(p) for p in result.parts)
        read += part
        found = headers(part)
        if not found:
            break
        offset = found[-1].next_offset
    assert read == stored
    log.close()
    after = {p.name: p.read_bytes() for p in directory.iterdir()}
    after.pop("leader-epoch-checkpoint", None)
    before.pop("leader-epoch-checkpoint", None)
    before.pop(f"{log.log_start_offset:020d}.snapshot", None)  # useless, as Kafka sees it, too
    assert after == before, "opening and closing changes nothing"


@pytest.mark.parametrize("case", [c for c in CASES if c.startswith("v2-")])
def test_recovery_writes_the_same_indexes_and_producers_as_kafka(case: str, tmp_path: Path) -> None:
    directory = place(case, tmp_path)
    stored = {p.name: p.read_bytes() for p in directory.iterdir() if "index" in p.suffix}
    recover(tmp_path)
    for name, data in stored.items():
        if name.endswith(".txnindex") and "compacted" not in case:
            assert (directory / name).read_bytes() == data, name


@pytest.mark.parametrize("case", ["v2-none", "v2-transactions", "v1-gzip", "upgraded", "v2-empty"])
def test_a_golden_log_can_be_written_on(case: str, tmp_path: Path) -> None:
    place(case, tmp_path)
    log = open_log(tmp_path)
    end = log.log_end_offset
    for n in range(40):
        log.append_as_leader(batch_of(b"%d" % n * 40, timestamp=NOW), leader_epoch=9, now=LATE)
    assert values(log, end) == [(end + n, b"%d" % n * 40) for n in range(40)]
    log.close()
    assert recover(tmp_path) == end + 40
    log = open_log(tmp_path)
    assert values(log, end) == [(end + n, b"%d" % n * 40) for n in range(40)]
    assert log.latest_epoch == 9
