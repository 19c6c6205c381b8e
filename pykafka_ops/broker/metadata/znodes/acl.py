"""Znodes of the authorizer: one per resource, literal and prefixed patterns apart.

Counterpart of ``ZkAclStore``, ``ZkAclChangeStore`` and ``AclEntry`` in Kafka.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pykafka_ops.broker.metadata.znodes.json_data import (
    ZnodeError,
    decode_json,
    encode_json,
    understood,
)
from pykafka_ops.security.acls.rules import (
    AclEntry,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)

RESOURCE_TYPES: Final[Mapping[str, ResourceType]] = {
    type_.label: type_
    for type_ in ResourceType
    if type_ not in (ResourceType.UNKNOWN, ResourceType.ANY)
}
"""By the names of znodes, as ``TransactionalId``."""
PATTERNS: Final = (PatternType.LITERAL, PatternType.PREFIXED)
_OPERATIONS: Final = {operation.label: operation for operation in Operation}
_PERMISSIONS: Final = {permission.label: permission for permission in Permission}


class AclRules:
    """The rules of one resource; the znode's version guards its changes."""

    @staticmethod
    def root(pattern: PatternType) -> str:
        """Parent of the resource types."""
        if pattern == PatternType.LITERAL:
            return "/kafka-acl"
        return f"/kafka-acl-extended/{pattern.name.lower()}"

    @classmethod
    def parent(cls, type_: ResourceType, pattern: PatternType) -> str:
        """Parent of the resources of a type."""
        return f"{cls.root(pattern)}/{type_.label}"

    @classmethod
    def path(cls, resource: ResourcePattern) -> str:
        """Where the resource's rules are."""
        return f"{cls.parent(resource.type, resource.pattern)}/{resource.name}"

    @staticmethod
    def encode(rules: Iterable[AclEntry]) -> bytes:
        """The znode's data."""
        rows = [
            {
                "principal": rule.principal,
                "permissionType": rule.permission.label,
                "host": rule.host,
                "operation": rule.operation.label,
            }
            for rule in rules
        ]
        return encode_json({"acls": rows, "version": 1})

    @classmethod
    def decode(cls, resource: ResourcePattern, data: bytes | None) -> list[AclEntry]:
        """The rules; a znode without data has none. What a newer Kafka has added is UNKNOWN, and
        fits nothing."""
        if not data:
            return []
        what = cls.path(resource)
        value = decode_json(what, data)

        def build() -> list[AclEntry]:
            if int(value["version"]) != 1:
                raise ValueError(f"unsupported version {value['version']}")
            return [_entry(row) for row in value["acls"]]

        return understood(what, build)


def _entry(row: Mapping[str, Any]) -> AclEntry:
    return AclEntry(
        str(row["principal"]),
        str(row["host"]),
        _OPERATIONS.get(str(row["operation"]), Operation.UNKNOWN),
        _PERMISSIONS.get(str(row["permissionType"]), Permission.UNKNOWN),
    )


class AclChanges:
    """Tells every broker which resource to read again; a sequence per pattern type."""

    literal_path = "/kafka-acl-changes"
    extended_path = "/kafka-acl-extended-changes"
    literal_prefix = f"{literal_path}/acl_changes_"
    extended_prefix = f"{extended_path}/acl_changes_"

    @classmethod
    def prefix(cls, resource: ResourcePattern) -> str:
        """The sequence's path without its number."""
        literal = resource.pattern == PatternType.LITERAL
        return cls.literal_prefix if literal else cls.extended_prefix

    @staticmethod
    def encode(resource: ResourcePattern) -> bytes:
        """Plain text for a literal pattern, JSON for others."""
        if resource.pattern == PatternType.LITERAL:
            return f"{resource.type.name}:{resource.name}".encode()
        return encode_json(
            {
                "version": 1,
                "resourceType": resource.type.name,
                "name": resource.name,
                "patternType": resource.pattern.name,
            }
        )

    @classmethod
    def decode_literal(cls, data: bytes | None) -> ResourcePattern:
        """From a child of ``literal_path``."""
        text = (data or b"").decode(errors="replace")
        type_, colon, name = text.partition(":")
        if not colon:
            raise ZnodeError(f"{cls.literal_path}: no resource {text!r}")
        return understood(cls.literal_path, lambda: ResourcePattern(_type(type_), name))

    @classmethod
    def decode_extended(cls, data: bytes | None) -> ResourcePattern:
        """From a child of ``extended_path``."""
        value = decode_json(cls.extended_path, data)

        def build() -> ResourcePattern:
            if int(value["version"]) > 1:
                raise ValueError(f"unsupported version {value['version']}")
            pattern = PatternType[str(value["patternType"]).upper()]
            if pattern not in PATTERNS:
                raise ValueError(f"{pattern.name} is no pattern of a rule")
            return ResourcePattern(_type(str(value["resourceType"])), str(value["name"]), pattern)

        return understood(cls.extended_path, build)


def _type(name: str) -> ResourceType:
    for type_ in RESOURCE_TYPES.values():
        if type_.name == name.upper():
            return type_
    raise ValueError(f"unknown resource type {name}")


PERSISTENT_PATHS = (
    *(AclRules.parent(type_, pattern) for pattern in PATTERNS for type_ in RESOURCE_TYPES.values()),
    AclChanges.literal_path,
    AclChanges.extended_path,
)
"""Created when an authorizer is configured."""
