"""Calls on one znode, for stores whose every write is a transaction."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterable

from pykafka_ops.broker.metadata.store import (
    ANY_VERSION,
    Create,
    Delete,
    NodeExistsError,
    Op,
    OpResult,
    SetData,
    Stat,
    ZNode,
)
from pykafka_ops.broker.metadata.tree import split


class SingleOps(ABC):
    """Part of a :class:`~pykafka_ops.broker.metadata.store.MetadataStore`: what ``get`` and
    ``multi`` make possible."""

    @abstractmethod
    async def get(self, path: str) -> ZNode | None:
        """Data and Stat, None if there is no such znode."""

    @abstractmethod
    async def multi(self, ops: Iterable[Op]) -> list[OpResult]:
        """All operations or none. Raises what the first bad one would, with ``index`` set."""

    async def exists(self, path: str) -> Stat | None:
        """The Stat, None if there is no such znode."""
        node = await self.get(path)
        return None if node is None else node.stat

    async def set(self, path: str, data: bytes | None, version: int = ANY_VERSION) -> Stat:
        """Replace the data. Raises NoNodeError, BadVersionError."""
        (stat,) = await self.multi([SetData(path, data, version)])
        assert isinstance(stat, Stat)
        return stat

    async def create(
        self,
        path: str,
        data: bytes | None = None,
        *,
        ephemeral: bool = False,
        sequence: bool = False,
        make_parents: bool = False,
    ) -> str:
        """Create a znode; its path. Raises NodeExistsError, NoNodeError (no parent)."""
        if make_parents:
            await self._make_parents(path)
        (created,) = await self.multi([Create(path, data, ephemeral, sequence)])
        assert isinstance(created, str)
        return created

    async def _make_parents(self, path: str) -> None:
        parent = split(path)[0]
        if parent and await self.exists(parent) is None:
            await self._make_parents(parent)
            with contextlib.suppress(NodeExistsError):
                await self.create(parent)

    async def delete(self, path: str, version: int = ANY_VERSION) -> None:
        """Delete a znode. Raises NoNodeError, BadVersionError, NotEmptyError."""
        await self.multi([Delete(path, version)])
