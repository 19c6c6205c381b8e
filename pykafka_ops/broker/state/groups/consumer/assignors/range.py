"""Contiguous ranges of each topic (``RangeAssignor``).

Members with the same topics get the same numbers of each, so that topics with as many partitions
can be joined. Static members come first and by name, so they keep their ranges.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pykafka_ops.broker.state.groups.consumer.assignors.spec import Assignee
from pykafka_ops.broker.state.groups.consumer.member import Target


def assign(members: list[Assignee], partitions: Mapping[bytes, int]) -> dict[str, Target]:
    """Every topic in ranges for those who subscribe to it."""
    ordered = sorted(members, key=_order)
    readers = Counter(topic for each in members for topic in each.topics)
    begins: dict[bytes, int] = {}
    taken: Counter[bytes] = Counter()
    found: dict[str, Target] = {}
    for each in ordered:
        target: Target = {}
        for topic in sorted(each.topics & partitions.keys()):
            least, extra = divmod(partitions[topic], readers[topic])
            begin = begins.get(topic, 0)
            end = begin + least + (taken[topic] < extra)
            taken[topic] += 1
            begins[topic] = end
            if begin < end:
                target[topic] = frozenset(range(begin, end))
        found[each.id] = target
    return found


def _order(member: Assignee) -> tuple[bool, str]:
    if member.instance_id is not None:
        return False, member.instance_id
    return True, member.id
