"""Says who may do what, by the rules in the tree, and logs what it says.

Counterpart of the deciding half of ``AclAuthorizer``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Final, Protocol

from pykafka_ops.security.acls.decision import AclBook
from pykafka_ops.security.acls.rules import (
    AclBinding,
    AclEntry,
    Operation,
    ResourcePattern,
    ResourceType,
)
from pykafka_ops.wire.apis import APIS

MOST_DECISIONS: Final = 50_000
"""Decisions that are remembered: clients choose the names they ask for."""
LONGEST_NAME: Final = 255

_ADMIN: Final = frozenset(
    {
        Operation.CREATE,
        Operation.DELETE,
        Operation.ALTER,
        Operation.ALTER_CONFIGS,
        Operation.CREATE_TOKENS,
    }
)
"""Granted, these are logged as denials are; the rest only at DEBUG."""

log = logging.getLogger("kafka.authorizer.logger")


class RightsHolder(Protocol):
    """A request, as far as its rights go."""

    client_host: str
    api_key: int

    @property
    def principal(self) -> str:
        """Who asks, as ``User:alice``."""


class Authorizer:
    """``super_users`` (``User:name``) may do everything; ``without_rules`` says what may be done
    with a resource that no rule is about (``allow.everyone.if.no.acl.found``)."""

    def __init__(self, super_users: Iterable[str] = (), *, without_rules: bool = False) -> None:
        self._super_users = frozenset(super_users)
        self._without_rules = without_rules
        self.book = AclBook()
        self._decisions: dict[tuple[str, str, int, int, str], bool] = {}
        self.changed: list[Callable[[], None]] = []
        """Called when decisions may differ from now on."""

    def allows(
        self,
        asker: RightsHolder,
        operation: Operation,
        type_: ResourceType,
        name: str,
        *,
        count: int = 1,
        quiet: bool = False,
    ) -> bool:
        """Whether it may. ``count`` is how often the request names the resource, ``quiet`` leaves
        the log alone."""
        principal, host = asker.principal, asker.client_host
        key = (principal, host, operation, type_, name)
        allowed = self._decisions.get(key)
        if allowed is None:
            allowed = (
                principal in self._super_users
                or self.book.decide(
                    principal, host, operation, type_, name, without_rules=self._without_rules
                ).allowed
            )
            self._remember(key, allowed)
        if not quiet:
            self._audit(asker, operation, ResourcePattern(type_, name), count, allowed)
        return allowed

    def _remember(self, key: tuple[str, str, int, int, str], allowed: bool) -> None:
        if len(key[-1]) > LONGEST_NAME:
            return
        if len(self._decisions) >= MOST_DECISIONS:
            self._decisions.clear()
        self._decisions[key] = allowed

    def allows_any(self, asker: RightsHolder, operation: Operation, type_: ResourceType) -> bool:
        """Whether it may do this to some resource of the type (KIP-679)."""
        principal = asker.principal
        allowed = principal in self._super_users or self.book.decide_any(
            principal, asker.client_host, operation, type_, without_rules=self._without_rules
        )
        self._audit(asker, operation, ResourcePattern(type_, "NONE"), 0, allowed)
        return allowed

    def replace(self, resource: ResourcePattern, entries: Iterable[AclEntry]) -> None:
        """These are the rules about a resource now."""
        if self.book.replace(resource, entries):
            self._forget()

    def load(self, rules: Iterable[AclBinding]) -> None:
        """These are all rules there are."""
        self.book = AclBook(rules)
        self._forget()

    def _forget(self) -> None:
        """Decisions may differ from now on."""
        self._decisions.clear()
        for call in self.changed:
            call()

    @property
    def logs_all(self) -> bool:
        """Whether what is allowed is logged, too, each time."""
        return log.isEnabledFor(logging.DEBUG)

    def _audit(
        self,
        asker: RightsHolder,
        operation: Operation,
        resource: ResourcePattern,
        count: int,
        allowed: bool,
    ) -> None:
        level = logging.DEBUG if allowed and operation not in _ADMIN else logging.INFO
        if not log.isEnabledFor(level):
            return
        api = APIS[asker.api_key].name if asker.api_key in APIS else asker.api_key
        log.log(
            level,
            "Principal = %s is %s Operation = %s from host = %s on resource = %s:%s:%s "
            "for request = %s with resourceRefCount = %d",
            asker.principal,
            "Allowed" if allowed else "Denied",
            operation.label,
            asker.client_host,
            resource.type.label,
            resource.pattern.name,
            resource.name,
            api,
            count,
        )
