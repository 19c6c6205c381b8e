"""What numbers in metadata records mean, in the words of kafka-metadata-shell; what is a secret."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final

from pykafka_ops.security.acls.rules import Operation, PatternType, Permission, ResourceType
from pykafka_ops.settings.broker import BROKER
from pykafka_ops.settings.quotas import BROKER_QUOTAS
from pykafka_ops.settings.scram import BY_NUMBER

HIDDEN: Final = "[hidden]"
_RESOURCES = {2: "TOPIC", 4: "BROKER", 8: "BROKER_LOGGER", 16: "CLIENT_METRICS", 32: "GROUP"}
_BROKER = 4
_ENTITIES = {"client-id": "clientId", "ip": "ip", "user": "user"}


def config_resource(kind: int, name: str) -> str:
    """``TOPIC:orders``; without a name: the default of all."""
    word = _RESOURCES.get(kind, f"UNKNOWN({kind})")
    return f"{word}:{name}" if name else word


def shown_config(kind: int, name: str, value: str) -> str:
    """The value of a setting; of brokers' those that may be shown: a setting that is not known
    might be a secret, as in Kafka."""
    return value if kind != _BROKER or _is_public(name) else HIDDEN


def _is_public(name: str) -> bool:
    plain = name
    while plain:
        setting = BROKER.get(plain) or BROKER_QUOTAS.get(plain)
        if setting is not None:
            return not setting.sensitive
        plain = plain.partition(".")[2]  # listener.name.NAME.[MECHANISM.]
    return False


def quota_entity(parts: list[Mapping[str, Any]]) -> str:
    """``clientId(a)_user(b)``; a default is empty."""
    found = {str(p["entityType"]): p["entityName"] for p in parts}
    names = sorted(found, key=lambda n: list(_ENTITIES).index(n) if n in _ENTITIES else 9)
    return "_".join(f"{_ENTITIES.get(n, n)}({_escaped(found[n] or '')})" for n in names)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def scram_mechanism(number: int) -> str:
    """``SCRAM-SHA-256``."""
    found = BY_NUMBER.get(number)
    return found.name if found else f"UNKNOWN({number})"


def access_rule(f: Mapping[str, Any]) -> dict[str, str]:
    """A rule with words for its numbers."""
    return {
        "resourceType": _word(ResourceType, f["resourceType"]),
        "resourceName": f["resourceName"],
        "patternType": _word(PatternType, f["patternType"]),
        "principal": f["principal"],
        "host": f["host"],
        "operation": _word(Operation, f["operation"]),
        "permissionType": _word(Permission, f["permissionType"]),
    }


def _word(kind: type[IntEnum], number: int) -> str:
    try:
        return kind(number).name
    except ValueError:
        return f"UNKNOWN({number})"
