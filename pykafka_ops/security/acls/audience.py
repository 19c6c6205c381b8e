"""Who may do something, by all rules together."""

from __future__ import annotations

from typing import NamedTuple

from pykafka_ops.security.acls.decision import AclBook, AclDecision
from pykafka_ops.security.acls.rules import ANYBODY, WILDCARD, Operation, ResourceType


class AclStanding(NamedTuple):
    """What holds for a principal at a host. ``User:*`` is whoever no rule names, ``*`` any host
    that no rule names."""

    principal: str
    host: str
    decision: AclDecision


def audience(
    book: AclBook, operation: Operation, type_: ResourceType, name: str
) -> list[AclStanding]:
    """Who may do it, and who may not although others may.

    Of each principal that rules about the resource name, and of all others: anywhere, then the
    hosts where another answer holds.
    """
    rules = list(book.about(type_, name))
    others = _of(book, ANYBODY, {r.entry.host for r in rules if r.entry.principal == ANYBODY},
                 operation, type_, name)  # fmt: skip
    found = others if any(one.decision.allowed for one in others) else []
    open_to_all = bool(found)
    for principal in sorted({rule.entry.principal for rule in rules} - {ANYBODY}):
        hosts = {r.entry.host for r in rules if r.entry.principal in (principal, ANYBODY)}
        mine = _of(book, principal, hosts, operation, type_, name)
        if any(one.decision.allowed for one in mine) or open_to_all:
            found += mine
    return found


def _of(
    book: AclBook, principal: str, hosts: set[str], operation: Operation, type_: ResourceType,
    name: str,
) -> list[AclStanding]:  # fmt: skip
    anywhere = book.decide(principal, WILDCARD, operation, type_, name)
    found = [AclStanding(principal, WILDCARD, anywhere)]
    for host in sorted(hosts - {WILDCARD}):
        decision = book.decide(principal, host, operation, type_, name)
        if decision.allowed != anywhere.allowed:
            found.append(AclStanding(principal, host, decision))
    return found
