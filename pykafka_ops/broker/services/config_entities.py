"""Which users, clients and addresses have settings, and which address a host has.

Counterpart of the reading half of ``AdminZkClient``, and of ``DynamicConfig.Ip``.
"""

from __future__ import annotations

import socket

from pykafka_ops.broker.metadata.store import MetadataStore, NoNodeError
from pykafka_ops.broker.metadata.znodes.config import CLIENTS, IPS, USERS, EntityConfig


async def paths(store: MetadataStore, *kinds: str) -> list[str]:
    """The entities below these paths (``users``, ``users/alice/clients``). Raises StoreError."""
    found = []
    for kind in kinds:
        try:
            names = await store.children(EntityConfig.path(kind))
        except NoNodeError:
            continue
        found += [f"{kind}/{name}" for name in names]
    return found


async def quota_paths(store: MetadataStore) -> list[str]:
    """All that may have quotas."""
    users = await paths(store, USERS)
    clients = [f"{user}/{CLIENTS}" for user in users]
    return [*users, *await paths(store, *clients, CLIENTS, IPS)]


def address_of(host: str, flags: int = 0) -> str | None:
    """The address of a host as connections from it have it, None if there is none. May block."""
    try:
        found = socket.getaddrinfo(host, None, flags=flags)
    except (OSError, ValueError):
        return None
    return str(found[0][4][0])
