"""Dashboards ask for what a broker, or the monitor, serves."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from pykafka_ops.audit.book import AuditBook
from pykafka_ops.audit.collect import collect
from pykafka_ops.audit.files import AuditedFiles
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.service import Service
from pykafka_ops.monitor.tiers.settings import BookSettings, TierPair
from pykafka_ops.monitor.tiers.watch import BookWatch
from tests.support.kept_logs import in_batches, write_log
from tests.support.monitor.mirrored import MirroredPair, link
from tests.support.process.broker import BrokerProcess
from tests.support.process.scraped import SETTINGS, Scraped
from tests.support.waiting import wait_for

PKO = str(Path(sys.executable).parent / "pko")
ROOT = Path(__file__).resolve().parents[2]
BOARDS = ROOT / "packaging" / "grafana"
BY_PROMETHEUS = {"job", "instance"}


def panels_of(board: str) -> list[dict[str, Any]]:
    panels: list[dict[str, Any]] = json.loads((BOARDS / board).read_text())["panels"]
    return panels


def asked(board: str) -> dict[str, set[str]]:
    """Names of series and of the labels that go with them, of every expression of the board."""
    found: dict[str, set[str]] = {}
    for panel in panels_of(board):
        for target in panel.get("targets", ()):
            expression = target["expr"]
            labels = {
                label.strip()
                for group in re.findall(r"\bby \(([^)]*)\)", expression)
                for label in group.split(",")
            }
            selectors = re.findall(r"\b((?:kafka|pko|process|python)_\w+)\{([^}]*)\}", expression)
            assert selectors, expression
            for name, selector in selectors:
                matched = set(re.findall(r'(\w+)(?:=~|!=|=)"', selector))
                found.setdefault(name, set()).update((labels | matched) - BY_PROMETHEUS)
    return found


@pytest.mark.live
def test_every_series_of_the_board_is_served_with_its_labels(tmp_path: Path) -> None:
    wanted = asked("broker.json")
    assert len(wanted) > 30
    broker = BrokerProcess(tmp_path, SETTINGS).start()
    try:
        where = ("-b", broker.bootstrap)
        subprocess.run([PKO, "topics", "create", "orders", *where], check=True, timeout=300)
        subprocess.run([PKO, "produce", "orders", *where], input=b"a\nb\n", check=True, timeout=300)
        subprocess.run(
            [PKO, "consume", "orders", "--from-beginning", "--max-messages", "2", *where],
            check=True, timeout=300,
        )  # fmt: skip
        scraped = Scraped(tmp_path)

        def missing() -> dict[str, set[str]]:
            served: dict[str, set[str]] = {}
            for family in text_string_to_metric_families(scraped.get("/metrics")[1]):
                for sample in family.samples:
                    served.setdefault(sample.name, set()).update(sample.labels)
            return {
                name: labels - served.get(name, set())
                for name, labels in wanted.items()
                if name not in served or labels - served[name]
            }

        wait_for(lambda: not missing(), what="every series of the board")
    finally:
        broker.close()


def test_the_board_for_groups_asks_for_the_series_that_the_page_lists() -> None:
    page = (ROOT / "docs" / "metrics.md").read_text().partition("## Dashboards")[2]
    listed = {
        name: {label for label in labels.strip().split(", ") if label}
        for name, labels in re.findall(r"^\| `(\w+)` \| ?(.*?)\|$", page, re.M)
    }
    wanted = asked("groups.json")
    assert set(wanted) == set(listed)
    assert {name: labels - listed[name] for name, labels in wanted.items()} == {
        name: set() for name in wanted
    }


def scraped_once(service: Service, part: str) -> dict[str, set[str]]:
    """Names and labels of a part of the monitor's metrics."""
    answer = TestClient(make_app(service, all_routes())).get(f"/metrics?collect[]={part}")
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


def series_of_mirrors() -> dict[str, set[str]]:
    """All that is told of a link of which everything is known, and of MirrorMaker 2's."""
    pair = MirroredPair()
    for step in range(8):
        made = pair.round(step * 15_000, 100 + step, link(50))
    pair.round(120_000, 150, link(100))
    moves = replace(pair.eu.view.links[0], heartbeat_seconds=3.0, eta_seconds=9.0)
    pair.eu.tell_links([moves, replace(made, target="eu2")], pair.eu.link_rows)
    return scraped_once(Service({"us": pair.us, "eu": pair.eu}), "mirrors")


def series_of_audits(directory: Path) -> dict[str, set[str]]:
    """All that is told of two tiers that agree."""
    path = str(directory / "book.db")
    write_log(directory / "a", "orders-0", in_batches([(1000, b"k", b"v")]))
    with AuditBook(path) as book:
        for name in ("a", "b"):
            tier = book.put_tier(name, {}, 600_000)
            collect(book, tier, AuditedFiles([str(directory / "a")], lambda: 10**13), bool)
    service = Service({"local": WatchedCluster("local")})
    settings = BookSettings(path, (TierPair("a", "b", cluster="local"),))
    service.audits = BookWatch(settings, lambda: 10**13)
    service.audits.look()
    return scraped_once(service, "audits")


@pytest.mark.parametrize("board", ["mirrors.json", "audits.json"])
def test_boards_of_the_monitor_ask_for_series_that_it_serves(board: str, tmp_path: Path) -> None:
    served = series_of_mirrors() if board == "mirrors.json" else series_of_audits(tmp_path)
    wanted = asked(board)
    assert len(wanted) > 6
    assert {name: labels - served.get(name, set()) for name, labels in wanted.items()} == {
        name: set() for name in wanted
    }
    assert wanted.keys() <= served.keys()


@pytest.mark.parametrize("board", ["broker.json", "groups.json", "mirrors.json", "audits.json"])
def test_panels_lie_beside_each_other_and_have_ids_of_their_own(board: str) -> None:
    panels = panels_of(board)
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert at["x"] + at["w"] <= 24
        assert not cells & taken, panel["title"]
        taken |= cells
