"""``pko mirror status``: how far each link is, read from both clusters."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from pykafka_ops.analysis.conditions import Condition, ConditionField
from pykafka_ops.commands.framework.output import Column, ItemError, Table, numbers, with_sizes
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.watch import fail_on, met, watched
from pykafka_ops.commands.mirror.configured import chosen_links, ends_of, read_settings
from pykafka_ops.commands.mirror.each import side_by_side
from pykafka_ops.commands.mirror.plan import link_error
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.report.asked import process_status, troubles_of
from pykafka_ops.mirror.report.rows import STATES, SeenPartition, by_topic, is_bad
from pykafka_ops.mirror.report.seen import LinkReader
from pykafka_ops.mirror.run.worker import now_ms

APART_SECONDS = 1.1
"""Between two looks, for rates."""


_REST = (
    *numbers("lag", "lag_bytes", "lag_seconds", "copied_per_second", "added_per_second"),
    *numbers("eta_seconds"),
    Column("state", bad=is_bad),
)
SHORT = {
    "lag_bytes": "LAG-BYTES",
    "lag_seconds": "BEHIND-S",
    "copied_per_second": "OUT/S",
    "added_per_second": "IN/S",
    "eta_seconds": "CATCH-UP-S",
}
REST = tuple(c._replace(heading=SHORT.get(c.key, "")) for c in _REST)
TOPICS = (
    Column("link"),
    Column("topic"),
    Column("target_topic", spare=True),
    *numbers("partitions"),
    *REST,
    Column("processes", right=True, spare=True),
    Column("trouble", optional=True),
)
PARTITIONS = (
    Column("link"),
    Column("topic"),
    *numbers("partition"),
    Column("target_topic", wide=True),
    *(c._replace(spare=True) for c in numbers("position", "source_end")),
    *REST,
    Column("member", wide=True),
    Column("trouble", optional=True),
)
_TEXTS = ("link", "topic", "target_topic")


def status(run: Run) -> Table | int:
    """One table for all links, again and again with ``--watch``."""
    settings = read_settings(run)
    columns = PARTITIONS if run.args.has("partitions") else TOPICS
    fields = {c.key: ConditionField() for c in columns}
    fields |= {key: ConditionField("text") for key in _TEXTS if key in fields}
    fields |= {k: ConditionField("text", spare=True) for k in ("member", "trouble") if k in fields}
    fields["state"] = ConditionField("text", STATES)
    failing = fail_on(run, fields)
    readers = [LinkReader(link, *ends_of(settings, link)) for link in chosen_links(run, settings)]
    try:
        return watched(run, lambda: _table(run, readers, failing, settings.listen))
    finally:
        for reader in readers:
            reader.close()


def _look(reader: LinkReader) -> None:
    reader.look(now_ms())


def _table(
    run: Run, readers: Sequence[LinkReader], failing: Condition | None, listen: str | None
) -> Table:
    running = process_status(listen)
    found: list[SeenPartition] = []
    errors: list[ItemError] = []
    notes: list[str] = []
    looked = list(readers)
    for apart in (0, APART_SECONDS):
        time.sleep(apart if looked else 0)
        answers = side_by_side(looked, _look)
        failed = {n: answer for n, answer in enumerate(answers) if isinstance(answer, PkoError)}
        errors += [link_error(looked[n].link.name, error) for n, error in failed.items()]
        looked = [reader for n, reader in enumerate(looked) if n not in failed]
    for reader in looked:
        said = running.get(reader.link.name, {})
        found += reader.rows(now_ms(), troubles_of(said))
        notes += _notes(reader, said)
    by_partition = run.args.has("partitions")
    rows = [row._asdict() for row in found] if by_partition else by_topic(found)
    keys = ("link", "topic", "partition") if by_partition else ("link", "topic")
    conditions = met(failing, rows, keys)
    return Table(
        "mirror-partitions" if by_partition else "mirror-topics",
        PARTITIONS if by_partition else TOPICS,
        [with_sizes(row) for row in rows],
        items=rows,
        errors=errors,
        notes=[*notes, *conditions],
        exit_code=4 if conditions else None,
        name="topic",
    )


def _notes(reader: LinkReader, said: Mapping[str, Any]) -> list[str]:
    """What a person should know of a link beside its rows; ``said``: by a process that runs."""
    name, outlook = reader.link.name, reader.outlook
    lines = [f"pko: {name}: {line}" for line in reader.troubles]
    if said.get("trouble"):
        lines.append(f"pko: {name}: {said['trouble']}")
    if isinstance(said.get("troubles"), dict):
        lines += [f"pko: {name}: {about}: {text}" for about, text in said["troubles"].items()]
    if outlook is not None:
        lines += [f"pko: {name}: {pause} is paused" for pause in outlook.control.pauses]
        lines += [f"pko: {name}: {line}" for line in outlook.plan.notes]
        missing = [make.topic for make in outlook.plan.makes]
        if missing:
            lines.append(f"pko: {name}: not at the target yet: {', '.join(missing[:20])}")
    return lines
