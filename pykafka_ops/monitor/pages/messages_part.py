"""A key or a value on a page: in a cell, and whole."""

from __future__ import annotations

from typing import Final

from pykafka_ops.monitor.messages.parts import DecodedPart
from pykafka_ops.monitor.wording.text import size
from pykafka_ops.page.markup import Markup, el, join, visible

CELL: Final = 200
WHOLE: Final = 256 << 10
"""Characters of a key or value on its own page; more is for the download."""
LINE: Final = 20_000
"""Characters of a line: browsers are slow with longer ones."""


def short_part(part: DecodedPart) -> str:
    """In a cell: the beginning, and why it is no more than bytes."""
    text = part.text(CELL)
    shown = f"{text[:CELL]}…" if len(text) > CELL else text
    return f"{shown} ({part.error})" if part.error and not part.masked else shown


def part_block(title: str, part: DecodedPart, download: str) -> Markup:
    """All of it, in lines."""
    facts = [part.format, _bytes(part.size)]
    if part.size == 0:
        facts.append("empty")
    if part.schema_id is not None:
        facts.append(f"schema {part.schema_id}")
    if part.schema:
        facts.append(part.schema)
    text = part.text(WHOLE, indent=2)
    cut = part.cut or len(text) > WHOLE
    link = None
    if part.raw is not None:
        link = el("p", el("a", "download the bytes", href=download), class_="pager")
    return el(
        "section",
        el("h2", title),
        el("p", ", ".join(one for one in facts if one), class_="facts"),
        el("p", part.error, class_="stale") if part.error else None,
        el("pre", _lines(text[:WHOLE]), tabindex="0"),
        el("p", "This is its beginning.", class_="facts") if cut else None,
        link,
    )


def _bytes(count: int | None) -> str | None:
    if not count:
        return None
    plain = f"{count:,} bytes"
    return plain if count < 1024 else f"{size(count)} ({plain})"


def _lines(text: str) -> Markup:
    """Lines stay lines; whatever else does not show is made visible."""
    pieces = [
        line[at : at + LINE]
        for line in text.split("\n")
        for at in range(0, max(1, len(line)), LINE)
    ]
    return Markup("\n".join(join(visible(piece)) for piece in pieces))
