"""``pko mirror plan``: what is mirrored and why, and what would be changed."""

from __future__ import annotations

from typing import Any

from pykafka_ops.client.failure_text import code_of, in_one_line
from pykafka_ops.commands.framework.output import UNREACHABLE, Column, ItemError, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.mirror.configured import chosen_links, ends_of, read_settings
from pykafka_ops.commands.mirror.each import side_by_side
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.mirror.run.syncer import Syncer
from pykafka_ops.mirror.run.worker import now_ms
from pykafka_ops.mirror.settings.model import LinkSettings, MirrorSettings

CHANGES = (Column("link"), Column("change"), Column("what"), Column("how"))
TOPICS = (
    Column("link"),
    Column("topic"),
    Column("target_topic"),
    Column("mirrored"),
    Column("why"),
)


def plan(run: Run) -> Table:
    """Both tables of all links; a link whose clusters do not answer is an error."""
    settings = read_settings(run)
    items: list[dict[str, Any]] = []
    errors: list[ItemError] = []
    links = chosen_links(run, settings)
    found = side_by_side(links, lambda link: _of_link(settings, link))
    for link, item in zip(links, found, strict=True):
        if isinstance(item, PkoError):
            errors.append(link_error(link.name, item))
        else:
            items.append(item)
    changes = [row for item in items for row in item["changes"]]
    notes = [f"pko: {item['link']}: {line}" for item in items for line in item["notes"]]
    if items and not changes:
        notes.append("pko: the target has all that it needs: nothing would be changed")
    return Table(
        "mirror-plan",
        TOPICS,
        [row for item in items for row in item["topics"]],
        items=items,
        above=Table("mirror-changes", CHANGES, changes),
        errors=errors,
        notes=notes,
        name="topic",
    )


def link_error(link: str, error: PkoError) -> ItemError:
    """A link that cannot be looked at."""
    name = code_of(error).name if isinstance(error, KafkaError) else UNREACHABLE
    if error.exit_code != 3 and not isinstance(error, KafkaError):
        name = "REFUSED"
    return ItemError(link, name, in_one_line(error))


def _of_link(settings: MirrorSettings, link: LinkSettings) -> dict[str, Any]:
    syncer = Syncer(link, *ends_of(settings, link))
    try:
        outlook, _, _ = syncer.look(now_ms(), deep=True)
    finally:
        syncer.close()
    found = outlook.plan
    troubles = [f"{about}: {text}" for about, text in outlook.troubles.items()]
    return {
        "link": link.name,
        "changes": [
            {"link": link.name, "change": s.kind, "what": s.what, "how": s.how}
            for s in found.steps()
        ],
        "topics": [
            {
                "link": link.name,
                "topic": c.topic,
                "target_topic": c.target,
                "mirrored": c.mirrored,
                "why": c.why,
            }
            for c in found.choices
        ],
        "pauses": [str(pause) for pause in outlook.control.pauses],
        "notes": [*found.notes, *troubles],
    }
