"""Quotas of users, clients and IP addresses: look up and change (KIP-546).

Source: KafkaAdminClient.describeClientQuotas, alterClientQuotas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from pykafka_ops.client.answers import error_of, raise_error
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages import alter_client_quotas as acq
from pykafka_ops.wire.messages import describe_client_quotas as dcq

USER: Final = "user"
CLIENT_ID: Final = "client-id"
IP: Final = "ip"

_EXACT, _DEFAULT, _ANY = 0, 1, 2

Entity = tuple[tuple[str, str | None], ...]
"""(type, name) pairs, sorted by type; the name None is the default entity."""


class FilterComponent(NamedTuple):
    """One component to look for: a name, the default (``default``), or any that has one."""

    type: str
    name: str | None = None
    default: bool = False


def entity_of(parts: Mapping[str, str | None]) -> Entity:
    """The parts of an entity in their fixed order."""
    return tuple(sorted(parts.items()))


def describe_quotas(
    cluster: Cluster, wanted: Sequence[FilterComponent], *, strict: bool = True
) -> dict[Entity, dict[str, float]]:
    """Quotas by entity; ``strict``: only entities with exactly these components.

    Raises KafkaError and what the connection raises.
    """
    request = dcq.DescribeClientQuotasRequest(
        components=[
            dcq.ComponentData(
                entity_type=w.type,
                match_type=_DEFAULT if w.default else _ANY if w.name is None else _EXACT,
                match=w.name,
            )
            for w in wanted
        ],
        strict=strict,
    )
    answer = cluster.call(request, dcq.DescribeClientQuotasResponse, name="describeClientQuotas")
    raise_error(answer)
    return {
        entity_of({part.entity_type: part.entity_name for part in entry.entity}): {
            value.key: value.value for value in entry.values
        }
        for entry in answer.entries or ()
    }


def all_quotas(cluster: Cluster) -> dict[Entity, dict[str, float]]:
    """Those of users, of clients, of both together, and of addresses. Raises as above."""
    found: dict[Entity, dict[str, float]] = {}
    for kind in (USER, CLIENT_ID, IP):
        found.update(describe_quotas(cluster, [FilterComponent(kind)], strict=False))
    return found


def alter_quotas(
    cluster: Cluster,
    changes: Mapping[Entity, Mapping[str, float | None]],
    *,
    validate_only: bool = False,
) -> dict[Entity, KafkaError | None]:
    """Set quotas, or remove those that are None; per entity None or what went wrong."""
    request = acq.AlterClientQuotasRequest(
        entries=[
            acq.AlterClientQuotasRequestEntryData(
                entity=[dcq.EntityData(entity_type=t, entity_name=n) for t, n in entity],
                ops=[
                    acq.OpData(key=key, value=0.0 if value is None else value, remove=value is None)
                    for key, value in quotas.items()
                ],
            )
            for entity, quotas in changes.items()
        ],
        validate_only=validate_only,
    )
    answer = cluster.call(request, acq.AlterClientQuotasResponse, name="alterClientQuotas")
    return {
        entity_of({part.entity_type: part.entity_name for part in entry.entity}): error_of(entry)
        for entry in answer.entries
    }
