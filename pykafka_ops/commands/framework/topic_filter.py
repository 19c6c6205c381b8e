"""Which topics are meant: Kafka's IncludeList in its tongue, names or ``--regex`` in ours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pykafka_ops.commands.framework.mistakes import did_you_mean
from pykafka_ops.commands.framework.output import ItemError
from pykafka_ops.errors import PkoError
from pykafka_ops.wire.codes import ErrorCode

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
    """Our tongue: (the names meant by ``words``, the words that mean none). No words: all.

    A word may hold several names, by comma, but is one regular expression.
    """
    pool = [n for n in names if not (exclude_internal and n in INTERNAL)]
    if not words:
        return pool, []
    if not regex:
        known = set(names)
        wanted = list(dict.fromkeys(name for word in words for name in word.split(",") if name))
        return [w for w in wanted if w in known], [w for w in wanted if w not in known]
    patterns = [(w, pattern(w)) for w in words]
    found = [n for n in pool if any(p.fullmatch(n) for _, p in patterns)]
    return found, [w for w, p in patterns if not any(p.fullmatch(n) for n in pool)]


def missing_topic(word: str, names: Iterable[str]) -> ItemError:
    """The error for a topic that does not exist; ``names``: those that do."""
    code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return ItemError(word, code.name, f"there is no topic {word}{did_you_mean(word, names)}", code)
