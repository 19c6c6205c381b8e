"""Which topics are meant: Kafka's IncludeList in the flag tongue, names or --regex in ours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pykafka_ops.errors import PkoError

INTERNAL = frozenset(("__consumer_offsets", "__transaction_state", "__share_group_state"))
"""Topics Kafka's tools call internal (Topic.INTERNAL_TOPICS)."""


class InvalidRegexError(PkoError):
    """Kafka's text for a pattern that does not compile."""


def include_list(raw: str) -> re.Pattern[str]:
    """TopicFilter: blanks dropped, commas mean "or", quotes around stripped; matches in full."""
    text = raw.strip().replace(",", "|").replace(" ", "")
    text = re.sub(r"^[\"']+", "", text)
    return pattern(re.sub(r"[\"']+$", "", text))


def pattern(text: str) -> re.Pattern[str]:
    """Compile; InvalidRegexError."""
    try:
        return re.compile(text)
    except re.error:
        raise InvalidRegexError(f"{text} is an invalid regex.") from None


def included(names: Iterable[str], raw: str | None, *, exclude_internal: bool) -> list[str]:
    """The names that Kafka's ``--topic RAW`` means (None: all), in their order."""
    wanted = include_list(raw) if raw is not None else None
    return [
        name
        for name in names
        if not (exclude_internal and name in INTERNAL)
        and (wanted is None or wanted.fullmatch(name))
    ]


def chosen(
    names: Sequence[str], words: Sequence[str], *, regex: bool, exclude_internal: bool = False
) -> tuple[list[str], list[str]]:
    """Our tongue: (the names meant by ``words``, the words that mean none). No words: all."""
    pool = [n for n in names if not (exclude_internal and n in INTERNAL)]
    if not words:
        return pool, []
    if not regex:
        known = set(names)
        return [w for w in dict.fromkeys(words) if w in known], [w for w in words if w not in known]
    patterns = [(w, pattern(w)) for w in words]
    found = [n for n in pool if any(p.fullmatch(n) for _, p in patterns)]
    return found, [w for w, p in patterns if not any(p.fullmatch(n) for n in pool)]
