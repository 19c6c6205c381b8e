"""One pass over a segment: every batch checked, and held against everything that speaks of it.

The log is read in big pieces, each batch is copied once for its CRC and the walk over its records'
lengths. Index entries, snapshots and leader epochs wait in order of offset and are compared when
the pass comes by, so that memory does not grow with the log.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from struct import Struct

from pykafka_ops.commands.dump_log.checking.against import Against
from pykafka_ops.commands.dump_log.checking.report import FileDamage, FileReport
from pykafka_ops.commands.dump_log.printing.records import LIMIT
from pykafka_ops.disk.batch import CONTROL_FLAG, TRANSACTIONAL_FLAG, BatchHeader
from pykafka_ops.disk.checksum import crc32c
from pykafka_ops.disk.compression import codec_of, decompress
from pykafka_ops.disk.record import count_records, lengths_fit
from pykafka_ops.disk.resync import candidates, plausible
from pykafka_ops.disk.walk import walk
from pykafka_ops.errors import CorruptError, StorageError

_HEADER = Struct(">qiibIhiqqqhii")
_CHUNK = 1 << 19
#: What a broker may take to write the rest of a batch.
_WRITE_SECONDS = 0.05
#: A v0 record, the smallest thing there is, and the bytes up to the magic.
_MIN_LENGTH, _TO_MAGIC = 14, 17
_MAX_RELATIVE = 2**31 - 1


class SegmentScan:
    """The pass over one log. ``report`` takes what is found, ``against`` what is compared.

    ``base`` is the lowest offset it may begin with, ``ceiling`` where the next segment begins
    (``None``: there is none). ``deep`` walks every field of every record
    instead of their lengths alone. ``keep_going`` goes on behind damage with all checks; without
    it the bytes behind are only counted. ``tell`` is called with the bytes read so far.
    """

    def __init__(
        self,
        report: FileReport,
        against: Against,
        base: int,
        *,
        ceiling: int | None = None,
        deep: bool = False,
        keep_going: bool = False,
        tell: Callable[[int], None] | None = None,
    ) -> None:
        self.report, self.against, self.deep, self.keep_going = report, against, deep, keep_going
        self.tell = tell
        self.base = base
        self.last = base - 1
        self.limit = base + _MAX_RELATIVE
        if ceiling is not None:
            self.limit = min(self.limit, ceiling - 1)
        self.before = (base - 1, 0, base)
        """Of the batch seen last: the last offset before it, its position, its first offset."""
        self.checking = True
        self.resync_budget, self.gave_up = 0, False
        try:
            self.fd = os.open(report.file, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as e:
            raise StorageError(e.strerror or str(e)) from None
        self.size = report.size = os.fstat(self.fd).st_size
        self._window, self._start, self._reported = b"", 0, 0

    def run(self) -> None:
        """Scan to the end of the file; what is wrong goes to the report."""
        try:
            position = 0
            while position < self.size:
                position = self._readable(position)
                if position < self.size:
                    position = self._odd(position)
            if self.report.damage is not None:
                self.report.damage.partial = self.gave_up
            self.against.finish(self.last + 1, damaged=self.report.damage is not None)
            if self.tell is not None:
                self.tell(self.size - self._reported)
        except OSError as e:
            raise StorageError(e.strerror or str(e)) from None
        finally:
            os.close(self.fd)

    def read(self, position: int, size: int) -> bytes:
        """Bytes of the file, through the window; fewer at the end."""
        at = position - self._start
        if at < 0 or at + size > len(self._window):
            if self.tell is not None and position > self._reported:
                self.tell(position - self._reported)
                self._reported = position
            self._window = os.pread(self.fd, max(size, _CHUNK), position)
            self._start, at = position, 0
            while len(self._window) < min(size, self.size - position):
                more = os.pread(self.fd, size - len(self._window), position + len(self._window))
                if not more:
                    raise StorageError("it was cut while it was read")
                self._window += more
        return self._window[at : at + size]

    def _readable(self, position: int) -> int:
        """``_stretch``, and behind damage whether that found something."""
        known = self.report.entries
        end = self._stretch(position)
        damage = self.report.damage
        if damage is not None and damage.resumes < 0 and self.report.entries > known:
            damage.resumes = position
        return end

    # -- the usual batch -----------------------------------------------------------------------

    def _stretch(self, position: int) -> int:
        """Take in sound batches of format 2; the position of the first that is anything else."""
        unpack, window, start, size = _HEADER.unpack_from, self._window, self._start, self.size
        against, report = self.against, self.report
        have, limit = len(window), self.limit
        while position + 61 <= size:
            at = position - start
            if at + 61 > have:
                self.read(position, 61)
                window, start, at = self._window, self._start, 0
                have = len(window)
            fields = unpack(window, at)
            base, length, _, magic, crc, _, delta = fields[:7]
            if magic != 2 or length < 49 or position + 12 + length > size:
                return position
            if at + 12 + length > have:
                self.read(position, 12 + length)
                window, start, at = self._window, self._start, 0
                have = len(window)
            body = window[at + 21 : at + 12 + length]
            last = base + delta
            if crc32c(body) != crc or base <= self.last or delta < 0 or last > limit:
                return position
            if self.checking:
                self._check(position, fields, body)
            if position >= against.next_position or last >= against.next_time_offset:
                against.batch(position, (base, last), fields[8])
            elif fields[8] > against.latest:
                against.latest = fields[8]
            self.before = (self.last, position, base)
            self.last = last
            report.entries += 1
            position += 12 + length
        return position

    def _check(self, position: int, fields: tuple[int, ...], body: bytes) -> None:
        """What must hold in a batch whose CRC is right; ``body`` are its bytes from there on."""
        base, _, epoch, _, _, attributes, delta, _, _, producer_id, _, _, count = fields
        quick = not (attributes & 7 or count > delta + 1 or self.deep)
        if not quick or not lengths_fit(body, 40, count):
            self._records(position, fields, body)
        if base >= self.against.edge or epoch != self.against.epoch:
            self._cross(position, base, epoch)
        if producer_id >= 0 or attributes & CONTROL_FLAG or base != self.last + 1:
            self._producer(position, fields, body)

    def _records(self, position: int, fields: tuple[int, ...], body: bytes) -> None:
        """Records of a batch that need more than a look at their lengths."""
        header = BatchHeader(*fields)
        try:
            codec = codec_of(header.attributes)
            plain = body[40:] if not codec else decompress(codec, memoryview(body)[40:], LIMIT)
            dense = header.record_count <= header.last_offset_delta + 1
            if not self.deep and dense and lengths_fit(plain, 0, header.record_count):
                return
            previous = header.base_offset - 1
            for span in walk(plain, header):
                if not previous < span[0] <= header.last_offset:
                    self.problem(
                        position,
                        f"record offset {span[0]} after {previous} in a batch up to "
                        f"{header.last_offset}",
                    )
                    return
                previous = span[0]
            if header.record_count <= 0:
                count_records(
                    bytes(61) + plain,
                    0,
                    header._replace(attributes=0, batch_length=49 + len(plain)),
                )
        except CorruptError as e:
            self.problem(position, str(e))

    def _producer(self, position: int, fields: tuple[int, ...], body: bytes) -> None:
        """Sequences and transactions; the rules hear of a gap of offsets."""
        rules = self.against.producers
        base, attributes, producer_id = fields[0], fields[5], fields[9]
        if base != self.last + 1:
            rules.gaps += 1
        if producer_id < 0 and not attributes & CONTROL_FLAG:
            return
        header = BatchHeader(*fields)
        if attributes & CONTROL_FLAG:
            reason = self.against.marker(header, body)
        else:
            reason = rules.batch(
                (base, header.last_offset),
                producer_id,
                header.producer_epoch,
                (header.base_sequence, header.last_sequence),
                header.max_timestamp,
                transactional=attributes & TRANSACTIONAL_FLAG != 0,
            )
        if reason:
            self.problem(position, reason)

    def _cross(self, position: int, base: int, epoch: int) -> None:
        """Another leader epoch, or an offset that a snapshot or the epochs' file speaks of."""
        place = (self.base, position, self.last + 1, self.report.entries)
        text, (base, position, offset, entries) = self.against.cross(place, base, epoch)
        if text:
            if base != self.base:
                position, offset, entries = place[1:]
            self.damaged(position, text, at=(offset, entries))

    def problem(self, position: int, text: str) -> None:
        """A batch is whole but not as it should be."""
        self.report.problem(f"at position {position}: {text}")

    # -- anything else -------------------------------------------------------------------------

    def _odd(self, position: int) -> int:
        """What stands at ``position`` is no sound batch of format 2: where to go on."""
        left = self.size - position
        if left <= _TO_MAGIC:
            return self._tail(position)
        head = self.read(position, min(left, 61))
        length = int.from_bytes(head[8:12], "big", signed=True)
        magic = head[16]
        if length < _MIN_LENGTH:
            if not self._zeros(position):
                self.damaged(
                    position,
                    f"Found record size {length} smaller than minimum record overhead "
                    f"({_MIN_LENGTH}) in file {self.report.file}.",
                )
                return self._resync(position + 1)
            text = f"Found record size 0: only zeros from here on, {left} bytes"
            self.damaged(position, text, torn=True)
            return self.size
        if length + 12 > left:
            return self._tail(position)
        if magic < 2:
            return self._old(position, length + 12)
        return self._batch(position, length + 12, head)

    def _tail(self, position: int) -> int:
        """No whole batch fits: a torn tail, unless batches begin again behind it."""
        left = self.size - position
        at = self._resync(position + 1)
        if at >= self.size:
            time.sleep(_WRITE_SECONDS)
            if os.fstat(self.fd).st_size > self.size:  # a broker is writing this batch right now
                self.size = position
                return position
        text = f"{left} bytes after the last whole batch"
        if at < self.size:
            text = "the length of the batch reaches beyond the end of the file"
        self.damaged(position, text, torn=at >= self.size)
        return at

    def _batch(self, position: int, size: int, head: bytes) -> int:
        """A batch that ``_stretch`` refused although it is there as a whole."""
        reason = ""
        fields: tuple[int, ...] = ()
        if head[16] > 2:
            reason = f"unknown magic {head[16]}"
        elif size < 61:
            reason = f"a batch of {size} bytes is smaller than its header"
        else:
            fields = _HEADER.unpack(head)
            if crc32c(self.read(position, size)[21:]) != fields[4]:
                reason = f"wrong CRC (stored {fields[4]})"
        if reason:
            self.damaged(position, reason)
            return self._after(position, size)
        base, last = fields[0], fields[0] + fields[6]
        if last - self.base > _MAX_RELATIVE or fields[6] < 0:
            self.damaged(position, f"offsets {base} to {last} in a segment from {self.base}")
        elif self.before[0] < base <= self.last and self.before[2] > self.before[0] + 1:
            # It follows the batch before the last, so it is the last whose offset is wrong.
            text = f"offset {self.before[2]}, but {base} follows"
            self.last = self.before[0]
            self.report.entries -= 1
            self.damaged(self.before[1], text)
            return position
        elif base > self.last:
            self.damaged(
                position,
                f"offsets {base} to {last}, but the next segment begins at {self.limit + 1}",
            )
        else:
            self.damaged(position, f"offset {base} after {self.last}")
        return position + size

    def _after(self, position: int, size: int) -> int:
        """Behind a damaged batch, if its length can be trusted, else where batches begin again."""
        following = position + size
        left = self.size - following
        if left <= 0:
            return following
        if left >= 61 and plausible(self.read(following, 61), 0, left, self._offsets()):
            return following
        return self._resync(position + 1)

    def _offsets(self) -> tuple[int, int]:
        return self.last + 1, self.limit

    def _zeros(self, position: int) -> bool:
        """Whether nothing but zeros follows."""
        step = 64
        while position < self.size:
            data = self.read(position, min(step, self.size - position))
            if data.count(0) != len(data):
                return False
            position += len(data)
            step = _CHUNK
        return True

    def _resync(self, position: int) -> int:
        """Where the next whole batch with a right CRC begins; the file's end without one.

        Made-up headers may cost no more than a few readings of the file.
        """
        self.resync_budget = self.resync_budget or 4 * self.size + (64 << 20)
        step = 1 << 12
        while self.size - position >= 61:
            data = self.read(position, min(step, self.size - position))
            step = min(2 * step, _CHUNK)
            for at in candidates(data, 0, self.size - position, self._offsets()):
                length = int.from_bytes(data[at + 8 : at + 12], "big") + 12
                self.resync_budget -= length
                if self.resync_budget < 0:
                    self.gave_up = True
                    return self.size
                body = os.pread(self.fd, length - 17, position + at + 17)
                if crc32c(body[4:]) == int.from_bytes(body[:4], "big"):
                    return position + at
            position += max(1, len(data) - 60)
        return self.size

    def _old(self, position: int, size: int) -> int:
        """A message of format 0 or 1."""
        from pykafka_ops.commands.dump_log.printing.legacy import check_message

        data = self.read(position, size)
        span, latest, reason, whole = check_message(data, self.report.file, deep=self.checking)
        if not whole:
            self.damaged(position, reason)
            return self._after_old(position, size)
        if reason:
            self.problem(position, reason)
        if span[0] <= self.last or span[1] > self.limit:
            # No CRC covers a message's offset: it is wrong here, or in the one before.
            self.damaged(position, f"offset {span[0]} after {self.last}")
            return position + size
        self.against.batch(position, span, latest)
        if self.checking and span[0] != self.last + 1:
            self.against.producers.gaps += 1
        self.before = (self.last, position, span[0])
        self.last = max(self.last, span[1])
        self.report.entries += 1
        return position + size

    def _after_old(self, position: int, size: int) -> int:
        """Behind a damaged message: formats 0 and 1 have nothing to recognise them by."""
        return self._after(position, size) if self.size - position > size else self.size

    def damaged(
        self, position: int, text: str, *, torn: bool = False, at: tuple[int, int] | None = None
    ) -> None:
        """From ``position`` on a broker would cut the log. The first place counts.

        ``at``: the offset that is lost first and the batches before, by default those of now.
        """
        report = self.report
        if report.damage is None:
            offset, batches = at or (self.last + 1, report.entries)
            report.damage = FileDamage(position, offset, batches, torn=torn)
            if self.checking:
                self.against.partition.pass_snapshots(offset)
            report.problem(f"at position {position}: {text}")
            self.checking = self.checking and self.keep_going
        elif self.keep_going:
            report.problem(f"at position {position}: {text}")
