"""What the coordinator of consumer groups knows of topics: ids, partitions, and a hash of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from struct import Struct

from pykafka_ops.broker.state.groups.consumer.xxh3 import signed, xxh3_64
from pykafka_ops.broker.state.image import MetadataDelta, MetadataImage, TopicImage
from pykafka_ops.wire.types import ZERO_UUID

_INT = Struct("<i").pack
_LONG = Struct("<q").pack
_MAGIC = b"\0"


class SeenTopics:
    """Topics with an id, as the broker's image has them. ``version`` changes when one comes, goes
    or gets more partitions, and only then."""

    def __init__(self, image: MetadataImage) -> None:
        self._image = image
        self._known = {name: _outline(topic) for name, topic in image.topics.items()}
        self._hashes: dict[str, tuple[TopicImage, int]] = {}
        self.version = image.epoch
        image.listeners.append(self._changed)

    def _changed(self, delta: MetadataDelta) -> None:
        for name in delta.partitions:
            topic = self._image.topics.get(name)
            found = None if topic is None else _outline(topic)
            if found == self._known.get(name):
                continue
            self.version = self._image.epoch
            if found is None:
                del self._known[name]
                self._hashes.pop(name, None)
            else:
                self._known[name] = found

    @property
    def names(self) -> Iterable[str]:
        """All topics."""
        return self._known.keys()

    def id_of(self, name: str) -> bytes | None:
        """A topic's id, None if there is no such topic."""
        found = self._known.get(name)
        return None if found is None or found[0] == ZERO_UUID else found[0]

    def name_of(self, topic_id: bytes) -> str | None:
        """The name of the topic with an id."""
        return self._image.topic_names_by_id.get(topic_id)

    def counts(self, names: Iterable[str]) -> Mapping[bytes, int]:
        """How many partitions those of these topics have that exist, by their ids."""
        found = {}
        for name in names:
            topic_id = self.id_of(name)
            if topic_id is not None:
                found[topic_id] = self._known[name][1]
        return found

    def hash_of(self, names: Iterable[str]) -> int:
        """A number for these topics as they are (``Utils.computeGroupHash``); 0 for none."""
        hashes = [self._hash(name) for name in sorted(names) if self.id_of(name) is not None]
        return signed(xxh3_64(b"".join(map(_LONG, hashes)))) if hashes else 0

    def _hash(self, name: str) -> int:
        """``Utils.computeTopicHash``: id, name, partitions and the racks of their replicas."""
        topic = self._image.topics[name]
        known = self._hashes.get(name)
        if known is not None and known[0] is topic:
            return known[1]
        data = bytearray(_MAGIC)
        data += topic.topic_id[7::-1] + topic.topic_id[:7:-1]
        data += _text(name) + _INT(len(topic.partitions))
        for index in sorted(topic.partitions):
            data += _INT(index)
            for rack in sorted(self._racks(topic.partitions[index].replicas)):
                text = _text(rack)
                data += text[-4:] + text
        found = signed(xxh3_64(bytes(data)))
        self._hashes[name] = topic, found
        return found

    def _racks(self, replicas: Iterable[int]) -> Iterable[str]:
        for broker in replicas:
            known = self._image.brokers.get(broker)
            if known is not None and known.rack is not None:
                yield known.rack


def _outline(topic: TopicImage) -> tuple[bytes, int]:
    return topic.topic_id, len(topic.partitions)


def _text(text: str) -> bytes:
    """As hash4j takes a text: its UTF-16 units, then how many."""
    data = text.encode("utf-16-le", "surrogatepass")
    return data + _INT(len(data) // 2)
