"""The audit log: what persons changed, wanted to change and were refused."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pykafka_ops.errors import StorageError
from pykafka_ops.monitor.audit.journal import Journal

BEGUN, DONE, FAILED, PARTLY = "begun", "done", "failed", "partly"
REFUSED: Final = "refused"
SEARCHED: Final = 20_000
"""Entries that are looked at for those that are wanted."""
log = logging.getLogger(__name__)


class AuditLog:
    """``audit.jsonl`` in the directory of the monitor; refusals are in a file of their own, so that
    nobody pushes changes out by being refused often. ``now`` in ms."""

    def __init__(self, directory: Path, now: Callable[[], int]) -> None:
        self._now = now
        self._changes = Journal(directory / "audit.jsonl")
        self._refusals = Journal(directory / "audit-refused.jsonl", kept=1)

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
        refused: list[dict[str, Any]] = []
        for number, entry in enumerate(self._refusals.newest_first()):
            if number >= SEARCHED or len(refused) >= most:
                break
            if wanted(entry):
                refused.append(entry)
        both = chain(found, refused)
        return sorted(both, key=lambda e: str(e.get("time")), reverse=True)[:most]

    def _made(self, entry: Mapping[str, Any], result: str) -> dict[str, Any]:
        return {"id": uuid.uuid4().hex, "time": _text(self._now()), **entry, "result": result}


def _text(at: int) -> str:
    """``2026-11-25T22:52:01.123Z``."""
    found = datetime.fromtimestamp(at / 1000, UTC)
    return found.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at % 1000:03}Z"
