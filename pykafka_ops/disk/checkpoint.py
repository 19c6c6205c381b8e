"""The small text files of a log directory and of a partition.

Counterparts: ``CheckpointFile``, ``OffsetCheckpointFile``, ``LeaderEpochCheckpointFile``,
``PartitionMetadataFile``, ``MetaProperties``. Everything here takes and gives the file's text;
what is malformed raises CorruptIndexError in Kafka's words, ``name`` is the file they mention.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pykafka_ops.errors import CorruptIndexError

_INT32 = range(-(2**31), 2**31)
_INT64 = range(-(2**63), 2**63)


class EpochStart(NamedTuple):
    """A leader epoch and the first offset written in it."""

    epoch: int
    start_offset: int


def _rows(text: str, name: str, width: int) -> list[list[str]]:
    """The lines between the two header lines and the end, each split into ``width`` words."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    if not lines:
        return []
    version = _number(lines[0], lines[0], name, _INT32)
    if version != 0:
        raise CorruptIndexError(
            f"Unrecognized version of the checkpoint file ({name}): {version}. Expected version: 0"
        )
    if len(lines) < 2:
        return []
    expected = _number(lines[1], lines[1], name, _INT32)
    rows = []
    for line in lines[2:]:
        words = line.split()
        if len(words) != width:
            raise CorruptIndexError(f"Malformed line in checkpoint file ({name}): '{line}'")
        rows.append(words)
    if len(rows) != expected:
        raise CorruptIndexError(
            f"Expected {expected} entries in checkpoint file ({name}), but found only {len(rows)}"
        )
    return rows


def _number(word: str, line: str, name: str, span: range) -> int:
    digits = word[1:] if word[:1] in ("-", "+") else word
    if digits.isascii() and digits.isdigit() and len(digits) <= 20 and int(word) in span:
        return int(word)
    raise CorruptIndexError(f"Malformed line in checkpoint file ({name}): '{line}'")


def parse_offsets(text: str, name: str = "checkpoint") -> dict[tuple[str, int], int]:
    """Offsets by (topic, partition) of any ``*-offset-checkpoint``; none in an empty file."""
    found = {}
    for topic, partition, offset in _rows(text, name, 3):
        line = f"{topic} {partition} {offset}"
        key = (topic, _number(partition, line, name, _INT32))
        found[key] = _number(offset, line, name, _INT64)
    return found


def format_offsets(offsets: Mapping[tuple[str, int], int]) -> str:
    """The text of an offset checkpoint file, in the mapping's order."""
    lines = ["0", str(len(offsets))]
    lines += [f"{topic} {partition} {offset}" for (topic, partition), offset in offsets.items()]
    return "\n".join(lines) + "\n"


def parse_epochs(text: str, name: str = "leader-epoch-checkpoint") -> list[EpochStart]:
    """The entries of a ``leader-epoch-checkpoint`` in file order."""
    found = []
    for epoch, offset in _rows(text, name, 2):
        line = f"{epoch} {offset}"
        found.append(
            EpochStart(_number(epoch, line, name, _INT32), _number(offset, line, name, _INT64))
        )
    return found


def format_epochs(entries: Iterable[tuple[int, int]]) -> str:
    """The text of a ``leader-epoch-checkpoint``."""
    lines = [f"{epoch} {offset}" for epoch, offset in entries]
    return "\n".join(["0", str(len(lines)), *lines]) + "\n"


def parse_partition_metadata(text: str, name: str = "partition.metadata") -> bytes:
    """The topic id (16 bytes) in a ``partition.metadata`` file."""
    lines = text.split("\n")
    head = re.fullmatch(r"version:\s*(\d{1,9})", lines[0].strip())
    if head is None or len(lines) < 2:
        raise CorruptIndexError(f"Malformed line in checkpoint file ({name}): '{lines[0]}'")
    if int(head[1]) != 0:
        raise CorruptIndexError(
            f"Unrecognized version of partition metadata file ({name}): {head[1]}"
        )
    found = re.fullmatch(r"topic_id:\s*([A-Za-z0-9_-]{22})", lines[1].strip())
    if found is None:
        raise CorruptIndexError(f"Malformed line in checkpoint file ({name}): '{lines[1]}'")
    topic_id = urlsafe_b64decode(found[1] + "==")
    if topic_id == bytes(16):
        raise CorruptIndexError(f"Invalid topic ID in partition metadata file ({name})")
    return topic_id


def format_partition_metadata(topic_id: bytes) -> str:
    """The text of ``partition.metadata`` for a 16-byte topic id (no line end, as Kafka)."""
    return f"version: 0\ntopic_id: {urlsafe_b64encode(topic_id).decode().rstrip('=')}"


@dataclass(slots=True)
class MetaProperties:
    """``meta.properties`` of one log directory; unknown keys and comments are kept as they are."""

    version: int = 0
    cluster_id: str | None = None
    broker_id: int | None = None
    directory_id: str | None = None
    extra: dict[str, str] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)
    order: list[str] = field(default_factory=list)


def parse_meta_properties(text: str, name: str = "meta.properties") -> MetaProperties:
    """Read ``meta.properties`` (version 0, ZooKeeper mode, or 1); CorruptIndexError if unusable."""
    values: dict[str, str] = {}
    found = MetaProperties()
    for line in text.split("\n"):
        stripped = line.strip()
        if stripped.startswith(("#", "!")):
            found.comments.append(stripped)
        elif stripped:
            key, _, value = stripped.partition("=")
            values[key.strip()] = value.strip()
    found.order = list(values)
    found.version = _property(values.pop("version", None), "version", name)
    if found.version not in (0, 1):
        raise CorruptIndexError(f"Unrecognized version of {name}: {found.version}")
    broker_id = values.pop("broker.id", None)
    broker_id = values.pop("node.id", broker_id)
    if broker_id is not None:
        found.broker_id = _property(broker_id, "broker.id", name)
    found.cluster_id = values.pop("cluster.id", None)
    found.directory_id = values.pop("directory.id", None)
    found.extra = values
    return found


def _property(value: str | None, key: str, name: str) -> int:
    if value is None or not re.fullmatch(r"-?\d{1,10}", value) or int(value) not in _INT32:
        raise CorruptIndexError(f"Unable to read {key} from {name}: {value}")
    return int(value)


def format_meta_properties(meta: MetaProperties) -> str:
    """The text of ``meta.properties``: comments first, then keys in ``meta.order`` or Kafka's."""
    values = {
        "node.id" if meta.version else "broker.id": meta.broker_id,
        "version": meta.version,
        "cluster.id": meta.cluster_id,
        "directory.id": meta.directory_id,
        **meta.extra,
    }
    lines = {key: f"{key}={value}" for key, value in values.items() if value is not None}
    ordered = [key for key in meta.order if key in lines]
    ordered += [key for key in lines if key not in ordered]
    return "\n".join([*meta.comments, *(lines[key] for key in ordered)]) + "\n"
