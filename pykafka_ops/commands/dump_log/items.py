"""dump-log as plain values: one dictionary for every batch, record, index entry, producer, ...

This is what ``-o json`` writes, one object a line; its keys are a contract.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from pykafka_ops.commands.dump_log.java import first_number
from pykafka_ops.commands.dump_log.log_file import LogFile, load
from pykafka_ops.commands.dump_log.paths import kind_of
from pykafka_ops.commands.dump_log.printing.legacy import message_header, message_records
from pykafka_ops.commands.dump_log.printing.records import batch_header, control_text, plain_records
from pykafka_ops.commands.payload.texts import text_of
from pykafka_ops.disk import checkpoint
from pykafka_ops.disk.batch import BatchHeader, check_crc
from pykafka_ops.disk.compression import CODEC_NAMES
from pykafka_ops.disk.index import OffsetIndex, TimeIndex, used_bytes
from pykafka_ops.disk.legacy import check_message_crc
from pykafka_ops.disk.snapshot import read_snapshot
from pykafka_ops.disk.txn_index import read_txn_index
from pykafka_ops.disk.walk import read_headers, walk
from pykafka_ops.errors import CorruptBatchError

Item = dict[str, object]
Content = Callable[[bytes | None, bytes | None], Item]

TIME_TYPES = {-1: None, 0: "CreateTime", 1: "LogAppendTime"}


def items(path: str, *, deep: bool, content: Content | None, max_bytes: int) -> Iterator[Item]:
    """Everything in a file. ``content`` makes the items of a key and value, None leaves them out.

    Raises PkoError where the file cannot be read further.
    """
    kind = kind_of(path)
    if kind == "log":
        yield from _log(path, deep=deep or content is not None, content=content, limit=max_bytes)
    elif kind in _READERS:
        yield from _READERS[kind](path)
    else:
        yield {"kind": "unknown_file"}


def _log(path: str, *, deep: bool, content: Content | None, limit: int) -> Iterator[Item]:
    log = LogFile(path)
    end, valid = log.slice_end(0, limit), 0
    for position, size, magic in log.batches(0, end):
        if magic < 2:
            yield from _message(log, position, deep=deep, content=content)
        else:
            header = batch_header(log, position, magic)
            yield _batch(log, position, header)
            if deep:
                yield from _records(plain_records(log, position, header), header, content)
        valid = position + size
    if end > valid and end == log.size:
        yield {"kind": "invalid_bytes", "position": valid, "size": end - valid}


def _batch(log: LogFile, position: int, header: BatchHeader) -> Item:
    size = header.batch_length + 12
    return {
        "kind": "batch",
        "position": position,
        "size": size,
        "magic": header.magic,
        "base_offset": header.base_offset,
        "last_offset": header.last_offset,
        "count": header.record_count,
        "compression": CODEC_NAMES[header.codec],
        "timestamp_type": TIME_TYPES[int(header.is_log_append_time)],
        "max_timestamp": header.max_timestamp,
        "producer_id": header.producer_id,
        "producer_epoch": header.producer_epoch,
        "base_sequence": header.base_sequence,
        "last_sequence": header.last_sequence,
        "leader_epoch": header.partition_leader_epoch,
        "transactional": header.is_transactional,
        "control": header.is_control,
        "delete_horizon_ms": header.delete_horizon_ms,
        "crc": header.crc,
        "valid": check_crc(log.data[position : position + size], 0, header),
    }


def _records(data: bytes, header: BatchHeader, content: Content | None) -> Iterator[Item]:
    time_type = TIME_TYPES[int(header.is_log_append_time)]
    for span in walk(data, header):
        offset, time, sequence, key_at, key_size, value_at, value_size, rest = span
        item: Item = {
            "kind": "record",
            "offset": offset,
            "timestamp": time,
            "timestamp_type": time_type,
            "sequence": sequence,
            "key_size": key_size,
            "value_size": value_size,
        }
        key = data[key_at : key_at + key_size] if key_size >= 0 else None
        value = data[value_at : value_at + value_size] if value_size >= 0 else None
        if header.is_control:
            item["control"] = control_text(key, value, newest=False).strip()
        elif content is not None:
            item |= content(key, value)
            item["headers"] = [
                {"key": _text(k), **part_of("value", v)} for k, v in read_headers(data, rest)
            ]
        else:
            item["header_keys"] = [_text(k) for k, _ in read_headers(data, rest)]
        yield item


def _text(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def part_of(name: str, data: bytes | None) -> Item:
    """A key or value as text where it is text, and its encoding."""
    text, encoding = text_of(data)
    return {name: text, f"{name}_encoding": encoding}


def as_text(key: bytes | None, value: bytes | None) -> Item:
    """Key and value as text where they are text."""
    return part_of("key", key) | part_of("value", value)


def _message(log: LogFile, position: int, *, deep: bool, content: Content | None) -> Iterator[Item]:
    header = message_header(log, position)
    time_type = TIME_TYPES[header.timestamp_type]
    yield {
        "kind": "batch",
        "position": position,
        "size": header.size,
        "magic": header.magic,
        "last_offset": header.offset,
        "compression": CODEC_NAMES[header.codec],
        "timestamp_type": time_type,
        "max_timestamp": header.timestamp,
        "crc": header.crc,
        "valid": check_message_crc(log.data[position : position + header.size], 0, header),
    }
    for record in message_records(log, position, header) if deep else ():
        if record.fault:
            raise CorruptBatchError(f"the value at offset {record.offset} cannot be read")
        item: Item = {
            "kind": "record",
            "offset": record.offset,
            "timestamp": record.timestamp,
            "timestamp_type": time_type,
            "key_size": record.key_size,
            "value_size": record.value_size,
            "crc": record.crc,
            "valid": record.valid,
        }
        yield item | (content(record.key, record.value) if content is not None else {})


def _index(path: str) -> Iterator[Item]:
    data = load(path)[:]
    index = OffsetIndex(first_number(os.path.basename(path)), data[: used_bytes(data, 8)])
    for n in range(len(index)):
        offset, position = index.entry(n)
        yield {"kind": "index_entry", "offset": offset, "position": position}


def _time_index(path: str) -> Iterator[Item]:
    data = load(path)[:]
    index = TimeIndex(first_number(os.path.basename(path)), data[: used_bytes(data, 12)])
    for n in range(len(index)):
        timestamp, offset = index.entry(n)
        yield {"kind": "time_index_entry", "timestamp": timestamp, "offset": offset}


def _txn_index(path: str) -> Iterator[Item]:
    for txn in read_txn_index(load(path)[:]):
        yield {"kind": "aborted_transaction", **txn._asdict()}


def _snapshot(path: str) -> Iterator[Item]:
    for entry in read_snapshot(load(path)[:]):
        yield {"kind": "producer", **entry._asdict()}


def _epochs(path: str) -> Iterator[Item]:
    for epoch, offset in checkpoint.parse_epochs(small_text(path), path):
        yield {"kind": "leader_epoch", "epoch": epoch, "start_offset": offset}


def _offsets(path: str) -> Iterator[Item]:
    for (topic, partition), offset in checkpoint.parse_offsets(small_text(path), path).items():
        yield {"kind": "offset", "topic": topic, "partition": partition, "offset": offset}


def _topic_id(path: str) -> Iterator[Item]:
    from base64 import urlsafe_b64encode

    topic_id = checkpoint.parse_partition_metadata(small_text(path), path)
    yield {"kind": "topic_id", "topic_id": urlsafe_b64encode(topic_id).decode().rstrip("=")}


def _meta(path: str) -> Iterator[Item]:
    meta = checkpoint.parse_meta_properties(small_text(path), path)
    yield {
        "kind": "meta_properties",
        "version": meta.version,
        "cluster_id": meta.cluster_id,
        "broker_id": meta.broker_id,
        "directory_id": meta.directory_id,
        **meta.extra,
    }


def small_text(path: str) -> str:
    """The text of a checkpoint file."""
    return load(path)[:].decode("utf-8", "replace")


_READERS: dict[str, Callable[[str], Iterator[Item]]] = {
    "index": _index,
    "timeindex": _time_index,
    "txnindex": _txn_index,
    "snapshot": _snapshot,
    "leader-epochs": _epochs,
    "offsets": _offsets,
    "topic-id": _topic_id,
    "meta-properties": _meta,
}
