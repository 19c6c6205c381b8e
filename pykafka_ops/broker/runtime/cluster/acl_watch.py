"""Keeps the authorizer's rules as the tree has them: all at start, then what notifications name.

Counterpart of ``ZkAclChangeStore`` and ``AclChangedNotificationHandler``.
"""

from __future__ import annotations

import logging

from pykafka_ops.broker.metadata import registration
from pykafka_ops.broker.metadata.znodes import acl
from pykafka_ops.broker.metadata.znodes.acl import AclChanges
from pykafka_ops.broker.runtime.cluster.notifications import Notifications
from pykafka_ops.broker.services.acl_admin import AclAdmin

log = logging.getLogger("kafka.security.authorizer.AclAuthorizer")


class AclWatch:
    """Follows the rules in the tree for the authorizer of ``admin``."""

    def __init__(self, admin: AclAdmin) -> None:
        self._admin = admin
        store = admin.store
        self._notes = [
            Notifications(store, AclChanges.literal_prefix, self._literal),
            Notifications(store, AclChanges.extended_prefix, self._extended),
        ]

    async def start(self) -> None:
        """Follow, and read all rules. Raises as :meth:`AclAdmin.load`."""
        await registration.ensure_paths(self._admin.store, acl.PERSISTENT_PATHS)
        for each in self._notes:
            await each.start()
        log.info("%d access rules are in effect", await self._admin.load())

    async def close(self) -> None:
        """Stop following."""
        for each in self._notes:
            await each.close()

    async def _literal(self, data: bytes | None) -> None:
        await self._admin.renew(AclChanges.decode_literal(data))

    async def _extended(self, data: bytes | None) -> None:
        await self._admin.renew(AclChanges.decode_extended(data))
