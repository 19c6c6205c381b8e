"""Znodes of the authorizer: one per resource, literal and prefixed patterns apart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pykafka_ops.broker.metadata.znodes.json_data import (
    ZnodeError,
    decode_json,
    encode_json,
    understood,
)

LITERAL = "LITERAL"
PREFIXED = "PREFIXED"
RESOURCE_TYPES = {
    "TOPIC": "Topic",
    "GROUP": "Group",
    "CLUSTER": "Cluster",
    "TRANSACTIONAL_ID": "TransactionalId",
    "DELEGATION_TOKEN": "DelegationToken",
    "USER": "User",
}
"""Name in change notifications -> znode name."""

PERSISTENT_PATHS = (
    *(f"/kafka-acl/{name}" for name in RESOURCE_TYPES.values()),
    *(f"/kafka-acl-extended/prefixed/{name}" for name in RESOURCE_TYPES.values()),
    "/kafka-acl-changes",
    "/kafka-acl-extended-changes",
)
"""Created when an authorizer is configured."""


class AclRule(NamedTuple):
    """Who may or may not do what from where; ``permission`` is Allow or Deny."""

    principal: str
    permission: str
    host: str
    operation: str


class ResourcePattern(NamedTuple):
    """What rules are about; ``type`` as in RESOURCE_TYPES, ``pattern`` LITERAL or PREFIXED."""

    type: str
    name: str
    pattern: str = LITERAL


class AclRules:
    """The rules of one resource; the znode's version guards its changes."""

    @staticmethod
    def root(pattern: str) -> str:
        """Parent of the resource types."""
        return "/kafka-acl" if pattern == LITERAL else f"/kafka-acl-extended/{pattern.lower()}"

    @classmethod
    def path(cls, resource: ResourcePattern) -> str:
        """Where the resource's rules are."""
        return f"{cls.root(resource.pattern)}/{RESOURCE_TYPES[resource.type]}/{resource.name}"

    @staticmethod
    def encode(rules: Iterable[AclRule]) -> bytes:
        """The znode's data."""
        rows = [
            {
                "principal": rule.principal,
                "permissionType": rule.permission,
                "host": rule.host,
                "operation": rule.operation,
            }
            for rule in rules
        ]
        return encode_json({"acls": rows, "version": 1})

    @classmethod
    def decode(cls, resource: ResourcePattern, data: bytes | None) -> list[AclRule]:
        """The rules; a znode without data has none."""
        if not data:
            return []
        what = cls.path(resource)
        value = decode_json(what, data)

        def build() -> list[AclRule]:
            if int(value["version"]) != 1:
                raise ValueError(f"unsupported version {value['version']}")
            return [
                AclRule(
                    str(row["principal"]),
                    str(row["permissionType"]),
                    str(row["host"]),
                    str(row["operation"]),
                )
                for row in value["acls"]
            ]

        return understood(what, build)


class AclChanges:
    """Tells every broker which resource to read again; a sequence per pattern type."""

    literal_path = "/kafka-acl-changes"
    extended_path = "/kafka-acl-extended-changes"

    @classmethod
    def prefix(cls, resource: ResourcePattern) -> str:
        """The sequence's path without its number."""
        root = cls.literal_path if resource.pattern == LITERAL else cls.extended_path
        return f"{root}/acl_changes_"

    @staticmethod
    def encode(resource: ResourcePattern) -> bytes:
        """Plain text for a literal pattern, JSON for others."""
        if resource.pattern == LITERAL:
            return f"{resource.type}:{resource.name}".encode()
        return encode_json(
            {
                "version": 1,
                "resourceType": resource.type,
                "name": resource.name,
                "patternType": resource.pattern,
            }
        )

    @classmethod
    def decode_literal(cls, data: bytes | None) -> ResourcePattern:
        """From a child of ``literal_path``."""
        text = (data or b"").decode(errors="replace")
        type_, colon, name = text.partition(":")
        if not colon or type_.upper() not in RESOURCE_TYPES:
            raise ZnodeError(f"{cls.literal_path}: no resource {text!r}")
        return ResourcePattern(type_.upper(), name)

    @classmethod
    def decode_extended(cls, data: bytes | None) -> ResourcePattern:
        """From a child of ``extended_path``."""
        value = decode_json(cls.extended_path, data)

        def build() -> ResourcePattern:
            if int(value["version"]) > 1:
                raise ValueError(f"unsupported version {value['version']}")
            type_ = str(value["resourceType"]).upper()
            if type_ not in RESOURCE_TYPES:
                raise ValueError(f"unknown resource type {type_}")
            return ResourcePattern(type_, str(value["name"]), str(value["patternType"]).upper())

        return understood(cls.extended_path, build)
