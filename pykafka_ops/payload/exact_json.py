"""JSON read and written without a digit lost: numbers stay as they were written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from pykafka_ops.errors import DeserializeError

MOST_DEPTH: Final = 100
"""How deep objects and arrays may stand in each other."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class NumberText(str):
    """A number of JSON as it was written: ``1.10``, ``12345678901234567890``."""

    __slots__ = ()


def read_json(data: bytes | str) -> object:
    """The value, its numbers as NumberText; DeserializeError with one line."""
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
    except UnicodeDecodeError as e:
        raise DeserializeError(f"{e.reason} at byte {e.start}") from None
    try:
        value: object = json.loads(
            text, parse_int=NumberText, parse_float=NumberText, parse_constant=_no_constant
        )
    except RecursionError:
        raise DeserializeError("nested too deep") from None
    except ValueError as e:
        raise DeserializeError(str(e)) from None
    if text.count("[") + text.count("{") > MOST_DEPTH:
        check_depth(value)
    return value


def check_depth(value: object) -> None:
    """DeserializeError where a value is nested deeper than ``MOST_DEPTH``."""
    level, depth = [value], 0
    while level:
        if depth >= MOST_DEPTH:
            raise DeserializeError(f"nested more than {MOST_DEPTH} deep")
        level = [inner for one in level for inner in _inside(one)]
        depth += 1


def _inside(value: object) -> list[object]:
    if isinstance(value, dict):
        return [v for v in value.values() if isinstance(v, dict | list)]
    if isinstance(value, list):
        return [v for v in value if isinstance(v, dict | list)]
    return []


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def write_json(value: object, indent: int = 0, most: int | None = None) -> str:
    """Plain values as JSON, in lines where ``indent`` is given.

    Ends behind ``most`` characters and a little: what is longer is not made. Values deeper than
    Python's stack raise RecursionError: ``check_depth`` first.
    """
    parts: list[str] = []
    room = most
    for part in _written(value, indent, "\n" if indent else ""):
        parts.append(part)
        if room is not None:
            room -= len(part)
            if room < 0:
                break
    return "".join(parts)


def _written(value: object, indent: int, line: str) -> Iterator[str]:
    if isinstance(value, dict):
        pairs = (
            (f"{_text(str(key))}:{' ' if indent else ''}", inner) for key, inner in value.items()
        )
        yield from _group("{}", pairs, indent, line)
    elif isinstance(value, list | tuple):
        yield from _group("[]", (("", inner) for inner in value), indent, line)
    else:
        yield _scalar(value)


def _group(
    signs: str, pairs: Iterator[tuple[str, object]], indent: int, line: str
) -> Iterator[str]:
    inner_line = line + " " * indent
    lead = signs[0]
    for name, inner in pairs:
        yield f"{lead}{inner_line}{name}"
        lead = ","
        if isinstance(inner, dict | list | tuple):
            yield from _written(inner, indent, inner_line)
        else:
            yield _scalar(inner)
    yield signs if lead == signs[0] else f"{line}{signs[1]}"


def _scalar(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, NumberText):
        return str(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and value - value == 0:
        return repr(value)
    return _text(str(value))


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=_SURROGATE.search(text) is not None)
