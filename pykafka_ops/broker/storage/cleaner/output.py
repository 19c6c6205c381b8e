"""Writes a ``.cleaned`` segment with its indexes, durable when it is finished."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from pykafka_ops.broker.hot.raw import MAX_RELATIVE
from pykafka_ops.broker.storage.cleaner.throttle import Throttler
from pykafka_ops.broker.storage.files import Buffer, Files
from pykafka_ops.disk import names
from pykafka_ops.disk.index import OffsetIndex, TimeIndex
from pykafka_ops.disk.txn_index import AbortedTxn, pack_aborted


class CleanedOutput:
    """The segment of ``base_offset``; leftovers of an earlier attempt are removed.

    ``interval`` is ``index.interval.bytes``, ``buffer`` the bytes written at a time.
    """

    def __init__(
        self,
        files: Files,
        directory: str,
        base_offset: int,
        *,
        interval: int,
        buffer: int,
        throttle: Throttler | None = None,
    ) -> None:
        self._files = files
        self._directory = directory
        self._base = base_offset
        self._interval = interval
        self._buffer = buffer
        self._throttle = throttle
        self._offsets = OffsetIndex(base_offset)
        self._times = TimeIndex(base_offset)
        self._latest = (-1, base_offset)
        self._since_entry = 0
        self._waiting: list[Buffer] = []
        self._waiting_bytes = 0
        self.size = 0
        for kind in names.SEGMENT_SUFFIXES:
            files.remove(self._path(kind))
        self._log = files.open(self._path(names.LOG_SUFFIX), create=True)

    def _path(self, kind: str) -> str:
        name = names.segment_file(self._base, kind)
        return f"{self._directory}/{name}{names.CLEANED_SUFFIX}"

    def append(self, data: Buffer, last_offset: int, max_timestamp: int) -> None:
        """Add a batch; an index entry every ``interval`` bytes."""
        if max_timestamp > self._latest[0]:
            self._latest = (max_timestamp, last_offset)
        if self._since_entry > self._interval and last_offset - self._base <= MAX_RELATIVE:
            self._offsets.append(last_offset, self.size)
            self._times.append(*self._latest)
            self._since_entry = 0
        count = len(data)
        self._since_entry += count
        self.size += count
        self._waiting.append(data)
        self._waiting_bytes += count
        if self._waiting_bytes >= self._buffer:
            self._write()

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._log.append(waiting[0] if len(waiting) == 1 else b"".join(waiting))
        if self._throttle is not None:
            self._throttle.spent(self._waiting_bytes)
        self._waiting_bytes = 0

    def finish(self, aborted: Sequence[AbortedTxn], modified_ms: int) -> None:
        """Write what waits and the indexes, sync all, set the time of the files' contents."""
        if self._waiting:
            self._write()
        if self.size:
            self._times.append(*self._latest)
        self._log.sync()
        self._log.close()
        files = self._files
        files.write(self._path(names.INDEX_SUFFIX), self._offsets.to_bytes(), sync=True)
        files.write(self._path(names.TIME_INDEX_SUFFIX), self._times.to_bytes(), sync=True)
        if aborted:
            entries = b"".join(map(pack_aborted, aborted))
            files.write(self._path(names.TXN_INDEX_SUFFIX), entries, sync=True)
        files.set_modified(self._path(names.LOG_SUFFIX), modified_ms)

    def discard(self) -> None:
        """Remove what was written."""
        with suppress(OSError):
            self._log.close()
        for kind in names.SEGMENT_SUFFIXES:
            with suppress(OSError):
                self._files.remove(self._path(kind))
