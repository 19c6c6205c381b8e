"""DescribeClientQuotas (48): KIP-546.

Entity types are ``user``, ``client-id`` and ``ip``; a null name is the default entity.
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BOOL, FLOAT64, INT8, INT16, INT32, STRING


@struct
class ComponentData:
    """Match type 0 this name, 1 the default entity, 2 any name given."""

    entity_type: str = wire(STRING)
    match_type: int = wire(INT8)
    match: str | None = wire(STRING, nullable="0+")


@message(ApiKey.DESCRIBE_CLIENT_QUOTAS)
class DescribeClientQuotasRequest:
    """Entities to look for; ``strict``: with no other components."""

    components: list[ComponentData] = wire([ComponentData])
    strict: bool = wire(BOOL)


@struct
class EntityData:
    """One component of an entity."""

    entity_type: str = wire(STRING)
    entity_name: str | None = wire(STRING, nullable="0+")


@struct
class ValueData:
    """One quota."""

    key: str = wire(STRING)
    value: float = wire(FLOAT64)


@struct
class DescribeClientQuotasResponseEntryData:
    """One entity and its quotas."""

    entity: list[EntityData] = wire([EntityData])
    values: list[ValueData] = wire([ValueData])


@message(ApiKey.DESCRIBE_CLIENT_QUOTAS)
class DescribeClientQuotasResponse:
    """The entities found; null on error."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
    entries: list[DescribeClientQuotasResponseEntryData] | None = wire(
        [DescribeClientQuotasResponseEntryData], nullable="0+"
    )
