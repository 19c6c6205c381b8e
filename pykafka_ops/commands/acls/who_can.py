"""``pko acls who-can``."""

from __future__ import annotations

from typing import Final

from pykafka_ops.commands.acls.decided import ALLOWED, SUPER_USERS, asked_access, reason, verdict
from pykafka_ops.commands.acls.words import resource_word, word
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.security.acls.audience import AclStanding, audience
from pykafka_ops.security.acls.rules import ANYBODY, WILDCARD

COLUMNS: Final = (
    Column("principal"),
    Column("host"),
    Column("verdict", bad=lambda value: value != ALLOWED),
    Column("why"),
)


def who_can(run: Run) -> Table:
    """A row for each principal that may, and for those who may not although others may."""
    asked = asked_access(run)
    about = asked.resource
    found = audience(asked.book, asked.operation, about.type, about.name)
    if not asked.rules:
        decision = asked.book.decide(ANYBODY, WILDCARD, asked.operation, about.type, about.name)
        found = [AclStanding(ANYBODY, WILDCARD, decision)]
    rows: list[dict[str, object]] = [
        {
            "principal": one.principal,
            "host": one.host,
            "verdict": verdict(run, one.decision),
            "why": reason(run, asked, one.decision, one.principal, one.host),
        }
        for one in found
    ]
    nobody = f"no rule allows anybody to {word(asked.operation)} {resource_word(about)}"
    notes = [SUPER_USERS] if rows else [nobody, SUPER_USERS]
    return Table("acl-audience", COLUMNS, rows, notes=notes)
