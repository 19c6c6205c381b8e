"""Keeps a broker's delegation tokens like the tree, and has expired ones removed.

Counterpart of ``DelegationTokenManagerZk.startup`` and the controller's ``delete-expired-tokens``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pykafka_ops.broker import jobs
from pykafka_ops.broker.metadata.registration import ensure_paths
from pykafka_ops.broker.metadata.store import MetadataStore
from pykafka_ops.broker.metadata.znodes.delegation_tokens import PERSISTENT_PATHS, TokenChanges
from pykafka_ops.broker.runtime.cluster.notifications import Notifications
from pykafka_ops.broker.services.delegation_tokens import TokenAdmin


class TokenUpkeep:
    """``is_controller()``: whether this broker is the one that removes; it looks every ``check_ms``
    ms."""

    def __init__(
        self,
        store: MetadataStore,
        admin: TokenAdmin,
        *,
        is_controller: Callable[[], bool],
        check_ms: int,
    ) -> None:
        self._store = store
        self._admin = admin
        self._is_controller = is_controller
        self._seconds = check_ms / 1000
        self._notifications = Notifications(store, TokenChanges.prefix, admin.read_again)
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Read all tokens, then follow their changes. Raises StoreError."""
        await ensure_paths(self._store, PERSISTENT_PATHS)
        await self._notifications.start()
        await self._admin.load()
        self._task = jobs.start("expiry of delegation tokens", self._expire())

    async def _expire(self) -> None:
        while True:
            await asyncio.sleep(self._seconds)
            if self._is_controller():
                with jobs.logged("expiry of delegation tokens"):
                    await self._admin.remove_expired()

    async def close(self) -> None:
        """Stop."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._notifications.close()
