"""``pko acls diff`` and ``apply``: the rules of a file against those of the cluster."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from pykafka_ops.client.acls import EVERY_RULE
from pykafka_ops.commands.acls.add import created
from pykafka_ops.commands.acls.remove import removed
from pykafka_ops.commands.acls.rules_file import read_rules
from pykafka_ops.commands.acls.store import ClusterRules
from pykafka_ops.commands.acls.words import COLUMNS, rows, rule_words
from pykafka_ops.commands.framework.output import Cells, Column, ItemError, Table, counted
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.security.acls.rules import AclBinding

CHANGES: Final = (Column("change"), *COLUMNS)


def diff(run: Run) -> Table:
    """What the cluster lacks, and what it has beside the file; 4 if there is any."""
    missing, extra = _compared(run, ClusterRules(run.cluster()))
    found = [*_changes("missing", missing), *_changes("extra", extra)]
    notes = [] if found else ["no difference"]
    return Table("acl-changes", CHANGES, found, notes=notes, exit_code=4 if found else 0)


def apply(run: Run) -> Table:
    """Add what is missing; with --prune remove the rest, which is asked for."""
    store = ClusterRules(run.cluster())
    missing, extra = _compared(run, store)
    doomed = extra if run.args.has("prune") else []
    notes = [] if missing or doomed else ["the cluster has these rules already"]
    if extra and not doomed:
        notes.append(f"{counted(extra, 'rule')} beside the file; --prune removes those")
    if run.args.has("dry-run"):
        found = [*_changes("add", missing), *_changes("remove", doomed)]
        return Table("acl-changes", CHANGES, found, notes=[*notes, "dry run: nothing was changed"])
    question = f"remove {counted(doomed, 'rule')} beside the file"
    if doomed and not run.confirm(question, [rule_words(rule) for rule in doomed]):
        return Table("acl-changes", CHANGES, [], notes=["nothing was changed"], exit_code=1)
    added, errors = created(store, missing)
    gone: list[AclBinding] = []
    if doomed and not errors:  # first what lets people in
        gone, failed = removed(store, doomed)
        errors += failed
    return _done(added, gone, errors, notes)


def _done(
    added: Sequence[AclBinding],
    gone: Sequence[AclBinding],
    errors: Sequence[ItemError],
    notes: Sequence[str],
) -> Table:
    found = [*_changes("added", added), *_changes("removed", gone)]
    return Table("acl-changes", CHANGES, found, errors=errors, notes=notes)


def _compared(run: Run, store: ClusterRules) -> tuple[list[AclBinding], list[AclBinding]]:
    """What only the file has, and what only the cluster has."""
    wanted = read_rules(run.args.text("file") or "")
    there = store.describe(EVERY_RULE)
    both = {*wanted}.intersection(there)
    return [r for r in wanted if r not in both], [r for r in there if r not in both]


def _changes(change: str, rules: Iterable[AclBinding]) -> list[Cells]:
    return [{"change": change, **row} for row in rows(list(rules))]
