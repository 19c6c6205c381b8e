"""DescribeClientQuotas (48), v0-1: quotas of users, client ids and addresses (KIP-546)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.broker.metadata.znodes.config import CLIENTS, IPS, USERS, quota_entity, sanitize
from pykafka_ops.broker.services import config_entities, config_store
from pykafka_ops.broker.state.quotas.entities import ABSENT
from pykafka_ops.broker.state.quotas.requests import FIELDS, filter_of, quotas_of
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.describe_client_quotas import (
    DescribeClientQuotasResponse,
    DescribeClientQuotasResponseEntryData,
    EntityData,
    ValueData,
)

if TYPE_CHECKING:
    from pykafka_ops.broker.handlers.api import Answer, Context
    from pykafka_ops.broker.metadata.store import MetadataStore
    from pykafka_ops.broker.state.quotas.entities import QuotaEntity
    from pykafka_ops.broker.state.quotas.requests import ComponentMatch, Filter
    from pykafka_ops.wire.messages.describe_client_quotas import DescribeClientQuotasRequest


def handle(context: Context, request: DescribeClientQuotasRequest) -> Answer:
    """Find the entities, tell their quotas."""
    return _describe(context.services.store, filter_of(request.components, request.strict))


async def _describe(store: MetadataStore, wanted: Filter) -> DescribeClientQuotasResponse:
    paths = await _paths(store, wanted)
    entries = []
    for path, values in zip(paths, await config_store.read(store, *paths), strict=True):
        entity = quota_entity(path)
        if entity is not None and (quotas := quotas_of(entity, values)):
            entries.append(
                DescribeClientQuotasResponseEntryData(
                    entity=_parts(entity),
                    values=[ValueData(key=key, value=value) for key, value in quotas.items()],
                )
            )
    return DescribeClientQuotasResponse(entries=entries)


async def _paths(store: MetadataStore, wanted: Filter) -> list[str]:
    """The entities that are asked for, some of which may have nothing stored."""
    loose = not wanted.strict
    if wanted.ip is not None:
        return await _named(store, wanted.ip, IPS)
    found = []
    users = []
    if wanted.user is not None or loose:
        users = await _named(store, wanted.user, USERS)
        if wanted.client_id is None:
            found += users
    if wanted.client_id is not None or loose:
        found += await _named(store, wanted.client_id, *(f"{user}/{CLIENTS}" for user in users))
        if wanted.user is None:
            found += await _named(store, wanted.client_id, CLIENTS)
    if loose and wanted.user is None and wanted.client_id is None:
        found += await _named(store, None, IPS)
    return found


async def _named(store: MetadataStore, match: ComponentMatch | None, *kinds: str) -> list[str]:
    """Entities below these paths: the one that ``match`` names, or all there are."""
    if match is None or match.any:
        return await config_entities.paths(store, *kinds)
    if match.name == ABSENT:
        return []
    return [f"{kind}/{sanitize(match.name)}" for kind in kinds]


def _parts(entity: QuotaEntity) -> list[EntityData]:
    return [
        EntityData(entity_type=kind, entity_name=name)
        for kind, field in FIELDS.items()
        if (name := getattr(entity, field)) != ABSENT
    ]


def failed(
    request: DescribeClientQuotasRequest | None, version: int, error: KafkaError
) -> DescribeClientQuotasResponse:
    """No entries, rather than none that fit."""
    return DescribeClientQuotasResponse(
        error_code=error.code, error_message=error.message or None, entries=None
    )
