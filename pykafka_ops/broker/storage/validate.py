"""What a leader checks and rewrites in a producer's batch before it is given offsets.

Counterpart of ``LogValidator``, for what the header alone does not decide: keys on compacted
topics, time bounds, LogAppendTime, a topic's own compression, message sets of old producers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pykafka_ops.broker.hot.quick import QUICK_BYTES, QUICK_RECORDS, inflate_quickly
from pykafka_ops.broker.state.configs.topic import MAX_LONG, TopicConfig
from pykafka_ops.broker.state.producers import Origin
from pykafka_ops.broker.storage.inflate import DECOMPRESSED_LIMIT, inflate
from pykafka_ops.disk.batch import (
    HEADER_SIZE,
    BatchHeader,
    TimestampType,
    ensure_valid,
    next_batch_size,
    read_header,
    set_create_time,
    set_log_append_time,
    validate_client_batch,
)
from pykafka_ops.disk.build import assemble, build_batch
from pykafka_ops.disk.compression import CODEC_NAMES, Codec, compress
from pykafka_ops.disk.pieces import in_pieces
from pykafka_ops.disk.record import Record, iter_records, payload
from pykafka_ops.disk.survey import ONE_BY_ONE, Survey, examine, survey_quickly, survey_records
from pykafka_ops.errors import CorruptBatchError, KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.produce import BatchIndexAndErrorMessage

ATTRIBUTES_BYTE = 17
"""Of a message v0 or v1: its codec is in there."""
FREED_AT_ONCE = 1000
"""Records that are let go in one go."""
PACKED_BYTES = 16 * 1024
"""Plain bytes of one that is packed anew, as all of the old formats are."""


class RecordsRejectedError(KafkaError):
    """Single records are not allowed; ``record_errors`` name them as the answer does: they may be
    hundreds of thousands, which are made where the records are looked at, not on the loop."""

    def __init__(
        self, code: int, message: str, record_errors: list[BatchIndexAndErrorMessage]
    ) -> None:
        super().__init__(code, message)
        self.record_errors = record_errors


class TakesLongError(KafkaError):
    """Checking a batch would keep others waiting: :func:`prepare` it by ``rules`` in a thread, and
    append what that gives as ``Origin.CHECKED``."""

    def __init__(self, rules: ValidationRules) -> None:
        super().__init__(ErrorCode.UNKNOWN_SERVER_ERROR)
        self.rules = rules._replace(quick=False)


class Prepared(NamedTuple):
    """A batch ready for its offsets: whole, alone, writable."""

    data: memoryview
    header: BatchHeader


class ValidationRules(NamedTuple):
    """What the checks depend on; ``now`` in ms, ``name`` ("topic-0") for texts. ``quick``: they
    must not take long."""

    config: TopicConfig
    name: str
    now: int
    origin: Origin
    quick: bool = False

    def quick_up_to(self, most: int, size: int) -> None:
        """Raise TakesLongError where ``size`` above ``most`` takes long, and nothing may."""
        if self.quick and size > most:
            raise TakesLongError(self)


def prepare(records: memoryview, rules: ValidationRules) -> Prepared | None:
    """Check what a leader was sent; None if there is no whole batch in it.

    Raises KafkaError CORRUPT_MESSAGE, MESSAGE_TOO_LARGE, INVALID_RECORD, INVALID_TIMESTAMP, and
    TakesLongError: then nothing is changed.
    """
    try:
        size = next_batch_size(records)
        if size is None:
            return None
        if records[16] < 2:
            return _from_old_format(records, rules)
        _refuse_second(records[size:])
        _check_size(size, rules)
        rules.quick_up_to(QUICK_BYTES, size)
        batch = records[:size]
        if rules.origin == Origin.CLIENT:
            header = validate_client_batch(batch)
        else:
            header = read_header(batch)
            ensure_valid(batch, 0, header)
    except CorruptBatchError as error:
        raise KafkaError(
            ErrorCode.CORRUPT_MESSAGE, f"{error} in topic partition {rules.name}."
        ) from error
    prepared = _transform(Prepared(batch, header), rules)
    if prepared.header.size != size:
        _check_size(prepared.header.size, rules)
    return prepared


def _refuse_second(rest: memoryview) -> None:
    """One batch per append; a torn one behind it is dropped."""
    if len(rest) and next_batch_size(rest) is not None:
        raise KafkaError(
            ErrorCode.INVALID_RECORD, "Compressed outer record has more than one batch"
        )


def _check_size(size: int, rules: ValidationRules) -> None:
    limit = rules.config.max_message_bytes
    if size > limit:
        raise KafkaError(
            ErrorCode.MESSAGE_TOO_LARGE,
            f"The record batch size in the append to {rules.name} is {size} bytes which exceeds "
            f"the maximum configured value of {limit}.",
        )


# -- old formats -----------------------------------------------------------------------------------


def _from_old_format(records: memoryview, rules: ValidationRules) -> Prepared:
    """A message set v0 or v1 as one batch v2."""
    from pykafka_ops.disk.convert import read_message_set  # few clients are so old

    config = rules.config
    position = 0
    while (size := next_batch_size(records, position)) is not None:
        _check_size(size, rules)
        position += size
        rules.quick_up_to(PACKED_BYTES, position)
    limit = PACKED_BYTES if rules.quick else DECOMPRESSED_LIMIT
    try:
        message_set = read_message_set(records[:position], limit)
    except CorruptBatchError:
        if rules.quick and records[ATTRIBUTES_BYTE] & 7:
            raise TakesLongError(rules) from None  # it may be corrupt, or just long
        raise
    opened = message_set.records
    _check_records(opened, CREATE_TIME_HEADER, rules)
    for n, record in enumerate(opened):
        opened[n] = record._replace(offset=n)
    codec = target_codec(config, message_set.codec)
    batch = build_batch(
        opened,
        codec=codec,
        level=level_of(config, codec),
        timestamp_type=TimestampType(int(config.log_append_time)),
        log_append_time=rules.now,
    )
    while opened:  # hundreds of thousands at once would keep other threads waiting
        del opened[-FREED_AT_ONCE:]
    data = memoryview(batch)
    header = read_header(data)
    _check_size(header.size, rules)
    return Prepared(data, header)


# -- batches v2 ------------------------------------------------------------------------------------


def target_codec(config: TopicConfig, source: Codec) -> Codec:
    """The codec a batch of ``source`` gets in this topic (``compression.type``)."""
    if config.compression_type == "producer":
        return source
    if config.compression_type == "uncompressed":
        return Codec.NONE
    return Codec(CODEC_NAMES.index(config.compression_type))


def level_of(config: TopicConfig, codec: Codec) -> int | None:
    """The topic's level for ``codec``; None for the default, which also what a producer chose gets
    (``UnifiedLog.getTargetCompression``)."""
    if config.compression_type == "producer":
        return None
    if codec is Codec.GZIP:
        return None if config.compression_gzip_level == -1 else config.compression_gzip_level
    if codec is Codec.LZ4:
        return config.compression_lz4_level
    return config.compression_zstd_level if codec is Codec.ZSTD else None


def _transform(batch: Prepared, rules: ValidationRules) -> Prepared:
    """Records looked at, recompressed, stamped, as the topic asks."""
    config, header = rules.config, batch.header
    source = header.codec
    codec = target_codec(config, source)
    rules.quick_up_to(QUICK_RECORDS, header.record_count)
    if header.is_control and source is Codec.NONE:
        codec = source
    bounded = not config.log_append_time and (config.before_max_ms, config.after_max_ms) != (
        MAX_LONG,
        MAX_LONG,
    )
    seen = None
    client = rules.origin == Origin.CLIENT  # coordinators are ours and do it right
    if client or bounded or codec != source:
        seen = _look_at_records(batch, rules)
    if codec != source or (seen is not None and source and not seen.offsets_in_order):
        batch = _recompress(
            batch, codec, in_order=seen is None or seen.offsets_in_order, rules=rules
        )
    return _stamp(batch, seen, rules)


def batch_args(batch: Prepared) -> tuple[memoryview, int, BatchHeader, int]:
    """What ``disk.record`` takes to walk the records."""
    return batch.data, 0, batch.header, DECOMPRESSED_LIMIT


def _look_at_records(batch: Prepared, rules: ValidationRules) -> Survey:
    config = rules.config
    try:
        plain = _plain(batch, rules)
        seen = examine(plain, batch.header)
        if seen is None and rules.quick:
            seen = survey_quickly(plain, 0, batch.header)
            if seen is None:
                raise TakesLongError(rules)
        seen = seen or survey_records(plain, 0, batch.header)
        del plain
        suspect = config.compacts and seen.first_without_key is not None
        if not config.log_append_time:
            oldest, newest = rules.now - config.before_max_ms, rules.now + config.after_max_ms
            suspect = suspect or seen.max_timestamp > newest or -1 != seen.min_timestamp < oldest
        if suspect or batch.header.is_log_append_time:
            rules.quick_up_to(ONE_BY_ONE, batch.header.record_count)
            _check_records(iter_records(*batch_args(batch)), batch.header, rules)
    except CorruptBatchError as error:
        raise KafkaError(
            ErrorCode.INVALID_RECORD, f"{error} in topic partition {rules.name}"
        ) from error
    return seen


def _plain(batch: Prepared, rules: ValidationRules) -> bytes:
    stored = batch.data[HEADER_SIZE : batch.header.size]
    if not batch.header.attributes & 7:
        return in_pieces(stored)
    if not rules.quick:
        return inflate(stored, batch.header)
    plain = inflate_quickly(stored, batch.header)
    if plain is None:
        raise TakesLongError(rules)
    return plain if isinstance(plain, bytes) else bytes(plain)


def _stamp(batch: Prepared, seen: Survey | None, rules: ValidationRules) -> Prepared:
    """Write the timestamp the topic wants into the header."""
    data, header = batch
    if rules.config.log_append_time:
        set_log_append_time(data, 0, rules.now)
    elif header.is_log_append_time:
        set_create_time(data, 0, header.max_timestamp)
    elif seen is not None and seen.max_timestamp != header.max_timestamp:
        set_create_time(data, 0, seen.max_timestamp)
    else:
        return batch
    return Prepared(data, read_header(data))


def _recompress(
    batch: Prepared, codec: Codec, *, in_order: bool, rules: ValidationRules
) -> Prepared:
    """The same records under another codec; offsets counted anew if they are not in order."""
    header = batch.header
    level = level_of(rules.config, codec)
    if in_order:
        plain = payload(*batch_args(batch))
        rules.quick_up_to(PACKED_BYTES, len(plain))
        fields = header._replace(attributes=header.attributes & ~7 | codec)
        data = memoryview(assemble(fields, compress(codec, plain, level)))
    else:
        records = [r._replace(offset=n) for n, r in enumerate(iter_records(*batch_args(batch)))]
        built = build_batch(
            records,
            codec=codec,
            level=level,
            producer_id=header.producer_id,
            producer_epoch=header.producer_epoch,
            base_sequence=header.base_sequence,
            transactional=header.is_transactional,
            control=header.is_control,
        )
        data = memoryview(built)
    return Prepared(data, read_header(data))


# -- single records --------------------------------------------------------------------------------

CREATE_TIME_HEADER = BatchHeader(0, 49, -1, 2, 0, 0, 0, 0, 0, -1, -1, -1, 1)
"""A batch with nothing special; stands for the messages of an old set."""


def _check_records(records: Iterable[Record], header: BatchHeader, rules: ValidationRules) -> None:
    """Raise RecordsRejectedError naming every record that is not allowed."""
    errors: list[BatchIndexAndErrorMessage] = []
    keyless = f"Compacted topic cannot accept message without key in topic partition {rules.name}"
    late = False
    for n, record in enumerate(records):
        reason: str | None = keyless
        if not rules.config.compacts or record.key is not None:
            reason = _timestamp_error(record, header, rules)
            late |= reason is not None
        if reason is not None:
            errors.append(
                BatchIndexAndErrorMessage(batch_index=n, batch_index_error_message=reason)
            )
    if not errors:
        return
    if late:
        raise RecordsRejectedError(
            ErrorCode.INVALID_TIMESTAMP,
            "One or more records have been rejected due to invalid timestamp",
            errors,
        )
    shown = ", ".join(
        f"RecordError(batchIndex={e.batch_index}, message='{e.batch_index_error_message}')"
        for e in errors[:3]
    )
    raise RecordsRejectedError(
        ErrorCode.INVALID_RECORD,
        f"One or more records have been rejected due to {len(errors)} record errors in total, "
        f"and only showing the first three errors at most: [{shown}]",
        errors,
    )


def _timestamp_error(record: Record, header: BatchHeader, rules: ValidationRules) -> str | None:
    config, now = rules.config, rules.now
    if not config.log_append_time and record.timestamp != -1:
        age = now - record.timestamp
        if age > config.before_max_ms or -age > config.after_max_ms:
            return (
                f"Timestamp {record.timestamp} of message with offset {record.offset} is out of "
                f"range. The timestamp should be within [{now - config.before_max_ms}, "
                f"{now + config.after_max_ms}]"
            )
    elif header.is_log_append_time:
        return (
            f"Invalid timestamp type in message DefaultRecord(offset={record.offset}, "
            f"timestamp={record.timestamp}, key={len(record.key or b'')} bytes, "
            f"value={len(record.value or b'')} bytes). Producer should not set timestamp type to "
            "LogAppendTime."
        )
    return None
