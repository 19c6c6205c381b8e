"""Runs of reports as pages: listed, shown with their trend, damage told."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.service import Service
from pykafka_ops.spark.model import Column, Report, Section
from pykafka_ops.spark.output import history
from pykafka_ops.spark.output.stores import LocalStore

NOW = 1_763_769_600_000
COLUMNS = (
    Column("group", "Group"),
    Column("lag", "Lag", "records"),
    Column("lag_seconds", "Behind", "seconds"),
)
HOSTILE = "<script>alert(1)</script>"


def keep(root: Path, now: int, lag: int | None, group: str = "billing") -> None:
    rows = [{"group": group, "lag": lag, "lag_seconds": 125.0}]
    made = Report("lag", now, {}, {}, [Section("groups", "Groups", COLUMNS, rows)])
    history.append(LocalStore(root), made, history.source_id({}))


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    service = Service({"local": WatchedCluster("local")})
    service.reports = tmp_path
    return TestClient(make_app(service, all_routes()))


def words(client: TestClient, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status, answer.text[:300]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", answer.text))


def newest(client: TestClient) -> str:
    return re.findall(r'href="(/reports/lag/[^"]*)"', client.get("/reports").text)[0]


def test_a_run_is_shown_with_its_tables_and_how_its_figure_went(
    client: TestClient, tmp_path: Path
) -> None:
    assert "There are no runs yet" in words(client, "/reports")
    for n, lag in enumerate((1000, 3000, 2000)):
        keep(tmp_path, NOW + n * 3_600_000, lag)
    said = words(client, "/reports")
    assert "Consumer lag: 3 runs" in said
    assert said.index("2025-11-22 02:00:00") < said.index("2025-11-22 00:00:00")
    run = words(client, newest(client))
    assert " billing 2,000 2 min " in run
    assert "The last 3 runs" in run
    assert 'href="/reports"' in client.get("/c/local").text


def test_damage_is_told_and_what_is_not_known_is_a_dash(client: TestClient, tmp_path: Path) -> None:
    keep(tmp_path, NOW, None)
    assert " billing – 2 min " in words(client, newest(client))
    (file,) = tmp_path.rglob("*.parquet")
    file.write_bytes(b"PAR1")
    assert "Not read section groups: " in words(client, newest(client))


def test_no_name_is_markup_and_no_path_leads_out(client: TestClient, tmp_path: Path) -> None:
    keep(tmp_path, NOW, 5, HOSTILE)
    assert "<script>alert" not in client.get(newest(client)).text
    assert "There is no such run" in words(client, "/reports/moon/x", 404)
    for name in ("../x", "../../x", f"{NOW}-aaaaaaaa-bbbbbbbb.parquet"):
        assert client.get(f"/reports/lag/{quote(name, safe='')}").status_code == 404, name


def test_reports_are_for_those_alone_who_may_see_every_cluster(tmp_path: Path) -> None:
    service = Service({"local": WatchedCluster("local")})
    client = TestClient(make_app(service, all_routes()))
    assert "in the configuration names their history" in words(client, "/reports", 404)
    assert "/reports" not in client.get("/c/local").text
    service.reports, service.is_whole = tmp_path, False
    assert "Only who may see every cluster" in words(client, "/reports", 404)
    assert "/reports" not in client.get("/c/local").text


def test_a_directory_that_is_not_there_is_told(client: TestClient, tmp_path: Path) -> None:
    tmp_path.rmdir()
    assert "there is no such directory" in words(client, "/reports")
