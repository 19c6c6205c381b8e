"""Probes run one after the other; what they find goes where people look."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.smoke.plan import StepOutcome
from pykafka_ops.monitor.alerts.rules.facts import FACTS
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.history.model import SeriesKey
from pykafka_ops.monitor.history.store import History
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.probes.model import ProbeRun
from pykafka_ops.monitor.probes.runner import ProbeRunner
from pykafka_ops.monitor.probes.schedule import Probes
from pykafka_ops.monitor.probes.settings import ProbeSettings
from pykafka_ops.monitor.service import Service
from tests.support.monitor import scraped
from tests.support.monitor.rounds import answers
from tests.support.waiting import wait_for

CLIENT = {"local": ClientConfig.of({"bootstrap.servers": "127.0.0.1:1"})}
OUTCOMES = [
    StepOutcome("metadata", "ok", 2.0, detail="1 broker"),
    StepOutcome("produce", "failed", 9.0, "orders-0 on broker 1", "is silent"),
    StepOutcome("consume", "not run", None, reason="needs produce"),
]


class Scripted:
    """Runs that a test has written; counts how many are under way."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, outcomes: list[StepOutcome]) -> None:
        self.outcomes, self.most, self.count = outcomes, 0, 0
        self._under_way, self._lock = 0, threading.Lock()
        self.gate: Callable[[], None] = lambda: None
        monkeypatch.setattr(ProbeRunner, "run", lambda runner, at_step: self.run(at_step))

    def run(self, at_step: Callable[[str], None]) -> ProbeRun:
        with self._lock:
            self._under_way += 1
            self.most = max(self.most, self._under_way)
        at_step("produce")
        self.gate()
        with self._lock:
            self._under_way -= 1
            self.count += 1
        return ProbeRun(int(time.time() * 1000), 11.0, self.outcomes)


def test_what_a_run_found_is_told_everywhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = Scripted(monkeypatch, OUTCOMES)
    history = History(tmp_path / "history.db")
    probes = Probes([ProbeSettings("p", "local")], CLIENT, history)
    watched = WatchedCluster("local")
    watched.take(answers(1, 5))
    client = TestClient(
        make_app(Service({"local": watched}, history=history, probes=probes), all_routes())
    )
    try:
        probes.start()
        wait_for(lambda: probes.rows("local")[0]["runs"] == 1, what="a run")
        (row,) = client.get("/api/v1/clusters/local/probes?ok=false").json()["probes"]
        assert (row["probe"], row["failed_step"], row["reason"]) == ("p", "produce", "is silent")
        found = scraped.samples(client.get("/metrics?collect[]=probes").text)
        of = (("cluster", "local"), ("probe", "p"))
        assert found["pko_probe_up", *of] == 0
        assert found["pko_probe_runs_total", *of, ("result", "failed")] == 1
        assert found["pko_probe_step_seconds", *of, ("step", "metadata")] == 0.002
        assert found["pko_probe_step_up", *of, ("step", "produce")] == 0
        assert ("pko_probe_step_up", *of, ("step", "consume")) not in found
        assert found["pko_probe_availability_ratio", *of] == 0
        page = client.get("/c/local/probes").text
        assert "FAILED" in page
        assert "orders-0 on broker 1" in page
        wait_for(lambda: history.events("local", 0, 1 << 47)[0], what="the timeline")
        (event,) = history.events("local", 0, 1 << 47)[0]
        assert event.text == "the probe p fails: produce at orders-0 on broker 1: is silent"
        key = SeriesKey("probe", "p", "metadata_ms")
        points = history.read("local", key, 0, 1 << 47, 1)
        assert [point.last for point in points] == [2.0]
        (subject,) = probes.subjects("local")
        assert subject.facts["ok"] is False
        assert subject.facts.keys() <= FACTS["probe"].keys()
    finally:
        probes.stop()
        history.close()
    assert script.count == 1


def test_never_two_of_one_cluster_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Scripted(monkeypatch, OUTCOMES[:1])
    probes = Probes([ProbeSettings(f"p{n}", "local") for n in range(5)], CLIENT)
    probes.start()
    try:
        wait_for(lambda: script.count == 5, what="all have run")
    finally:
        probes.stop()
    assert script.most == 1


def test_a_fault_of_ours_ends_no_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Scripted(monkeypatch, OUTCOMES[:1])

    def broken() -> None:
        if script.count == 0:
            script.count = 1
            raise RuntimeError("boom")

    script.gate = broken
    probes = Probes([ProbeSettings("a", "local"), ProbeSettings("b", "local")], CLIENT)
    probes.start()
    try:
        wait_for(lambda: all(row["runs"] for row in probes.rows("local")), what="both have run")
    finally:
        probes.stop()
    assert [row["ok"] for row in probes.rows("local")] == [False, True]
    assert probes.rows("local")[0]["reason"] == "the monitor failed; its log says why"


def test_without_a_broker_the_run_fails_within_its_time() -> None:
    runner = ProbeRunner(ProbeSettings("p", "local", timeout_ms=1000), CLIENT["local"])
    steps: list[str] = []
    run = runner.run(steps.append)
    assert run.trouble is not None
    assert (run.trouble.step, steps[0]) == ("metadata", "metadata")
    verdicts = {o.step: o.verdict for o in run.outcomes}
    assert verdicts["produce"] == "not run"
