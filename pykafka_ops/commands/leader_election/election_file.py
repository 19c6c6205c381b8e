"""``--path-to-json-file``: the partitions, read and refused as LeaderElectionCommand does."""

from __future__ import annotations

import json
from collections import Counter

from pykafka_ops.client.leaders import Partition
from pykafka_ops.commands.framework.files import in_file
from pykafka_ops.errors import UsageError

_MAPPING = "com.fasterxml.jackson.databind.JsonMappingException: "


class ElectionFileError(UsageError):
    """The file does not hold partitions, in the words of Kafka's tool."""


def read_file(path: str) -> list[Partition]:
    """The partitions, each once, in the order of the file; ElectionFileError."""
    with in_file(path):
        try:
            with open(path, encoding="utf-8", errors="replace") as f:
                text = f.read()
        except OSError:
            raise ElectionFileError(f"java.io.IOException: Unable to read file {path}") from None
        return parse(text)


def parse(text: str) -> list[Partition]:
    """The partitions of the JSON text; ElectionFileError."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise ElectionFileError("Replica election data is empty") from None
    if not isinstance(data, dict):
        raise _wrong("JSON object", data)
    if "partitions" not in data:
        raise ElectionFileError('Replica election data is missing "partitions" field')
    if not isinstance(data["partitions"], list):
        raise _wrong("JSON array", data["partitions"])
    found = [_partition(item) for item in data["partitions"]]
    twice = [p for p, count in Counter(found).items() if count > 1]
    if twice:
        names = ", ".join(f"{topic}-{index}" for topic, index in twice)
        raise ElectionFileError(f"Replica election data contains duplicate partitions: [{names}]")
    return found


def _partition(item: object) -> Partition:
    if not isinstance(item, dict):
        raise _wrong("JSON object", item)
    for field in ("topic", "partition"):
        if field not in item:
            raise ElectionFileError(f"{_MAPPING}No such field exists: `{field}`")
    topic, index = item["topic"], item["partition"]
    if not isinstance(topic, str):
        raise _wrong("`String` value", topic)
    if not isinstance(index, int) or isinstance(index, bool) or not -(1 << 31) <= index < 1 << 31:
        raise _wrong("`Integer` value", index)
    return topic, index


def _wrong(wanted: str, value: object) -> ElectionFileError:
    shown = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return ElectionFileError(f"{_MAPPING}Expected {wanted}, received {shown}")
