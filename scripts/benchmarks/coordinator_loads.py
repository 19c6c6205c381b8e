"""What members of groups ask for all the time; each load runs in a process of its own.

``python -m scripts.benchmarks.coordinator_loads NAME BOOTSTRAP TOPIC [OPTION=NUMBER...]``
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest
from scripts.benchmarks.asking import Same, Spent, ask_all
from scripts.benchmarks.group_loads import (
    REBALANCE_IN_PROGRESS,
    Link,
    Member,
    assign,
    commit_of,
    meet,
    wait_coordinator,
)
from tests.support.wire import raw

HEARTBEAT_CODE_AT = 4 + 4 + 4
"""In a Heartbeat v3 response, its length in front."""


def commits(
    bootstrap: str, topic: str, *, connections: int, seconds: int, most: int = sys.maxsize
) -> dict[str, float]:
    """Simple commits of one partition, one under way on each connection."""
    code_at = 4 + 4 + 4 + 4 + len(raw.string(topic)) + 4 + 4  # OffsetCommit v5
    pairs = []
    for i in range(connections):
        link, group = Link(bootstrap), f"commits-{i}"
        link.find_coordinator(group)
        wait_coordinator(link, group, topic)
        frame = encode_request(commit_of(group, topic, 1, i), 5, 1, "bench")
        pairs.append((link.socket, Same(bytes(frame), code_at)))
    return ask_all(pairs, seconds, most)


def _formed(bootstrap: str, group: str, members: int) -> list[Member]:
    """A stable group; every member has a connection of its own."""
    everybody = [Member(bootstrap, group) for _ in range(members)]
    everybody[0].link.find_coordinator(group)
    meet(everybody[:1])
    meet(everybody)
    return everybody


def heartbeats(
    bootstrap: str, topic: str, *, groups: int, members: int, seconds: int
) -> dict[str, float]:
    """Every member of every group sends one heartbeat after the other."""
    everybody = []
    for number in range(groups):
        everybody += _formed(bootstrap, f"{topic}-{number}", members)
    pairs = []
    for member in everybody:
        request = HeartbeatRequest(
            group_id=member.group, generation_id=member.generation, member_id=member.id
        )
        frame = encode_request(request, 3, 1, "bench")
        pairs.append((member.link.socket, Same(bytes(frame), HEARTBEAT_CODE_AT)))
    return ask_all(pairs, seconds)


def joins(bootstrap: str, topic: str, *, members: int, rounds: int) -> dict[str, float]:
    """Rebalances of one group; as many go before that are not counted. ``count`` are members times
    rebalances: each learns of it by a heartbeat, joins, and syncs."""
    everybody = _formed(bootstrap, f"joins-{topic}", members)
    for _ in range(rounds):
        _rebalance(everybody)
    spent, begin = Spent(), time.monotonic()
    for _ in range(rounds):
        _rebalance(everybody)
    seconds = time.monotonic() - begin
    return {"count": members * rounds, "seconds": seconds, "broker_cpu": spent.seconds()}


def _rebalance(everybody: list[Member]) -> None:
    """The leader joins again, so everybody has to."""
    (leader,) = (member for member in everybody if member.id == member.leader)
    rest = [member for member in everybody if member is not leader]
    leader.send_join()
    for member in rest:
        while member.heartbeat() != REBALANCE_IN_PROGRESS:
            pass
    for member in rest:
        member.send_join()
    codes = {member.read_join() for member in everybody}
    assert codes == {0}, codes
    assign(everybody)


def main(argv: list[str]) -> None:
    name, bootstrap, topic, *rest = argv
    options: dict[str, Any] = {k: int(v) for k, v in (word.split("=") for word in rest)}
    print(json.dumps(globals()[name](bootstrap, topic, **options)))


if __name__ == "__main__":
    main(sys.argv[1:])
