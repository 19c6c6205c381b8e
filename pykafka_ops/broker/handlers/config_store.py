"""Dynamic settings in the tree of znodes: read an entity's, replace them and tell the brokers.

Counterpart of the config half of ``kafka.zk.AdminZkClient``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pykafka_ops.broker.metadata.store import (
    BadVersionError,
    Create,
    NodeExistsError,
    NoNodeError,
    SetData,
    StoreError,
)
from pykafka_ops.broker.metadata.znodes_config import ConfigChanges, EntityConfig

if TYPE_CHECKING:
    from pykafka_ops.broker.metadata.store import MetadataStore, Op

ATTEMPTS = 20


async def read(store: MetadataStore, *entities: str) -> list[dict[str, str]]:
    """The settings of each entity (``topics/t``, ``brokers/0``), empty where it has none."""
    nodes = await store.get_many([EntityConfig.path(entity) for entity in entities])
    return [
        EntityConfig.decode(entity, None if node is None else node.data)
        for entity, node in zip(entities, nodes, strict=True)
    ]


async def change(
    store: MetadataStore,
    entity: str,
    edit: Callable[[dict[str, str]], Mapping[str, str]],
    *,
    validate_only: bool = False,
) -> None:
    """Replace an entity's settings by what ``edit`` makes of the present ones.

    Settings and notification are written in one step; ``edit`` is called again when somebody
    else was faster. What it raises goes through, StoreError when the tree cannot be written.
    """
    path = EntityConfig.path(entity)
    for _ in range(ATTEMPTS):
        node = await store.get(path)
        present = EntityConfig.decode(entity, None if node is None else node.data)
        data = EntityConfig.encode(edit(present))
        if validate_only:
            return
        write: Op = Create(path, data) if node is None else SetData(path, data, node.stat.version)
        told = Create(ConfigChanges.prefix, ConfigChanges.encode(entity), sequence=True)
        try:
            await store.multi([write, told])
            return
        except (BadVersionError, NodeExistsError, NoNodeError):
            continue
    raise StoreError(path, f"{path} changes too often")
