"""AlterClientQuotas (49), v0-1: set and remove quotas of users, client ids and addresses (KIP-546).

Any broker serves it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pykafka_ops.broker.metadata.znodes.config import quota_path, sanitize
from pykafka_ops.broker.services import config_entities, config_store
from pykafka_ops.broker.services.config_admin import outcome
from pykafka_ops.broker.state.quotas import requests as quota_requests
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_client_quotas import (
    AlterClientQuotasResponse,
    AlterClientQuotasResponseEntryData,
)
from pykafka_ops.wire.messages.describe_client_quotas import EntityData

if TYPE_CHECKING:
    from pykafka_ops.broker.handlers.api import Answer, Context, Services
    from pykafka_ops.wire.messages.alter_client_quotas import (
        AlterClientQuotasRequest,
        AlterClientQuotasRequestEntryData,
    )

log = logging.getLogger("kafka.server.ConfigAdminManager")


def handle(context: Context, request: AlterClientQuotasRequest) -> Answer:
    """Change the quotas of each entity."""
    return _alter(context.services, request)


async def _alter(
    services: Services, request: AlterClientQuotasRequest
) -> AlterClientQuotasResponse:
    results: dict[frozenset[tuple[str, str | None]], AlterClientQuotasResponseEntryData] = {}
    for entry in request.entries:
        names = {part.entity_type: part.entity_name for part in entry.entity}
        code, message = outcome(await _change(services, entry, request.validate_only))
        results[frozenset(names.items())] = AlterClientQuotasResponseEntryData(
            error_code=code,
            error_message=message,
            entity=[EntityData(entity_type=t, entity_name=n) for t, n in names.items()],
        )
    return AlterClientQuotasResponse(entries=list(results.values()))


async def _change(
    services: Services, entry: AlterClientQuotasRequestEntryData, validate_only: bool
) -> KafkaError | None:
    try:
        entity = quota_requests.entity_of(entry.entity)
        if entity.ip:
            await _require_address(services, sanitize(entity.ip))
        path = quota_path(entity)

        def edit(present: dict[str, str]) -> dict[str, str]:
            values = quota_requests.change(entity, present, entry.ops)
            if not validate_only:
                quota_requests.check(path, values)
            return values

        await config_store.change(services.store, path, edit, validate_only=validate_only)
    except KafkaError as error:
        return error
    except Exception as error:
        log.error("altering client quotas", exc_info=error)
        return KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    return None


async def _require_address(services: Services, host: str) -> None:
    """Raises KafkaError INVALID_REQUEST; ``host`` as in the tree, so IPv6 is none, as in Kafka."""
    if await services.run_in_thread(config_entities.address_of, host) is None:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"{host} is not a valid IP or resolvable host.")


def failed(
    request: AlterClientQuotasRequest | None, version: int, error: KafkaError
) -> AlterClientQuotasResponse:
    """Every entity of the request with the same error."""
    return AlterClientQuotasResponse(
        entries=[
            AlterClientQuotasResponseEntryData(
                error_code=error.code,
                error_message=ErrorCode.of(error.code).text,
                entity=entry.entity,
            )
            for entry in (request.entries if request else ())
        ]
    )
