"""The internal topics of Kafka Streams' applications: which they are, and their deletion."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pykafka_ops.client.group_describe import GroupDescription
from pykafka_ops.commands.groups.streams.describe import sources

_ENDS = ("-changelog", "-repartition", "-subscription-registration-topic",
         "-subscription-response-topic")  # fmt: skip
_OF_JOINS = re.compile(r".+-KTABLE-FK-JOIN-SUBSCRIPTION-(REGISTRATION|RESPONSE)-\d+-topic",
                       re.ASCII)  # fmt: skip


def internal_topics(group: GroupDescription) -> tuple[list[str], list[str]]:
    """Topics for repartitions and changelogs that the group is not given: those whose names say
    that they are its own, and the others."""
    given = sources(group)
    parts = group.topology or ()
    found = [t for part in parts for t in (*part.repartitions, *part.changelogs) if t not in given]
    own = [t for t in found if is_internal(t, group.id)]
    return own, [t for t in found if t not in own]


def is_internal(topic: str, application: str) -> bool:
    """Whether the name is one that Kafka Streams makes for the application."""
    mine = topic.startswith(f"{application}-")
    return mine and (topic.endswith(_ENDS) or _OF_JOINS.fullmatch(topic) is not None)


def spared(group: str, topics: Sequence[str]) -> Iterator[str]:
    """A word on each topic whose name is another's."""
    for topic in topics:
        yield (
            f"\nError: The internal topic '{topic}' is not inferred as internal and thus will not "
            f"be deleted with the group '{group}'.\n"
        )
