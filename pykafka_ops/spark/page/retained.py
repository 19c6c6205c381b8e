"""Which rows of a retention report tell of trouble, or that something is not known."""

from __future__ import annotations

from pykafka_ops.analysis import compaction as cleaning
from pykafka_ops.analysis import retention as policy
from pykafka_ops.analysis.lag.unread import AT_RISK, LOSING
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.page.parts import amount, rows, text


def threatened(report: Report) -> list[Row]:
    """Unread records that go before their group reads them, the first to go on top."""
    found = [r for r in rows(report, "at_risk") if text(r, "status") in (AT_RISK, LOSING)]
    return sorted(
        found, key=lambda r: (text(r, "status") != LOSING, amount(r, "deleted_in_seconds"))
    )


def unsure(report: Report) -> int:
    """How many groups have unread records of which nobody knows when they go."""
    found = {text(r, "group") for r in rows(report, "at_risk") if r.get("status") is None}
    return len(found - {text(r, "group") for r in threatened(report)})


def kept_too_long(report: Report) -> list[Row]:
    """Topics with segments that should be gone."""
    found = [
        r for r in rows(report, "topics") if text(r, "status") in (policy.OVER, policy.BLOCKED)
    ]
    return sorted(found, key=lambda r: -amount(r, "over_bytes"))


def unjudged(report: Report) -> list[Row]:
    """Topics of which it is not known whether they keep what the policy says."""
    return [r for r in rows(report, "topics") if text(r, "status") == policy.UNKNOWN]


def uncleaned(report: Report) -> list[Row]:
    """Partitions that the cleaner does not get to."""
    bad = (cleaning.STUCK, cleaning.OVERDUE)
    return [r for r in rows(report, "compaction") if text(r, "status") in bad]
