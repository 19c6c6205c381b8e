"""Settings with where each value comes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pykafka_ops.client.configs import ConfigEntry
from pykafka_ops.monitor.cluster.enquiries import EnquiryReply
from pykafka_ops.monitor.pages.frame import PageColumn, block, table
from pykafka_ops.monitor.wording.text import safe
from pykafka_ops.page.markup import Markup, el
from pykafka_ops.settings.setting import Setting
from pykafka_ops.settings.source import ConfigSource

SOURCES: Final = {
    ConfigSource.DYNAMIC_TOPIC_CONFIG: "this topic",
    ConfigSource.DYNAMIC_BROKER_CONFIG: "this broker, at run time",
    ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG: "all brokers, at run time",
    ConfigSource.STATIC_BROKER_CONFIG: "the broker's file",
    ConfigSource.DEFAULT_CONFIG: "default of Kafka",
}
_COLUMNS: Final = (
    PageColumn("name", "Setting"),
    PageColumn("value", "Value"),
    PageColumn("source", "Comes from"),
    PageColumn("default", "Default of Kafka"),
)


def setting_rows(
    entries: Iterable[ConfigEntry], defaults: Mapping[str, Setting]
) -> list[dict[str, Any]]:
    """Rows of settings: those that somebody set come first. ``defaults``: Kafka's, of this kind of
    resource."""
    rows = [_row(entry, defaults.get(entry.name)) for entry in entries]
    return sorted(rows, key=lambda row: (row["is_default"], row["name"]))


def _row(entry: ConfigEntry, known: Setting | None) -> dict[str, Any]:
    by_kafka = entry.source == ConfigSource.DEFAULT_CONFIG
    named = entry.source in SOURCES
    return {
        "name": entry.name,
        "value": "(secret)" if entry.sensitive else entry.value,
        "source": SOURCES[ConfigSource(entry.source)] if named else f"source {entry.source}",
        "default": entry.value if by_kafka else _default(entry, known),
        "is_default": by_kafka,
    }


def _default(entry: ConfigEntry, known: Setting | None) -> str | None:
    """As the broker says; a synonym of another name (log.retention.hours) may be in another unit,
    so that Kafka's own table counts then."""
    for synonym in entry.synonyms:
        if synonym.source == ConfigSource.DEFAULT_CONFIG and synonym.name == entry.name:
            return synonym.value
    return None if known is None else known.default


def settings_block(
    title: str,
    proof: str,
    reply: EnquiryReply[list[ConfigEntry]],
    defaults: Mapping[str, Setting],
    polled: Mapping[str, str] | None = None,
    *,
    only_set: bool = False,
) -> Markup:
    """A part of a page with the settings; where the broker did not answer, those that rounds ask
    for (``polled``) and why. ``only_set``: without the defaults of Kafka."""
    why = el("p", safe(reply.why), class_="note") if reply.why else None
    if reply.value is None:
        rows: Sequence[Mapping[str, Any]] = [
            {"name": name, "value": value} for name, value in sorted((polled or {}).items())
        ]
        return block(title, proof, why, table(_COLUMNS[:2], rows, "not known", label=title))
    rows = setting_rows(reply.value, defaults)
    every = len(rows)
    if only_set:
        rows = [row for row in rows if not row["is_default"]]
        why = el("p", f"{len(rows)} of {every} are not defaults of Kafka", class_="note")
    return block(title, proof, why, table(_COLUMNS, rows, "all are defaults", label=title))
