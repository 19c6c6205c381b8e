"""Log directories listed where Spark's tasks run: a task for each location names its directories,
others look into some of them each, and the replicas of a partition come together in one."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.disk.names import CLEANER_OFFSET_CHECKPOINT
from pykafka_ops.objects import uris
from pykafka_ops.spark.arrow import map_rows
from pykafka_ops.spark.engines import cores_of, functions_of, scattered, spread
from pykafka_ops.spark.inputs.names import Names
from pykafka_ops.spark.inputs.replicas import LOGS, FoundReplica, log_rows, volume_of
from pykafka_ops.spark.schemas import Row, columns
from pykafka_ops.spark.sources import tiers
from pykafka_ops.spark.sources.files import Folders, Location, checkpoint, folders_of, key_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

OFFSETS_TOPIC: Final = "__consumer_offsets"
_TOGETHER: Final = 64
"""Directories that are looked into by one row."""
FOLDERS: Final = columns("place int, commits boolean, packed binary")
"""Directories of a location, ``place`` says which; ``commits``: those of ``__consumer_offsets``."""
_REPLICAS: Final = columns("topic string, partition int, place int, path string, packed binary")
_Marks = Mapping[tuple[str, int], int]


def folders(session: SparkSession, locations: Sequence[str], topics: Names) -> DataFrame:
    """FOLDERS of the topics meant, and of commits. Reading it raises UsageError or StorageError
    where a location is wrong."""
    places = list(locations)

    def look(row: Mapping[str, Any]) -> Iterator[Row]:
        location = places[row["id"]]
        place = Location.of(location)
        for found in folders_of(place, uris.shown(location)):
            yield from _rows(row["id"], place, found, topics)

    return map_rows(spread(session, len(places), 1), look, FOLDERS, at_once=1)


def _rows(number: int, place: Location, found: Folders, topics: Names) -> Iterator[Row]:
    directory = found.path.rpartition("/")[0] if found.found else found.path
    marks = {} if found.tiered else checkpoint(place, directory, CLEANER_OFFSET_CHECKPOINT)
    kinds = [(True, [n for n in found.names if _topic(n, found) == OFFSETS_TOPIC])]
    others = (n for n in found.names if _topic(n, found) != OFFSETS_TOPIC)
    kinds.append((False, [n for n in others if _topic(n, found) in topics]))
    if found.found is not None:
        kinds = [(found.found.topic == OFFSETS_TOPIC, [])]
    for commits, names in kinds:
        for piece in found._replace(names=tuple(names)).cut(_TOGETHER):
            packed = pickle.dumps((piece, _of(piece, marks)), pickle.HIGHEST_PROTOCOL)
            yield number, commits, zlib.compress(packed, 1)  # names of segments say little


def _topic(name: str, found: Folders) -> str:
    parsed = tiers.parse_dir(name) if found.tiered else None
    return parsed.topic if parsed else key_of(name)[0]


def _of(piece: Folders, marks: _Marks) -> _Marks:
    """Of the marks of a directory those that a piece of it needs."""
    if piece.found is not None:
        keys = [piece.found.key]
    else:
        keys = [] if piece.tiered else [key_of(name) for name in piece.names]
    return {key: marks[key] for key in keys if key in marks}


def logs(listed: DataFrame, topics: Names) -> DataFrame:
    """LOGS of the topics meant in FOLDERS, as they are when it is read."""

    def look(row: Mapping[str, Any]) -> Iterator[Row]:
        piece, marks = pickle.loads(zlib.decompress(row["packed"]))
        for replica in piece.replicas(lambda topic, _: topic in topics):
            if replica.topic is None or replica.topic not in topics:
                continue
            found = FoundReplica(replica, *volume_of(replica), marks.get(replica.key))
            packed = pickle.dumps(found, pickle.HIGHEST_PROTOCOL)
            yield *replica.key, row["place"], replica.path, packed

    f = functions_of(listed)
    found = map_rows(scattered(listed, 4 * cores_of(listed)), look, _REPLICAS, at_once=1)
    one = f.struct("place", "path", "packed")
    same = found.groupBy("topic", "partition").agg(f.collect_list(one).alias("found"))
    return map_rows(same, _joined, LOGS)


def _joined(row: Mapping[str, Any]) -> Iterator[Row]:
    ordered = sorted(row["found"], key=lambda one: (one["place"], one["path"]))
    return log_rows([pickle.loads(one["packed"]) for one in ordered])
