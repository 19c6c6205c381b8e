"""``pko audit forget``: drop a tier from a book."""

from __future__ import annotations

from pykafka_ops.commands.audit.tiers_of import open_audit_book
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import UsageError


def forget(run: Run) -> int:
    """Ask, then drop it; what is counted again begins with the first record there is."""
    name = run.args.text("tier") or ""
    with open_audit_book(run, must_exist=True) as book:
        tier = book.tier(name)
        if tier is None:
            known = ", ".join(one.name for one in book.tiers()) or "none"
            raise UsageError(f"{name}: there is no such tier in {book.path}, which has: {known}")
        if not run.confirm("forget these tiers?", [name]):
            return 1
        book.forget_tier(tier)
    run.note(f"forgot {name}")
    return 0
