"""Which quotas a request is about, and what it makes of them (KIP-546).

Counterpart of ``ZkAdminManager.describeClientQuotas`` and ``alterClientQuotas``; error codes and
texts are Kafka's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from pykafka_ops.broker.state.quotas.entities import ABSENT, DEFAULT, QuotaEntity
from pykafka_ops.errors import KafkaError, SettingError
from pykafka_ops.java_numbers import java_double
from pykafka_ops.settings.quotas import CLIENT_QUOTAS, IP_QUOTAS, USER_QUOTAS
from pykafka_ops.settings.setting import Setting
from pykafka_ops.settings.types import Type, parse
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_client_quotas import OpData
from pykafka_ops.wire.messages.describe_client_quotas import ComponentData, EntityData

FIELDS: Final = {"user": "user", "client-id": "client_id", "ip": "ip"}
"""The part of a QuotaEntity that each entity type of a request is."""

_CONNECTIONS: Final = "connection_creation_rate"
_EPSILON: Final = 1e-6
_EXACT, _DEFAULT, _ANY = 0, 1, 2
_DUPLICATES: Final = {"user": "user", "client-id": "client", "ip": "ip"}


class ComponentMatch(NamedTuple):
    """What a part must be: ``name`` (DEFAULT: the default), or with ``any`` only be there."""

    any: bool
    name: str | None = DEFAULT


class Filter(NamedTuple):
    """Entities that are looked for; with ``strict`` they have no other parts."""

    strict: bool
    user: ComponentMatch | None = None
    client_id: ComponentMatch | None = None
    ip: ComponentMatch | None = None


def filter_of(components: Iterable[ComponentData], strict: bool) -> Filter:
    """What a DescribeClientQuotas looks for.

    Raises KafkaError INVALID_REQUEST, UNSUPPORTED_VERSION or UNKNOWN_SERVER_ERROR.
    """
    found: dict[str, ComponentMatch] = {}
    matches = [(component.entity_type, _match(component)) for component in components]
    for kind, match in matches:
        if kind in found:
            raise _invalid(f"Duplicate {_DUPLICATES[kind]} filter component entity type")
        if kind == "":
            raise _invalid("Unexpected empty filter component entity type")
        if kind not in FIELDS:
            raise KafkaError(
                ErrorCode.UNSUPPORTED_VERSION, f"Custom entity type '{kind}' not supported"
            )
        found[kind] = match
    if "ip" in found and len(found) > 1:
        raise _invalid(
            "Invalid entity filter component combination, IP filter component should not be used "
            "with user or clientId filter component."
        )
    return Filter(strict, **{FIELDS[kind]: match for kind, match in found.items()})


def _match(component: ComponentData) -> ComponentMatch:
    if component.match_type == _ANY:
        return ComponentMatch(True)
    if component.match_type == _DEFAULT:
        return ComponentMatch(False, DEFAULT)
    if component.match_type == _EXACT and component.match is not None:
        return ComponentMatch(False, component.match)
    raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)


def quotas_of(entity: QuotaEntity, values: Mapping[str, str]) -> dict[str, float]:
    """The quotas among an entity's settings; KafkaError UNKNOWN_SERVER_ERROR for other than
    numbers."""
    kinds = CLIENT_QUOTAS if entity.ip == ABSENT else IP_QUOTAS
    found = {}
    for key, text in values.items():
        if key in kinds:
            try:
                number = parse(key, Type.DOUBLE, text)
            except SettingError:
                raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR) from None
            assert isinstance(number, float)
            found[key] = number
    return found


def entity_of(parts: Iterable[EntityData]) -> QuotaEntity:
    """Whose quotas an AlterClientQuotas changes. Raises KafkaError INVALID_REQUEST."""
    names = {part.entity_type: part.entity_name for part in parts}
    if not names:
        raise _invalid("Invalid empty client quota entity")
    for kind, name in names.items():
        if kind not in FIELDS:
            raise _invalid(f"Unhandled client quota entity type: {kind}")
        if name == "":
            raise _invalid(f"Empty {kind} not supported")
    if "ip" in names and len(names) > 1:
        raise _invalid(
            "Invalid quota entity combination, IP entity should not be used with user/client ID "
            "entity."
        )
    return QuotaEntity(**{FIELDS[kind]: name for kind, name in names.items()})


def change(
    entity: QuotaEntity, present: Mapping[str, str], ops: Iterable[OpData]
) -> dict[str, str]:
    """An entity's settings after ``ops``. Raises KafkaError INVALID_REQUEST."""
    known = _settings_of(entity)
    values = dict(present)
    for op in ops:
        if op.remove:
            values.pop(op.key, None)
        elif op.key not in known:
            raise _invalid(f"Invalid configuration key {op.key}")
        else:
            values[op.key] = _text(known[op.key], op.value)
    if entity.ip == DEFAULT and values.get(_CONNECTIONS) == "0":
        # Kafka takes it, and lets nobody in to take it back.
        raise _invalid(f"{_CONNECTIONS} of all addresses must be at least 1, else nobody connects")
    return values


def _settings_of(entity: QuotaEntity) -> Mapping[str, Setting]:
    if entity.ip != ABSENT:
        return IP_QUOTAS
    return CLIENT_QUOTAS if entity.user == ABSENT else USER_QUOTAS


def _text(setting: Setting, value: float) -> str:
    if setting.type is Type.DOUBLE:
        return java_double(value)
    if setting.type not in (Type.LONG, Type.INT):
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)  # a credential is no quota
    number = _whole(value + _EPSILON, 63 if setting.type is Type.LONG else 31)
    if abs(number - value) > _EPSILON:
        raise _invalid(f"Configuration {setting.name} must be a {setting.type.name} value")
    return str(number)


def _whole(value: float, bits: int) -> int:
    """Java's cast: towards zero, within the type, 0 for NaN."""
    limit = 1 << bits
    if math.isnan(value):
        return 0
    return limit - 1 if value >= limit else -limit if value <= -limit else int(value)


def check(entity_path: str, values: Mapping[str, str]) -> None:
    """Check all settings a user, client or address is to have, as ``DynamicConfig`` does.

    Raises KafkaError UNKNOWN_SERVER_ERROR: Kafka has no other word for it.
    """
    kind, _, name = entity_path.partition("/")
    known = {"ips": IP_QUOTAS, "clients": CLIENT_QUOTAS}.get(kind, USER_QUOTAS)
    if kind == "users" and (name == "<default>" or "/clients" in name):
        known = CLIENT_QUOTAS
    try:
        for key, text in values.items():
            known[key].parse(text)
    except (KeyError, SettingError):
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR) from None


def _invalid(text: str) -> KafkaError:
    return KafkaError(ErrorCode.INVALID_REQUEST, text)
