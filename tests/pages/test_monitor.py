"""The monitor's pages in a real browser: the figures of the commands, nothing written to the
console, nothing too wide, whatever the names are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.samples import messages
from tests.support.process.broker import BrokerProcess
from tests.support.process.browser import Node, dom
from tests.support.process.console import PATIENT, pko
from tests.support.process.monitor import MonitorProcess
from tests.support.waiting import wait_for

pytestmark = pytest.mark.browser
MakeBroker = Callable[..., BrokerProcess]
HERE = f"/c/{PATIENT['PKO_PROFILE']}"
HOSTILE = "<script>document.title='owned'</script>\"'&"


def cells(page: Node) -> list[list[str]]:
    return [[cell.text for cell in row.all("td")] for row in page.one("tbody").all("tr")]


def test_a_browser_shows_what_the_commands_show(make_broker: MakeBroker, tmp_path: Path) -> None:
    broker = make_broker().start()
    client = ConfluentClient(broker.bootstrap)
    client.create_topic("orders", 1)
    client.produce("orders", messages(10))
    for group, count in (("billing", "4"), (HOSTILE, "7")):
        said = pko("consume", "orders", "-b", broker.bootstrap, "--group", group,
                   "--from-beginning", "--max-messages", count)  # fmt: skip
        assert said.returncode == 0, said.stderr
    with MonitorProcess("-b", broker.bootstrap, "--every", "1s") as monitor:
        groups = f"/api/v1/clusters/{PATIENT['PKO_PROFILE']}/groups"
        wait_for(lambda: monitor.json(groups)["total"] == 2, what="both groups are seen")
        page, console = dom(f"{monitor.url}{HERE}/groups?sort=group", tmp_path)
        assert console == []
        lag = json.loads(pko("groups", "lag", "-b", broker.bootstrap, "-o", "json").stdout)
        shown = {row[0]: row[1:3] for row in cells(page)}
        assert shown == {i["group"]: [i["status"], str(i["lag"])] for i in lag["items"]}
        assert "owned" not in page.one("title").text
        for path in ("", "/topics", "/topics/orders", "/brokers", "/groups/billing"):
            page, console = dom(f"{monitor.url}{HERE}{path}", tmp_path)
            assert console == [], path
            assert page.one("h1").text
            assert len(page.all("script")) == 1
