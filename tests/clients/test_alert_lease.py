"""Monitors on several hosts: a group of a broker elects the one that sends alerts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.monitor.alerts.rules.model import PollRound
from pykafka_ops.monitor.alerts.service import AlertService, wall_ms
from pykafka_ops.monitor.alerts.settings.tables import alert_settings
from pykafka_ops.monitor.alerts.store.kafka_lease import KafkaLease
from pykafka_ops.monitor.alerts.store.lease import FileLease
from tests.support.monitor.alert_receivers import hook
from tests.support.monitor.alert_world import group
from tests.support.waiting import wait_for


def monitor(bootstrap: str, path: Path, url: str, group_id: str) -> AlertService:
    document = {
        "alerts": {"built_in": False, "window": 0},
        "alert": [{"name": "late", "when": "lag>10", "groups": ".*"}],
        "notify": {"ops": {"url": url}},
    }
    cluster = Cluster(ClientConfig.of({"bootstrap.servers": bootstrap}))
    made = AlertService(
        alert_settings(document, "m.toml"), str(path), ["prod"],
        lease=lambda db: KafkaLease(FileLease(db), cluster, group=group_id),
    )  # fmt: skip
    made.start()
    return made


def leading(monitors: list[AlertService]) -> list[AlertService]:
    return [m for m in monitors if m.state().leads]


def test_one_of_two_monitors_tells_and_the_other_takes_over(
    broker: Any, topic: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "pykafka_ops")
    with hook() as there:
        both = [monitor(broker.bootstrap, tmp_path / f"{n}.db", there.url, topic) for n in "ab"]
        try:
            (first,) = wait_for(lambda: leading(both))
            for one in both:
                one.take(PollRound("prod", wall_ms(), [group("a", 20)]))
            wait_for(lambda: len(there.got) == 1)
            wait_for(lambda: both[0].lease._member and both[1].lease._member)  # type: ignore[attr-defined]
            (second,) = [m for m in both if m is not first]
            assert not second.state().leads
            assert not (first.lease.held() and second.lease.held())
            for one in both:
                one.take(PollRound("prod", wall_ms(), [group("a", 2)]))
            wait_for(lambda: len(there.got) == 2)
            first.close()
            wait_for(lambda: second.state().leads)
            assert "ends by itself" not in caplog.text, "it left the group"
            second.take(PollRound("prod", wall_ms(), [group("b", 20)]))
            wait_for(lambda: len(there.got) == 3)
            said = [(b["phase"], b["subject"]["group"]) for b in there.bodies()]
            assert said == [("open", "a"), ("close", "a"), ("open", "b")]
        finally:
            for one in both:
                if not one._ended.is_set():
                    one.close()
