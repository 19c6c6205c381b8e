"""What stands in a data directory under a partition's name and need not be a partition's log.

Apache Kafka takes every such directory for a log and cuts off what it cannot read, and a file in
the way of a new log costs it the data directory. Here nothing is touched unless it is a log, and
what is in the way is set aside.
"""

from __future__ import annotations

import logging
import os
from contextlib import suppress

from pykafka_ops.broker.storage.files import Files
from pykafka_ops.broker.storage.scan import checked_batches
from pykafka_ops.disk import names
from pykafka_ops.disk.checkpoint import parse_partition_metadata
from pykafka_ops.errors import CorruptBatchError, CorruptIndexError

_log = logging.getLogger("kafka.log.LogManager")


def is_log(files: Files, directory: str) -> bool:
    """Whether a directory that no checkpoint names is a log: ``partition.metadata`` says so, or
    there are segments and every byte of them belongs to a sound batch. Raises OSError."""
    with suppress(FileNotFoundError, CorruptIndexError):
        data = files.read(f"{directory}/{names.PARTITION_METADATA}")
        parse_partition_metadata(data.decode("ascii", "replace"))
        return True
    logs = [f for f in files.list(directory) if f.name.endswith(names.LOG_SUFFIX)]
    return bool(logs) and all(_is_segment(files, directory, f.name, f.size) for f in logs)


def _is_segment(files: Files, directory: str, name: str, size: int) -> bool:
    parsed = names.parse_segment_file(name)
    if parsed is None:
        return False
    file = files.open_private(f"{directory}/{name}")
    end, following = 0, parsed.offset
    try:
        for position, header, _ in checked_batches(file, 0, size):
            if header.last_offset < following:
                return False
            end, following = position + header.size, header.next_offset
    except CorruptBatchError:
        return False
    finally:
        file.close()
    return end == size


def make_room(files: Files, path: str) -> None:
    """Give the name ``path`` of a log that is to be made to it: an empty directory may be used,
    anything else is renamed as Kafka renames stray partitions. Raises OSError."""
    parent, name = os.path.split(path)
    with suppress(NotADirectoryError, FileNotFoundError):
        if not files.list(path) and not files.directories(path):
            return
    parsed = names.parse_dir(name)
    assert parsed is not None, "no partition's directory"
    aside = names.marked_dir(parsed.topic, parsed.partition, "stray", os.urandom(16).hex())
    files.rename(path, f"{parent}/{aside}")
    _log.warning("%s is no log of this broker; renamed to %s to make room for one", path, aside)
    files.make_directory(path)
