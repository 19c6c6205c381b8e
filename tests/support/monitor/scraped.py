"""What a scrape says, read as Prometheus and ``promtool check metrics`` would."""

from __future__ import annotations

import re
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
BY_OTHERS = ("burrow_kafka_consumer_lag_total",)
"""Gauges that others have called so."""


def samples(text: str) -> dict[tuple[Any, ...], float]:
    """Values by name and sorted labels; AssertionError for what ``faults`` finds."""
    assert faults(text) == []
    return {
        (s.name, *sorted(s.labels.items())): s.value
        for family in text_string_to_metric_families(text)
        for s in family.samples
    }


def faults(text: str) -> list[str]:
    """A line for everything that Prometheus refuses or promtool complains about."""
    found = _heads(text)
    seen = set()
    for family in text_string_to_metric_families(text):
        if not family.documentation:
            found.append(f"{family.name}: no help")
        for s in family.samples:
            key = s.name, *sorted(s.labels.items())
            if key in seen:
                found.append(f"{key}: twice")
            seen.add(key)
            if not NAME.fullmatch(s.name) or not all(map(LABEL.fullmatch, s.labels)):
                found.append(f"{key}: a name that is none")
            if family.type == "counter" and (s.name != f"{family.name}_total" or s.value < 0):
                found.append(f"{key}: {s.value} is no counter's")
            elif family.type == "gauge" and s.name.endswith("_total") and s.name not in BY_OTHERS:
                found.append(f"{key}: a gauge called as a counter")
    return found


def _heads(text: str) -> list[str]:
    """HELP and TYPE come once, before their samples; samples of a metric stand together."""
    found, over, now = [], set(), ""
    heads: dict[str, list[str]] = {}
    for line in text.splitlines():
        words = line.split(" ", 3)
        name = words[2] if line.startswith("# ") else re.split(r"[{ ]", line, maxsplit=1)[0]
        if name != now:
            over.add(now)
            now = name
            if name in over:
                found.append(f"{name}: not together")
        if line.startswith("# "):
            heads.setdefault(name, []).append(words[1])
        elif heads.get(name) != ["HELP", "TYPE"]:
            found.append(f"{name}: heads {heads.get(name)}")
    return found
