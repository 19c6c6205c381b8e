"""Names at the target: of mirrored topics, and of what a mirror keeps for itself there. Pure.

Source: DefaultReplicationPolicy, IdentityReplicationPolicy, MirrorSourceConnector.isCycle.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pykafka_ops.mirror.settings.model import IDENTITY, LinkSettings

MOST_CHARACTERS: Final = 249
"""Of a topic's name."""
HEARTBEATS: Final = "heartbeats"
OWN: Final = "pko-mirror."
"""How the names of a mirror's groups, topics and transactional ids begin."""
_NEVER: Final = re.compile(r"__.*|.*\.internal|.*\.replica")


def is_internal(topic: str) -> bool:
    """Whether a topic belongs to Kafka, to Connect or to a mirror: never mirrored."""
    return _NEVER.fullmatch(topic) is not None


def is_own_group(group: str) -> bool:
    """Whether a group is a mirror's own: never mirrored."""
    return group.startswith(OWN)


class Naming(NamedTuple):
    """How a link names topics: with the source's alias before the name, or as they are.

    ``heartbeats`` of MirrorMaker 2 are renamed in any case, for each cluster has its own.
    """

    source: str
    target: str
    separator: str = "."
    identity: bool = False

    @classmethod
    def of(cls, link: LinkSettings) -> Naming:
        """As a link's settings say."""
        return cls(link.source, link.target, link.separator, link.naming == IDENTITY)

    def target_topic(self, topic: str) -> str:
        """The name at the target of a topic of the source."""
        if self.identity and not topic.endswith(HEARTBEATS):
            return topic
        return f"{self.source}{self.separator}{topic}"

    def source_topic(self, topic: str) -> str | None:
        """The name at the source of a topic of the target; None: this link cannot have made it."""
        before = f"{self.source}{self.separator}"
        if topic.startswith(before) and topic != before:
            return topic[len(before) :]
        if self.identity and not topic.endswith(HEARTBEATS):
            return topic
        return None

    def came_from(self, topic: str, alias: str) -> bool:
        """Whether the name of a topic says that it came through the cluster ``alias``.

        ``a.b.orders`` was mirrored from b to a, and from there. With identity only heartbeats say
        so; for other topics the records of their origin do (``mirror.control``).
        """
        if self.identity and not topic.endswith(HEARTBEATS):
            return False
        return alias in topic.split(self.separator)[:-1]

    def goes_round(self, topic: str) -> bool:
        """Whether the topic of the source was mirrored from the target before: a loop."""
        return self.came_from(topic, self.target)


def link_id(source: str, target: str) -> str:
    """The group at the target that holds positions and shares the work of a link; the beginning of
    its transactional ids too."""
    return f"{OWN}{source}-{target}"


def map_topic(source: str) -> str:
    """The compacted topic at the target that says which offsets are which of the source's."""
    return f"{OWN}{source}.map.internal"


def control_topic(source: str) -> str:
    """The compacted topic at the target that says what is paused, and where topics come from."""
    return f"{OWN}{source}.control.internal"
