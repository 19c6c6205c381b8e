"""Troubles that can be had two at a time: each strikes somewhere, and gives what ends it."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

from pykafka_ops.local.broker import LocalBroker
from tests.support.cluster.faulty_cluster import FaultyCluster

Mend = Callable[[], None]
Trouble = Callable[[FaultyCluster, random.Random], Mend]
TROUBLES: dict[str, Trouble] = {}
HOUR_MS = 3_600_000


def trouble(function: Trouble) -> Trouble:
    TROUBLES[function.__name__] = function
    return function


def _somebody(cluster: FaultyCluster, draw: random.Random) -> LocalBroker:
    return draw.choice(cluster.brokers)


@trouble
def killed(cluster: FaultyCluster, draw: random.Random) -> Mend:
    victim = _somebody(cluster, draw)
    victim.kill()

    def start_again() -> None:
        if victim.pid is None:
            victim.launch()  # it may have to wait for whatever else is wrong

    return start_again


@trouble
def paused(cluster: FaultyCluster, draw: random.Random) -> Mend:
    victim = _somebody(cluster, draw)
    victim.pause()
    return victim.resume


@trouble
def disk_full(cluster: FaultyCluster, draw: random.Random) -> Mend:
    victim = draw.choice(cluster.fillable)
    cluster.fill_disk(victim.broker_id)

    def make_room() -> None:
        cluster.empty_disk(victim.broker_id)
        cluster.go_on(victim)

    return make_room


@trouble
def clock_wrong(cluster: FaultyCluster, draw: random.Random) -> Mend:
    steering = cluster.steering[draw.choice(cluster.ours).broker_id]
    steering.ahead_ms = draw.choice([-HOUR_MS, HOUR_MS])
    return lambda: setattr(steering, "ahead_ms", 0)


@trouble
def zookeeper_killed(cluster: FaultyCluster, draw: random.Random) -> Mend:
    zookeeper = cluster.kafka.zookeeper
    zookeeper.kill()

    def start_again() -> None:
        zookeeper.start()

    return start_again


@trouble
def zookeeper_silent(cluster: FaultyCluster, draw: random.Random) -> Mend:
    cluster.kafka.zookeeper.pause()
    return cluster.kafka.zookeeper.resume


@trouble
def link_cut(cluster: FaultyCluster, draw: random.Random) -> Mend:
    one, other = draw.sample(range(len(cluster.brokers)), 2)
    cluster.cut_between(one, other)
    return lambda: cluster.mend_between(one, other)


@trouble
def link_to_zookeeper_cut(cluster: FaultyCluster, draw: random.Random) -> Mend:
    relay = cluster.to_zookeeper[_somebody(cluster, draw).broker_id]
    relay.cut()
    return relay.heal


@trouble
def links_flap(cluster: FaultyCluster, draw: random.Random) -> Mend:
    """Between two brokers, and between one of them and ZooKeeper, again and again."""
    one, other = draw.sample(range(len(cluster.brokers)), 2)
    own, stop = random.Random(draw.random()), threading.Event()

    def flap() -> None:
        while not stop.is_set():
            if own.random() < 0.5:
                cluster.cut_between(one, other)
            else:
                cluster.to_zookeeper[one].cut()
            stop.wait(own.uniform(0.1, 2.0))
            cluster.mend_between(one, other)
            cluster.to_zookeeper[one].heal()
            stop.wait(own.uniform(0.1, 1.0))

    thread = threading.Thread(target=flap, daemon=True)
    thread.start()

    def end() -> None:
        stop.set()
        thread.join(120)

    return end
