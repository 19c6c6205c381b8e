"""JSON as Jackson's ``DefaultPrettyPrinter`` writes it: ``"a" : [ 1, 2 ]``, objects by lines."""

from __future__ import annotations

import json
from typing import Any


def pretty(value: Any, indent: str = "") -> str:
    """A value of dicts, lists, texts, numbers, booleans and None."""
    if isinstance(value, list):
        return f"[ {', '.join(pretty(one, indent) for one in value)} ]" if value else "[ ]"
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    inner = indent + "  "
    lines = [f"{inner}{json.dumps(k)} : {pretty(v, inner)}" for k, v in value.items()]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}" if lines else "{ }"
