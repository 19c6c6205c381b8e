"""AlterClientQuotas (49), v0-1: set and remove quotas of users, client ids and addresses (KIP-546).

Any broker serves it.
"""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.services.client_quotas import ClientQuotaAdmin
from pykafka_ops.broker.services.config_admin import outcome
from pykafka_ops.wire.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    AlterClientQuotasResponseEntryData,
)
from pykafka_ops.wire.messages.describe_client_quotas import EntityData


async def handle(context: Context, request: AlterClientQuotasRequest) -> AlterClientQuotasResponse:
    """Change the quotas of each entity."""
    services = context.services
    alter = ClientQuotaAdmin(services.store, services.run_in_thread).alter
    results: dict[frozenset[tuple[str, str | None]], AlterClientQuotasResponseEntryData] = {}
    for entry in request.entries:
        names = {part.entity_type: part.entity_name for part in entry.entity}
        error = await alter(entry.entity, entry.ops, validate_only=request.validate_only)
        code, message = outcome(error)
        results[frozenset(names.items())] = AlterClientQuotasResponseEntryData(
            error_code=code,
            error_message=message,
            entity=[EntityData(entity_type=t, entity_name=n) for t, n in names.items()],
        )
    return AlterClientQuotasResponse(entries=list(results.values()))
