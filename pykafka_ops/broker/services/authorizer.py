"""Says who may do what, by the rules in the tree, and logs what it says.

Counterpart of the deciding half of ``AclAuthorizer``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
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


@dataclass(slots=True)
class AskerByApi:
    """Somebody who asks by one API, as far as rights go."""

    principal: str
    client_host: str
    api_key: int


class KnownRights(dict[str, bool]):
    """What somebody may do with resources of one type, by their names: what is allowed and not
    worth a line in the log is here, the rest is asked for."""

    def __init__(
        self, authorizer: Authorizer, asker: AskerByApi, operation: Operation, type_: ResourceType
    ) -> None:
        super().__init__()
        self._authorizer = authorizer
        self._asker = asker
        self._operation = operation
        self._type = type_

    def __missing__(self, name: str) -> bool:
        allowed = self._authorizer.allows(self._asker, self._operation, self._type, name)
        if allowed:
            self.note(name)
        return allowed

    def note(self, name: str) -> None:
        """It has been allowed."""
        authorizer = self._authorizer
        if len(name) <= LONGEST_NAME and not authorizer.logs_all:
            authorizer.note_known()
            self[name] = True


class Authorizer:
    """``super_users`` (``User:name``) may do everything; ``without_rules`` says what may be done
    with a resource that no rule is about (``allow.everyone.if.no.acl.found``)."""

    def __init__(self, super_users: Iterable[str] = (), *, without_rules: bool = False) -> None:
        self._super_users = frozenset(super_users)
        self._without_rules = without_rules
        self.book = AclBook()
        self._decisions: dict[tuple[str, str, int, int, str], bool] = {}
        self._known: dict[tuple[Operation, ResourceType, str, str, int], KnownRights] = {}
        self._known_names = 0
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

    def known(self, asker: RightsHolder, operation: Operation, type_: ResourceType) -> KnownRights:
        """What it may do with resources of a type, for requests that come again and again: one
        look-up for each name. To be asked for in each request. No operation of :data:`_ADMIN`."""
        key = (operation, type_, asker.principal, asker.client_host, asker.api_key)
        found = self._known.get(key)
        if found is None:
            self.note_known()
            found = self._known[key] = KnownRights(self, AskerByApi(*key[2:]), operation, type_)
        return found

    def note_known(self) -> None:
        """Something more is known: bounded as decisions are."""
        if self._known_names >= MOST_DECISIONS:
            self._forget_known()
        self._known_names += 1

    def _forget_known(self) -> None:
        for known in self._known.values():
            known.clear()  # one that a request holds, too
        self._known.clear()
        self._known_names = 0

    def readable(self, asker: RightsHolder) -> Callable[[str], bool]:
        """What says of a topic whether it may be read."""
        return self.known(asker, Operation.READ, ResourceType.TOPIC).__getitem__

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
        self.ask_again()

    def ask_again(self) -> None:
        """The logger may have another level: every right is asked for once more."""
        self._forget_known()
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
