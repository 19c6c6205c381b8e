"""Prometheus' text, as any exporter writes it, read as beans with one attribute. Pure."""

from __future__ import annotations

import re

_SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?[\d.]+)?\s*(?:#.*)?")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:\\.|[^"\\])*)"')
DOMAIN = "prometheus"


def read_text(text: str) -> dict[str, float]:
    """Values by ``prometheus:name=METRIC,label=value:Value``; lines that say nothing else, or
    nothing that can be read, are passed over."""
    found: dict[str, float] = {}
    for line in text.splitlines():
        sample = None if line.startswith("#") else _SAMPLE.fullmatch(line)
        if sample is None:
            continue
        try:
            value = float(sample[3])
        except ValueError:
            continue
        name = sample[1].replace(":", "_")
        labels = "".join(f',{k}="{v}"' if _odd(v) else f",{k}={v}"
                         for k, v in _LABEL.findall(sample[2] or ""))  # fmt: skip
        found[f"{DOMAIN}:name={name}{labels}:Value"] = value
    return found


def _odd(value: str) -> bool:
    return not value or any(c in value for c in ',=:"*?\\')
