"""The JSON file of ``--file``: what is to be deleted, as DeleteRecordsCommand reads it."""

from __future__ import annotations

from pykafka_ops.client.leaders import Partition
from pykafka_ops.commands.framework.files import in_file
from pykafka_ops.errors import UsageError


class OffsetFileError(UsageError):
    """The offset file is not what DeleteRecordsCommand reads, in its words."""


def read_file(path: str) -> dict[Partition, int]:
    """Offsets by partition from the JSON file; OffsetFileError."""
    with in_file(path):
        try:
            with open(path, encoding="utf-8", errors="replace") as f:
                text = f.read()
        except OSError:
            raise OffsetFileError(f"Unable to read file {path}") from None
        return parse_offsets(text)


def parse_offsets(text: str) -> dict[Partition, int]:
    """The offsets of the JSON text; OffsetFileError with Kafka's text."""
    import json

    try:
        data = json.loads(text)
    except ValueError:
        raise OffsetFileError("The input string is not a valid JSON") from None
    if not isinstance(data, dict):
        raise OffsetFileError(f"Expected JSON object, received {json.dumps(data)}")
    version = data.get("version", 1)
    if version != 1:
        raise OffsetFileError(f"Not supported version field value {json.dumps(version)}")
    if "partitions" not in data:
        raise OffsetFileError("Missing partitions field")
    if not isinstance(data["partitions"], list):
        raise OffsetFileError(f"Expected JSON array, received {json.dumps(data['partitions'])}")
    found: dict[Partition, int] = {}
    twice = []
    for item in data["partitions"]:
        partition, offset = _item(item)
        if partition in found:
            twice.append(partition)
        found[partition] = offset
    if twice:
        names = ",".join(f"{t}-{n}" for t, n in sorted(set(twice)))
        raise OffsetFileError(f"Offset json file contains duplicate topic partitions: {names}")
    return found


def _item(item: object) -> tuple[Partition, int]:
    if not isinstance(item, dict):
        raise OffsetFileError(f"Expected JSON object, received {item}")
    for field in ("topic", "partition", "offset"):
        if field not in item:
            raise OffsetFileError(f"No such field exists: `{field}`")
    topic, partition, offset = item["topic"], item["partition"], item["offset"]
    if not isinstance(topic, str):
        raise OffsetFileError(f"Expected `String` value, received {topic}")
    for value, kind in ((partition, "Integer"), (offset, "Long")):
        if not isinstance(value, int) or isinstance(value, bool):
            raise OffsetFileError(f"Expected `{kind}` value, received {value}")
    return (topic, partition), offset
