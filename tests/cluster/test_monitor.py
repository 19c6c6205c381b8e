"""A cluster full of troubles, watched: each is named, told once, and its end is told once, whatever
becomes of the monitor meanwhile."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.cluster.faulty_cluster import FaultyCluster
from tests.support.monitor import scraped
from tests.support.monitor.hanging import HangingTransaction
from tests.support.monitor.troubled import HEAVY, HOT, HOT_PARTITION, TOPIC, TroubledGroups
from tests.support.monitor.webhook import Webhook
from tests.support.process.monitor import MonitorProcess
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(900)]

DEAD, FULL = 2, 1
"""Brokers in trouble."""
HELD = "payments"
"""The topic in which a transaction hangs."""
ROOM = 96 << 20
"""Bytes that are free on the disk that fills: more than is written until somebody has noticed."""
HERE = "/api/v1/clusters/prod"
RULES = {
    "broker-gone": str(DEAD),
    "disk-runway": str(FULL),
    "hanging-transaction": HELD,
    "group-stopped": "stopped",
    "group-stalled": "stalled",
    "group-rewound": "rewound",
}
"""Those that are told, and of what. They fire at once; a moment without does not end them."""
RULE = '[[alert]]\nname = "%s"\nfor = "0s"\ncalm = "10s"\n'
WHEN = {"disk-runway": 'when = "full_in_seconds<7200"\n'}
"""Growth alone counts, not how little is free."""
CONFIG = """
[cluster.prod]
bootstrap-server = "%s"
[alerts]
window = "0s"
built_in = true
[notify.hook]
kind = "http"
shape = "generic"
url = "%s"
"""


class Watch:
    """The monitor of one test, its receiver, and after how many seconds what was seen."""

    def __init__(self, bootstrap: str, directory: Path, expected: dict[str, str]) -> None:
        self.hook, self.expected = Webhook(), expected
        config = directory / "monitor.toml"
        config.write_text(
            CONFIG % (bootstrap, self.hook.url) + "".join(RULE % r + WHEN.get(r, "") for r in RULES)
        )
        self._words = ("--config", str(config), "--every", "1s")
        self._data = directory / "data"
        self.seconds: dict[str, float] = {}
        self._begin()

    def _begin(self) -> None:
        self._before = len(self.hook.messages)
        self.monitor = MonitorProcess(*self._words, data=self._data).__enter__()

    def kill_and_begin_again(self) -> None:
        """kill -9, once what has arrived is noted as delivered."""
        wait_for(self._is_noted, what="what arrived is noted", poll=0.1)
        self.monitor.kill()
        self._begin()

    def _is_noted(self) -> bool:
        found = scraped.samples(self.monitor.get("/metrics?collect[]=monitor")[1])
        sent = found["pko_monitor_deliveries_total", ("receiver", "hook"), ("result", "sent")]
        return sent == len(self.hook.messages) - self._before

    def until(self, what: str, condition: Callable[[], object], since: float) -> None:
        told = [m["title"] for m in self.hook.messages]
        wait_for(condition, seconds=300, what=what, poll=0.2, about=told)
        self.seconds[what] = round(time.monotonic() - since, 1)

    def overview(self) -> str:
        return self.monitor.get("/c/prod")[1]

    def group(self, name: str) -> dict[str, Any]:
        groups = self.monitor.json(f"{HERE}/groups")["groups"]
        return next((g for g in groups if g["group"] == name), {})

    def broker(self, number: int) -> dict[str, Any]:
        brokers = self.monitor.json(f"{HERE}/brokers")["brokers"]
        return next((b for b in brokers if b["id"] == number), {})

    def told(self, state: str) -> dict[str, int]:
        """How often each of the expected alerts was told, by rule."""
        wanted = {(state, rule, subject): rule for rule, subject in self.expected.items()}
        counts = Counter(wanted[told] for told in self.hook.told() if told in wanted)
        return dict(counts)

    def all_told(self, state: str) -> bool:
        return self.told(state).keys() == self.expected.keys()

    def all_over(self) -> bool:
        """Whether the end of each expected alert was the last that was told of it."""
        last = {(rule, subject): state for state, rule, subject in self.hook.told()}
        return all(last.get(each) == "resolved" for each in self.expected.items())

    def close(self) -> None:
        self.monitor.__exit__()
        self.hook.close()


@pytest.fixture
def groups(faulty_cluster: FaultyCluster) -> Iterator[TroubledGroups]:
    faulty_cluster.create_topic(TOPIC, 1)
    faulty_cluster.create_topic(HOT, 3)
    faulty_cluster.create_topic(HEAVY, 1)
    found = TroubledGroups(faulty_cluster.bootstrap)
    yield found
    found.close()
    faulty_cluster.restore()
    faulty_cluster.wait_whole()
    faulty_cluster.delete_topics([TOPIC, HOT, HEAVY])


@pytest.fixture
def watch(faulty_cluster: FaultyCluster, groups: TroubledGroups, tmp_path: Path) -> Iterator[Watch]:
    found = Watch(faulty_cluster.bootstrap, tmp_path, dict(RULES))
    try:
        yield found
    finally:
        print(f"seconds until: {found.seconds}")
        found.close()


@pytest.fixture
def hanging(faulty_cluster: FaultyCluster) -> Iterator[HangingTransaction]:
    faulty_cluster.create_topic(HELD, 1)
    found = HangingTransaction(faulty_cluster.bootstrap, HELD)
    yield found
    found.close()
    faulty_cluster.restore()
    faulty_cluster.delete_topics([HELD])


def test_each_trouble_is_named_told_once_and_its_end_told_once(
    faulty_cluster: FaultyCluster,
    watch: Watch,
    groups: TroubledGroups,
    hanging: HangingTransaction,
) -> None:
    since = time.monotonic()
    for name, verdict in (("rewound", "REWIND"), ("stalled", "STALL"), ("stopped", "STOP")):
        watch.until(name, lambda n=name, v=verdict: watch.group(n).get("status") == v, since)
    wait_for(lambda: watch.told("firing"), what="a first alert", poll=0.2)
    strike(faulty_cluster, groups)
    since = time.monotonic()
    watch.until("broker", lambda: watch.broker(DEAD).get("state") == "down", since)
    see_all_named(watch, since)
    watch.until("overview: disk", lambda: "full in" in watch.overview(), since)
    watch.kill_and_begin_again()
    watch.until("alerts", lambda: watch.all_told("firing"), since)
    watch.kill_and_begin_again()
    groups.well, groups.filling = True, False
    hanging.abort()
    faulty_cluster.restore()
    since = time.monotonic()
    wait_for(lambda: watch.told("resolved"), what="a first end", poll=0.2)
    watch.kill_and_begin_again()
    watch.until("ends", watch.all_over, since)
    for rule, subject in watch.expected.items():
        states = [state for state, *of in watch.hook.told() if of == [rule, subject]]
        # one that standing still ended for a moment begins anew, and nothing comes twice
        assert states == ["firing", "resolved"] * (len(states) // 2), (rule, watch.hook.told())
    keys = [message["key"] for message in watch.hook.messages]
    assert len(set(keys)) == len(keys)


def strike(cluster: FaultyCluster, groups: TroubledGroups) -> None:
    """A broker is killed, the disk of another becomes small and fills."""
    cluster.brokers[[b.broker_id for b in cluster.brokers].index(DEAD)].kill()
    cluster.shrink_disk(FULL, ROOM)
    groups.filling = True


def see_all_named(watch: Watch, since: float) -> None:
    """The overview and the API name every trouble."""
    late = watch.until
    late("hot", lambda: watch.group("late").get("worst"), since)
    worst = watch.group("late")["worst"]
    assert (worst["topic"], worst["partition"]) == (HOT, HOT_PARTITION)
    for word in (f"broker {DEAD}", "under-replicated", "stopped", "stalled", "rewound",
                 f"{HOT}-{HOT_PARTITION}", f"hangs in {HELD}-0"):  # fmt: skip
        late(f"overview: {word}", lambda w=word: w in watch.overview(), since)
    facts = watch.monitor.json(HERE)["facts"]
    assert facts["under_replicated"] > 0
    assert facts["brokers_missing"] == 1
