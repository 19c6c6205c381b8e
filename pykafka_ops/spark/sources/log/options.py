"""Options of the ``kafka-log`` source, named as those of Spark's own ``kafka`` source."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.inputs.names import ALL, Names
from pykafka_ops.spark.sources.options import SourceOptions, by_partition

EARLIEST, LATEST = -2, -1
Offsets = Mapping[tuple[str, int], int]
_RECORDS_BYTES = 128 << 20
_BATCHES_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class Bound:
    """Where reading begins or ends: offsets or moments (ms) by partition, and for the others
    ``moment`` if there is one, else the log's own end (``EARLIEST`` or ``LATEST``)."""

    offsets: Offsets = field(default_factory=dict)
    moments: Offsets = field(default_factory=dict)
    moment: int | None = None
    otherwise: int = EARLIEST

    def moment_of(self, topic: str, partition: int) -> int | None:
        """The moment that bounds a partition, None if none does."""
        return self.moments.get((topic, partition), self.moment)

    def offset_of(self, topic: str, partition: int) -> int:
        """The offset, ``EARLIEST`` or ``LATEST``."""
        return self.offsets.get((topic, partition), self.otherwise)


@dataclass(frozen=True, slots=True)
class LogOptions:
    """What is to be read, and how. ``assign`` are the partitions, None for all;
    ``max_bytes`` is how much one task reads, about; ``replicas`` is ``one`` or ``all``."""

    places: tuple[str, ...]
    mode: str = "batches"
    topics: Names = ALL
    assign: Container[tuple[str | None, int | None]] | None = None
    starting: Bound = field(default_factory=Bound)
    ending: Bound = field(default_factory=lambda: Bound(otherwise=LATEST))
    strategy: str = "latest"
    min_partitions: int = 1
    max_bytes: int | None = None
    replicas: str = "all"
    strict: bool = False
    committed: bool = False
    check_crc: bool = False
    fail_on_loss: bool = True

    def wanted(self, topic: str | None, partition: int | None) -> bool:
        """Whether a partition's directory is to be read."""
        if self.assign is not None:
            return (topic, partition) in self.assign
        return self.topics.every or topic in self.topics

    @property
    def task_bytes(self) -> int:
        """Bytes for one task unless more tasks were asked for."""
        return self.max_bytes or (_RECORDS_BYTES if self.mode == "records" else _BATCHES_BYTES)


def log_options(values: Mapping[str, str]) -> LogOptions:
    """Read the options; UsageError names the one that is wrong."""
    options = SourceOptions(values)
    places = options.places()
    if not places:
        raise UsageError("option path is missing: name a log directory of a broker (log.dirs)")
    mode = options.one_of("mode", ("batches", "records"))
    records = mode == "records"
    which = [name for name in ("assign", "subscribe", "subscribePattern") if options.has(name)]
    if len(which) > 1:
        raise UsageError(f"options {' and '.join(which)}: only one of them can hold")
    return LogOptions(
        places=tuple(places),
        mode=mode,
        topics=options.names("subscribe", "subscribePattern"),
        assign=options.assigned() if options.has("assign") else None,
        starting=_bound(options, "starting", EARLIEST),
        ending=_bound(options, "ending", LATEST),
        strategy=options.one_of("startingOffsetsByTimestampStrategy", ("latest", "error")),
        min_partitions=options.integer("minPartitions", 1, lowest=1) or 1,
        max_bytes=options.integer("maxBytesPerPartition", None, lowest=1),
        replicas=options.one_of("replicas", ("one", "all") if records else ("all", "one")),
        strict=options.flag("strict", default=False),
        committed=options.read_committed(),
        check_crc=options.flag("checkCrc", default=records),
        fail_on_loss=options.flag("failOnDataLoss", default=True),
    )


def _bound(options: SourceOptions, side: str, default: int) -> Bound:
    """As in Spark a timestamp wins over offsets by timestamp, and they over offsets."""
    if options.has(f"{side}Timestamp"):
        return Bound(moment=options.integer(f"{side}Timestamp"), otherwise=default)
    name = f"{side}OffsetsByTimestamp"
    if options.has(name):
        return Bound(moments=by_partition(options.json(name), name), otherwise=default)
    name = f"{side}Offsets"
    text = options.text(name)
    if not text or text.lower() in ("earliest", "latest"):
        words = {"earliest": EARLIEST, "latest": LATEST, "": default}
        return Bound(otherwise=words[text.lower()])
    if not re.match(r"\s*\{", text):
        raise UsageError(f"option {name}={text}: not earliest, latest or JSON")
    return Bound(offsets=by_partition(options.json(name), name), otherwise=default)
