"""What a schema registry answers (Confluent's API), whoever asks it: its fields, checked, and the
schemas that one uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote

from pykafka_ops.errors import DeserializeError

MOST_REFERENCES: Final = 50


def field_of(body: Any, name: str, default: str | None = None) -> str:
    """A text, or a number as text, of an answer. DeserializeError where it is neither."""
    value = body.get(name, default) if isinstance(body, dict) else None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise DeserializeError(f"the registry's answer has no {name}")
    return value


def references(body: Any, ask: Callable[[str], Any], form: str = "") -> list[tuple[str, str]]:
    """(name, text) of the schemas that one uses, those first that others use; ``ask`` gives the
    answer for a path, ``form`` is the query parameter ``format``. DeserializeError for what is no
    such answer, or more than MOST_REFERENCES of them."""
    found: dict[str, str] = {}
    opened: set[str] = set()
    query = f"?format={form}" if form else ""

    def follow(one: Any) -> None:
        listed = one.get("references") or []
        if not isinstance(listed, list):
            raise DeserializeError("its references are not a list")
        for reference in listed:
            name = field_of(reference, "name")
            if name in opened:
                continue
            opened.add(name)
            if len(opened) > MOST_REFERENCES:
                raise DeserializeError(f"it uses more than {MOST_REFERENCES} others")
            subject = quote(field_of(reference, "subject"), safe="")
            version = quote(field_of(reference, "version"))
            inner = ask(f"/subjects/{subject}/versions/{version}{query}")
            follow(inner)
            found[name] = field_of(inner, "schema")

    follow(body)
    return list(found.items())
