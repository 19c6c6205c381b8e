"""Offsets of consumers of old, in the metadata store (``/consumers/GROUP/offsets/TOPIC/N``).

OffsetCommit and OffsetFetch of version 0 use them (``KafkaZkClient.setOrCreateConsumerOffset``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.broker.metadata.store import NodeExistsError, NoNodeError
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

if TYPE_CHECKING:
    from pykafka_ops.broker.metadata.store import MetadataStore

Place = tuple[str, str, int]
"""Group, topic, partition."""


def _path(place: Place) -> str:
    """Raises KafkaError INVALID_GROUP_ID for a group that cannot be part of a path."""
    group, topic, index = place
    if "/" in group or "\0" in group or group in ("", ".", ".."):
        raise KafkaError(ErrorCode.INVALID_GROUP_ID)
    return f"/consumers/{group}/offsets/{topic}/{index}"


async def read(store: MetadataStore, place: Place) -> int | None:
    """The offset, None if there is none. Raises StoreError, KafkaError INVALID_GROUP_ID."""
    node = await store.get(_path(place))
    if node is None or node.data is None or not node.data.isdigit():
        return None
    return int(node.data)


async def write(store: MetadataStore, place: Place, offset: int) -> None:
    """Set the offset. Raises StoreError, KafkaError INVALID_GROUP_ID."""
    path, data = _path(place), str(offset).encode()
    try:
        await store.set(path, data)
    except NoNodeError:
        try:
            await store.create(path, data, make_parents=True)
        except NodeExistsError:
            await store.set(path, data)
