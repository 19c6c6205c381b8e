"""Names of files and directories under a log directory (Kafka: ``LogFileUtils``, ``LocalLog``).

Directories: ``topic-partition``, with ``.<32 hex>-delete``, ``-stray`` or ``-future`` behind it
while it waits to be removed, was not expected here, or is being moved from another directory.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LOG_SUFFIX = ".log"
INDEX_SUFFIX = ".index"
TIME_INDEX_SUFFIX = ".timeindex"
TXN_INDEX_SUFFIX = ".txnindex"
SNAPSHOT_SUFFIX = ".snapshot"
DELETED_SUFFIX = ".deleted"
CLEANED_SUFFIX = ".cleaned"
SWAP_SUFFIX = ".swap"
CHECKPOINT_SUFFIX = ".checkpoint"
SEGMENT_SUFFIXES = (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX)

LEADER_EPOCH_CHECKPOINT = "leader-epoch-checkpoint"
PARTITION_METADATA = "partition.metadata"
META_PROPERTIES = "meta.properties"
METADATA_PARTITION = "__cluster_metadata-0"
RECOVERY_POINT_CHECKPOINT = "recovery-point-offset-checkpoint"
REPLICATION_OFFSET_CHECKPOINT = "replication-offset-checkpoint"
LOG_START_OFFSET_CHECKPOINT = "log-start-offset-checkpoint"
CLEANER_OFFSET_CHECKPOINT = "cleaner-offset-checkpoint"
CLEAN_SHUTDOWN = ".kafka_cleanshutdown"
LOCK = ".lock"

MAX_NAME = 255
_SEGMENT = re.compile(r"(\d{1,20})(\.[a-z]+)(\.deleted|\.cleaned|\.swap)?")
_MARKED = re.compile(r"(\S+)-(\S+)\.(\S+)-(delete|future|stray)")


class DirName(NamedTuple):
    """A partition directory: ``state`` is "", "delete", "future" or "stray"; ``uuid`` 32 hex."""

    topic: str
    partition: int
    state: str = ""
    uuid: str = ""


class SegmentName(NamedTuple):
    """A file of a segment: ``state`` is "", ".deleted", ".cleaned" or ".swap"."""

    offset: int
    suffix: str
    state: str = ""


def segment_file(offset: int, suffix: str = LOG_SUFFIX) -> str:
    """File name of ``offset``, e.g. ``00000000000000000107.index``."""
    return f"{offset:020d}{suffix}"


def parse_segment_file(name: str) -> SegmentName | None:
    """What a file in a partition directory is; None when it belongs to no segment."""
    found = _SEGMENT.fullmatch(name)
    if found is None:
        return None
    return SegmentName(int(found[1]), found[2], found[3] or "")


def partition_dir(topic: str, partition: int) -> str:
    """Directory name of a live replica."""
    return f"{topic}-{partition}"


def marked_dir(topic: str, partition: int, state: str, uuid: str) -> str:
    """Directory name in ``state`` "delete", "future" or "stray".

    As in Kafka a long topic name is cut so that the name keeps within 255 bytes; a future replica
    must keep its whole name and is not cut.
    """
    suffix = f"-{partition}.{uuid}-{state}"
    if state != "future":
        topic = topic[: MAX_NAME - len(suffix)]
    return topic + suffix


def parse_dir(name: str) -> DirName | None:
    """The parts of a partition directory's name; None when it is not one (Kafka then refuses it).

    The topic of a deleted or stray directory may have been cut.
    """
    state = uuid = ""
    if name.endswith(("-delete", "-future", "-stray")):
        found = _MARKED.fullmatch(name)
        if found is None:
            return None
        name, uuid, state = f"{found[1]}-{found[2]}", found[3], found[4]
    topic, dash, number = name.rpartition("-")
    if not dash or not topic or not (number.isascii() and number.isdigit()):
        return None
    partition = int(number)
    return DirName(topic, partition, state, uuid) if partition < 2**31 else None
