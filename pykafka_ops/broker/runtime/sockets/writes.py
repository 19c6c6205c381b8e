"""Writes answers of several parts so that slow readers are noticed on every Python.

``writelines`` of asyncio's own loop forgets in CPython 3.12.0 to 3.12.8, 3.13.0 and 3.13.1 to pause
the protocol when the client does not read (CVE-2024-12254, gh-127655): the broker would hold every
answer that the client asked for. uvloop pauses.
"""

from __future__ import annotations

import asyncio
import sys

WRITE_HIGH = 1 << 20
"""Bytes that may wait for a client that reads slowly; above, nothing more is served to it."""
FORGETS = (3, 12) <= sys.version_info < (3, 12, 9) or (3, 13) <= sys.version_info < (3, 13, 2)


def write_lines(transport: asyncio.Transport, parts: list[bytes | bytearray | memoryview]) -> None:
    """Write ``parts``; the protocol is paused above ``WRITE_HIGH`` bytes that wait."""
    transport.writelines(parts)
    if FORGETS:
        transport.set_write_buffer_limits(high=WRITE_HIGH)  # compares what waits with the limit
