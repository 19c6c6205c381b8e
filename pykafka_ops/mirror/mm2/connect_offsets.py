"""How far MirrorMaker 2 has copied, as Connect keeps it. Pure.

Source: MirrorUtils.wrapPartition, OffsetStorageWriter. Key: ``["connector",{"cluster":"a",
"partition":0,"topic":"t"}]``, value ``{"offset":n}``: n was copied, the next one is n + 1.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from pykafka_ops.client.leaders import Partition
from pykafka_ops.disk.record import Record

MOST: int = 1 << 16
"""Bytes of a key or value that are read."""


def positions_of(records: Iterable[Record], source: str) -> dict[Partition, int]:
    """The next offset of each partition of the cluster ``source``; other records say nothing."""
    found: dict[Partition, int] = {}
    for record in records:
        place = _place(record.key, source)
        if place is None:
            continue
        found.pop(place, None)
        offset = _offset(record.value)
        if offset is not None:
            found[place] = offset + 1
    return found


def _place(key: bytes | None, source: str) -> Partition | None:
    match _parsed(key):
        case [str(), {"cluster": cluster, "partition": int(n), "topic": str(topic)}]:
            return (topic, n) if cluster == source and 0 <= n < 1 << 31 else None
    return None


def _offset(value: bytes | None) -> int | None:
    match _parsed(value):
        case {"offset": int(offset)} if 0 <= offset < 1 << 62:
            return offset
    return None


def _parsed(data: bytes | None) -> object:
    if data is None or len(data) > MOST:
        return None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
