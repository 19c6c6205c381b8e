"""``pko acls list``."""

from __future__ import annotations

from collections.abc import Iterable

from pykafka_ops.commands.acls.store import ClusterRules, RuleStore
from pykafka_ops.commands.acls.words import filters, rules_table
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.security.acls.filters import AclFilter
from pykafka_ops.security.acls.rules import AclBinding


def list_rules(run: Run) -> Table:
    """The rules that the words mean."""
    return rules_table(meant(ClusterRules(run.cluster()), filters(run.args)))


def meant(store: RuleStore, wanted: Iterable[AclFilter]) -> list[AclBinding]:
    """The rules that any of the filters means, each once, in order; what differs in who, where or
    what alone is asked once."""
    asked = list(wanted)
    broad = {AclFilter(one.type, one.name, one.pattern) for one in asked}
    found = {rule for one in broad for rule in store.describe(one)}
    return sorted(rule for rule in found if any(one.matches(rule) for one in asked))
