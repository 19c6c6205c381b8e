"""Dynamic settings in the tree of znodes: read an entity's, replace them and notify the brokers.

Counterpart of the config half of ``kafka.zk.AdminZkClient``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from pykafka_ops.broker.metadata.store import (
    BadVersionError,
    Create,
    Delete,
    MetadataStore,
    NodeExistsError,
    NoNodeError,
    NotEmptyError,
    Op,
    SetData,
    StoreError,
    ZNode,
)
from pykafka_ops.broker.metadata.znodes.config import (
    CLIENTS,
    IPS,
    USERS,
    ConfigChanges,
    EntityConfig,
)
from pykafka_ops.broker.metadata.znodes.json_data import ZnodeError
from pykafka_ops.errors import KafkaError, StorageError
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("kafka.server.ConfigAdminManager")

ATTEMPTS = 20
MOST_BYTES = 600_000
"""Of one entity. ZooKeeper hangs up on requests of 1 MiB (``jute.maxbuffer``), which a name can be
a part of: a broker that sent one would lose its connection over and over."""

_TIDIED = tuple(f"{kind}/" for kind in (USERS, CLIENTS, IPS))


@contextmanager
def _unknown_to_clients() -> Iterator[None]:
    """As in Kafka, clients hear UNKNOWN_SERVER_ERROR and no more; the log says the rest. What is
    wrong with this broker's disk they hear, too."""
    try:
        yield
    except StorageError as error:
        raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, str(error)) from error
    except (StoreError, ZnodeError) as error:
        log.warning("settings cannot be read or written: %s", error)
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR) from error


async def read(store: MetadataStore, *entities: str) -> list[dict[str, str]]:
    """The settings of each entity (``topics/t``, ``brokers/0``), empty where it has none.

    Raises KafkaError UNKNOWN_SERVER_ERROR if the tree cannot be reached or understood,
    KAFKA_STORAGE_ERROR if its disk fails or is full.
    """
    with _unknown_to_clients():
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
    else was faster. Users, clients and addresses without settings lose their znode. What ``edit``
    raises goes through, KafkaError INVALID_REQUEST for more than a store takes, otherwise the
    errors of :func:`read`.
    """
    with _unknown_to_clients():
        await _change(store, entity, edit, validate_only)


async def _change(
    store: MetadataStore,
    entity: str,
    edit: Callable[[dict[str, str]], Mapping[str, str]],
    validate_only: bool,
) -> None:
    path = EntityConfig.path(entity)
    for _ in range(ATTEMPTS):
        node = await store.get(path)
        present = EntityConfig.decode(entity, None if node is None else node.data)
        values = edit(present)
        data = EntityConfig.encode(values)
        if len(data) > MOST_BYTES:
            text = f"The settings of {entity} take {len(data)} bytes, more than {MOST_BYTES}."
            raise KafkaError(ErrorCode.INVALID_REQUEST, text)
        if validate_only:
            return
        note = Create(ConfigChanges.prefix, ConfigChanges.encode(entity), sequence=True)
        try:
            tidy = not values and entity.startswith(_TIDIED)
            await store.multi([*await _writes(store, entity, node, None if tidy else data), note])
            return
        except (BadVersionError, NodeExistsError, NoNodeError, NotEmptyError):
            continue
    raise StoreError(path, f"{path} changes too often")


async def _writes(
    store: MetadataStore, entity: str, node: ZNode | None, data: bytes | None
) -> list[Op]:
    """What gives an entity, whose znode is ``node`` now, this ``data``; None: it goes if it can."""
    path = EntityConfig.path(entity)
    if data is None and (node is None or not node.stat.num_children):
        return [] if node is None else await _removals(store, entity, node)
    data = EntityConfig.encode({}) if data is None else data
    if node is not None:
        return [SetData(path, data, node.stat.version)]
    parents = _parents(entity)
    missing = [p for p in parents if await store.exists(p) is None]
    return [*map(Create, missing), Create(path, data)]


def _parents(entity: str) -> list[str]:
    """What a user's client is below of: the user and its ``clients``."""
    names = entity.split("/")
    return [EntityConfig.path("/".join(names[:count])) for count in range(2, len(names))]


async def _removals(store: MetadataStore, entity: str, node: ZNode) -> list[Op]:
    """Delete a znode, and of a user's client also its parents if nothing else is in them."""
    removals: list[Op] = [Delete(EntityConfig.path(entity), node.stat.version)]
    for path in reversed(_parents(entity)):
        parent = await store.get(path)
        if parent is None or parent.stat.num_children != 1 or _has_settings(path, parent):
            break
        removals.append(Delete(path, parent.stat.version))
    return removals


def _has_settings(path: str, node: ZNode) -> bool:
    return bool(EntityConfig.decode(path.removeprefix(EntityConfig.path("")), node.data))
