"""The audit log: written before a change, completed after it, bounded, and read back whatever
happened to its file."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path

import pytest

from pykafka_ops.errors import StorageError
from pykafka_ops.monitor.audit.journal import Journal
from pykafka_ops.monitor.audit.log import AuditLog
from pykafka_ops.monitor.audit.pace import AT_ONCE, EACH_MS

ENTRY = {"who": "anna", "action": "seek", "cluster": "prod", "resource": "billing"}


@pytest.fixture
def log(tmp_path: Path) -> AuditLog:
    return AuditLog(tmp_path, iter(range(1_000_000, 2_000_000, 1000)).__next__)


def everything(log: AuditLog, most: int = 100) -> list[dict[str, object]]:
    return log.entries(lambda _: True, most)


def test_a_change_is_on_disk_before_it_is_made_and_completed_after(
    log: AuditLog, tmp_path: Path
) -> None:
    id_ = log.begin(ENTRY)
    (line,) = (tmp_path / "audit.jsonl").read_text().splitlines()
    assert json.loads(line)["result"] == "begun"
    assert everything(log)[0]["result"] == "begun"
    log.end(id_, "partly", {"orders-0": "too late"})
    (entry,) = everything(log)
    assert entry["result"] == "partly"
    assert entry["errors"] == {"orders-0": "too late"}
    assert (entry["time"], entry["ended"]) == (
        "1970-01-01T00:16:40.000Z", "1970-01-01T00:16:41.000Z",
    )  # fmt: skip
    assert os.stat(tmp_path / "audit.jsonl").st_mode & 0o077 == 0


def test_entries_are_newest_first_with_refusals_among_them(log: AuditLog) -> None:
    log.end(log.begin({**ENTRY, "resource": "a"}), "done", {})
    log.refuse({**ENTRY, "resource": "b"}, "no right")
    log.end(log.begin({**ENTRY, "resource": "c"}), "done", {})
    assert [e["resource"] for e in everything(log)] == ["c", "b", "a"]
    assert [e["resource"] for e in everything(log, 2)] == ["c", "b"]
    assert everything(log)[1]["why"] == "no right"
    found = log.entries(lambda e: e["resource"] == "a", 5)
    assert [e["result"] for e in found] == ["done"]


def test_a_line_that_was_broken_off_spoils_no_other(log: AuditLog, tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    log.end(log.begin(ENTRY), "done", {})
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:37])
    log.end(log.begin({**ENTRY, "resource": "next"}), "done", {})
    assert [(e["resource"], e["result"]) for e in everything(log)] == [
        ("next", "done"), ("billing", "done"),
    ]  # fmt: skip
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        assert len(everything(log)) <= 1
    path.write_bytes(b"\xff\n[1]\n{}\n" + b'{"id": 5}\n' + b"[" * 100_000 + b"\n" + whole)
    assert len(everything(log)) == 1


def test_refusals_cannot_push_changes_out(log: AuditLog, tmp_path: Path) -> None:
    log.end(log.begin(ENTRY), "done", {})
    small = Journal(tmp_path / "audit-refused.jsonl", most_bytes=1000, kept=1)
    log._refusals = small
    for _ in range(100):
        log.refuse(ENTRY, "no right")
    assert sum(f.stat().st_size for f in tmp_path.glob("audit-refused*")) <= 2000
    assert len(list(tmp_path.glob("audit-refused*"))) == 2
    assert [e["result"] for e in everything(log, 500)].count("done") == 1


def test_the_files_are_bounded_and_the_oldest_go(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "a.jsonl", most_bytes=500, kept=3)
    for number in range(100):
        journal.write({"id": str(number), "text": "x" * 50})
    files = sorted(p.name for p in tmp_path.iterdir())
    assert files == ["a.jsonl", "a.jsonl.1", "a.jsonl.2", "a.jsonl.3"]
    assert all(p.stat().st_size <= 500 for p in tmp_path.iterdir())
    ids = [int(e["id"]) for e in journal.newest_first()]
    assert ids == list(range(99, 99 - len(ids), -1))
    assert len(ids) > 20


def test_where_nothing_can_be_written_the_caller_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = AuditLog(tmp_path / "gone", lambda: 0)
    with pytest.raises(StorageError, match="cannot write"):
        log.begin(ENTRY)
    with caplog.at_level(logging.ERROR):
        log.end("id", "done", {})
        log.refuse(ENTRY, "no right")
    assert "this is not in the audit log" in caplog.text
    assert "a refusal is not in the audit log" in caplog.text


def test_names_of_any_bytes_are_written(log: AuditLog) -> None:
    log.refuse({**ENTRY, "resource": "a\n\udc80\u2028"}, "no right")
    assert everything(log)[0]["resource"] == "a\n\udc80\u2028"


def test_reads_and_failed_logins_push_out_nothing(log: AuditLog, tmp_path: Path) -> None:
    log.end(log.begin(ENTRY), "done", {})
    log.read({**ENTRY, "action": "messages", "params": {"read": "search"}})
    log.login_failed("mallory", "192.0.2.9", "users")
    found = everything(log)
    assert [(e["action"], e["result"]) for e in found] == [
        ("login", "failed"), ("messages", "done"), ("seek", "done"),
    ]  # fmt: skip
    assert (found[0]["who"], found[0]["address"]) == ("mallory", "192.0.2.9")
    files = {f.name for f in tmp_path.glob("audit*")}
    assert files == {"audit.jsonl", "audit-read.jsonl", "audit-logins.jsonl"}


def test_failed_logins_are_written_no_faster_than_they_may(tmp_path: Path) -> None:
    """A thousand addresses at once fill no disk; how many were left out is told."""
    now = [1_000_000]
    log = AuditLog(tmp_path, lambda: now[0])
    for n in range(1000):
        log.login_failed("x" * 10_000, f"2001:db8::{n}", "users")
    assert len(everything(log, 1000)) == AT_ONCE
    assert (tmp_path / "audit-logins.jsonl").stat().st_size < AT_ONCE * 500
    now[0] += EACH_MS
    log.login_failed("late", "192.0.2.9", "users")
    (newest,) = [e for e in everything(log, 1000) if e["who"] == "late"]
    assert newest["why"] == f"{1000 - AT_ONCE} more failed before and are not named"
    log.login_failed("too soon", "192.0.2.9", "users")
    assert len(everything(log, 1000)) == AT_ONCE + 1


def test_records_are_not_read_where_that_cannot_be_written(log: AuditLog, tmp_path: Path) -> None:
    (tmp_path / "audit-read.jsonl").mkdir()
    with pytest.raises(StorageError):
        log.read(ENTRY)
