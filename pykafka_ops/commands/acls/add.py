"""``pko acls add``."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.commands.acls.store import ClusterRules, RuleStore
from pykafka_ops.commands.acls.words import (
    needed,
    resource,
    rule_words,
    rules_table,
)
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import ItemError, Table, counted
from pykafka_ops.commands.framework.principal import principal
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.security.acls.filters import AclFilter
from pykafka_ops.security.acls.rules import WILDCARD, AclBinding, AclEntry, Permission


def add(run: Run) -> Table:
    """Add what is not there yet; the rules that were, and with --dry-run would be, added."""
    wanted = _wanted(run)
    store = ClusterRules(run.cluster())
    new = absent(store, wanted)
    notes = []
    if len(new) < len(wanted):
        notes.append(f"{counted(wanted[len(new) :], 'rule')} of {len(wanted)} there already")
    if run.args.has("dry-run"):
        return rules_table(new, notes=[*notes, "dry run: nothing was added"])
    added, errors = created(store, new)
    return rules_table(added, errors=errors, notes=notes)


def _wanted(run: Run) -> list[AclBinding]:
    args = run.args
    permission = Permission.DENY if args.has("deny") else Permission.ALLOW
    found = [
        AclBinding(about, AclEntry(principal(who), host, operation, permission))
        for about in (resource(text, args.text("pattern")) for text in args.given("resource"))
        for operation in needed(args.given("operation"), about)
        for who in args.given("principal")
        for host in args.names("host") or [WILDCARD]
    ]
    return list(dict.fromkeys(found))


def absent(store: RuleStore, wanted: Sequence[AclBinding]) -> list[AclBinding]:
    """Those that are not there yet."""
    about = {rule.resource for rule in wanted}
    there = {rule for one in about for rule in store.describe(AclFilter(*one))}
    return [rule for rule in wanted if rule not in there]


def created(
    store: RuleStore, rules: Sequence[AclBinding]
) -> tuple[list[AclBinding], list[ItemError]]:
    """Add rules; those that are there now, and why others are not."""
    added, errors = [], []
    for rule, error in zip(rules, store.create(rules) if rules else (), strict=True):
        if error is None:
            added.append(rule)
        else:
            errors.append(item_error(rule_words(rule), error))
    return added, errors
