"""Offsets of old consumers, in the metadata store (``/consumers/GROUP/offsets/TOPIC/N``).

OffsetCommit and OffsetFetch of version 0 use them (``KafkaZkClient.setOrCreateConsumerOffset``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pykafka_ops.broker.metadata.store import MetadataStore, NodeExistsError, NoNodeError
from pykafka_ops.broker.state.groups.commits import Checked, Commit, each_once
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

if TYPE_CHECKING:  # a broker without groups loads none of it
    from pykafka_ops.broker.state.groups.records import OffsetAndMetadata
    from pykafka_ops.wire.messages.offset_fetch import OffsetFetchRequestTopic

Found = list[tuple[str, list[tuple[int, "OffsetAndMetadata", int]]]]
"""By topic: partition, its offset, error code."""


@dataclass(slots=True, eq=False)
class ConsumerOffsets:
    """One per broker; ``longest()`` is ``offset.metadata.max.bytes``.

    Raises StoreError, KafkaError INVALID_GROUP_ID for a group that cannot be part of a path.
    """

    store: MetadataStore
    image: MetadataImage
    longest: Callable[[], int]

    async def fetch(self, group: str, asked: Iterable[OffsetFetchRequestTopic]) -> Found:
        """The offsets of partitions; UNKNOWN_TOPIC_OR_PARTITION where there is none."""
        return [
            (topic, [await self._place(group, topic, index) for index in indexes])
            for topic, indexes in each_once(asked).items()
        ]

    async def _place(
        self, group: str, topic: str, index: int
    ) -> tuple[int, OffsetAndMetadata, int]:
        from pykafka_ops.broker.state.groups.records import OffsetAndMetadata  # few ask

        known = topic in self.image.topics
        offset = await self._read(_path(group, topic, index)) if known else None
        if offset is None:
            return index, OffsetAndMetadata(-1), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return index, OffsetAndMetadata(offset), ErrorCode.NONE

    async def _read(self, path: str) -> int | None:
        node = await self.store.get(path)
        if node is None or node.data is None or not node.data.isdigit():
            return None
        return int(node.data)

    async def commit(self, group: str, commits: Sequence[Commit]) -> list[ErrorCode]:
        """Store offsets of partitions that exist; a code for each."""
        checked = Checked(self.image, commits, self.longest())
        for (topic, index), value in checked.fit:
            await self._write(_path(group, topic, index), str(value.offset).encode())
        return checked.codes()

    async def _write(self, path: str, data: bytes) -> None:
        try:
            await self.store.set(path, data)
        except NoNodeError:
            try:
                await self.store.create(path, data, make_parents=True)
            except NodeExistsError:
                await self.store.set(path, data)


def _path(group: str, topic: str, index: int) -> str:
    if "/" in group or "\0" in group or group in ("", ".", ".."):
        raise KafkaError(ErrorCode.INVALID_GROUP_ID)
    return f"/consumers/{group}/offsets/{topic}/{index}"
