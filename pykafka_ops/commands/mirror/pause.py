"""``pko mirror pause`` and ``resume``: records of the control topic, which all processes follow."""

from __future__ import annotations

import getpass
import socket
from collections.abc import Callable, Sequence

from pykafka_ops.commands.framework.output import Column, ItemError, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.mirror.configured import chosen_links, ends_of, read_settings
from pykafka_ops.commands.mirror.each import side_by_side
from pykafka_ops.commands.mirror.plan import link_error
from pykafka_ops.commands.mirror.words import partition_of
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.mirror.control.state import (
    ControlState,
    Entry,
    MirrorPause,
    pause_entry,
    resume_entry,
    source_entry,
)
from pykafka_ops.mirror.control.topic import ControlTopic
from pykafka_ops.mirror.run.clients import at, connected
from pykafka_ops.mirror.run.worker import now_ms
from pykafka_ops.mirror.settings.model import LinkSettings, MirrorSettings
from pykafka_ops.mirror.settings.read import patterns

COLUMNS = (Column("link"), Column("what"), Column("paused"), Column("by", spare=True))
Change = Callable[[ControlState], Sequence[Entry]]


def pause(run: Run) -> Table:
    """Pause what the options name; the pauses that there are then."""
    wanted, by = _named(run) or [MirrorPause()], _who()
    return _changed(run, lambda _: [pause_entry(one, now_ms(), by=by) for one in wanted])


def resume(run: Run) -> Table:
    """Take pauses back; the pauses that are left."""
    named = _named(run)

    def change(state: ControlState) -> list[Entry]:
        missing = [one for one in named if one not in state.pauses]
        if missing:
            known = ", ".join(str(one) for one in state.pauses) or "nothing"
            raise PkoError(f"{missing[0]} is not paused; paused: {known}")
        return [resume_entry(one) for one in named or state.pauses]

    return _changed(run, change)


def _named(run: Run) -> list[MirrorPause]:
    """What the options name. UsageError."""
    found = []
    topics = run.args.text("topics")
    if topics is not None:
        try:
            patterns(topics)
        except TypeError as wanted:
            raise UsageError(f"--topics {topics}: {wanted} is expected") from None
        found.append(MirrorPause(topics))
    for text in run.args.texts("partition"):
        topic, number = partition_of(text)
        found.append(MirrorPause(topic=topic, partition=number))
    return found


def _changed(run: Run, change: Change) -> Table:
    settings = read_settings(run)
    rows: list[dict[str, object]] = []
    errors: list[ItemError] = []
    links = chosen_links(run, settings)
    found = side_by_side(links, lambda link: _of_link(run, settings, link, change))
    for link, answer in zip(links, found, strict=True):
        if isinstance(answer, PkoError):
            errors.append(link_error(link.name, answer))
        else:
            rows += answer
    notes = [] if rows or errors else ["pko: nothing is paused"]
    return Table("mirror-pauses", COLUMNS, rows, errors=errors, notes=notes, name="what")


def _of_link(
    run: Run, settings: MirrorSettings, link: LinkSettings, change: Change
) -> list[dict[str, object]]:
    """Change what is paused of a link; what is paused then."""
    source, target = ends_of(settings, link)
    cluster = connected(target)
    try:
        with at(link.target):
            control = ControlTopic(cluster, link.source)
            control.ensure(link.replication_factor)
            entries = list(change(control.catch_up()))
        if run.args.verb == "resume" and run.args.has("new-source"):
            other = connected(source)
            with at(link.source):
                other.metadata([])
            entries.append(source_entry(other.cluster_id or ""))
            other.close()
        with at(link.target):
            control.write(entries, now_ms())
        return _rows(link, control.state)
    finally:
        cluster.close()


def _rows(link: LinkSettings, state: ControlState) -> list[dict[str, object]]:
    return [
        {"link": link.name, "what": str(one), "paused": True, "by": said.get("by")}
        for one, said in state.pauses.items()
    ]


def _who() -> str:
    try:
        return f"{getpass.getuser()}@{socket.gethostname()}"
    except (OSError, KeyError):
        return socket.gethostname()
