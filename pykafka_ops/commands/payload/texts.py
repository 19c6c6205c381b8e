"""Bytes of keys and values as text, whole for machines and cut to a line for tables."""

from __future__ import annotations

#: Characters of a key or value in a table.
ROOM = 60
#: For text in a table: one line a row, and no control sequence of a payload reaches the terminal.
UNPRINTED = dict.fromkeys((*range(32), *range(127, 160)), "�") | {9: " ", 10: "⏎", 13: "⏎"}


def text_of(data: bytes | None) -> tuple[str | None, str | None]:
    """(text, how it stands for the bytes): utf-8, base64, None for null."""
    if data is None:
        return None, None
    try:
        return data.decode(), "utf-8"
    except UnicodeDecodeError:
        from base64 import b64encode

        return b64encode(data).decode(), "base64"


def cut(text: object, room: int) -> object:
    """Text in at most ``room`` characters of one line; anything else as it is."""
    if isinstance(text, str):
        line = text[: room + 1].translate(UNPRINTED)
        return line if len(line) <= room else line[: room - 1] + "…"
    return text
