"""What an access rule consists of, with Kafka's codes and names (KIP-11, KIP-140, KIP-290).

Counterpart of ``AclBinding``, ``ResourcePattern``, ``AccessControlEntry`` and their enums.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple, Self

WILDCARD: Final = "*"
"""As a resource's name: all of the type. As a host: any."""
ANYBODY: Final = "User:*"
CLUSTER_NAME: Final = "kafka-cluster"
"""The only resource of type CLUSTER."""


class _Code(IntEnum):
    """A code of the protocol; its name is Kafka's, ``label`` what znodes and tools write."""

    @property
    def label(self) -> str:
        """As ``TransactionalId``, ``DescribeConfigs``."""
        return "".join(part.capitalize() for part in self.name.split("_"))

    @classmethod
    def of(cls, number: int) -> Self:
        """The member with that code; UNKNOWN (0) for what a newer Kafka has added."""
        try:
            return cls(number)
        except ValueError:
            return cls(0)


class ResourceType(_Code):
    """Kinds of what is protected."""

    UNKNOWN = 0
    ANY = 1
    TOPIC = 2
    GROUP = 3
    CLUSTER = 4
    TRANSACTIONAL_ID = 5
    DELEGATION_TOKEN = 6
    USER = 7


class PatternType(_Code):
    """How a rule's resource name is meant; ANY and MATCH stand in filters only."""

    UNKNOWN = 0
    ANY = 1
    MATCH = 2
    LITERAL = 3
    PREFIXED = 4


class Operation(_Code):
    """What is done with a resource."""

    UNKNOWN = 0
    ANY = 1
    ALL = 2
    READ = 3
    WRITE = 4
    CREATE = 5
    DELETE = 6
    ALTER = 7
    DESCRIBE = 8
    CLUSTER_ACTION = 9
    DESCRIBE_CONFIGS = 10
    ALTER_CONFIGS = 11
    IDEMPOTENT_WRITE = 12
    CREATE_TOKENS = 13
    DESCRIBE_TOKENS = 14
    TWO_PHASE_COMMIT = 15


class Permission(_Code):
    """Whether a rule forbids or allows."""

    UNKNOWN = 0
    ANY = 1
    DENY = 2
    ALLOW = 3


class ResourcePattern(NamedTuple):
    """What a rule is about: one resource, or all whose names begin so (PREFIXED)."""

    type: ResourceType
    name: str
    pattern: PatternType = PatternType.LITERAL

    def covers(self, type_: ResourceType, name: str) -> bool:
        """Whether a rule for this is about the resource of that name."""
        if type_ != self.type:
            return False
        if self.pattern == PatternType.PREFIXED:
            return name.startswith(self.name)
        return self.name in (name, WILDCARD)


class AclEntry(NamedTuple):
    """Who (``User:name``) may or may not do what from where (an IP address, or ``*``)."""

    principal: str
    host: str
    operation: Operation
    permission: Permission

    def concerns(self, principal: str, host: str) -> bool:
        """Whether it speaks of this client."""
        return self.principal in (principal, ANYBODY) and self.host in (host, WILDCARD)


class AclBinding(NamedTuple):
    """One rule, as tools add and remove it."""

    resource: ResourcePattern
    entry: AclEntry
