"""AlterClientQuotas (49): KIP-546. Entities are as in DescribeClientQuotas."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.messages.describe_client_quotas import EntityData
from pykafka_ops.wire.types import BOOL, FLOAT64, INT16, INT32, STRING


@struct
class OpData:
    """One quota to set or remove."""

    key: str = wire(STRING)
    value: float = wire(FLOAT64)
    remove: bool = wire(BOOL)


@struct
class AlterClientQuotasRequestEntryData:
    """One entity and what to change."""

    entity: list[EntityData] = wire([EntityData])
    ops: list[OpData] = wire([OpData])


@message(ApiKey.ALTER_CLIENT_QUOTAS)
class AlterClientQuotasRequest:
    """Quotas to change, or only to validate."""

    entries: list[AlterClientQuotasRequestEntryData] = wire([AlterClientQuotasRequestEntryData])
    validate_only: bool = wire(BOOL)


@struct
class AlterClientQuotasResponseEntryData:
    """The outcome for one entity."""

    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
    entity: list[EntityData] = wire([EntityData])


@message(ApiKey.ALTER_CLIENT_QUOTAS)
class AlterClientQuotasResponse:
    """The outcome for each entity."""

    throttle_time_ms: int = wire(INT32)
    entries: list[AlterClientQuotasResponseEntryData] = wire([AlterClientQuotasResponseEntryData])
