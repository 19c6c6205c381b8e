"""Where the replicas of new partitions go: Kafka's algorithm (``AdminUtils``, KIP-36).

Leaders go round the brokers from a random start; followers follow with a shift that grows by
one each time all brokers have led. With racks, brokers of alternating racks stand in the list
and followers go to racks that have no replica yet while there are any.

Pure: what Kafka draws at random is passed in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


class PlacementError(ValueError):
    """The replicas cannot be placed; ``kind`` says why."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


PARTITIONS = "partitions"
REPLICATION_FACTOR = "replication factor"
RACKS = "racks"


def assign_replicas(
    brokers: Mapping[int, str | None],
    partitions: int,
    replication_factor: int,
    *,
    start_index: int,
    shift: int,
    first_partition: int = 0,
) -> dict[int, list[int]]:
    """Replicas of each of ``partitions`` new partitions, the leader first.

    ``brokers`` maps id to rack (None: has none) in the order of Kafka's list, which is by id.
    ``start_index`` and ``shift`` are random numbers in ``range(len(brokers))`` for a new topic;
    for added partitions both are the place of partition 0's leader and ``first_partition`` is
    the present count. Raises PlacementError in Kafka's words.
    """
    if partitions <= 0:
        raise PlacementError(PARTITIONS, "Number of partitions must be larger than 0.")
    if replication_factor <= 0:
        raise PlacementError(REPLICATION_FACTOR, "Replication factor must be larger than 0.")
    if replication_factor > len(brokers):
        raise PlacementError(
            REPLICATION_FACTOR,
            f"Replication factor: {replication_factor} larger than available brokers:"
            f" {len(brokers)}.",
        )
    racks = {id_: rack for id_, rack in brokers.items() if rack is not None}
    if racks and len(racks) < len(brokers):
        raise PlacementError(
            RACKS, "Not all brokers have rack information for replica rack aware assignment."
        )
    ordered = alternate_racks(racks) if racks else list(brokers)
    result: dict[int, list[int]] = {}
    for index in range(first_partition, first_partition + partitions):
        if index > 0 and index % len(ordered) == 0:
            shift += 1
        first = (index + start_index) % len(ordered)
        if racks:
            result[index] = _across_racks(ordered, racks, first, shift, replication_factor)
        else:
            result[index] = [ordered[first]] + [
                ordered[_follower(first, shift, i, len(ordered))]
                for i in range(replication_factor - 1)
            ]
    return result


def alternate_racks(racks: Mapping[int, str]) -> list[int]:
    """Broker ids so that neighbours are of different racks while racks last.

    >>> alternate_racks({0: "a", 1: "a", 2: "b", 3: "b"})
    [0, 2, 1, 3]
    """
    by_rack: dict[str, list[int]] = {}
    for id_ in sorted(racks):
        by_rack.setdefault(racks[id_], []).append(id_)
    columns = [by_rack[rack] for rack in sorted(by_rack, key=_utf16)]
    longest = max(map(len, columns), default=0)
    return [ids[i] for i in range(longest) for ids in columns if i < len(ids)]


def _utf16(text: str) -> bytes:
    """Java compares strings by UTF-16 unit."""
    return text.encode("utf-16-be", "surrogatepass")


def _follower(first: int, shift: int, nth: int, brokers: int) -> int:
    return (first + 1 + (shift + nth) % (brokers - 1)) % brokers


def _across_racks(
    ordered: Sequence[int], racks: Mapping[int, str], first: int, shift: int, factor: int
) -> list[int]:
    all_racks = len(set(racks.values()))
    replicas = [ordered[first]]
    used_racks = {racks[ordered[first]]}
    nth = 0
    while len(replicas) < factor:
        id_ = ordered[_follower(first, shift * all_racks, nth, len(ordered))]
        nth += 1
        # A rack gets a second replica only once every rack has one.
        if (racks[id_] in used_racks and len(used_racks) < all_racks) or id_ in replicas:
            continue
        replicas.append(id_)
        used_racks.add(racks[id_])
    return replicas
