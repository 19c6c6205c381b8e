"""The end of a file: bytes are added to it, and it is seen whether somebody else has cut it.

Nothing is declined: all is written, however many calls that takes, or the write fails.
"""

from __future__ import annotations

import pykafka_ops.broker.hot.raw as at


class FileHead:
    """A file of the operating system, opened with O_APPEND. ``fd`` is -1 while it is closed,
    ``used`` is set with every use."""

    __slots__ = ("fd", "used")

    fd: int
    used: bool

    def open(self) -> int:
        """Its descriptor, which is ``fd`` from now on. Raises OSError."""
        raise NotImplementedError

    def append(self, data: bytes | bytearray | memoryview) -> int:
        """Write all of ``data``; the file's end then. Raises OSError; a part may be written."""
        return self.add(data)

    def add(self, data: bytes | bytearray | memoryview) -> int:
        """The same, for what is compiled."""
        fd = self.fd
        if fd < 0:
            fd = self.open()
        self.used = True
        size = len(data)
        done = at.write(fd, data, 0)
        while done < size:
            done += at.write(fd, data, done)
        return at.end_of(fd)
