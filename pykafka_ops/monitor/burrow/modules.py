"""What ``/v3/config`` says: the monitor in the terms of Burrow's configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pykafka_ops.analysis.commits.burrow import WINDOW
from pykafka_ops.monitor.service import ShownCluster

Body = dict[str, Any]
KINDS = ("storage", "evaluator", "cluster", "consumer", "notifier")


def main(address: str, level: str) -> Body:
    """The parts of ConfigMain."""
    return {
        "general": {"pidfile": "", "stdout-logfile": "", "access-control-allow-origin": ""},
        "logging": {
            "filename": "", "max-size": 0, "max-backups": 0, "max-age": 0,
            "use-local-time": False, "use-compression": False, "level": level,
        },
        "zookeeper": {"servers": [], "timeout": 0, "root-path": ""},
        "httpserver": {"default": {"address": address, "tls": "", "timeout": 0}},
    }  # fmt: skip


def modules(kind: str, clusters: Mapping[str, ShownCluster]) -> dict[str, Body]:
    """The modules of a kind, by name."""
    if kind == "storage":
        return {
            "default": {
                "class-name": "inmemory", "intervals": WINDOW, "min-distance": 0,
                "group-allowlist": "", "expire-group": 604800,
            }
        }  # fmt: skip
    if kind == "evaluator":
        return {"default": {"class-name": "caching", "expire-cache": 0}}
    if kind in ("cluster", "consumer"):
        return {name: _kafka(kind, name, shown) for name, shown in clusters.items()}
    return {}


def _kafka(kind: str, name: str, shown: ShownCluster) -> Body:
    profile = {
        "name": "", "client-id": "pko-monitor", "kafka-version": "", "tls": None, "sasl": None,
    }  # fmt: skip
    servers = list(shown.bootstrap)
    if kind == "cluster":
        seconds = shown.poll_ms // 1000
        return {
            "class-name": "kafka", "servers": servers, "client-profile": profile,
            "topic-refresh": seconds, "offset-refresh": seconds,
        }  # fmt: skip
    return {
        "class-name": "kafka", "cluster": name, "servers": servers, "group-allowlist": "",
        "zookeeper-path": "", "zookeeper-timeout": 0, "client-profile": profile,
        "offsets-topic": "__consumer_offsets", "start-latest": False,
    }  # fmt: skip
