"""DescribeClientQuotas (48), v0-1: quotas of users, client ids and addresses (KIP-546)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.services.client_quotas import ClientQuotaAdmin
from pykafka_ops.broker.state.quotas.entities import ABSENT, QuotaEntity
from pykafka_ops.broker.state.quotas.requests import FIELDS, Filter, filter_of
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.describe_client_quotas import (
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
    DescribeClientQuotasResponseEntryData,
    EntityData,
    ValueData,
)


def handle(context: Context, request: DescribeClientQuotasRequest) -> Answer:
    """Find the entities, tell their quotas."""
    return _describe(context.services.client_quotas, filter_of(request.components, request.strict))


async def _describe(quotas: ClientQuotaAdmin, wanted: Filter) -> DescribeClientQuotasResponse:
    return DescribeClientQuotasResponse(
        entries=[
            DescribeClientQuotasResponseEntryData(
                entity=_parts(entity),
                values=[ValueData(key=key, value=value) for key, value in values.items()],
            )
            for entity, values in await quotas.find(wanted)
        ]
    )


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
