"""``pko spark demo``: a cluster with a past on our broker, and what the reports say of it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.spark.demo.plan import DAY, GROUPS, TOPICS
from tests.support.process.browser import Node, parse

STATUS = {
    "keeps-up": "OK",
    "lags": "WARN",
    "crawls": "WARN",
    "stalls": "STALL",
    "rewinds": "REWIND",
    "stops": "STOP",
}
SIZE = 200 * 1024**2
PATIENCE = 840
"""Seconds; an idle machine needs a tenth."""


@dataclass(frozen=True)
class Shown:
    """What one run left: its directory, the reports as JSON by kind, the page."""

    directory: Path
    reports: dict[str, dict[str, Any]]
    page: Node

    def rows(self, kind: str, section: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.reports[kind]["sections"][section]["rows"]
        return found


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """One run of the demo, kept."""
    kept = tmp_path_factory.mktemp("demo") / "kept"
    argv = [sys.executable, "-m", "pykafka_ops", "spark", "demo", "--keep", str(kept), "-o", "json",
            "--cores", "2", "--driver-memory", "1g"]  # fmt: skip
    done = subprocess.run(argv, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)["reports"]
    reports = {report["kind"].removesuffix("-report"): report for report in made}
    page = parse((kept / "pko-demo.html").read_text(encoding="utf-8"))
    return Shown(kept, reports, page)


pytestmark = pytest.mark.timeout(PATIENCE + 60)


def test_every_group_is_judged_as_its_story_goes(shown: Shown) -> None:
    statuses = {row["group"]: row["status"] for row in shown.rows("lag", "groups")}
    assert statuses == {g.name: STATUS[g.story] for g in GROUPS}
    assert [r["group"] for r in shown.rows("lag", "silent_groups")] == ["nightly-report"]
    assert [r["topic"] for r in shown.rows("lag", "unread_topics")] == ["telemetry"]
    [late] = [r for r in shown.rows("lag", "groups") if r["group"] == "nightly-report"]
    assert 25 * 3600 < late["lag_seconds"] < 27 * 3600


def test_one_key_and_its_partition_are_found(shown: Shown) -> None:
    topics = {r["topic"]: r for r in shown.rows("skew", "topics")}
    assert {t: r["records"] for t, r in topics.items()} == {t.name: t.records for t in TOPICS}
    assert [t for t, r in topics.items() if r["band"] in ("skewed", "severe")] == ["clicks"]
    first = shown.rows("skew", "keys")[0]
    assert first["key"] == "user-1" and 0.15 < first["share"] < 0.2
    [hot] = [r for r in shown.rows("skew", "partitions") if r["hot"]]
    assert first["partitions"][0]["partition"] == hot["partition"] and hot["topic"] == "clicks"


def test_what_is_lost_kept_and_not_cleaned_is_found(shown: Shown) -> None:
    topics = {r["topic"]: r["status"] for r in shown.rows("retention", "topics")}
    assert topics["audit"] == "over" and topics["profiles"] == "compact"
    first = min(shown.rows("retention", "at_risk"), key=lambda r: float(r["deleted_in_seconds"]))
    assert (first["group"], first["topic"]) == ("invoicing", "payments")
    assert 0 < first["deleted_in_seconds"] < 8 * 3600
    assert {r["status"] for r in shown.rows("retention", "compaction")} == {"stuck"}


def test_the_page_tells_the_same(shown: Shown) -> None:
    articles = shown.page.all("article")
    assert [a.attributes["data-kind"] for a in articles] == ["lag", "skew", "retention"]
    verdict = shown.page.one("h1").text
    assert verdict.startswith("invoicing loses unread data of payments in")
    assert verdict.endswith("5 of 11 groups need attention; clicks is skewed.")
    lag, skew, retention = (h.text for h in shown.page.all("h2", class_="headline"))
    assert "5 of 11 groups need attention" in lag and "invoicing may lose unread data" in lag
    assert "1 of 6 topics is skewed: clicks." in skew and "key user-1 alone makes" in skew
    assert retention.startswith("invoicing loses unread data of payments in")


def test_the_past_is_on_disk_and_small(shown: Shown) -> None:
    logs = shown.directory / "kafka-logs"
    for plan in TOPICS:
        segments = list((logs / f"{plan.name}-0").glob("*.log"))
        expected = plan.days * DAY / int(plan.configs["segment.ms"])
        assert expected * 0.7 < len(segments) < expected * 1.5, plan.name
    files = [f.stat().st_blocks * 512 for f in shown.directory.rglob("*") if f.is_file()]
    assert sum(files) < SIZE
