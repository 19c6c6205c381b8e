"""What a broker tells of itself, as Prometheus reads it."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

SETTINGS = {"metrics.listen": "127.0.0.1:0"}


class Scraped:
    """The broker of a data directory, asked again and again."""

    def __init__(self, data_dir: Path) -> None:
        url: str = json.loads((data_dir / "broker.pid").read_text())["metrics"]
        self._host, _, port = url.removeprefix("http://").rpartition(":")
        self._port = int(port)

    def get(self, path: str, **headers: str) -> tuple[int, str]:
        """Status and body."""
        connection = http.client.HTTPConnection(self._host, self._port, timeout=100)
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def samples(self) -> dict[tuple[str, ...], float]:
        """Values by name and label values."""
        status, text = self.get("/metrics")
        assert status == 200, text
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    def json(self) -> list[dict[str, Any]]:
        """The same with the names of MBeans."""
        status, text = self.get("/metrics", Accept="application/json")
        assert status == 200, text
        rows: list[dict[str, Any]] = json.loads(text)
        return rows
