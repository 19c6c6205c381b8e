"""``pko acls remove``: what fits is shown, asked for, then removed rule by rule."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.client.acls import exactly
from pykafka_ops.commands.acls.list import meant
from pykafka_ops.commands.acls.store import ClusterRules, RuleStore
from pykafka_ops.commands.acls.words import filters, rule_words, rules_table
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import ItemError, Table, counted
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.terminal import ask_typed
from pykafka_ops.errors import UsageError
from pykafka_ops.security.acls.rules import AclBinding

_FILTERS = ("resource", "principal", "operation", "host", "permission")


def remove(run: Run) -> Table:
    """Remove the rules that fit now: what comes meanwhile stays."""
    args = run.args
    if not any(args.has(name) for name in _FILTERS):
        raise UsageError("which rules? name resources, --principal or another option")
    store = ClusterRules(run.cluster())
    found = meant(store, filters(args))
    if args.has("dry-run"):
        return rules_table(found, notes=["dry run: nothing was removed"])
    if not found:
        return rules_table([])
    if not _confirmed(run, found):
        return rules_table([], notes=["nothing was removed"], exit_code=1)
    gone, errors = removed(store, found)
    return rules_table(gone, errors=errors)


def _confirmed(run: Run, found: Sequence[AclBinding]) -> bool:
    """``--match`` reaches rules about other names: there a word has to be typed."""
    question = f"remove {counted(found, 'rule')}"
    shown = [rule_words(rule) for rule in found]
    if run.args.has("match"):
        names = ",".join(run.args.given("resource"))
        return ask_typed(question, shown, names, run.args.text("confirm"), "--confirm")
    return run.confirm(question, shown)


def removed(
    store: RuleStore, rules: Sequence[AclBinding]
) -> tuple[list[AclBinding], list[ItemError]]:
    """Remove just these rules; those that are gone now, and why others are not."""
    gone, errors = [], []
    for rule, done in zip(rules, store.delete([exactly(r) for r in rules]), strict=True):
        failed = done.error or next((error for _, error in done.failed), None)
        if failed is None:
            gone.append(rule)
        else:
            errors.append(item_error(rule_words(rule), failed))
    return gone, errors
