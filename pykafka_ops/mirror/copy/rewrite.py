"""Batches of a source's log made into batches that its mirror may produce. Pure.

As they are, wherever the target takes them: the header is patched later (``pieces.stamp``), the
records are not opened. Opened and put together anew: LogAppendTime (brokers refuse it from
producers), gaps that compaction left (the count must equal the span), batches that begin before
the position, formats v0 and v1, batches over the target's limit (split) and rows of tiny ones
(joined: a request carries one batch per partition). Control batches, batches of aborted
transactions and empty ones give nothing but a position.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pykafka_ops.disk.aborted import AbortedBatches
from pykafka_ops.disk.batch import (
    CONTROL_FLAG,
    CRC_START,
    LOG_APPEND_TIME_FLAG,
    NO_LEADER_EPOCH,
    BatchHeader,
    next_batch_size,
    read_header,
)
from pykafka_ops.disk.checksum import crc32c
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.legacy import MessageHeader, check_message_crc, read_message_header
from pykafka_ops.errors import CorruptBatchError
from pykafka_ops.mirror.copy.pieces import (
    CODEC_MASK,
    JOIN_TO,
    NOTHING,
    RecordTooLargeError,
    SourceRun,
    TargetBatch,
    TargetLimits,
)
from pykafka_ops.mirror.copy.reencode import (
    Loose,
    fasten,
    loosen,
    loosen_message,
    plain_size,
    runs_of,
)

MAGIC_AT: Final = 16
SMALL_BATCH: Final = 4_096
"""Batches below it are joined: to open them costs less than a request for each."""
_MARKER_LIMIT: Final = 1 << 16
_LAST_OFFSET: Final = (1 << 63) - 1


class Rewriter:
    """The pieces of one stretch of a partition's log, in order.

    ``position``: the first source offset that counts; what lies before it is left out.
    ``skip_too_large``: leave out, and count, what cannot be carried.
    """

    def __init__(
        self, position: int, limits: TargetLimits, *, skip_too_large: bool = False
    ) -> None:
        self.position, self.limits, self.skip = position, limits, skip_too_large
        self.epoch = NO_LEADER_EPOCH
        self._alone: tuple[memoryview, BatchHeader] | None = None
        self._joined: list[Loose] = []
        self._joined_codec = Codec.NONE
        self._joined_plain = self._covered = 0

    def pieces(
        self, data: memoryview, aborted: Sequence[tuple[int, int]] | None = ()
    ) -> Iterator[TargetBatch]:
        """What becomes of the whole batches in ``data``; batches that go as they are stay in it.

        ``aborted`` as in :class:`AbortedBatches`. What comes before trouble is yielded before it is
        raised: CorruptBatchError for bytes that are no batch or do not match their CRC,
        RecordTooLargeError.
        """
        if data.readonly:
            data = memoryview(bytearray(data))
        drop = AbortedBatches(aborted, _MARKER_LIMIT)
        at = 0
        try:
            while (size := next_batch_size(data, at)) is not None:
                part = data[at : at + size]
                at += size
                if part[MAGIC_AT] < 2:
                    yield from self._old(part)
                else:
                    yield from self._batch(part, drop)
        except CorruptBatchError:
            yield from self._flush()
            raise
        yield from self._flush()

    def _batch(self, part: memoryview, drop: AbortedBatches) -> Iterator[TargetBatch]:
        header = read_header(part)
        size = len(part)
        if crc32c(part[CRC_START:]) != header.crc:
            raise CorruptBatchError(
                f"the batch at source offset {header.base_offset} does not match its CRC"
            )
        left_out = drop.drops(part, header)
        following = header.next_offset
        if header.base_offset < 0 or header.last_offset_delta < 0 or following > _LAST_OFFSET:
            raise CorruptBatchError(f"the batch at {header.base_offset} has an impossible span")
        if following <= self.position:
            return
        if left_out or not header.record_count:
            self.epoch = header.partition_leader_epoch
            self._cover(following, size)
        elif not self._as_it_is(header, size):
            yield from self._opened(loosen(part, header), header, size)
        elif size >= SMALL_BATCH:
            yield from self._flush()
            yield self._unopened(part, header, 0)
            self.position, self.epoch = following, header.partition_leader_epoch
        elif self._alone or self._joined:
            yield from self._opened(loosen(part, header), header, size)
        else:
            yield from self._flush()
            self._alone = part, header
            self.epoch = header.partition_leader_epoch
            self._cover(following, size)

    def _unopened(self, part: memoryview, header: BatchHeader, covered: int) -> TargetBatch:
        return TargetBatch(
            part,
            (SourceRun(header.base_offset, 0, header.record_count),),
            max(header.next_offset, self.position),
            leader_epoch=header.partition_leader_epoch,
            last_ms=header.max_timestamp,
            source_bytes=max(covered, len(part)),
        )

    def _as_it_is(self, header: BatchHeader, size: int) -> bool:
        attributes, limits = header.attributes, self.limits
        codec = attributes & CODEC_MASK
        if codec > Codec.ZSTD:
            raise CorruptBatchError(f"Unknown compression type id: {codec}")
        return (
            header.record_count == header.last_offset_delta + 1
            and header.base_offset >= self.position
            and not attributes & CONTROL_FLAG
            and (not attributes & LOG_APPEND_TIME_FLAG or limits.appended)
            and size <= limits.max_bytes
            and (codec != Codec.ZSTD or limits.zstd)
        )

    def _old(self, part: memoryview) -> Iterator[TargetBatch]:
        header = read_message_header(part)
        if not check_message_crc(part, 0, header):
            raise CorruptBatchError(
                f"the message at source offset {header.offset} does not match its CRC"
            )
        if header.offset < self.position:
            return
        records = loosen_message(part, header)
        yield from self._opened(records, header, len(part))

    def _opened(
        self, records: Iterator[Loose], header: BatchHeader | MessageHeader, size: int
    ) -> Iterator[TargetBatch]:
        """Records to be put together anew: kept back while more may join them."""
        if self._alone:
            alone, self._alone = self._alone, None
            self._join([*loosen(*alone)], self._codec(alone[1]))
        kept = [record for record in records if record.offset >= self.position]
        codec = self._codec(header)
        if self._joined and (
            codec is not self._joined_codec or self._joined_plain + plain_size(kept) > self._room
        ):
            yield from self._flush()
        self._join(kept, codec)
        large = size >= SMALL_BATCH
        if isinstance(header, BatchHeader):
            self.epoch = header.partition_leader_epoch
            self._cover(header.next_offset, size)
        else:  # each message is one, however long
            self.epoch, large = NO_LEADER_EPOCH, False
            self._cover(header.offset + 1, size)
        if large or self._joined_plain >= self._room:
            yield from self._flush()

    def _codec(self, header: BatchHeader | MessageHeader) -> Codec:
        codec = header.codec
        return Codec.LZ4 if codec is Codec.ZSTD and not self.limits.zstd else codec

    def _join(self, records: list[Loose], codec: Codec) -> None:
        self._joined += records
        self._joined_codec = codec
        self._joined_plain += plain_size(records)

    def _cover(self, following: int, size: int) -> None:
        """What is kept back, if anything, reaches up to here."""
        self.position = max(self.position, following)
        self._covered += size

    @property
    def _room(self) -> int:
        return min(JOIN_TO, self.limits.max_bytes)

    def _flush(self) -> Iterator[TargetBatch]:
        """What was kept back, as one batch, or as several where it is too large."""
        alone, records, covered = self._alone, self._joined, self._covered
        self._alone, self._joined, self._joined_plain, self._covered = None, [], 0, 0
        if alone:
            yield self._unopened(*alone, covered)
        elif records:
            yield from self._fitted(records, self.position, covered)
        elif covered:
            yield self._gap(self.position, covered)

    def _fitted(self, records: list[Loose], following: int, size: int) -> Iterator[TargetBatch]:
        data = fasten(records, self._joined_codec)
        limit = self.limits.max_bytes
        if len(data) > limit and len(records) > 1:
            half = len(records) // 2
            first, second = records[:half], records[half:]
            yield from self._fitted(first, second[0].offset, size // 2)
            yield from self._fitted(second, following, size - size // 2)
            return
        if len(data) > limit:
            if not self.skip:
                raise RecordTooLargeError(records[0].offset, len(data), limit)
            yield self._gap(following, size, skipped=1)
            return
        yield TargetBatch(
            memoryview(data),
            runs_of(records),
            following,
            leader_epoch=self.epoch,
            last_ms=max(record.timestamp for record in records),
            source_bytes=size,
        )

    def _gap(self, following: int, size: int, *, skipped: int = 0) -> TargetBatch:
        return TargetBatch(
            NOTHING, (), following, leader_epoch=self.epoch, skipped=skipped, source_bytes=size
        )
