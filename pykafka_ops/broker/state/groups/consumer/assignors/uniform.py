"""As many partitions for everybody as can be, and as few moves as can be (``UniformAssignor``).

Members with the same topics get numbers that differ by one at most. Where topics differ, nobody has
two partitions more than another who could have one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapify, heappop, heappush, heapreplace

from pykafka_ops.broker.state.groups.consumer.assignors.spec import Assignee, subscribes_alike
from pykafka_ops.broker.state.groups.consumer.member import Target

Place = tuple[bytes, int]


def assign(members: list[Assignee], partitions: Mapping[bytes, int]) -> dict[str, Target]:
    """Keep what members have as far as it is fair, share out the rest."""
    if not members:
        return {}
    if subscribes_alike(members):
        return _Alike(members, partitions).assign()
    return _Mixed(members, partitions).assign()


def _targets(places: Mapping[str, set[Place]]) -> dict[str, Target]:
    found: dict[str, Target] = {}
    for member_id, held in places.items():
        topics: dict[bytes, set[int]] = {}
        for topic, index in held:
            topics.setdefault(topic, set()).add(index)
        found[member_id] = {topic: frozenset(topics[topic]) for topic in sorted(topics)}
    return found


def _kept(
    members: list[Assignee], partitions: Mapping[bytes, int]
) -> tuple[dict[str, list[Place]], list[Place]]:
    """What members had and may keep, each place once; and what nobody has."""
    taken: set[Place] = set()
    kept: dict[str, list[Place]] = {}
    for each in members:
        mine = kept[each.id] = []
        for topic in each.target:
            if topic not in each.topics:
                continue
            for index in sorted(each.target[topic]):
                place = topic, index
                if index < partitions.get(topic, 0) and place not in taken:
                    taken.add(place)
                    mine.append(place)
    subscribed = sorted(partitions.keys() & set().union(*{each.topics for each in members}))
    free = [
        (topic, index)
        for topic in subscribed
        for index in range(partitions[topic])
        if (topic, index) not in taken
    ]
    return kept, free


class _Alike:
    """Everybody subscribes to the same topics."""

    def __init__(self, members: list[Assignee], partitions: Mapping[bytes, int]) -> None:
        self._kept, self._free = _kept(members, partitions)
        self._before = {each.id: each.target for each in members}

    def assign(self) -> dict[str, Target]:
        """Cut who has too much, fill up who has too little; the targets of all others stay."""
        kept, free = self._kept, self._free
        count = len(free) + sum(map(len, kept.values()))
        least, extra = divmod(count, len(kept))
        changed: dict[str, set[Place]] = {}
        room: list[tuple[str, int]] = []
        # Those who have most keep the places that do not divide: so fewest move.
        for member_id in sorted(kept, key=lambda id_: -len(kept[id_])):
            quota = least + (extra > 0)
            extra -= extra > 0
            mine = kept[member_id]
            if len(mine) != quota or len(mine) != sum(map(len, self._before[member_id].values())):
                changed[member_id] = set(mine[:quota])
                free += mine[quota:]
                room.append((member_id, quota - len(mine)))
        rest = iter(free)
        for member_id, left in room:
            for _ in range(left):
                changed[member_id].add(next(rest))
        others = _targets(changed)
        return {id_: others[id_] if id_ in changed else self._before[id_] for id_ in kept}


class _Mixed:
    """Topics differ: the fewest go first to who can have them, then the loads are evened out."""

    def __init__(self, members: list[Assignee], partitions: Mapping[bytes, int]) -> None:
        kept, self._free = _kept(members, partitions)
        self._load = {member_id: len(places) for member_id, places in kept.items()}
        self._held: dict[str, dict[bytes, list[int]]] = {member_id: {} for member_id in kept}
        for member_id, places in kept.items():
            for topic, index in places:
                self._held[member_id].setdefault(topic, []).append(index)
        self._readers: dict[bytes, list[str]] = {}
        for each in members:
            for topic in each.topics:
                self._readers.setdefault(topic, []).append(each.id)

    def assign(self) -> dict[str, Target]:
        """Share out what is free, then even out."""
        free: dict[bytes, list[int]] = {}
        for topic, index in self._free:
            free.setdefault(topic, []).append(index)
        topics = sorted(self._readers, key=lambda topic: (len(self._readers[topic]), topic))
        for topic in topics:
            readers = [(self._load[id_], id_) for id_ in self._readers[topic]]
            heapify(readers)
            for index in free.get(topic, ()):
                _, member_id = readers[0]
                self._give(member_id, topic, index)
                heapreplace(readers, (self._load[member_id], member_id))
        # Every move makes the sum of squares of the loads smaller, so this ends.
        while sum(self._even_out(topic) for topic in topics):
            pass
        return {
            id_: {topic: frozenset(held[topic]) for topic in sorted(held) if held[topic]}
            for id_, held in self._held.items()
        }

    def _give(self, member_id: str, topic: bytes, index: int) -> None:
        self._held[member_id].setdefault(topic, []).append(index)
        self._load[member_id] += 1

    def _even_out(self, topic: bytes) -> bool:
        """Hand on partitions of a topic to who has two less; whether any moved."""
        load, held, moved = self._load, self._held, False
        takers = [(load[id_], id_) for id_ in self._readers[topic]]
        givers = [(-load[id_], id_) for id_ in self._readers[topic] if held[id_].get(topic)]
        heapify(takers)
        heapify(givers)
        while givers:
            (more, giver), (less, taker) = givers[0], takers[0]
            if not held[giver].get(topic):
                heappop(givers)
            elif -more != load[giver]:
                heapreplace(givers, (-load[giver], giver))
            elif less != load[taker]:
                heapreplace(takers, (load[taker], taker))
            elif load[giver] - load[taker] <= 1:
                break
            else:
                self._give(taker, topic, held[giver][topic].pop())
                load[giver] -= 1
                heappush(givers, (-load[taker], taker))
                moved = True
        return moved
