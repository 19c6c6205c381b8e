"""The monitor's pages in a real browser: the figures of the commands, nothing written to the
console, nothing too wide, nothing from elsewhere, in both colours, for eyes and for keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from confluent_kafka import Producer

from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.samples import messages
from tests.support.process.broker import BrokerProcess
from tests.support.process.chromium import Chromium
from tests.support.process.console import PATIENT, pko
from tests.support.process.monitor import MonitorProcess
from tests.support.waiting import PATIENCE, wait_for

pytestmark = pytest.mark.browser
HERE = f"/c/{PATIENT['PKO_PROFILE']}"
API = f"/api/v1/clusters/{PATIENT['PKO_PROFILE']}"
HOSTILE = "<script>document.title='owned'</script>\"'&"
RULES = (Path(__file__).parents[1] / "support/monitor/accessible.js").read_text(encoding="utf-8")
PAGES = (
    "", "/groups", "/groups/billing", "/topics", "/topics/orders", "/brokers", "/brokers/0",
    "/transactions", "/moves", "/elections", "/acls", "/alerts", "/timeline",
    "/search?q=bill", "/topics/orders/messages", "/topics/orders/messages/0/0", "/probes",
)  # fmt: skip
CELLS = """[...document.querySelectorAll('tbody tr')].map(
    (row) => [...row.cells].map((cell) => cell.textContent))"""


class Site(NamedTuple):
    """A broker with groups of which a transaction holds up one, who watches it, who looks."""

    broker: BrokerProcess
    monitor: MonitorProcess
    browser: Chromium


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    directory = tmp_path_factory.mktemp("site")
    broker = BrokerProcess(directory / "data", {}).start()
    try:
        client = ConfluentClient(broker.bootstrap)
        client.create_topic("orders", 1)
        client.produce("orders", messages(10))
        said = pko("configs", "set", "topics", "orders", "retention.ms=86400000",
                   "-b", broker.bootstrap)  # fmt: skip
        assert said.returncode == 0, said.stderr
        for group, count in (("billing", "10"), (HOSTILE, "7")):
            said = pko("consume", "orders", "-b", broker.bootstrap, "--group", group,
                       "--from-beginning", "--max-messages", count)  # fmt: skip
            assert said.returncode == 0, said.stderr
        writer = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": "pay-1",
                           "transaction.timeout.ms": 900_000})  # fmt: skip
        writer.init_transactions(PATIENCE)
        writer.begin_transaction()
        writer.produce("orders", b"held")
        assert writer.flush(PATIENCE) == 0
        with MonitorProcess("-b", broker.bootstrap, "--every", "1s") as monitor:
            wait_for(lambda: monitor.json(f"{API}/groups")["total"] == 2, what="both groups")
            browser = Chromium(directory / "profile")
            yield Site(broker, monitor, browser)
            browser.close()
        writer.abort_transaction(PATIENCE)
    finally:
        broker.close()


def test_a_browser_shows_what_the_commands_show(site: Site) -> None:
    site.browser.look(1280, "light")
    site.browser.open(f"{site.monitor.url}{HERE}/groups?sort=group")
    lag = json.loads(pko("groups", "lag", "-b", site.broker.bootstrap, "-o", "json").stdout)
    shown = {row[0]: row[1:3] for row in site.browser.evaluate(CELLS)}
    assert shown == {i["group"]: [i["status"], str(i["lag"])] for i in lag["items"]}
    assert "owned" not in site.browser.evaluate("document.title")

    status = json.loads(pko("cluster", "status", "-b", site.broker.bootstrap, "-o", "json").stdout)
    (item,) = status["items"]
    site.browser.open(f"{site.monitor.url}{HERE}/brokers")
    (row,) = site.browser.evaluate(CELLS)
    (broker,) = item["brokers"]
    assert row[:3] == [str(broker["id"]), "up", broker["address"]]
    assert [row[5], row[6]] == [str(broker["leaders"]), str(broker["replicas"])]

    site.browser.open(f"{site.monitor.url}{HERE}/topics/orders")
    rows = [row for row in site.browser.evaluate(CELLS) if len(row) == 4]
    heard = pko("configs", "describe", "--all", "topics", "orders", "-b", site.broker.bootstrap,
               "-o", "json")  # fmt: skip
    (described,) = json.loads(heard.stdout)["items"]
    known = {c["name"]: c["value"] for c in described["configs"]}
    assert {row[0]: row[1] for row in rows} == {n: v if v else "-" for n, v in known.items()}
    assert rows[0] == ["retention.ms", "86400000", "this topic", "604800000"]


def test_the_transaction_that_blocks_is_named(site: Site) -> None:
    site.browser.look(1280, "light")
    site.browser.open(f"{site.monitor.url}{HERE}/transactions")
    rows = site.browser.evaluate(CELLS)
    ids = [row[0] for row in rows]
    assert ids == ["pay-1", "orders"]
    assert rows[0][6] == "billing"
    assert rows[1][4:] == ["1", "pay-1", "billing"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/acls", "No authorizer is configured"),
        ("/moves", "1 broker answered"),
        ("/brokers/0", "are not defaults of Kafka"),
    ],
)
def test_what_is_asked_on_demand_is_answered(site: Site, path: str, said: str) -> None:
    site.browser.open(f"{site.monitor.url}{HERE}{path}")
    assert said in site.browser.evaluate("document.querySelector('main').textContent")


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_for_all_eyes_and_keys_on_all_screens(site: Site, path: str) -> None:
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            site.browser.look(width, scheme)
            site.browser.open(f"{site.monitor.url}{HERE}{path}")
            where = (path, width, scheme)
            assert site.browser.evaluate(RULES) == [], where
            beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert site.browser.evaluate(beyond) <= 0, where
            assert site.browser.console == [], where
            own = (site.monitor.url, "data:")
            assert [a for a in site.browser.fetched if not a.startswith(own)] == [], where


def test_the_rules_find_what_is_wrong(site: Site) -> None:
    site.browser.look(1280, "light")
    site.browser.open(f"{site.monitor.url}{HERE}/acls")
    site.browser.evaluate("""
        const main = document.querySelector('main');
        main.append(document.createElement('input'), document.createElement('h4'));
        main.append(document.createElement('table'), document.createElement('nav'));
        const faint = document.createElement('p');
        faint.append('faint');
        main.append(faint);
        faint.style.color = '#ccc';
    """)
    wrong = " ".join(site.browser.evaluate(RULES))
    for complaint in ("no label", "skip a level", "without headers", "nav without a name",
                      "a style of its own", "contrast 1."):  # fmt: skip
        assert complaint in wrong, complaint


def test_a_page_shows_every_round_without_being_loaded(site: Site) -> None:
    site.browser.look(1280, "light")
    site.browser.open(f"{site.monitor.url}{HERE}/topics/orders")
    site.browser.evaluate("window.same = true")
    ConfluentClient(site.broker.bootstrap).produce("orders", messages(5))
    tile = "document.querySelectorAll('.tile-value')[2]?.textContent"
    site.browser.wait(f"{tile} === '16'", what="the new records are shown")
    assert site.browser.evaluate("window.same") is True


def test_keys_go_to_pages_and_into_boxes(site: Site) -> None:
    site.browser.look(1280, "light")
    site.browser.open(f"{site.monitor.url}{HERE}")
    site.browser.press("g")
    site.browser.press("g")
    site.browser.wait("location.pathname.endsWith('/groups')", what="the page of groups")
    site.browser.wait("document.readyState === 'complete'", what="it is there")
    site.browser.press("f")
    assert site.browser.evaluate("document.activeElement.id") == "filter"
    site.browser.press("g")
    assert site.browser.evaluate("document.activeElement.value") == "g"
    site.browser.open(f"{site.monitor.url}{HERE}")
    site.browser.press("/")
    assert site.browser.evaluate("document.activeElement.id") == "search"


def test_rows_are_filtered_while_one_types_and_sorted_in_place(site: Site) -> None:
    browser = site.browser
    browser.look(1280, "light")
    browser.open(f"{site.monitor.url}{HERE}/groups?sort=group")
    browser.evaluate("window.same = true")
    browser.press("f")
    for letter in "bill":
        browser.press(letter)
    browser.wait("location.search.includes('search=bill')", what="the address says so")
    browser.wait("document.querySelectorAll('tbody tr').length === 1", what="one group is left")
    assert "sort=group" in browser.evaluate("location.search"), "the order stays"
    typed = "[document.activeElement.id, document.activeElement.value].join()"
    assert browser.evaluate(typed) == "filter,bill"
    browser.evaluate("document.activeElement.blur()")
    browser.click("a[data-sort='-lag']")
    browser.wait("location.search.includes('sort=-lag')", what="it is sorted")
    browser.wait(
        "document.querySelector('th[aria-sort=descending]') !== null", what="the heading says so"
    )
    assert "search=bill" in browser.evaluate("location.search"), "the filter stays"
    browser.evaluate("history.back()")
    browser.wait(
        "document.querySelector('th[aria-sort=ascending]') !== null", what="it is as it was"
    )
    assert browser.evaluate("window.same") is True, "no page was loaded"


def test_rows_are_walked_and_opened_by_keys(site: Site) -> None:
    browser = site.browser
    browser.look(1280, "light")
    browser.open(f"{site.monitor.url}{HERE}/groups?sort=-group")
    browser.evaluate("window.same = true")
    for key, row in (("j", 0), ("j", 1), ("j", 1), ("k", 0)):
        browser.press(key)
        at = "[...document.querySelectorAll('tbody tr')].findIndex((r) => r.contains("
        assert browser.evaluate(f"{at}document.activeElement))") == row
    browser.press("Enter")
    browser.wait("document.querySelector('h1').textContent === 'Group billing'", what="the group")
    assert browser.evaluate("document.title").startswith("Group billing")
    assert browser.evaluate("document.activeElement.id") == "main"
    assert browser.evaluate("window.same") is True, "no page was loaded"
    assert browser.console == []


def test_a_monitor_that_is_gone_is_told(site: Site) -> None:
    with MonitorProcess("-b", site.broker.bootstrap, "--every", "1s") as other:
        site.browser.open(f"{other.url}{HERE}")
        other.process.kill()
        said = "document.querySelector('[data-lost]')?.textContent ?? ''"
        site.browser.wait(said, what="it says so")
        assert "STALE: the monitor does not answer" in site.browser.evaluate(said)
