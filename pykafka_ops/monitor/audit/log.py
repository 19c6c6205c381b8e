"""The audit log: what persons changed, wanted to change and were refused, which records they read,
who failed to log in."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from pykafka_ops.errors import StorageError
from pykafka_ops.monitor.audit.journal import Journal
from pykafka_ops.monitor.audit.pace import WritePace

BEGUN, DONE, FAILED, PARTLY = "begun", "done", "failed", "partly"
REFUSED: Final = "refused"
LOGIN: Final = "login"
LONGEST_NAME: Final = 200
"""Characters of a name that somebody logged in with."""
SEARCHED: Final = 20_000
"""Entries that are looked at for those that are wanted."""
log = logging.getLogger(__name__)


class AuditLog:
    """``audit.jsonl`` in the directory of the monitor; refusals, reads and failed logins are in
    files of their own, so that nobody pushes changes out by being refused often. ``now`` in ms."""

    def __init__(self, directory: Path, now: Callable[[], int]) -> None:
        self._now = now
        self._changes = Journal(directory / "audit.jsonl")
        self._refusals = Journal(directory / "audit-refused.jsonl", kept=1)
        self._reads = Journal(directory / "audit-read.jsonl", kept=3)
        self._logins = Journal(directory / "audit-logins.jsonl", kept=1)
        self._pace = WritePace(now)

    def begin(self, entry: Mapping[str, Any]) -> str:
        """Write down a change before it is made; its id. StorageError: then it must not be made."""
        made = self._made(entry, BEGUN)
        self._changes.write(made)
        return str(made["id"])

    def end(self, id_: str, result: str, errors: Mapping[str, str]) -> None:
        """What came of it. Where that cannot be written, the log of the monitor has it."""
        entry: dict[str, Any] = {"id": id_, "ended": _text(self._now()), "result": result}
        if errors:
            entry["errors"] = dict(errors)
        try:
            self._changes.write(entry)
        except StorageError as error:
            log.error("change %s: %s; this is not in the audit log: %s", id_, result, error)

    def refuse(self, entry: Mapping[str, Any], why: str) -> None:
        """Write down what was not allowed, or failed before anything was changed."""
        try:
            self._refusals.write({**self._made(entry, REFUSED), "why": why})
        except StorageError as error:
            log.error("a refusal is not in the audit log: %s", error)

    def read(self, entry: Mapping[str, Any]) -> None:
        """Write down that records are read, before they are. StorageError: then they must not."""
        self._reads.write(self._made(entry, DONE))

    def login_failed(self, name: str, address: str, how: str) -> None:
        """Write down a login that failed; of too many at once only their number, with the next."""
        if not self._pace.may():
            return
        entry: dict[str, Any] = {
            "who": name[:LONGEST_NAME], "how": how, "address": address, "action": LOGIN,
            "resource": "",
        }  # fmt: skip
        if skipped := self._pace.skipped():
            entry["why"] = f"{skipped} more failed before and are not named"
        try:
            self._logins.write(self._made(entry, FAILED))
        except StorageError as error:
            log.error("a failed login is not in the audit log: %s", error)

    def entries(self, wanted: Callable[[Mapping[str, Any]], bool], most: int) -> list[Any]:
        """The newest entries that are wanted, each with its end; ``result`` stays ``begun`` where
        it has none: it is under way, or the monitor ended meanwhile."""
        ends: dict[str, dict[str, Any]] = {}
        found: list[dict[str, Any]] = []
        for number, entry in enumerate(self._changes.newest_first()):
            if number >= SEARCHED or len(found) >= most:
                break
            if "action" not in entry:
                ends[entry["id"]] = entry
            elif wanted(entry):
                found.append({**entry, **ends.pop(entry["id"], {})})
        for journal in (self._refusals, self._reads, self._logins):
            found += _wanted_of(journal, wanted, most)
        return sorted(found, key=lambda e: str(e.get("time")), reverse=True)[:most]

    def _made(self, entry: Mapping[str, Any], result: str) -> dict[str, Any]:
        return {"id": uuid.uuid4().hex, "time": _text(self._now()), **entry, "result": result}


def _wanted_of(
    journal: Journal, wanted: Callable[[Mapping[str, Any]], bool], most: int
) -> list[dict[str, Any]]:
    entries = islice(journal.newest_first(), SEARCHED)
    return list(islice((entry for entry in entries if wanted(entry)), most))


def _text(at: int) -> str:
    """``2026-11-25T22:52:01.123Z``."""
    found = datetime.fromtimestamp(at / 1000, UTC)
    return found.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at % 1000:03}Z"
