"""``meta.properties`` of a node's directories: which are formatted, and as what.

Sources: ``MetaPropertiesEnsemble``, ``MetaProperties``.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from pykafka_ops.commands.framework.meta_properties import read_meta_properties
from pykafka_ops.commands.storage.errors import RUNTIME, StorageToolError
from pykafka_ops.disk.checkpoint import MetaProperties
from pykafka_ops.disk.names import META_PROPERTIES
from pykafka_ops.errors import CorruptIndexError


class Directories(NamedTuple):
    """Those that hold ``meta.properties``, those without, those that cannot be read."""

    formatted: dict[str, MetaProperties]
    empty: list[str]
    failed: list[str]


def load(directories: list[str]) -> Directories:
    """What is in them now; a directory that is not there is empty."""
    found = Directories({}, [], [])
    for directory in sorted(directories):
        try:
            found.formatted[directory] = read_meta_properties(directory)
        except FileNotFoundError:
            found.empty.append(directory)
        except (OSError, CorruptIndexError):
            found.failed.append(directory)
    return found


def verify(found: Directories, cluster_id: str, node_id: int) -> None:
    """StorageToolError where a directory belongs to another cluster or node, or two share an id."""
    seen: dict[str, str] = {}
    for directory, meta in found.formatted.items():
        path = os.path.join(directory, META_PROPERTIES)
        if meta.cluster_id is None and meta.version:
            raise StorageToolError(f"cluster.id was not specified in the v1 file: {path}", RUNTIME)
        if meta.cluster_id is not None and meta.cluster_id != cluster_id:
            raise StorageToolError(
                f"Invalid cluster.id in: {path}. Expected {cluster_id}, but read "
                f"{meta.cluster_id}", RUNTIME,
            )  # fmt: skip
        if meta.broker_id is None and meta.version:
            raise StorageToolError(f"node.id was not specified in {path}", RUNTIME)
        if meta.broker_id is not None and meta.broker_id != node_id:
            raise StorageToolError(
                f"Stored node id {meta.broker_id} doesn't match previous node id {node_id} in "
                f"{path}. If you moved your data, make sure your configured node id matches. If "
                "you intend to create a new node, you should remove all data in your data "
                "directories.", RUNTIME,
            )  # fmt: skip
        if meta.directory_id is not None:
            if meta.directory_id in seen:
                raise StorageToolError(
                    f"Duplicate directory ID Optional[{meta.directory_id}] found. It was the ID of "
                    f"{seen[meta.directory_id]}, but also of {directory}", RUNTIME,
                )  # fmt: skip
            seen[meta.directory_id] = directory
