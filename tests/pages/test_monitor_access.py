"""Logging in and changing something in a real browser, whose pages run no script."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.samples import messages
from tests.support.process.broker import BrokerProcess
from tests.support.process.console import PATIENT, pko
from tests.support.process.driven import DrivenBrowser
from tests.support.process.monitor import MonitorProcess

pytestmark = pytest.mark.browser
MakeBroker = Callable[..., BrokerProcess]
HERE = f"/c/{PATIENT['PKO_PROFILE']}"


def test_a_person_logs_in_moves_a_group_and_logs_out_without_scripts(
    make_broker: MakeBroker, tmp_path: Path
) -> None:
    broker = make_broker().start()
    client = ConfluentClient(broker.bootstrap)
    client.create_topic("orders", 1)
    client.produce("orders", messages(10))
    pko("consume", "orders", "-b", broker.bootstrap, "--group", "billing",
        "--from-beginning", "--max-messages", "10")  # fmt: skip
    users, config = tmp_path / "users", tmp_path / "monitor.toml"
    made = pko("monitor", "passwd", "anna", "--file", str(users), text="correct horse\n")
    assert made.returncode == 0, made.stderr
    config.write_text(f"""
        actions = ["seek"]
        [login]
        mode = "users"
        users-file = "{users}"
        [role.mover]
        allow = ["view", "seek", "audit"]
        members = ["anna"]
        """)
    with (
        MonitorProcess("--config", str(config), "-b", broker.bootstrap) as monitor,
        DrivenBrowser(tmp_path / "profile", scripts=False) as browser,
    ):
        page = browser.go(f"{monitor.url}{HERE}/actions/seek?group=billing")
        assert page.one("h1").text == "Log in"
        assert "wrong" in browser.send(name="anna", password="battery staple").text
        page = browser.send(name="anna", password="correct horse")
        assert page.one("h1").text == "Move a group"
        assert browser.url == f"{monitor.url}{HERE}/actions/seek?group=billing"
        page = browser.send(to="earliest")
        assert [cell.text for cell in page.all("td")][:3] == ["orders-0", "10", "0"]
        assert "Done." in browser.send().text
        said = pko("groups", "lag", "billing", "--partitions", "-b", broker.bootstrap, "-o", "json")
        assert json.loads(said.stdout)["items"][0]["current_offset"] == 0
        cells = [cell.text for cell in browser.go(f"{monitor.url}{HERE}/audit").all("td")]
        assert cells[1:6] == ["anna", "127.0.0.1", "seek", "billing", "done"]
        assert browser.send().one("h1").text == "Log in"
        assert browser.go(f"{monitor.url}{HERE}/audit").one("h1").text == "Log in"
