"""What rules decide together (KIP-11; ``AclAuthorizer.authorizeAction``).

A rule that denies wins over all that allow. Where no rule is about a resource at all, a setting
decides. To read, write, delete or alter something implies to describe it; to alter its settings, to
see them. What is denied implies nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from pykafka_ops.security.acls.rules import (
    WILDCARD,
    AclBinding,
    AclEntry,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)

_ALLOWING: Final[Mapping[Operation, frozenset[Operation]]] = {
    Operation.DESCRIBE: frozenset(
        {Operation.READ, Operation.WRITE, Operation.DELETE, Operation.ALTER}
    ),
    Operation.DESCRIBE_CONFIGS: frozenset({Operation.ALTER_CONFIGS}),
}
"""Operations that imply another one."""


class AclDecision(NamedTuple):
    """Whether something is allowed; ``rule`` is the one that says so, None if none does.

    ``ruled`` is False where no rule is about the resource at all.
    """

    allowed: bool
    rule: AclBinding | None
    ruled: bool


class AclBook:
    """All rules, found by the resources they are about. Changes resource by resource."""

    def __init__(self, rules: Iterable[AclBinding] = ()) -> None:
        self._entries: dict[ResourcePattern, frozenset[AclEntry]] = {}
        self._prefix_lengths: dict[ResourceType, dict[int, int]] = {}
        """How many prefixed resources of a type have names of this length."""
        gathered: dict[ResourcePattern, set[AclEntry]] = {}
        for rule in rules:
            gathered.setdefault(rule.resource, set()).add(rule.entry)
        for resource, entries in gathered.items():
            self.replace(resource, entries)

    def __iter__(self) -> Iterator[AclBinding]:
        for resource, entries in self._entries.items():
            for entry in entries:
                yield AclBinding(resource, entry)

    @property
    def resources(self) -> Iterable[ResourcePattern]:
        """What there are rules about."""
        return self._entries.keys()

    def entries(self, resource: ResourcePattern) -> frozenset[AclEntry]:
        """The rules about just this resource or prefix."""
        return self._entries.get(resource, frozenset())

    def replace(self, resource: ResourcePattern, entries: Iterable[AclEntry]) -> bool:
        """These are its rules now; whether that is a change."""
        kept = frozenset(entries)
        before = self._entries.get(resource, frozenset())
        if kept == before:
            return False
        if kept:
            self._entries[resource] = kept
        else:
            del self._entries[resource]
        if resource.pattern == PatternType.PREFIXED and bool(kept) != bool(before):
            self._count_prefix(resource, 1 if kept else -1)
        return True

    def _count_prefix(self, resource: ResourcePattern, change: int) -> None:
        lengths = self._prefix_lengths.setdefault(resource.type, {})
        length = len(resource.name)
        lengths[length] = lengths.get(length, 0) + change
        if not lengths[length]:
            del lengths[length]

    def about(self, type_: ResourceType, name: str) -> Iterator[AclBinding]:
        """All rules that count for one resource."""
        for resource in self._covering(type_, name):
            for entry in self._entries.get(resource, ()):
                yield AclBinding(resource, entry)

    def _covering(self, type_: ResourceType, name: str) -> Iterator[ResourcePattern]:
        yield ResourcePattern(type_, name)
        if name != WILDCARD:
            yield ResourcePattern(type_, WILDCARD)
        for length in self._prefix_lengths.get(type_, ()):
            if length <= len(name):
                yield ResourcePattern(type_, name[:length], PatternType.PREFIXED)

    def decide(
        self,
        principal: str,
        host: str,
        operation: Operation,
        type_: ResourceType,
        name: str,
        *,
        without_rules: bool = False,
    ) -> AclDecision:
        """May ``principal`` at ``host`` do this to the resource? ``without_rules`` is the answer
        where none is about it (``allow.everyone.if.no.acl.found``)."""
        rules = list(self.about(type_, name))
        if not rules:
            return AclDecision(without_rules, None, ruled=False)
        allowing = _ALLOWING.get(operation, frozenset()) | {operation, Operation.ALL}
        found: AclBinding | None = None
        for rule in rules:
            entry = rule.entry
            if not entry.concerns(principal, host):
                continue
            if entry.permission == Permission.DENY:
                if entry.operation in (operation, Operation.ALL):
                    return AclDecision(allowed=False, rule=rule, ruled=True)
            elif found is None and entry.operation in allowing:
                found = rule
        return AclDecision(found is not None, found, ruled=True)

    def decide_any(
        self,
        principal: str,
        host: str,
        operation: Operation,
        type_: ResourceType,
        *,
        without_rules: bool = False,
    ) -> bool:
        """May it do this to some resource of the type (``authorizeByResourceType``)?"""
        denied, allowed = self._named(principal, host, operation, type_)
        if ResourcePattern(type_, WILDCARD) in denied:
            return False
        return without_rules or any(_stands(resource, denied) for resource in allowed)

    def _named(
        self, principal: str, host: str, operation: Operation, type_: ResourceType
    ) -> tuple[set[ResourcePattern], set[ResourcePattern]]:
        """What the operation is denied on, and allowed on; here no other operation implies it."""
        denied: set[ResourcePattern] = set()
        allowed: set[ResourcePattern] = set()
        for resource, entries in self._entries.items():
            if resource.type != type_:
                continue
            for entry in entries:
                if entry.operation in (operation, Operation.ALL) and entry.concerns(
                    principal, host
                ):
                    (denied if entry.permission == Permission.DENY else allowed).add(resource)
        return denied, allowed


def _stands(resource: ResourcePattern, denied: set[ResourcePattern]) -> bool:
    """Whether something that an allowed name or prefix covers is not denied."""
    if resource.pattern == PatternType.LITERAL:
        if resource.name == WILDCARD:
            return True
        if resource in denied:
            return False
    return not any(
        other.pattern == PatternType.PREFIXED and resource.name.startswith(other.name)
        for other in denied
    )
