"""Access rules in pko's form: ``topic:orders-*``, ``alice``, ``read``; rules as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.output import Cells, Column, ItemError, Table
from pykafka_ops.commands.framework.principal import principal
from pykafka_ops.errors import UsageError
from pykafka_ops.security.acls.filters import AclFilter
from pykafka_ops.security.acls.operations import KNOWN, ROLES
from pykafka_ops.security.acls.rules import (
    CLUSTER_NAME,
    WILDCARD,
    AclBinding,
    AclEntry,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)

TYPES: Final[Mapping[str, ResourceType]] = {
    type_.name.lower().replace("_", "-"): type_ for type_ in KNOWN
}
OPERATIONS: Final[Mapping[str, Operation]] = {
    operation.name.lower().replace("_", "-"): operation
    for operation in Operation
    if any(operation in supported for supported in KNOWN.values())
}
PERMISSIONS: Final = {"allow": Permission.ALLOW, "deny": Permission.DENY}
COLUMNS: Final = (
    Column("principal"),
    Column("permission", bad=lambda value: value == "deny"),
    Column("operations"),
    Column("type", "RESOURCE"),
    Column("name"),
    Column("pattern"),
    Column("host"),
)


def word(code: Operation | ResourceType | PatternType | Permission) -> str:
    """``describe-configs``, ``transactional-id``: as the command line takes it."""
    return code.name.lower().replace("_", "-")


def resource_word(resource: ResourcePattern) -> str:
    """``topic:orders-*``, ``cluster``."""
    if resource.type == ResourceType.CLUSTER:
        return word(resource.type)
    star = WILDCARD if resource.pattern == PatternType.PREFIXED else ""
    return f"{word(resource.type)}:{resource.name}{star}"


def rule_words(rule: AclBinding) -> str:
    """``allow User:alice read topic:orders from *``."""
    entry = rule.entry
    said = f"{word(entry.permission)} {entry.principal} {word(entry.operation)}"
    return printable(f"{said} {resource_word(rule.resource)} from {entry.host}")


def printable(text: str) -> str:
    """Without control sequences, which names of groups and users may hold."""
    return "".join(c if c.isprintable() else "�" for c in text)


def type_of(text: str) -> ResourceType:
    """A kind of resource; UsageError for none that there is."""
    found = TYPES.get(text.strip().lower().replace("_", "-"))
    if found is None:
        near = did_you_mean(text, TYPES)
        raise UsageError(f"no kind of resource: {text}{near}; one of {', '.join(TYPES)}")
    return found


def resource(text: str, pattern: str | None = None) -> ResourcePattern:
    """What ``TYPE:NAME`` means, UsageError for another text.

    ``pattern``: literal or prefixed; without it a name that ends with * is a prefix.
    """
    kind, colon, name = text.partition(":")
    type_ = type_of(kind)
    if type_ == ResourceType.CLUSTER:
        if name not in ("", CLUSTER_NAME):
            raise UsageError(f"{text}: there is one cluster, write cluster")
        return ResourcePattern(type_, CLUSTER_NAME)
    if not (colon and name):
        raise UsageError(f"{text}: which {word(type_)}? write {word(type_)}:NAME, or * for all")
    if type_ == ResourceType.USER and name != WILDCARD:
        name = principal(name)
    if pattern is not None:
        return ResourcePattern(type_, name, PatternType[pattern.upper()])
    if len(name) > 1 and name.endswith(WILDCARD):
        return ResourcePattern(type_, name[:-1], PatternType.PREFIXED)
    return ResourcePattern(type_, name)


def operations(texts: Iterable[str]) -> list[Operation]:
    """Each of ``read,describe``; UsageError for one that there is not."""
    found = []
    for text in (part for one in texts for part in one.split(",") if part.strip()):
        name = text.strip().lower().replace("_", "-")
        if name not in OPERATIONS:
            near = did_you_mean(name, OPERATIONS)
            raise UsageError(f"no operation: {text}{near}; one of {', '.join(OPERATIONS)}")
        found.append(OPERATIONS[name])
    return list(dict.fromkeys(found))


def needed(texts: Sequence[str], wanted: ResourcePattern) -> list[Operation]:
    """The operations on a resource: those given, or what the roles among them need there.

    UsageError where there is none, or one that this kind of resource does not know.
    """
    parts = [part.strip().lower() for one in texts for part in one.split(",") if part.strip()]
    plain = operations(part for part in parts if part not in ROLES)
    kind = word(wanted.type)
    for role in (part for part in parts if part in ROLES):
        if wanted.type not in ROLES[role]:
            kinds = ", ".join(word(type_) for type_ in ROLES[role])
            raise UsageError(f"{resource_word(wanted)}: a {role} needs nothing there, but {kinds}")
        plain += ROLES[role][wanted.type]
    if not plain:
        raise UsageError(f"{resource_word(wanted)}: which operations?")
    for operation in plain:
        check_supported(operation, wanted.type, kind)
    return list(dict.fromkeys(plain))


def check_supported(operation: Operation, type_: ResourceType, kind: str) -> None:
    """UsageError where brokers never ask for this operation on such a resource."""
    if operation not in KNOWN[type_]:
        names = ", ".join(word(one) for one in KNOWN[type_])
        raise UsageError(f"{word(operation)} means nothing for a {kind}; what does: {names}")


def filters(args: Args) -> list[AclFilter]:
    """What ``list`` and ``remove`` mean: any of the resources, with all that the options say."""
    if args.has("match") and not args.has("resource"):
        raise UsageError("--match: rules that count for which resource?")
    who: list[str | None] = [principal(text) for text in args.given("principal")] or [None]
    hosts: list[str | None] = [*args.names("host")] or [None]
    done = operations(args.given("operation")) or [Operation.ANY]
    permission = PERMISSIONS.get(args.text("permission") or "", Permission.ANY)
    about = [_about(args, text) for text in args.given("resource")] or [AclFilter()]
    return [
        one._replace(principal=name, host=host, operation=operation, permission=permission)
        for one in about
        for name in who
        for host in hosts
        for operation in done
    ]


def _about(args: Args, text: str) -> AclFilter:
    """``topic:orders``, or ``topic`` for the rules about all topics."""
    if ":" not in text and type_of(text) != ResourceType.CLUSTER:
        if args.has("match") or args.has("pattern"):
            raise UsageError(f"{text}: --match and --pattern need a name, as in {text}:NAME")
        return AclFilter(type_of(text))
    if args.has("match"):
        if args.has("pattern"):
            raise UsageError("either --match or --pattern")
        found = resource(text, "literal")
        return AclFilter(found.type, found.name, PatternType.MATCH)
    return AclFilter(*resource(text, args.text("pattern")))


def rules_table(
    rules: Sequence[AclBinding],
    *,
    kafka: Iterable[str] | None = None,
    errors: Sequence[ItemError] = (),
    notes: Sequence[str] = (),
    exit_code: int | None = None,
) -> Table:
    """A row for each resource, principal, permission and host: its operations."""
    return Table("acls", COLUMNS, rows(rules), kafka=kafka, errors=errors, notes=notes,
                 exit_code=exit_code)  # fmt: skip


def rows(rules: Sequence[AclBinding]) -> list[Cells]:
    """Rules that differ in their operations alone, as one row."""

    def all_but_operation(rule: AclBinding) -> tuple[ResourcePattern, str, Permission, str]:
        entry = rule.entry
        return rule.resource, entry.principal, entry.permission, entry.host

    found = []
    for key, mine in groupby(sorted(rules, key=all_but_operation), key=all_but_operation):
        resource, who, permission, host = key
        found.append(row(AclBinding(resource, AclEntry(who, host, Operation.ALL, permission))))
        found[-1]["operations"] = [word(rule.entry.operation) for rule in mine]
    return found


def row(rule: AclBinding) -> Cells:
    """One rule."""
    entry = rule.entry
    return {
        "principal": entry.principal,
        "permission": word(entry.permission),
        "operations": [word(entry.operation)],
        "type": word(rule.resource.type),
        "name": rule.resource.name,
        "pattern": word(rule.resource.pattern),
        "host": entry.host,
    }
