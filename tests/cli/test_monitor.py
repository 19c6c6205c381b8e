"""``pko monitor`` on a live broker: the same answers as the commands, and its command line."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.samples import messages
from tests.support.process.broker import BrokerProcess
from tests.support.process.console import PATIENT, pko
from tests.support.process.monitor import MonitorProcess
from tests.support.waiting import PATIENCE, free_port, wait_for

pytestmark = pytest.mark.live
MakeBroker = Callable[..., BrokerProcess]
HERE = f"/api/v1/clusters/{PATIENT['PKO_PROFILE']}"


@pytest.fixture
def lone(make_broker: MakeBroker) -> BrokerProcess:
    return make_broker().start()


def consumed(broker: BrokerProcess, topic: str, group: str, count: int) -> None:
    said = pko(
        "consume", topic, "-b", broker.bootstrap, "--group", group,
        "--from-beginning", "--max-messages", str(count),
    )  # fmt: skip
    assert said.returncode == 0, said.stderr


def test_it_shows_what_the_commands_show(lone: BrokerProcess) -> None:
    client = ConfluentClient(lone.bootstrap)
    client.create_topic("orders", 1)
    client.produce("orders", messages(10))
    consumed(lone, "orders", "billing", 4)
    with MonitorProcess("-b", lone.bootstrap, "--every", "1s") as monitor:
        wait_for(lambda: monitor.json(f"{HERE}/groups")["total"] == 1, what="the group is seen")
        said = json.loads(pko("groups", "lag", "-b", lone.bootstrap, "-o", "json").stdout)
        (row,), (expected,) = monitor.json(f"{HERE}/groups")["groups"], said["items"]
        same = ("group", "state", "partitions", "lag", "max_lag", "lead", "status")
        assert {k: row[k] for k in same} == {k: expected[k] for k in same}
        status = json.loads(pko("cluster", "status", "-b", lone.bootstrap, "-o", "json").stdout)
        told = monitor.json(HERE)
        facts, known = status["items"][0]["facts"], dict(told["facts"])
        assert {name: known.get(name, "unknown") for name in facts} == facts
        assert told["brokers"][0]["address"] == status["items"][0]["brokers"][0]["address"]


def test_commits_from_before_its_start_and_from_now_are_seen(lone: BrokerProcess) -> None:
    client = ConfluentClient(lone.bootstrap)
    client.create_topic("orders", 1)
    client.produce("orders", messages(10))
    consumed(lone, "orders", "billing", 4)

    def lag(monitor: MonitorProcess) -> object:
        found = monitor.json(f"{HERE}/groups/billing")["rows"]
        return found[0]["lag"] if found else None

    with MonitorProcess("-b", lone.bootstrap, "--every", "1s") as monitor:
        wait_for(lambda: lag(monitor) == 6, what="the old commit counts")
        consumed(lone, "orders", "billing", 3)
        wait_for(lambda: lag(monitor) == 3, what="the new commit counts")
        client.produce("orders", messages(2))
        wait_for(lambda: lag(monitor) == 5, what="new records count")
        assert pko("groups", "delete", "billing", "-b", lone.bootstrap, "--yes").returncode == 0
        wait_for(lambda: monitor.json(f"{HERE}/groups")["total"] == 0, what="the group is gone")


def test_a_broker_that_goes_away_leaves_old_facts_with_their_age(lone: BrokerProcess) -> None:
    with MonitorProcess("-b", lone.bootstrap, "--every", "1s") as monitor:
        wait_for(lambda: monitor.get(HERE)[0] == 200, what="the first round")
        lone.stop()
        wait_for(lambda: monitor.json(HERE)["poll"]["error"] is not None, what="it is missed")
        told = monitor.json(HERE)
        assert told["facts"]["brokers"] == 1
        lone.start()
        wait_for(lambda: monitor.json(HERE)["poll"]["error"] is None, what="it is back")
        assert monitor.json(HERE)["poll"]["number"] > told["poll"]["number"]


def test_what_happened_is_on_the_timeline_and_in_the_history(lone: BrokerProcess) -> None:
    client = ConfluentClient(lone.bootstrap)
    with MonitorProcess("-b", lone.bootstrap, "--every", "1s") as monitor:
        wait_for(lambda: monitor.get(HERE)[0] == 200, what="the first round")
        client.create_topic("orders", 1)
        client.produce("orders", messages(10))

        def told() -> list[str]:
            return [event["text"] for event in monitor.json(f"{HERE}/events")["events"]]

        line = "topic orders was created with 1 partition"
        wait_for(lambda: line in told(), what="the topic is told of")
        lone.stop()
        wait_for(lambda: "nobody answers" in told()[0], what="the silence is told of")
        lone.start()
        wait_for(lambda: "the cluster answers again" in told(), what="the end is told of")
        path = f"{HERE}/history?kind=topic&name=orders&fact=end_offsets&step=1s"
        wait_for(lambda: monitor.json(path)["points"], what="the history has it")
        assert monitor.json(path)["points"][-1][1] == 10
        assert "end_offsets" in monitor.json(f"{HERE}/history?kind=topic&name=orders")["facts"]


def test_an_alert_begins_and_ends_with_its_trouble(lone: BrokerProcess, tmp_path: Path) -> None:
    heard = tmp_path / "heard.json"
    config = tmp_path / "monitor.toml"
    config.write_text(f"""
        [[alert]]
        name = "cluster-unreachable"
        for = "0s"
        [notify.file]
        kind = "command"
        command = ["sh", "-c", "cat >> {heard}; echo >> {heard}"]
        """)
    sent = pko("monitor", "test-alert", "file", "--config", str(config))
    assert sent.returncode == 0, sent.stderr
    assert heard.read_text().count("test") > 1
    heard.unlink()
    more = ("--config", str(config), "-b", lone.bootstrap, "--every", "1s")

    def states() -> list[str]:
        if not heard.exists():
            return []
        return [json.loads(line)["state"] for line in heard.read_text().splitlines() if line]

    with MonitorProcess(*more) as monitor:
        wait_for(lambda: monitor.get(HERE)[0] == 200, what="the first round")
        lone.stop()
        wait_for(lambda: states() == ["firing"], what="the begin is told")
        (alert,) = monitor.json("/api/v1/alerts")["firing"]
        assert alert["key"][0] == "cluster-unreachable"
        lone.start()
        wait_for(lambda: len(states()) > 1, what="the end is told")
        assert states() == ["firing", "resolved"]


def test_of_two_monitors_one_tells_and_the_other_goes_on_when_it_is_killed(
    lone: BrokerProcess, tmp_path: Path
) -> None:
    heard = tmp_path / "heard.json"
    config = tmp_path / "monitor.toml"
    config.write_text(f"""
        [alerts]
        file = "{tmp_path / "alerts.db"}"
        [[alert]]
        name = "cluster-unreachable"
        for = "0s"
        [notify.file]
        kind = "command"
        command = ["sh", "-c", "cat >> {heard}; echo >> {heard}"]
        """)
    more = ("--config", str(config), "-b", lone.bootstrap, "--every", "1s")

    def told() -> list[tuple[str, str]]:
        """Each message once: one that a monitor was killed in may come again, by the same key."""
        lines = heard.read_text().splitlines() if heard.exists() else []
        return list({(said["state"], said["id"]): None for said in map(json.loads, lines)})

    def leads(monitor: MonitorProcess) -> bool:
        return monitor.json("/api/v1/alerts")["leads"] is True

    with MonitorProcess(*more) as first, MonitorProcess(*more) as second:
        wait_for(lambda: leads(first) != leads(second), what="one leads")
        leader, other = (first, second) if leads(first) else (second, first)
        lone.stop()
        wait_for(told, what="the begin is told")
        leader.process.kill()
        wait_for(lambda: leads(other), what="the other leads")
        lone.start()
        wait_for(lambda: len(told()) > 1, what="the end is told")
        assert [state for state, _ in told()] == ["firing", "resolved"]


def test_sigterm_ends_it_with_0(lone: BrokerProcess) -> None:
    with MonitorProcess("-b", lone.bootstrap) as monitor:
        monitor.process.send_signal(signal.SIGTERM)
        assert monitor.process.wait(PATIENCE) == 0


def test_a_wrong_command_line_is_told_in_one_line(tmp_path: Path) -> None:
    bad = tmp_path / "monitor.toml"
    bad.write_text("[cluster.x]\nprofil = 'x'\n")
    here = f"127.0.0.1:{free_port()}"
    cases = {
        ("run",): "which cluster?",
        ("run", "-b", here, "--listen", "0.0.0.0:0"): "--insecure",
        ("run", "-b", here, "--every", "10ms"): "a second is the shortest",
        ("run", "--config", str(tmp_path / "none")): "No such file",
        ("check-config", str(bad)): "did you mean profile?",
    }
    for words, complaint in cases.items():
        said = pko("monitor", *words)
        assert (said.returncode, said.stdout) == (2, b""), said
        assert complaint in said.stderr.decode()
        assert said.stderr.count(b"\n") == 1


def test_a_right_configuration_is_shown(tmp_path: Path) -> None:
    good = tmp_path / "monitor.toml"
    good.write_text("[cluster.prod]\nbootstrap-server = 'b1:9092,b2:9092'\n")
    said = pko("monitor", "check-config", str(good), "-o", "json")
    assert said.returncode == 0, said.stderr
    (row,) = json.loads(said.stdout)["items"]
    assert row == {"cluster": "prod", "brokers": "b1:9092,b2:9092", "protocol": "PLAINTEXT"}
