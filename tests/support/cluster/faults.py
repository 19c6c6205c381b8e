"""What can go wrong in a cluster, by name: each strikes, waits until it was felt, and is mended."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from tests.support.cluster.checked_copy import CheckedCopy
from tests.support.cluster.checked_group import CheckedGroup
from tests.support.cluster.checked_load import BROKEN, CheckedLoad
from tests.support.cluster.faulty_cluster import SESSION_MS, FaultyCluster
from tests.support.cluster.troubles import HOUR_MS, TROUBLES
from tests.support.waiting import wait_for

Fault = Callable[[FaultyCluster, CheckedLoad, random.Random], None]
FAULTS: dict[str, Fault] = {}


def fault(function: Fault) -> Fault:
    FAULTS[function.__name__] = function
    return function


def run_fault(
    cluster: FaultyCluster, name: str, topic: str, seed: int, *, more: bool = False
) -> int:
    """One fault under load, mended, and every record checked; how many there were.

    ``more``: a loop of transactions and a group that commits have to come through it, too.
    AssertionError if anything is amiss.
    """
    load = CheckedLoad(cluster, topic)
    copy = CheckedCopy(cluster, topic, BROKEN) if more else None
    group = CheckedGroup(cluster, topic, len(load.loads)) if more else None
    try:
        load.start()
        if copy is not None and group is not None:
            copy.start()
            group.start()
            copy.wait_progress()
            group.wait_progress()
        FAULTS[name](cluster, load, random.Random(seed))
        cluster.restore()
        load.wait_progress(200)
        if copy is not None and group is not None:
            copy.wait_progress()
            group.wait_progress()
        ends = load.check()
        if copy is not None and group is not None:
            copy.check()
            group.check(ends)
        cluster.wait_whole()
        return sum(ends.values())
    finally:
        load.close()
        if copy is not None:
            copy.abandon()
        if group is not None:
            group.close()
        cluster.network.heal()


def _others_lead(cluster: FaultyCluster, load: CheckedLoad, gone: set[int]) -> None:
    def moved() -> bool:
        partitions = cluster.describe(load.topic).topics[load.topic].partitions.values()
        return all(p.leader >= 0 and p.leader not in gone for p in partitions)

    wait_for(moved, what=f"leaders other than {gone}", poll=0.1)


def _kill(cluster: FaultyCluster, load: CheckedLoad, victim: int) -> None:
    """The others take over, and go on, while it is away."""
    cluster.brokers[victim].kill()
    _others_lead(cluster, load, {victim})
    load.wait_progress(50)


@fault
def kill_leader(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    _kill(cluster, load, cluster.leader(load.topic, draw.randrange(len(load.loads))))


@fault
def kill_controller(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    _kill(cluster, load, cluster.controller())


@fault
def kill_follower(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    leader, controller = cluster.leader(load.topic), cluster.controller()
    others = [b.broker_id for b in cluster.brokers if b.broker_id not in (leader, controller)]
    _kill(cluster, load, draw.choice(others))


@fault
def kill_two(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    """With one replica of three nothing is acknowledged; with two again it goes on."""
    first, second = draw.sample(cluster.brokers, 2)
    first.kill()
    second.kill()
    _others_lead(cluster, load, {first.broker_id, second.broker_id})
    second.start()
    load.wait_progress(50)


@fault
def kill_all(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    for broker in draw.sample(cluster.brokers, len(cluster.brokers)):
        broker.kill()


@fault
def restart_all(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    """All at once, cleanly: nobody is left to move leaders to."""
    for broker in draw.sample(cluster.brokers, len(cluster.brokers)):
        broker.terminate()
    for broker in cluster.brokers:
        broker.stop()


@fault
def restart_one_by_one(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    for broker in draw.sample(cluster.brokers, len(cluster.brokers)):
        broker.stop()
        broker.start()
        load.wait_progress(50)
        cluster.wait_in_sync(load.topic)


@fault
def pause_leader(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    """Silent for longer than its session: it wakes up as a leader that no longer is one."""
    victim = cluster.leader(load.topic, draw.randrange(len(load.loads)))
    cluster.brokers[victim].pause()
    try:
        _others_lead(cluster, load, {victim})
        load.wait_acked_somewhere(50)
    finally:
        cluster.brokers[victim].resume()


@fault
def pause_controller(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    """It wakes up as a controller that no longer is one."""
    victim = cluster.controller()
    cluster.brokers[victim].pause()
    try:
        wait_for(lambda: cluster.describe().controller_id not in (victim, -1),
                 what="another controller", poll=0.1)  # fmt: skip
        _others_lead(cluster, load, {victim})
        load.wait_acked_somewhere(50)
    finally:
        cluster.brokers[victim].resume()


@fault
def fail_log_dir(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    """One of a leader's two directories goes; what was in it is led elsewhere, the rest stays."""
    number = draw.randrange(len(load.loads))
    victim = cluster.brokers[cluster.leader(load.topic, number)]
    (replica,) = victim.data_dir.glob(f"*/{load.topic}-{number}")
    where, aside = replica.parent, replica.parent.with_name(f"{replica.parent.name}-aside")
    where.rename(aside)
    where.touch()  # as Kafka's LogDirFailureTest: a file where the directory was
    try:
        wait_for(
            lambda: cluster.leader(load.topic, number) not in (victim.broker_id, -1),
            what=f"another leader of partition {number}", poll=0.1,
        )  # fmt: skip
        load.wait_progress(50)
        assert victim.pid is not None, "a broker with a directory left goes on"
    finally:
        victim.stop()
        where.unlink()
        aside.rename(where)


