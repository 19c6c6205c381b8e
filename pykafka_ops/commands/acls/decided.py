"""What the rules of a cluster decide about one resource, and why, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from pykafka_ops.commands.acls.store import ClusterRules
from pykafka_ops.commands.acls.words import (
    check_supported,
    operations,
    printable,
    resource,
    resource_word,
    rule_words,
    word,
)
from pykafka_ops.commands.framework.output import counted
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import UsageError
from pykafka_ops.security.acls.decision import AclBook, AclDecision
from pykafka_ops.security.acls.filters import AclFilter
from pykafka_ops.security.acls.rules import (
    WILDCARD,
    AclBinding,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
)

ALLOWED: Final = "allowed"
DENIED: Final = "denied"
UNKNOWN: Final = "unknown"
SUPER_USERS: Final = "super users (super.users of the brokers) may do everything, whatever is said"
UNRULED: Final = (
    "no rule is about it: allow.everyone.if.no.acl.found of the brokers decides, which they do not "
    "tell; --if-no-rule says it"
)


class AskedAccess(NamedTuple):
    """What is asked about, and the rules that count there."""

    operation: Operation
    resource: ResourcePattern
    book: AclBook
    rules: Sequence[AclBinding]


def asked_access(run: Run) -> AskedAccess:
    """From the words; the rules are read. UsageError, PkoError."""
    args = run.args
    texts = args.given("resource")
    done = operations(args.given("operation"))
    if len(texts) != 1 or len(done) != 1:
        raise UsageError("ask about one operation on one resource")
    about = resource(texts[0], "literal")
    check_supported(done[0], about.type, word(about.type))
    wanted = AclFilter(about.type, about.name, PatternType.MATCH)
    rules = ClusterRules(run.cluster()).describe(wanted)
    return AskedAccess(done[0], about, AclBook(rules), rules)


def verdict(run: Run, decision: AclDecision) -> str:
    """``allowed``, ``denied``, or ``unknown`` where no rule is about it and nobody said what then
    holds."""
    if decision.ruled:
        return ALLOWED if decision.allowed else DENIED
    default = run.args.text("if-no-rule")
    return UNKNOWN if default is None else ALLOWED if default == "allow" else DENIED


def reason(run: Run, asked: AskedAccess, decision: AclDecision, who: str, host: str) -> str:
    """Why, in a sentence."""
    rule = decision.rule
    if not decision.ruled:
        default = run.args.text("if-no-rule")
        return UNRULED if default is None else f"no rule is about it, and --if-no-rule is {default}"
    if rule is None:
        place = "" if host == WILDCARD else f" from {host}"
        count = counted(asked.rules, "rule")
        verb = "is" if len(asked.rules) == 1 else "are"
        about = f"{count} {verb} about {resource_word(asked.resource)}"
        return printable(f"{about}, none allows {who}{place} to {word(asked.operation)}")
    if rule.entry.permission == Permission.DENY:
        return f"{rule_words(rule)}: a rule that denies wins over all that allow"
    if rule.entry.operation not in (asked.operation, Operation.ALL):
        return f"{rule_words(rule)}: who may do that may {word(asked.operation)}, too"
    return rule_words(rule)
