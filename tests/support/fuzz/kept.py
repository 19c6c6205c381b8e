"""Files that the monitor reads: users, the audit log."""

from __future__ import annotations

import tempfile
from pathlib import Path

from pykafka_ops.monitor.access.users import read
from pykafka_ops.monitor.audit.log import AuditLog

HASH = "$scrypt$ln=15,r=8,p=1$TmFDbE5hQ2xOYUNsTmFDbA$" + "A" * 43


def users(data: bytes) -> None:
    """A file of users: what is not right is a line of complaint."""
    _, wrong = read(data, "users")
    assert all("\n" not in line for line in wrong)


def audit(data: bytes) -> None:
    """An audit log, of which any part may be broken; the next entry is found whatever it is."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "audit.jsonl"
        path.write_bytes(data)
        log = AuditLog(Path(directory), lambda: 1_900_000_000_000)
        log.end(log.begin({"action": "seek", "mark": "the last"}), "done", {})
        found = log.entries(lambda entry: entry.get("mark") == "the last", 1)
        assert [entry["result"] for entry in found] == ["done"]


def user_seeds() -> list[bytes]:
    """Files of users."""
    return [f"# team\nanna:{HASH}\nben:{HASH}\n".encode(), f"ben:{HASH}".encode()]


def audit_seeds() -> list[bytes]:
    """An audit log of a few changes."""
    with tempfile.TemporaryDirectory() as directory:
        log = AuditLog(Path(directory), lambda: 1_000_000)
        for result in ("done", "failed"):
            log.end(log.begin({"who": "anna", "action": "seek"}), result, {"x": "it failed"})
        return [(Path(directory) / "audit.jsonl").read_bytes()]
