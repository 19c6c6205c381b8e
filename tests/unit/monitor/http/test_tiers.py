"""Tiers that were counted, as pages: whether they agree, which buckets differ."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from pykafka_ops.audit.book import AuditBook
from pykafka_ops.audit.collect import collect
from pykafka_ops.audit.files import AuditedFiles
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.service import Service
from pykafka_ops.monitor.tiers.settings import BookSettings, TierPair, book_settings
from tests.support.each import each
from tests.support.kept_logs import Sent, in_batches, write_log

SENT: list[Sent] = [(n * 1000, b"k%d" % n, b"v") for n in range(1200)]
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def book(tmp_path: Path) -> str:
    """``us`` and ``eu``: of ``orders`` a record is missing, ``users`` is the same."""
    path = str(tmp_path / "book.db")
    with AuditBook(path) as opened:
        for name, orders in (("us", SENT), ("eu", [*SENT[:700], *SENT[701:]])):
            prefix = "us." if name == "eu" else ""
            write_log(tmp_path / name, f"{prefix}orders-0", in_batches(orders))
            write_log(tmp_path / name, f"{prefix}users-0", in_batches(SENT))
            tier = opened.put_tier(name, {"directories": [f"/{HOSTILE}"]}, 600_000)
            collect(opened, tier, AuditedFiles([str(tmp_path / name)], lambda: 10**13), bool)
    return path


def service(book: str, *pairs: TierPair) -> Service:
    found = Service({"local": WatchedCluster("local")})
    found.books = BookSettings(book, pairs or (TierPair("us", "eu", "us."),))
    return found


def client(some: Service) -> TestClient:
    return TestClient(make_app(some, all_routes()))


def words(asked: TestClient, path: str, status: int = 200) -> str:
    answer = asked.get(path)
    assert answer.status_code == status, answer.text[:300]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", answer.text))


def test_tiers_that_differ_are_shown_with_their_buckets(book: str) -> None:
    asked = client(service(book))
    said = words(asked, "/tiers")
    assert "Tiers: 2" in said and "us and eu" in said and "1 partitions agree." in said
    assert re.search(r"orders 0 .*missing 1,200 1,199 1 0 0 1", said)
    assert "pko audit compare us eu --prefix us." in said
    assert HOSTILE not in asked.get("/tiers").text
    assert 'href="/tiers"' in asked.get("/c/local").text
    (link,) = re.findall(r'href="(/tiers/buckets[^"]*)"', asked.get("/tiers").text)
    said = words(asked, link.replace("&amp;", "&"))
    assert re.search(r"1970-01-01 00:10:00 UTC .*missing 600 599", said)


def test_what_cannot_be_shown_is_said(book: str, tmp_path: Path) -> None:
    assert "there is no such tier" in words(client(service(book, TierPair("us", "x"))), "/tiers")
    assert "no such book" in words(client(service(str(tmp_path / "none"))), "/tiers")
    (tmp_path / "junk").write_bytes(b"junk" * 1000)
    assert "not a database" in words(client(service(str(tmp_path / "junk"))), "/tiers")
    asked = client(service(book))
    for query in ("", "?pair=1&topic=orders&partition=0", "?pair=x", "?pair=0&partition=-1"):
        assert "no such pair" in words(asked, f"/tiers/buckets{query}", 404)
    assert "all buckets agree" in words(asked, "/tiers/buckets?pair=0&topic=no&partition=0")


def test_only_who_may_see_every_cluster_is_shown_tiers(book: str) -> None:
    some = service(book)
    some.is_whole = False
    for path in ("/tiers", "/tiers/buckets?pair=0&topic=orders&partition=0"):
        assert "Only who may see every cluster" in words(client(some), path, 404)
    assert "/tiers" not in client(some).get("/c/local").text
    none = Service({"local": WatchedCluster("local")})
    assert "[books] in the configuration" in words(client(none), "/tiers", 404)


def test_settings_are_read() -> None:
    table = {"file": "b.db", "compare": [{"a": "us", "b": "eu", "prefix": "us.", "grace": "5m"}]}
    found = book_settings({"books": table}, "monitor.toml")
    assert found == BookSettings("b.db", (TierPair("us", "eu", "us.", 300_000),))
    found = book_settings({"books": table}, "monitor.toml", ["x", "eu"])
    assert found is not None and found.pairs[0].cluster == "eu"
    table["compare"][0]["cluster"] = "x"  # type: ignore[index]
    found = book_settings({"books": table}, "monitor.toml", ["x", "eu"])
    assert found is not None and found.pairs[0].cluster == "x"
    assert book_settings({}, "monitor.toml") is None


@each(
    "table",
    ["x", {}, {"file": 3}, {"file": "b", "fiel": 1}, {"file": "b", "compare": {}},
     {"file": "b", "compare": ["us"]}, {"file": "b", "compare": [{"a": "us"}]},
     {"file": "b", "compare": [{"a": "us", "b": "eu", "c": 1}]},
     {"file": "b", "compare": [{"a": "us", "b": "eu", "grace": "soon"}]},
     {"file": "b", "compare": [{"a": "us", "b": 1}]},
     {"file": "b", "compare": [{"a": "us", "b": "eu", "cluster": "no"}]}],
)  # fmt: skip
def test_wrong_settings_are_refused_in_a_line(table: object) -> None:
    with pytest.raises(UsageError, match=r"^monitor\.toml: \[books\]"):
        book_settings({"books": table}, "monitor.toml")
