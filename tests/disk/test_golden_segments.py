"""Every file that Apache Kafka 3.9.1 wrote is read, and written back byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from pykafka_ops.disk import checkpoint, convert, legacy
from pykafka_ops.disk.batch import (
    HEADER_SIZE,
    LOG_APPEND_TIME_FLAG,
    TimestampType,
    check_crc,
    read_header,
)
from pykafka_ops.disk.build import assemble
from pykafka_ops.disk.compression import compress, decompress
from pykafka_ops.disk.control import build_marker, read_marker
from pykafka_ops.disk.index import OffsetIndex, TimeIndex, check_offset_index, check_time_index
from pykafka_ops.disk.internal import (
    GroupMetadataValue,
    encode,
    read_assignment,
    read_offsets_record,
    read_subscription,
    read_transaction_key,
    read_transaction_value,
)
from pykafka_ops.disk.names import parse_dir, parse_segment_file
from pykafka_ops.disk.record import count_records, encode_records, iter_records, payload
from pykafka_ops.disk.snapshot import read_snapshot, write_snapshot
from pykafka_ops.disk.txn_index import check_txn_index, pack_aborted, read_txn_index
from pykafka_ops.errors import CorruptBatchError, CorruptIndexError
from tests.support.each import each
from tests.support.golden.segments import LOG_DIRS, SEGMENTS, all_files, files, short

LIMIT = 1 << 24
LOGS = all_files(".log")
#: (case, file) -> where the damage is: bad CRCs by position, or the reason reading stops.
BAD_CRC = {
    "damage-flip-v0-gzip",
    "damage-flip-v1-none",
    "damage-flip-v2-gzip",
    "damage-flip-v2-none",
}
STOPS = {"damage-bad-magic": "Invalid magic", "damage-zero-tail": "Record size 0"}


def batches(data: bytes) -> list[tuple[int, int]]:
    """(start, end) of every batch or message of any format."""
    found, pos = [], 0
    while (end := convert.next_batch(data, pos, len(data))) is not None:
        found.append((pos, end))
        pos = end
    return found


def rebuild_v2(data: bytes, pos: int, end: int) -> None:
    """Header and records give the same bytes again; compressed ones the same plain bytes."""
    header = read_header(data, pos)
    plain = payload(data, pos, header, LIMIT)
    # With LogAppendTime a record shows the batch's time; its own is still in the bytes.
    raw = header._replace(attributes=header.attributes & ~LOG_APPEND_TIME_FLAG)
    records = list(iter_records(data, pos, raw, LIMIT))
    again = encode_records(records, header.base_offset, header.base_timestamp)
    assert again == plain
    assert count_records(data, pos, header, LIMIT) == len(records) == header.record_count
    if header.codec:
        assert decompress(header.codec, compress(header.codec, again), len(again)) == plain
        assert bytes(assemble(header, data[pos + HEADER_SIZE : end])) == data[pos:end]
    else:
        assert bytes(assemble(header, again)) == data[pos:end]


def rebuild_old(data: bytes, pos: int, end: int) -> None:
    """The same for a message of format v0 or v1."""
    header = legacy.read_message_header(data, pos)
    records = list(legacy.iter_message(data, pos, header, LIMIT, verify=True))
    again = legacy.build_messages(
        records,
        header.magic,
        codec=header.codec,
        timestamp_type=TimestampType(max(header.timestamp_type, 0)),
        log_append_time=header.timestamp,
    )
    if not header.codec:
        assert again == data[pos:end]
        return
    made = legacy.read_message_header(again)
    assert made[:1] + made[3:] == header[:1] + header[3:]
    old = legacy.message_content(data, pos, header)[1]
    new = legacy.message_content(again, 0, made)[1]
    assert old is not None and new is not None and old[:7] == new[:7]
    one, other = (
        decompress(header.codec, value, LIMIT, v0_header=header.magic == 0) for value in (old, new)
    )
    assert one == other


@each("path", LOGS, short)
def test_logs_are_read_and_rebuilt(path: Path) -> None:
    data = path.read_bytes()
    bad = []
    try:
        spans = batches(data)
    except CorruptBatchError as e:
        assert STOPS[path.parent.name] in str(e)
        return
    for pos, end in spans:
        if data[pos + 16] == 2:
            good = check_crc(data, pos, read_header(data, pos))
            rebuild = rebuild_v2
        else:
            good = legacy.check_message_crc(data, pos, legacy.read_message_header(data, pos))
            rebuild = rebuild_old
        if good:
            rebuild(data, pos, end)
        else:
            bad.append(pos)
    assert (len(bad) == 1) == (
        path.parent.name in BAD_CRC and path == next(files(path.parent.name, ".log"))
    )


@each("path", all_files(".index"), short)
def test_offset_indexes_are_rebuilt(path: Path) -> None:
    data, name = path.read_bytes(), parse_segment_file(path.name)
    assert name is not None
    if path.parent.name == "damage-index-truncated" and len(data) % 8:
        with pytest.raises(CorruptIndexError):
            check_offset_index(data, name.offset, path.name)
        data = data[: len(data) // 8 * 8]
    assert OffsetIndex(name.offset, data).to_bytes() == data


@each("path", all_files(".timeindex"), short)
def test_time_indexes_are_rebuilt(path: Path) -> None:
    data, name = path.read_bytes(), parse_segment_file(path.name)
    assert name is not None
    if path.parent.name == "damage-timeindex-truncated" and len(data) % 12:
        with pytest.raises(CorruptIndexError):
            check_time_index(data, name.offset, path.name)
        data = data[: len(data) // 12 * 12]
    assert TimeIndex(name.offset, data).to_bytes() == data


@each("path", all_files(".txnindex"), short)
def test_transaction_indexes_are_rebuilt(path: Path) -> None:
    data, name = path.read_bytes(), parse_segment_file(path.name)
    assert name is not None
    entries = read_txn_index(data)
    assert b"".join(map(pack_aborted, entries)) == data[: len(entries) * 34]
    check_txn_index(data, name.offset, path.name)


@each("path", all_files(".snapshot"), short)
def test_snapshots_are_rebuilt(path: Path) -> None:
    data = path.read_bytes()
    if path.parent.name in ("damage-snapshot-crc", "damage-snapshot-version"):
        try:
            read_snapshot(data)
        except CorruptIndexError:
            return
    assert write_snapshot(read_snapshot(data)) == data


def test_small_files_of_partitions_are_rebuilt() -> None:
    for path in all_files("leader-epoch-checkpoint"):
        text = path.read_text()
        assert checkpoint.format_epochs(checkpoint.parse_epochs(text)) == text, path
    for path in all_files("partition.metadata"):
        text = path.read_text()
        topic_id = checkpoint.parse_partition_metadata(text)
        assert checkpoint.format_partition_metadata(topic_id) == text, path


def test_small_files_of_log_directories_are_rebuilt() -> None:
    seen = 0
    for path in LOG_DIRS.rglob("*"):
        if not path.is_file():
            continue
        text, seen = path.read_text(), seen + 1
        if path.name == "meta.properties":
            meta = checkpoint.parse_meta_properties(text)
            assert checkpoint.format_meta_properties(meta) == text, path
        else:
            offsets = checkpoint.parse_offsets(text)
            # Kafka leaves a checkpoint it never had to write as an empty file.
            assert checkpoint.format_offsets(offsets) == (text or "0\n0\n"), path
    assert seen > 100


def test_names_of_the_partition_directories() -> None:
    for line in (SEGMENTS / "topics.tsv").read_text().splitlines():
        topic = line.split("\t")[1]
        found = parse_dir(f"{topic}-0")
        assert found is not None and (found.topic, found.partition) == (topic, 0)


@each("path", [p for p in LOGS if "consumer-offsets" in str(p)], short)
def test_consumer_offsets_are_rebuilt(path: Path) -> None:
    data = path.read_bytes()
    for pos, _ in batches(data):
        for record in iter_records(data, pos, read_header(data, pos)):
            assert record.key is not None
            found = read_offsets_record(record.key, record.value)
            assert encode(found.key, found.type) == record.key
            if found.value is not None:
                assert encode(found.value, found.value_version) == record.value
            if isinstance(found.value, GroupMetadataValue):
                for member in found.value.members:
                    version, subscription = read_subscription(member.subscription)
                    assert encode(subscription, version) == member.subscription
                    version, assignment = read_assignment(member.assignment)
                    assert encode(assignment, version) == member.assignment


@each("path", [p for p in LOGS if "transaction-state" in str(p)], short)
def test_transaction_states_are_rebuilt(path: Path) -> None:
    data = path.read_bytes()
    for pos, _ in batches(data):
        for record in iter_records(data, pos, read_header(data, pos)):
            assert record.key is not None
            assert encode(read_transaction_key(record.key), 0) == record.key
            if record.value is not None:
                assert encode(read_transaction_value(record.value), 0) == record.value


def test_transaction_markers_are_rebuilt() -> None:
    seen = 0
    for path in files("v2-transactions", ".log"):
        data = path.read_bytes()
        for pos, end in batches(data):
            header = read_header(data, pos)
            if not header.is_control:
                continue
            (record,) = iter_records(data, pos, header)
            made = build_marker(
                read_marker(record),
                base_offset=header.base_offset,
                timestamp=record.timestamp,
                producer_id=header.producer_id,
                producer_epoch=header.producer_epoch,
                leader_epoch=header.partition_leader_epoch,
            )
            assert bytes(made) == data[pos:end]
            seen += 1
    assert seen > 5
