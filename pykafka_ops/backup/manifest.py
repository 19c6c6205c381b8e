"""What one run of a backup added: its manifest, JSON in the store. Pure.

Offsets are the source's, times ms, sizes bytes. A manifest is written last: files that none
names were left by a run that was cut off, and count for nothing.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final, TypeVar

from pykafka_ops.errors import StorageError

VERSION: Final = 1
PARQUET_VERSION: Final = 2
"""Of manifests whose records are in Parquet, which earlier releases cannot read."""
SEGMENTS, PARQUET = "segments", "parquet"
FORMATS: Final = (SEGMENTS, PARQUET)
FOLDER: Final = "runs"
MOST_BYTES: Final = 1 << 30
"""Of a manifest: a million partitions have some 300 MB."""
_DIGITS: Final = 8
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """One segment: offsets [base, next), the size and CRC-32C of its file, whose name has that
    ``ending``; times of records, -1 without any. ``others``: endings of the files beside it."""

    base: int
    next: int
    size: int
    crc32c: int
    min_ms: int
    max_ms: int
    others: tuple[str, ...] = ()
    ending: str = ".log"


@dataclass(frozen=True, slots=True)
class PartitionEntry:
    """Offsets [start, end) that a run covered; ``log_start``: where the source's log began.

    ``records``, ``bytes`` (of keys and values) and ``checksum`` (order-independent,
    ``analysis.books``) are of committed records; None: not counted. ``trouble``: why the run could
    not read on to ``wanted``, where the log ended when the run began.
    """

    topic: str
    partition: int
    start: int
    end: int
    wanted: int
    log_start: int
    life: int = 0
    segments: tuple[SegmentEntry, ...] = ()
    records: int | None = None
    bytes: int | None = None
    checksum: int | None = None
    trouble: str | None = None


@dataclass(frozen=True, slots=True)
class KeptTopic:
    """A topic as it was: ``id`` in hex ("": the brokers have none), settings of its own. ``life``
    counts how often a topic of that name was made anew, as far as runs saw it."""

    name: str
    id: str
    partitions: int
    replication_factor: int
    configs: dict[str, str] = field(default_factory=dict)
    life: int = 0


@dataclass(frozen=True, slots=True)
class CommitEntry:
    """A committed offset of a group."""

    topic: str
    partition: int
    offset: int
    leader_epoch: int
    metadata: str


@dataclass(frozen=True, slots=True)
class GroupEntry:
    """A group and its offsets; ``state`` as the broker calls it, "" if it did not say."""

    id: str
    state: str
    commits: tuple[CommitEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleEntry:
    """An access rule, by Kafka's names (TOPIC, LITERAL, READ, ALLOW)."""

    type: str
    name: str
    pattern: str
    principal: str
    host: str
    operation: str
    permission: str


@dataclass(frozen=True, slots=True)
class QuotaEntry:
    """Quotas of an entity, given as pairs of type and name; the name None is the default one."""

    entity: tuple[tuple[str, str | None], ...]
    values: dict[str, float]


@dataclass(frozen=True, slots=True)
class DroppedEntry:
    """Segments of one life of a partition that end at or before ``before`` (the offset behind
    their last) are not kept any more."""

    topic: str
    partition: int
    life: int
    before: int


@dataclass(frozen=True, slots=True)
class RunEntry:
    """A whole run, or a part of a long one (not ``complete``), so that nothing is read again where
    a run is cut off. ``notes``: what could not be read, in a sentence each."""

    number: int
    complete: bool
    started_ms: int
    ended_ms: int
    cluster_id: str
    topics: tuple[KeptTopic, ...] = ()
    partitions: tuple[PartitionEntry, ...] = ()
    groups: tuple[GroupEntry, ...] = ()
    rules: tuple[RuleEntry, ...] = ()
    quotas: tuple[QuotaEntry, ...] = ()
    users: tuple[str, ...] = ()
    """Names of users with SCRAM passwords; these cannot be read."""
    notes: tuple[str, ...] = ()
    dropped: tuple[DroppedEntry, ...] = ()
    format: str = SEGMENTS

    @property
    def name(self) -> str:
        """The name of its manifest in the store."""
        return manifest_name(self.number)


