"""Probes of ``pko monitor`` on a live broker: one that works, one that hangs, and what is left."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.confluent import ConfluentClient
from tests.support.monitor import scraped
from tests.support.process.broker import BrokerProcess
from tests.support.process.console import PATIENT
from tests.support.process.monitor import MonitorProcess
from tests.support.waiting import wait_for

pytestmark = pytest.mark.live
MakeBroker = Callable[..., BrokerProcess]
NAME = PATIENT["PKO_PROFILE"]
HERE = f"/api/v1/clusters/{NAME}"

CONFIG = """
[[probe]]
name = "whole"
every = "5s"
timeout = "2m"
[[probe]]
name = "quick"
every = "5s"
timeout = "10s"
steps = ["metadata"]
[notify.file]
kind = "command"
command = ["sh", "-c", "cat >> %s; echo >> %s"]
[alerts]
window = "0s"
"""


@pytest.fixture
def lone(make_broker: MakeBroker) -> BrokerProcess:
    return make_broker().start()


def test_a_probe_finds_a_broker_that_hangs_and_leaves_nothing_behind(
    lone: BrokerProcess, tmp_path: Path
) -> None:
    heard = tmp_path / "heard.json"
    config = tmp_path / "monitor.toml"
    config.write_text(CONFIG % (heard, heard))
    words = ("--config", str(config), "-b", lone.bootstrap, "--every", "1s")

    def probe(name: str) -> dict[str, Any]:
        rows = monitor.json(f"{HERE}/probes")["probes"]
        return next(row for row in rows if row["probe"] == name)

    def said() -> list[str]:
        lines = heard.read_text().splitlines() if heard.exists() else []
        found = [json.loads(line) for line in lines if line]
        return [one["state"] for one in found if "quick" in json.dumps(one)]

    with MonitorProcess(*words) as monitor:
        wait_for(lambda: probe("whole")["ok"], what="a run went well", about=lambda: probe("whole"))
        steps = {step["step"]: step["verdict"] for step in probe("whole")["steps"]}
        assert set(steps.values()) == {"ok"}
        assert len(steps) == 8
        metrics = scraped.samples(monitor.get("/metrics?collect[]=probes")[1])
        assert metrics["pko_probe_up", ("cluster", NAME), ("probe", "whole")] == 1
        assert "pko-smoke-" not in json.dumps(monitor.json(f"{HERE}/events"))
        wait_for(lambda: probe("quick")["ok"], what="the other one, too")
        lone.running.signal(signal.SIGSTOP)
        try:
            wait_for(lambda: probe("quick")["ok"] is False, what="the hanging broker is found")
            assert probe("quick")["failed_step"] == "metadata"
            wait_for(lambda: said() == ["firing"], what="the alert is told", about=said)
        finally:
            lone.running.signal(signal.SIGCONT)
        wait_for(lambda: said() == ["firing", "resolved"], what="its end is told", about=said)
        wait_for(lambda: probe("whole")["ok"], what="all goes well again")
    topics = ConfluentClient(lone.bootstrap).admin.list_topics().topics
    assert [name for name in topics if name.startswith("pko-smoke-")] == []
