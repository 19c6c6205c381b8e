"""Which offsets of a request may be committed (``OffsetMetadataManager``, ``KafkaApis``)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.wire.codes import ErrorCode

if TYPE_CHECKING:  # a broker without groups loads none of it
    from pykafka_ops.broker.state.groups.records import OffsetAndMetadata
    from pykafka_ops.wire.messages.offset_fetch import OffsetFetchRequestTopic

Commit = tuple[tuple[str, int], "OffsetAndMetadata"]

UTF16 = "utf-16-le"


class Checked:
    """Offsets of a request: ``fit`` may be written; the group's code counts for ``accepted``.

    Metadata that is too long spares the other partitions, but hears of it when all are refused.
    """

    __slots__ = ("_codes", "accepted", "fit")

    def __init__(self, image: MetadataImage, commits: Sequence[Commit], longest: int) -> None:
        """``longest`` is ``offset.metadata.max.bytes``."""
        self.fit: list[Commit] = []
        self.accepted: list[int] = []
        self._codes = [ErrorCode.NONE] * len(commits)
        for number, commit in enumerate(commits):
            (name, index), value = commit
            topic = image.topics.get(name)
            if topic is None or index not in topic.partitions:
                self._codes[number] = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                continue
            self.accepted.append(number)
            if java_length(value.metadata) > longest:
                self._codes[number] = ErrorCode.OFFSET_METADATA_TOO_LARGE
            else:
                self.fit.append(commit)

    @property
    def hopeless(self) -> bool:
        """Whether there were offsets, and all of partitions that do not exist."""
        return bool(self._codes) and not self.accepted

    def codes(self, code: ErrorCode = ErrorCode.NONE) -> list[ErrorCode]:
        """The code of each offset in the request; ``code`` is what the group said."""
        if code is not ErrorCode.NONE:
            for number in self.accepted:
                self._codes[number] = code
        return self._codes


def java_length(text: str) -> int:
    """``String.length()``: UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode(UTF16, "surrogatepass")) // 2


def by_topic(places: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    """Partitions by topic, in the order given."""
    found: dict[str, list[int]] = {}
    for topic, index in places:
        found.setdefault(topic, []).append(index)
    return found


def each_once(asked: Iterable[OffsetFetchRequestTopic]) -> dict[str, list[int]]:
    """The partitions that an OffsetFetch asks for by topic, each once, as Kafka answers them."""
    found: dict[str, dict[int, None]] = {}
    for topic in asked:
        if topic.partition_indexes:
            found.setdefault(topic.name, {}).update(dict.fromkeys(topic.partition_indexes))
    return {name: list(indexes) for name, indexes in found.items()}
