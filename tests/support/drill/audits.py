"""``pko audit`` as a user runs it: each cluster counted into a book, each link compared by it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from tests.support.process.console import pko
from tests.support.waiting import wait_for

BUCKET_MS = 1000
SECONDS = 600.0
BAD = ("missing", "extra", "altered", "reordered")


class DrillAudit:
    """The book of a drill."""

    def __init__(self, directory: Path) -> None:
        self.book = directory / "audit.db"

    def collect(self, alias: str, bootstrap: str, *words: str) -> None:
        """Count a cluster. AssertionError where that fails."""
        bucket = f"{BUCKET_MS}ms"
        code, said = self._run("collect", alias, "-b", bootstrap, "--bucket", bucket, *words)
        assert code == 0, said

    def compare(self, a: str, b: str, *words: str) -> tuple[int, list[dict[str, Any]]]:
        """Exit code and the partitions; no bucket is given time but for ``--grace`` among
        ``words``, as the load has ended."""
        grace = () if "--grace" in words else ("--grace", "1ms")
        code, said = self._run("compare", a, b, "--records", *grace, *words)
        assert code in (0, 4), said
        return code, json.loads(said)["items"]

    def _run(self, verb: str, *words: str) -> tuple[int, str]:
        done = pko("audit", verb, *words, "--book", str(self.book), "-o", "json", seconds=SECONDS)
        return done.returncode, (done.stdout or done.stderr).decode()


def bucket_over() -> None:
    """Wait until the bucket of now is over: what is in it counts then."""
    begun = time.time() * 1000
    wait_for(lambda: time.time() * 1000 > begun + 2 * BUCKET_MS, what="a bucket's end", poll=0.1)


def audit_complaints(row: dict[str, Any], *, counted: int | None, partial: bool) -> list[str]:
    """What a partition's row says that is not "equal". ``counted``: how many records there are by
    another count; ``partial``: the first tier had deleted records, some of times not yet over."""
    allowed = ("equal", "partial", "open") if partial else ("equal",)
    where = f"{row['topic']}-{row['partition']}"
    amiss = []
    if row["state"] not in allowed or row["pending"] or row["differing"]:
        shown = [*row["different_records"][:10], *row["different_buckets"][:10]]
        told = {name: row[name] for name in ("state", *BAD, "duplicates", "pending", "partial")}
        amiss.append(f"{where}: {told}: {json.dumps(shown)}")
    counts = row["records_a"], row["records_b"]
    if counted is not None and counts != (counted, counted):
        amiss.append(f"{where}: audit counts {counts}, a consumer {counted}")
    return amiss
