"""The JSON files of reassignments: which topics to move, which replicas a partition shall have.

Texts of errors are Kafka's (ReassignPartitionsCommand, ``server.util.json``), but for what a JSON
parser says of broken JSON.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pykafka_ops.commands.framework.files import in_file
from pykafka_ops.commands.reassign_partitions.text import Partition, ReassignError, named
from pykafka_ops.errors import UsageError

ANY_DIR = "any"
VERSION = 1
Replica = tuple[str, int, int]
"""Topic, partition, broker."""


class DocumentError(UsageError):
    """A file is not what it should be, in Kafka's words where it has any."""


class WantedReplicas(NamedTuple):
    """What a reassignment file asks for, as it stands there: partitions may come twice."""

    partitions: list[tuple[Partition, list[int]]]
    dirs: dict[Replica, str]

    @property
    def replicas(self) -> dict[Partition, list[int]]:
        """Replicas by partition, the last one where a partition comes twice."""
        return dict(self.partitions)


def read_file(path: str) -> str:
    """The text of a file; DocumentError where it cannot be read."""
    with in_file(path):
        try:
            with open(path, encoding="utf-8", errors="replace") as f:
                return f.read()
        except OSError as e:
            why = "" if isinstance(e, FileNotFoundError) else f": {e.strerror}"
            raise DocumentError(f"Unable to read file {path}{why}") from None


def topics_of(text: str) -> list[str]:
    """The topics of a ``--topics-to-move-json-file``; DocumentError."""
    try:
        data = "" if text.isspace() else _parsed(text)
    except DocumentError:
        raise DocumentError("The input string is not a valid JSON") from None
    found = [_string(_field(_object(item), "topic")) for item in _array(_versioned(data, "topics"))]
    twice = [topic for topic, count in Counter(found).items() if count > 1]
    if twice:
        raise DocumentError(
            f"List of topics to reassign contains duplicate entries: [{', '.join(sorted(twice))}]"
        )
    return found


def wanted_of(text: str) -> WantedReplicas:
    """What a ``--reassignment-json-file`` says; DocumentError."""
    if not text:
        raise DocumentError("The input string shouldn't be empty")
    data = _parsed(text) if text.strip() else ""
    found = WantedReplicas([], {})
    for item in _array(_versioned(data, "partitions")):
        _take(_object(item), found)
    return found


def plan_of(text: str) -> WantedReplicas:
    """As ``wanted_of``, and no partition twice, none without replicas, no replica twice."""
    found = wanted_of(text)
    if not found.partitions:
        raise DocumentError("Partition reassignment list cannot be empty")
    if any(not replicas for _, replicas in found.partitions):
        raise DocumentError("Partition replica list cannot be empty")
    twice = [p for p, count in Counter(p for p, _ in found.partitions).items() if count > 1]
    if twice:
        raise DocumentError(
            "Partition reassignment contains duplicate topic partitions: "
            + ",".join(named(p) for p in sorted(twice))
        )
    doubled = []
    for partition, replicas in found.partitions:
        ids = [id_ for id_, count in Counter(replicas).items() if count > 1]
        if ids:
            many = ",".join(map(str, ids))
            doubled.append(f"{named(partition)} contains multiple entries for {many}")
    if doubled:
        raise DocumentError(
            f"Partition replica lists may not contain duplicate entries: {'. '.join(doubled)}"
        )
    return found


def text_of(
    replicas: Mapping[Partition, Sequence[int]],
    dirs: Mapping[tuple[str, int, int], str] | None = None,
) -> str:
    """The document that asks for these replicas, in these directories (topic, partition, broker) or
    any, in one line, by topic and partition."""
    from pykafka_ops.analysis.moves.plan import reassignment

    return _compact(reassignment(replicas, dirs))


def broker_list(text: str) -> list[int]:
    """``0,1,2``; ReassignError in Java's and Kafka's words."""
    from pykafka_ops.commands.framework.types import java_integer

    words = text.split(",")
    while text and words and not words[-1]:
        words.pop()
    found = []
    for word in words:
        value = java_integer(word)
        if value is None:
            raise ReassignError(f'For input string: "{word}"')
        found.append(value)
    twice = sorted(id_ for id_, count in Counter(found).items() if count > 1)
    if twice:
        raise ReassignError(
            f"Broker list contains duplicate entries: [{', '.join(map(str, twice))}]"
        )
    return found


def _take(fields: Mapping[str, Any], found: WantedReplicas) -> None:
    """Add one item of ``partitions``."""
    topic = _string(_field(fields, "topic"))
    number = _integer(_field(fields, "partition"))
    replicas = [_integer(id_) for id_ in _list(_field(fields, "replicas"))]
    dirs = [ANY_DIR] * len(replicas)
    if "log_dirs" in fields:
        dirs = [_string(path) for path in _list(fields["log_dirs"])]
    if len(dirs) != len(replicas):
        raise DocumentError(
            f"Size of replicas list [{', '.join(map(str, replicas))}] is different from size of "
            f"log dirs list [{', '.join(dirs)}] for partition {topic}-{number}"
        )
    found.partitions.append(((topic, number), replicas))
    for id_, path in zip(replicas, dirs, strict=True):
        if path != ANY_DIR:
            found.dirs[topic, number, id_] = path


# --- values --------------------------------------------------------------------------------------


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise DocumentError("The input string is not a valid JSON: it is too deep") from None
    except ValueError as e:
        raise DocumentError(f"The input string is not a valid JSON: {e}") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _versioned(data: Any, field: str) -> Any:
    """The list of a document whose version is known; none is an empty one."""
    fields = _object(data)
    version = _integer(fields.get("version", VERSION))
    if version != VERSION:
        raise DocumentError(f"Not supported version field value {version}")
    return fields.get(field, [])


def _compact(value: object) -> str:
    """As Java prints a node; no text is an empty document."""
    if value == "":
        return ""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return text if _printable(text) else json.dumps(value, separators=(",", ":"))


def _printable(text: str) -> bool:
    """Whether it is Unicode; half a character of JSON's escapes is not."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise DocumentError(f"Expected JSON object, received {_compact(value)}")
    return value


def _array(value: Any, called: str = "JSON array") -> Sequence[Any]:
    if not isinstance(value, list):
        raise DocumentError(f"Expected {called}, received {_compact(value)}")
    return value


def _list(value: Any) -> Sequence[Any]:
    return _array(value, "`JSON array` value")


def _field(fields: Mapping[str, Any], name: str) -> Any:
    if name not in fields:
        raise DocumentError(f"No such field exists: `{name}`")
    return fields[name]


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise DocumentError(f"Expected `String` value, received {_compact(value)}")
    if not _printable(value):
        raise DocumentError(f"{json.dumps(value)} is no Unicode text")
    return value


def _integer(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not -(1 << 31) <= value < 1 << 31:
        raise DocumentError(f"Expected `Integer` value, received {_compact(value)}")
    return value
