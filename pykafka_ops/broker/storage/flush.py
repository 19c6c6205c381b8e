"""Making a log durable without stopping it: what to sync is collected by the log's own thread,
the waiting happens elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pykafka_ops.broker.storage.log_segments import LogSegments


class FlushJob:
    """Sync ``paths`` and the directory; then the recovery point may be ``offset``."""

    __slots__ = ("_generation", "directory", "error", "log", "offset", "owed", "paths")

    def __init__(self, log: LogSegments, offset: int, paths: list[str], generation: int) -> None:
        self.log = log
        self.offset = offset
        self.paths = paths
        self.directory = log.directory
        self.error: OSError | None = None
        self.owed = False
        self._generation = generation

    def run(self) -> None:
        """Any thread: open, sync, close. A file that is gone meanwhile needs no sync."""
        files = self.log.dir.files
        try:
            for path in self.paths:
                try:
                    file = files.open_private(path)
                except FileNotFoundError:
                    continue
                try:
                    file.sync()
                finally:
                    file.close()
            if files.exists(self.directory):
                files.sync_directory(self.directory)
        except OSError as error:
            self.error = error

    def done(self) -> None:
        """The log's thread: move the recovery point, or take the directory offline.

        After a failed sync nobody knows what is on disk: it is never tried again.
        """
        if self.error is not None:
            self.log.sync_failed(self.error)
        else:
            self.log.flushed(self.offset, self._generation, owed=self.owed)