@fault
def fill_disk(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    """Others lead what a broker without space has; with space again it joins them by itself."""
    leaders = [cluster.leader(load.topic, number) for number in range(len(load.loads))]
    leading = [broker for broker in cluster.fillable if broker.broker_id in leaders]
    victim = draw.choice(leading or cluster.fillable)
    pid = victim.pid
    cluster.fill_disk(victim.broker_id)
    _others_lead(cluster, load, {victim.broker_id})
    load.wait_progress(50)
    cluster.empty_disk(victim.broker_id)
    cluster.go_on(victim)
    cluster.wait_in_sync(load.topic)
    assert pid is not None
    assert victim not in cluster.ours or victim.pid == pid, "a broker with a full disk goes on"


@fault
def set_clocks(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    """An hour ahead, and an hour back: no session ends, no replica leaves the ISR. One good round
    is enough: a broker that the machine keeps waiting loses its session by that."""
    for last in (False, False, False, True):
        found = _clocks_set(cluster, load, draw)
        if not found:
            return
        assert not last, found
        cluster.restore()
        cluster.wait_whole()


def _clocks_set(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> str:
    """What changed meanwhile."""

    def seen() -> tuple[dict[int, int], bool, int]:
        partitions = cluster.describe(load.topic).topics[load.topic].partitions
        whole = all(len(p.isrs) == len(p.replicas) for p in partitions.values())
        return {n: p.leader for n, p in partitions.items()}, whole, cluster.controller()

    before = seen()
    victims = {cluster.leader(load.topic, draw.randrange(len(load.loads))), cluster.controller()}
    victims &= cluster.steering.keys()
    for ahead in (HOUR_MS, -HOUR_MS):
        for victim in victims:
            cluster.steering[victim].ahead_ms = ahead
        end = time.monotonic() + 1.2 * SESSION_MS / 1000
        load.wait_progress(50)
        while time.monotonic() < end:
            if (now := seen()) != (before[0], True, before[2]):
                return f"leaders, all in sync, controller: {before}, then {now}"
        load.wait_progress(50)
    return ""


@fault
def flapping(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    """Links come and go, faster and slower than sessions and fetches can bear."""
    mend = TROUBLES["links_flap"](cluster, draw)
    _let_pass(4 * SESSION_MS / 1000)
    mend()


@fault
def two_at_once(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    """Any two troubles, the second in the middle of the first."""
    mends = []
    names = draw.sample(sorted(TROUBLES), 2)
    for name in names:
        mends.append(TROUBLES[name](cluster, draw))
        _let_pass(draw.uniform(0.0, 2 * SESSION_MS / 1000))
    draw.shuffle(mends)
    for mend in mends:
        mend()
        _let_pass(draw.uniform(0.0, SESSION_MS / 1000))


def _let_pass(seconds: float) -> None:
    end = time.monotonic() + seconds
    wait_for(lambda: time.monotonic() > end, what="some time")


@fault
def zookeeper_away(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    """Stopped for longer than sessions: brokers go on with what they know."""
    zookeeper = cluster.kafka.zookeeper
    zookeeper.kill()
    load.wait_progress(50)
    _let_pass(1.5 * SESSION_MS / 1000)
    load.wait_progress(50)
    zookeeper.start()


@fault
def zookeeper_paused(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    zookeeper = cluster.kafka.zookeeper
    zookeeper.pause()
    _let_pass(1.5 * SESSION_MS / 1000)
    zookeeper.resume()


@fault
def cut_from_zookeeper(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    """Its session ends without its knowing; the leaders go elsewhere, it must not go on alone.

    A client that asks nobody but it who leads will wait until the cut is mended.
    """
    victim = cluster.leader(load.topic, draw.randrange(len(load.loads)))
    cluster.to_zookeeper[victim].cut()
    _others_lead_elsewhere(cluster, load, victim)
    load.wait_acked_somewhere(200)


@fault
def cut_between_two(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    """A follower that cannot reach its leader leaves the ISR, or the load waits for it."""
    one, other = draw.sample(range(len(cluster.brokers)), 2)
    cluster.cut_between(one, other)
    load.wait_acked_somewhere(50)
    _let_pass(2 * SESSION_MS / 1000)  # longer than replica.lag.time.max.ms


@fault
def cut_off(cluster: FaultyCluster, load: CheckedLoad, draw: random.Random) -> None:
    """One broker reaches neither ZooKeeper nor the others, but clients reach it."""
    victim = cluster.leader(load.topic, draw.randrange(len(load.loads)))
    cluster.to_zookeeper[victim].cut()
    for broker in cluster.brokers:
        if broker.broker_id != victim:
            cluster.cut_between(victim, broker.broker_id)
    _others_lead_elsewhere(cluster, load, victim)
    load.wait_acked_somewhere(200)


def _others_lead_elsewhere(cluster: FaultyCluster, load: CheckedLoad, victim: int) -> None:
    """As the brokers that are not cut off tell it."""
    others = [b.bootstrap_servers for b in cluster.brokers if b.broker_id != victim]

    def moved() -> bool:
        for server in others:
            partitions = (
                cluster.admin(server).list_topics(load.topic, 120).topics[load.topic].partitions
            )
            if any(p.leader in (victim, -1) for p in partitions.values()):
                return False
        return True

    wait_for(moved, what=f"leaders other than {victim}", poll=0.1)
