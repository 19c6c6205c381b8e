"""Which rules the flags of kafka-acls mean (``AclCommand.getResourceFilterToAcls``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from pykafka_ops.commands.acls.kafka import AclProblem
from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.principal import kafka_principal
from pykafka_ops.security.acls.operations import CONSUMER, PRODUCER, SUPPORTED
from pykafka_ops.security.acls.rules import (
    CLUSTER_NAME,
    WILDCARD,
    AclEntry,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)

Asked = dict[ResourcePattern, set[AclEntry]]
"""By resource, whose pattern type may be ANY or MATCH; no entries: all that there are."""

CLUSTER: Final = ResourcePattern(ResourceType.CLUSTER, CLUSTER_NAME)
_OPTIONS: Final = (
    ("topic", ResourceType.TOPIC),
    ("group", ResourceType.GROUP),
    ("transactional-id", ResourceType.TRANSACTIONAL_ID),
    ("delegation-token", ResourceType.DELEGATION_TOKEN),
    ("user-principal", ResourceType.USER),
)
_NO_RESOURCE = (
    "You must provide at least one resource: --topic <topic> or --cluster or --group <group> or "
    "--delegation-token <Delegation Token ID>"
)
_OPERATIONS = {
    name: operation for operation in Operation for name in (operation.name, operation.label)
}


def pattern_type(args: Args) -> PatternType:
    """``--resource-pattern-type``; AclProblem for none that there is."""
    text = args.text("resource-pattern-type") or ""
    found = PatternType.__members__.get(text.upper(), PatternType.UNKNOWN)
    if found == PatternType.UNKNOWN:
        raise AclProblem(
            f"Cannot parse argument '{text}' of option resource-pattern-type",
            "joptsimple.OptionArgumentConversionException",
        )
    return found


def resources(args: Args) -> list[ResourcePattern]:
    """Those that the options name; ``--cluster`` counts with literal names only, as in Kafka."""
    pattern = pattern_type(args)
    found = [
        ResourcePattern(type_, name.strip(), pattern)
        for option, type_ in _OPTIONS
        for name in args.given(option)
    ]
    if pattern == PatternType.LITERAL and (args.has("cluster") or args.has("idempotent")):
        found.append(CLUSTER)
    return list(dict.fromkeys(found))


def asked(args: Args) -> Asked:
    """What is to be added or removed; OptionError, AclProblem."""
    named = resources(args)
    if not named:
        raise OptionError(_NO_RESOURCE)
    found: Asked = {}
    if args.has("producer"):
        _role(args, named, PRODUCER, found)
    if args.has("consumer"):
        _role(args, named, CONSUMER, found)
    if not (args.has("producer") or args.has("consumer")):
        operations = [_operation(text) for text in args.given("operation") or ["All"]]
        found = {resource: _entries(args, operations) for resource in named}
    _check_operations(found)
    return found


def to_add(args: Args) -> Asked:
    """What ``--add`` means; OptionError, AclProblem."""
    pattern = pattern_type(args)
    if pattern not in (PatternType.LITERAL, PatternType.PREFIXED):
        raise OptionError(
            f"A '--resource-pattern-type' value of '{pattern.name}' is not valid when adding acls."
        )
    found = asked(args)
    if not all(found.values()):
        raise OptionError(
            "You must specify one of: --allow-principal, --deny-principal when trying to add ACLs."
        )
    return found


def _role(
    args: Args,
    named: Iterable[ResourcePattern],
    role: Mapping[ResourceType, tuple[Operation, ...]],
    found: Asked,
) -> None:
    """Add what a role needs on those of its kinds; on the cluster only with ``--idempotent``."""
    for resource in named:
        wanted = role.get(resource.type, ())
        if resource.type == ResourceType.CLUSTER and not args.has("idempotent"):
            continue
        if wanted:
            found.setdefault(resource, set()).update(_entries(args, wanted))


def _entries(args: Args, operations: Iterable[Operation]) -> set[AclEntry]:
    wanted = list(operations)
    sides = (("allow", Permission.ALLOW), ("deny", Permission.DENY))
    return {
        AclEntry(principal, host, operation, permission)
        for side, permission in sides
        for principal in principals(args, f"{side}-principal")
        for host in args.given(f"{side}-host") or [WILDCARD]
        for operation in wanted
    }


def principals(args: Args, option: str) -> list[str]:
    """``Type:name`` of an option; PrincipalProblem for another text."""
    return [kafka_principal(text) for text in args.given(option) if text]


def _operation(text: str) -> Operation:
    name = text.strip()
    return _OPERATIONS.get(name) or _OPERATIONS.get(name.upper()) or Operation.UNKNOWN


def _check_operations(found: Asked) -> None:
    for resource, entries in found.items():
        supported = SUPPORTED[resource.type]
        if any(entry.operation not in supported for entry in entries):
            names = ", ".join(operation.label for operation in supported)
            raise OptionError(f"ResourceType {resource.type.name} only supports operations {names}")
