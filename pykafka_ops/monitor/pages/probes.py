"""The page of probes: how they went, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.pages import columns
from pykafka_ops.monitor.pages.frame import PageColumn, PageRequest, block, document, table
from pykafka_ops.monitor.wording.text import plain, span, whole


def _ok_tone(value: object) -> str:
    return "warn" if value is None else "good" if value else "bad"


def _ok_text(value: object) -> str:
    return "not known" if value is None else "OK" if value else "FAILED"


def _ms(value: object) -> str:
    return f"{value:,.1f} ms" if isinstance(value, int | float) else plain(None)


PROBES = (
    PageColumn("probe", "Probe"),
    PageColumn("ok", "Last run", _ok_text, tone=_ok_tone, status=True),
    PageColumn("failed_step", "Failed step"),
    PageColumn("where", "Where"),
    PageColumn("reason", "Why"),
    PageColumn("total_ms", "Took", _ms, True),
    PageColumn("availability_percent", "Went well in the last hour", columns.percent_text, True),
    PageColumn("age_seconds", "Ago", span, True),
    PageColumn("runs", "Runs", whole, True),
    PageColumn("failures", "Failures", whole, True),
)
PROBE_STEPS = (
    PageColumn("step", "Step"),
    PageColumn("verdict", "Verdict",
               tone=lambda v: "bad" if v in ("failed", "not run") else "good" if v == "ok" else "",
               status=True),
    PageColumn("ms", "Took", _ms, True),
    PageColumn("where", "Where"),
    PageColumn("reason", "Why"),
    PageColumn("detail", "What it saw"),
)  # fmt: skip


def probes(asked: PageRequest, view: ClusterView, rows: Sequence[Mapping[str, Any]]) -> str:
    """Every probe, and how its last run went."""
    empty = "no [[probe]] is configured for this cluster"
    sums = table(PROBES, rows, empty, label="Probes")
    steps = [
        block(
            f"Steps of {row['probe']}",
            "pko smoke",
            table(PROBE_STEPS, row["steps"], "no run has ended yet", label="Steps"),
        )
        for row in rows
    ]
    return document(asked, view, "Probes", block("Probes", "pko smoke", sums), *steps)
