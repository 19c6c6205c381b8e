"""``orders``, ``orders:0,2``: topics, or some of their partitions, as our tongue reads them."""

from __future__ import annotations

from collections.abc import Iterable

from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.errors import UsageError


def parse(words: Iterable[str]) -> dict[str, list[int] | None]:
    """Partitions by topic in the order of the words, None: all of them.

    A word may hold several topics, by comma: ``orders:0,2,users``. UsageError.
    """
    found: dict[str, list[int] | None] = {}
    for word in words:
        topic, of_numbers = "", False
        for part in word.split(","):
            name, colon, number = part.partition(":")
            if colon:
                topic, of_numbers = name, True
            elif of_numbers and java_integer(part) is not None:
                number = part
            else:
                topic, of_numbers = part, False
            if not topic:
                raise UsageError(f"{word}: write TOPIC or TOPIC:0,3")
            _add(found, topic, number if of_numbers else None, word)
    return found


def _add(found: dict[str, list[int] | None], topic: str, text: str | None, word: str) -> None:
    if text is None:
        found[topic] = None
        return
    number = java_integer(text)
    if number is None or number < 0:
        raise UsageError(f"{word}: partitions are numbers, as in {topic}:0,3")
    numbers = found.setdefault(topic, [])
    if numbers is not None and number not in numbers:
        numbers.append(number)
