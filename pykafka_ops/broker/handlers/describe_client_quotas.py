"""DescribeClientQuotas (48), v0-1: quotas of users, client ids and addresses (KIP-546)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.services.client_quotas import ClientQuotaAdmin
from pykafka_ops.broker.state.quotas.entities import ABSENT, QuotaEntity
from pykafka_ops.broker.state.quotas.requests import FIELDS, filter_of
from pykafka_ops.wire.messages.describe_client_quotas import (
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
    DescribeClientQuotasResponseEntryData,
    EntityData,
    ValueData,
)


async def handle(
    context: Context, request: DescribeClientQuotasRequest
) -> DescribeClientQuotasResponse:
    """The quotas of the entities that match."""
    services = context.services
    admin = ClientQuotaAdmin(services.store, services.run_in_thread)
    wanted = filter_of(request.components, request.strict)
    return DescribeClientQuotasResponse(
        entries=[
            DescribeClientQuotasResponseEntryData(
                entity=_parts(entity),
                values=[ValueData(key=key, value=value) for key, value in values.items()],
            )
            for entity, values in await admin.find(wanted)
        ]
    )


def _parts(entity: QuotaEntity) -> list[EntityData]:
    return [
        EntityData(entity_type=kind, entity_name=name)
        for kind, field in FIELDS.items()
        if (name := getattr(entity, field)) != ABSENT
    ]
