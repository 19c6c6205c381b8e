"""Which topics and partitions are meant: Kafka's IncludeList in its form, words in ours."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.commands.framework.output import ItemError
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.errors import KafkaError, PkoError, UsageError
from pykafka_ops.wire.codes import ErrorCode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.client.cluster import Cluster

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
    """Pko's form: (the names meant by ``words``, the words that mean none). No words: all.

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


def missing_topics(
    cluster: Cluster, words: Sequence[str], names: Collection[str]
) -> list[ItemError]:
    """An error for each of ``words``, which are not among the topics that were listed, ``names``.

    Brokers leave out of lists what a login may not describe; asked by name they say so.
    """
    if not words or not cluster.config.is_known:
        return [missing_topic(word, names) for word in words]
    from pykafka_ops.client.topics import describe_topics

    refused = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    found = describe_topics(cluster, words)
    errors = {word: e for word in words if isinstance(e := found.get(word), KafkaError)}
    return [
        ItemError.of(word, errors[word])
        if word in errors and errors[word].code == refused
        else missing_topic(word, names)
        for word in words
    ]


def partitions_by_topic(words: Iterable[str]) -> dict[str, list[int] | None]:
    """Partitions by topic in the order of the words, None: all of them: ``orders``, ``orders:0,2``.

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
