"""The settings about groups."""

from __future__ import annotations

from typing import NamedTuple


class GroupSettings(NamedTuple):
    """The broker's settings about groups; times in ms, sizes in bytes."""

    min_session_ms: int = 6000
    max_session_ms: int = 1_800_000
    initial_delay_ms: int = 3000
    max_size: int = 2**31 - 1
    metadata_max_bytes: int = 4096
    retention_ms: int = 7 * 24 * 3600 * 1000
    retention_check_ms: int = 600_000
