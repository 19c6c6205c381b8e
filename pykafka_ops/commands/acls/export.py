"""``pko acls export``."""

from __future__ import annotations

from pykafka_ops.commands.acls.list import meant
from pykafka_ops.commands.acls.rules_file import written
from pykafka_ops.commands.acls.store import ClusterRules
from pykafka_ops.commands.acls.words import COLUMNS, filters, rows, rule_words
from pykafka_ops.commands.framework.output import ItemError, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.security.acls.operations import KNOWN


def export(run: Run) -> Table:
    """The rules that the words mean, as a file; what pko does not know is an error each."""
    found = meant(ClusterRules(run.cluster()), filters(run.args))
    known = [rule for rule in found if rule.entry.operation in KNOWN.get(rule.resource.type, ())]
    errors = [
        ItemError(rule_words(rule), "UNKNOWN_VERSION", "a newer Kafka's rule: left out")
        for rule in found
        if rule not in known
    ]
    return Table("acls", COLUMNS, rows(known), script=[written(known)], errors=errors)
