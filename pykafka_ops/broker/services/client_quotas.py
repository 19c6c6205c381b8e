"""Quotas of users, client ids and addresses in the tree: changed and found (KIP-546).

Counterpart of the quota half of ``ZkAdminManager``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from pykafka_ops.broker.metadata.store import MetadataStore
from pykafka_ops.broker.metadata.znodes.config import (
    CLIENTS,
    IPS,
    USERS,
    quota_entity,
    quota_path,
    sanitize,
)
from pykafka_ops.broker.services import config_entities, config_store
from pykafka_ops.broker.state.quotas import requests as quota_requests
from pykafka_ops.broker.state.quotas.entities import ABSENT, QuotaEntity
from pykafka_ops.broker.state.quotas.requests import ComponentMatch, Filter
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_client_quotas import OpData
from pykafka_ops.wire.messages.describe_client_quotas import EntityData

log = logging.getLogger("kafka.server.ConfigAdminManager")


@dataclass(slots=True, eq=False)
class ClientQuotaAdmin:
    """``run_in_thread`` runs what blocks."""

    store: MetadataStore
    run_in_thread: Callable[..., Coroutine[Any, Any, Any]]

    async def alter(
        self, parts: Sequence[EntityData], ops: Sequence[OpData], *, validate_only: bool
    ) -> KafkaError | None:
        """Change the quotas of the entity of these parts; why not, None if it was done."""
        try:
            entity = quota_requests.entity_of(parts)
            if entity.ip:
                await self._require_address(sanitize(entity.ip))
            path = quota_path(entity)

            def edit(present: dict[str, str]) -> dict[str, str]:
                values = quota_requests.change(entity, present, ops)
                if not validate_only:
                    quota_requests.check(path, values)
                return values

            await config_store.change(self.store, path, edit, validate_only=validate_only)
        except KafkaError as error:
            return error
        except Exception as error:
            log.error("altering client quotas", exc_info=error)
            return KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
        return None

    async def _require_address(self, host: str) -> None:
        """Raises KafkaError INVALID_REQUEST; ``host`` as in the tree, so IPv6 is none, as in
        Kafka."""
        if await self.run_in_thread(config_entities.address_of, host) is None:
            text = f"{host} is not a valid IP or resolvable host."
            raise KafkaError(ErrorCode.INVALID_REQUEST, text)

    async def find(self, wanted: Filter) -> list[tuple[QuotaEntity, dict[str, float]]]:
        """The entities that fit and have quotas. Raises KafkaError UNKNOWN_SERVER_ERROR."""
        paths = await self._paths(wanted)
        found = []
        for path, values in zip(paths, await config_store.read(self.store, *paths), strict=True):
            entity = quota_entity(path)
            if entity is not None and (quotas := quota_requests.quotas_of(entity, values)):
                found.append((entity, quotas))
        return found

    async def _paths(self, wanted: Filter) -> list[str]:
        """The entities that are asked for, some of which may have nothing stored."""
        loose = not wanted.strict
        if wanted.ip is not None:
            return await self._named(wanted.ip, IPS)
        found = []
        users = []
        if wanted.user is not None or loose:
            users = await self._named(wanted.user, USERS)
            if wanted.client_id is None:
                found += users
        if wanted.client_id is not None or loose:
            found += await self._named(wanted.client_id, *(f"{user}/{CLIENTS}" for user in users))
            if wanted.user is None:
                found += await self._named(wanted.client_id, CLIENTS)
        if loose and wanted.user is None and wanted.client_id is None:
            found += await self._named(None, IPS)
        return found

    async def _named(self, match: ComponentMatch | None, *kinds: str) -> list[str]:
        """Entities below these paths: the one that ``match`` names, or all there are."""
        if match is None or match.any:
            return await config_entities.paths(self.store, *kinds)
        if match.name == ABSENT:
            return []
        return [f"{kind}/{sanitize(match.name)}" for kind in kinds]
