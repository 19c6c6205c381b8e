"""``pko acls check``: may somebody do something, and which rule decides?"""

from __future__ import annotations

from typing import Final

from pykafka_ops.commands.acls.decided import (
    ALLOWED,
    DENIED,
    SUPER_USERS,
    asked_access,
    reason,
    verdict,
)
from pykafka_ops.commands.acls.words import resource_word, rule_words, word
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.principal import principal
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import UsageError
from pykafka_ops.security.acls.rules import ANYBODY, WILDCARD

COLUMNS: Final = (
    Column("principal"),
    Column("host"),
    Column("operation"),
    Column("resource"),
    Column("verdict", bad=lambda value: value != ALLOWED),
    Column("rule", wide=True),
    Column("why"),
)


def check(run: Run) -> Table:
    """A row for each host that is asked about; exit code 4 unless all are allowed."""
    who = [principal(text) for text in run.args.given("principal")]
    if len(who) != 1 or who[0] == ANYBODY:
        raise UsageError("check one principal; pko acls who-can lists all")
    asked = asked_access(run)
    rows: list[dict[str, object]] = []
    for host in run.args.names("host") or [WILDCARD]:
        about = asked.resource
        decision = asked.book.decide(who[0], host, asked.operation, about.type, about.name)
        rows.append(
            {
                "principal": who[0],
                "host": host,
                "operation": word(asked.operation),
                "resource": resource_word(about),
                "verdict": verdict(run, decision),
                "rule": rule_words(decision.rule) if decision.rule else None,
                "why": reason(run, asked, decision, who[0], host),
            }
        )
    notes = [SUPER_USERS] if any(row["verdict"] == DENIED for row in rows) else []
    code = 0 if all(row["verdict"] == ALLOWED for row in rows) else 4
    return Table("acl-check", COLUMNS, rows, notes=notes, exit_code=code, name="verdict")