def manifest_name(number: int) -> str:
    """Where the manifest of a run is."""
    return f"{FOLDER}/{number:0{_DIGITS}d}.json"


def number_of(file: str) -> int | None:
    """The run whose manifest has that name within its folder; None: it is no manifest."""
    stem, dot, ending = file.partition(".")
    if (
        len(stem) < _DIGITS
        or not (stem.isascii() and stem.isdecimal())
        or (dot + ending) != ".json"
    ):
        return None
    return int(stem)


def encode(run: RunEntry) -> bytes:
    """As it is stored."""
    version = VERSION if run.format == SEGMENTS else PARQUET_VERSION
    return json.dumps({"version": version, **asdict(run)}, separators=(",", ":")).encode()


def decode(data: bytes, where: str) -> RunEntry:
    """From what is stored; StorageError that names ``where`` if it is anything else."""
    try:
        found = json.loads(data)
        version = found.pop("version")
        if version not in (VERSION, PARQUET_VERSION):
            raise StorageError(
                f"{where} is a manifest of version {version}; this pko reads versions up to "
                f"{PARQUET_VERSION}"
            )
        run = _run(found)
        if run.format not in FORMATS or (run.format == SEGMENTS) != (version == VERSION):
            raise ValueError(f"records in the format {run.format}")
        return run
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StorageError(f"{where} is no manifest of a backup: {error!r}") from None


def _run(found: dict[str, Any]) -> RunEntry:
    return _made(
        RunEntry,
        found,
        topics=tuple(_made(KeptTopic, t) for t in found["topics"]),
        partitions=tuple(_partition(p) for p in found["partitions"]),
        groups=tuple(
            _made(GroupEntry, g, commits=tuple(_made(CommitEntry, c) for c in g["commits"]))
            for g in found["groups"]
        ),
        rules=tuple(_made(RuleEntry, r) for r in found["rules"]),
        quotas=tuple(
            _made(QuotaEntry, q, entity=tuple((str(t), n) for t, n in q["entity"]))
            for q in found["quotas"]
        ),
        users=tuple(map(str, found["users"])),
        notes=tuple(map(str, found["notes"])),
        dropped=tuple(_made(DroppedEntry, d) for d in found["dropped"]),
    )


def _partition(found: dict[str, Any]) -> PartitionEntry:
    segments = tuple(
        _made(SegmentEntry, s, others=tuple(map(str, s["others"]))) for s in found["segments"]
    )
    made = _made(PartitionEntry, found, segments=segments)
    at = made.start
    for segment in made.segments:
        # A log may begin within a batch, which is kept whole.
        base_fits = segment.base >= at or segment is made.segments[0]
        if not (base_fits and max(at, segment.base) < segment.next <= made.end):
            raise ValueError(f"segments of {made.topic}-{made.partition} do not fit together")
        if segment.size < 0 or segment.base < 0 or segment.ending not in (".log", ".parquet"):
            raise ValueError(f"impossible segments of {made.topic}-{made.partition}")
        at = segment.next
    if not 0 <= made.start <= made.end or not made.topic or made.partition < 0 or made.life < 0:
        raise ValueError(f"impossible offsets of {made.topic}-{made.partition}")
    return made


def _made(kind: type[T], found: dict[str, Any], **given: object) -> T:
    """A value of a class from its fields, each of a plausible type."""
    values = {}
    for one in fields(kind):  # type: ignore[arg-type]
        if one.name in given:
            values[one.name] = given[one.name]
            continue
        value = found.get(one.name, one.default) if one.name in _LATER else found[one.name]
        if not isinstance(value, _TYPES[str(one.type)]) or (
            isinstance(value, bool) and one.type != "bool"
        ):
            raise TypeError(f"{one.name} cannot be {value!r}")
        values[one.name] = value
    return kind(**values)


_LATER: Final = ("ending", "format")
"""What the first manifests have not."""
_TYPES: Final[dict[str, Any]] = {
    "int": int,
    "bool": bool,
    "str": str,
    "int | None": (int, type(None)),
    "str | None": (str, type(None)),
    "dict[str, str]": dict,
    "dict[str, float]": dict,
}
