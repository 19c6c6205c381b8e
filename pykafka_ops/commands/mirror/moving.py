"""What failover, failback and takeover share: checks and steps are shown, a question, the work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.commands.framework.output import Column, Table, write
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.mirror.configured import chosen_links, ends_of, read_settings
from pykafka_ops.errors import UsageError
from pykafka_ops.mirror.failover.checks import MoveCheck, MoveStep, failed
from pykafka_ops.mirror.run.clients import connected
from pykafka_ops.mirror.settings.model import LinkSettings

FAILED = 4
CHECKS = (
    Column("link"),
    Column("check"),
    Column("ok", bad=lambda value: value is False),
    Column("what"),
)
STEPS = (Column("link"), Column("step"), Column("what"), Column("how"))


class Move(NamedTuple):
    """What is asked about, what was found, what would be done, and what does it."""

    question: str
    checks: Sequence[MoveCheck]
    steps: Sequence[MoveStep]
    act: Callable[[], None]
    after: str
    """What a person does next."""


class MovedLink(NamedTuple):
    """The one link that a verb is about, connected at both ends."""

    link: LinkSettings
    source: Cluster
    target: Cluster


def the_link(run: Run) -> MovedLink:
    """That of ``--link``, or the only one of the file. UsageError."""
    settings = read_settings(run)
    links = chosen_links(run, settings)
    if len(links) != 1:
        names = ", ".join(link.name for link in settings.links)
        raise UsageError(f"which link? give one with --link; the file has {names}")
    source, target = ends_of(settings, links[0])
    return MovedLink(links[0], connected(source), connected(target))


def moved(run: Run, link: LinkSettings, move: Move) -> Table | int:
    """Show, ask, do. Exit code 4 where a check fails, unless ``--force``."""
    table = _table(link, move, done=False)
    wrong = failed(move.checks)
    if run.args.has("dry-run") or run.args.has("drill"):
        return table if not wrong else _with_code(table, [_said(wrong)])
    if wrong and not run.args.has("force"):
        return _with_code(table, [f"{_said(wrong)}; nothing was changed"])
    if not _agreed(run, table, move, link):
        return 1
    move.act()
    return _with_notes(_table(link, move, done=True), [f"pko: done; {move.after}"])


def _said(wrong: Sequence[MoveCheck]) -> str:
    return f"pko: not ready: {', '.join(check.check for check in wrong)}"


def _agreed(run: Run, table: Table, move: Move, link: LinkSettings) -> bool:
    if sys.stdin.isatty() and not run.args.has("yes"):
        write(table, "table", flags=False, out=sys.stderr)
    return run.confirm(move.question, [link.name])


def _table(link: LinkSettings, move: Move, *, done: bool) -> Table:
    checks = [
        {"link": link.name, "check": c.check, "ok": c.ok, "what": c.what} for c in move.checks
    ]
    steps = [{"link": link.name, "step": s.kind, "what": s.what, "how": s.how} for s in move.steps]
    item: dict[str, Any] = {"link": link.name, "done": done, "checks": checks, "steps": steps}
    return Table(
        "mirror-move",
        STEPS,
        steps,
        items=[item],
        above=Table("mirror-checks", CHECKS, checks),
        name="what",
    )


def _with_code(table: Table, notes: Sequence[str]) -> Table:
    return _copy(table, notes, FAILED)


def _with_notes(table: Table, notes: Sequence[str]) -> Table:
    return _copy(table, notes, None)


def _copy(table: Table, notes: Sequence[str], code: int | None) -> Table:
    return Table(
        table.kind,
        table.columns,
        table.rows,
        items=table.items,
        above=table.above,
        notes=notes,
        exit_code=code,
        name=table.name,
    )
