"""Tiers that differ as alerts, metrics and series."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from pykafka_ops.audit.book import AuditBook
from pykafka_ops.audit.collect import collect
from pykafka_ops.audit.files import AuditedFiles
from pykafka_ops.monitor.alerts.rules.facts import FACTS
from pykafka_ops.monitor.alerts.rules.model import PollRound
from pykafka_ops.monitor.alerts.service import AlertService
from pykafka_ops.monitor.alerts.settings.tables import alert_settings
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.history.model import SeriesKey
from pykafka_ops.monitor.history.store import History
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.service import Service
from pykafka_ops.monitor.tiers.settings import BookSettings, TierPair
from pykafka_ops.monitor.tiers.watch import BookWatch
from tests.support.kept_logs import Sent, in_batches, write_log
from tests.support.monitor import scraped

SENT: list[Sent] = [(n * 1000, b"k%d" % n, b"v") for n in range(1200)]
COUNTED = 10**13
NOW = COUNTED + 3_600_000
PAIR = TierPair("us", "eu", "us.", cluster="eu")


def count(path: str, directory: Path, name: str, orders: list[Sent]) -> None:
    prefix = "us." if name == "eu" else ""
    write_log(directory / name, f"{prefix}orders-0", in_batches(orders))
    write_log(directory / name, f"{prefix}users-0", in_batches(SENT))
    with AuditBook(path) as book:
        tier = book.put_tier(name, {"directories": [str(directory / name)]}, 600_000)
        collect(book, tier, AuditedFiles([str(directory / name)], lambda: COUNTED), bool)


@pytest.fixture
def book(tmp_path: Path) -> str:
    """Of ``orders`` a record is missing in eu, ``users`` is the same."""
    path = str(tmp_path / "book.db")
    count(path, tmp_path, "us", SENT)
    count(path, tmp_path, "eu", [*SENT[:700], *SENT[701:]])
    return path


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    kept = History(tmp_path / "history.db")
    yield kept
    kept.close()


def watch(path: str, *pairs: TierPair, history: History | None = None) -> BookWatch:
    return BookWatch(BookSettings(path, pairs or (PAIR,)), lambda: NOW, history)


def test_what_differs_is_told_in_figures(book: str) -> None:
    watched = watch(book)
    assert watched.figures()[0].problem == "not looked at yet"
    watched.look()
    (subject,) = watched.subjects("eu")
    assert watched.subjects("us") == []
    assert subject.facts.keys() <= FACTS["audit"].keys()
    known = ("state", "partitions", "differing_partitions", "missing", "extra", "worst")
    assert [subject.facts[name] for name in known] == ["missing", 2, 1, 1, 0, "orders-0"]
    assert (subject.name, subject.facts["counted_age_seconds"]) == ("us/eu", 3600)


def test_tiers_that_agree_are_equal(book: str) -> None:
    watched = watch(book, TierPair("us", "us", cluster="us"))
    watched.look()
    (found,) = watched.figures()
    assert (found.state, found.missing, found.worst) == ("equal", 0, None)


def test_of_a_book_that_cannot_be_read_nothing_is_known(tmp_path: Path, book: str) -> None:
    for path, pair in ((str(tmp_path / "none"), PAIR), (book, PAIR._replace(b="x"))):
        watched = watch(path, pair)
        watched.look()
        (found,) = watched.figures()
        assert found.problem
        facts = watched.subjects("eu")[0].facts
        assert {facts[name] for name in ("state", "missing", "behind_seconds")} == {None}


def test_missing_records_fire_an_alert_also_where_the_cluster_does_not_answer(
    tmp_path: Path, book: str
) -> None:
    watched = watch(book)
    watched.look()
    settings = alert_settings({}, "monitor.toml")
    alerts = AlertService(settings, str(tmp_path / "alerts.db"), ["eu"], now=lambda: NOW)
    try:
        alerts.take(PollRound("eu", NOW, watched.subjects("eu"), fresh=False))
        fired = [a.key.rule for a in alerts.state().firing if a.key.kind == "audit"]
        assert fired == ["audit-missing"]
        service = Service({"eu": WatchedCluster("eu")}, alerts=alerts)
        service.is_whole = False
        part = service.alerts_now()
        assert part is not None and [a.key.kind for a in part.firing] == []
    finally:
        alerts.close()


def test_metrics_are_for_who_may_see_all(book: str) -> None:
    service = Service({"eu": WatchedCluster("eu")})
    service.audits = watch(book)
    service.audits.look()
    asked = TestClient(make_app(service, all_routes()))
    found = scraped.samples(asked.get("/metrics?collect[]=audits").text)
    pair = ("cluster", "eu"), ("tier_a", "us"), ("tier_b", "eu")
    assert found["pko_audit_up", *pair] == 1
    assert found["pko_audit_missing_records", *pair] == 1
    assert found["pko_audit_counted_age_seconds", *pair] == 3600
    service.is_whole = False
    assert asked.get("/metrics?collect[]=audits").text == ""


def test_the_history_keeps_figures_and_changes(book: str, tmp_path: Path, history: History) -> None:
    watched = watch(book, history=history)
    watched.look()
    key = SeriesKey("audit", "us/eu", "missing")
    assert [p.last for p in history.read("eu", key, NOW - 1, NOW + 1, 1)] == [1]
    count(str(tmp_path / "other.db"), tmp_path / "other", "us", SENT)
    count(str(tmp_path / "other.db"), tmp_path / "other", "eu", SENT)
    watched.settings = watched.settings._replace(file=str(tmp_path / "other.db"))
    watched.look()
    (event,), _ = history.events("eu", NOW - 1, NOW + 1, 10)
    assert event.text == "tiers us and eu were missing, are equal"
    assert json.loads(json.dumps(event._asdict()))["kind"] == "audit"
