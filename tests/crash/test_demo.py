"""``pko spark demo`` that is interrupted leaves no broker and no data behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import wait_for

PKO = (sys.executable, "-m", "pykafka_ops")


def brokers(directory: Path) -> list[Path]:
    return [p.parent for p in directory.glob("pko-demo-*/kafka-logs/meta.properties")]


def running(logs: Path) -> int | None:
    """The pid of the broker on ``logs``."""
    argv = [*PKO, "broker", "status", "--data-dir", str(logs), "-o", "json"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    return int(json.loads(done.stdout)["items"][0]["pid"]) if done.returncode == 0 else None


@pytest.mark.java
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["term", "int"])
def test_an_interrupted_demo_stops_its_broker(number: signal.Signals, tmp_path: Path) -> None:
    demo = subprocess.Popen(
        [*PKO, "spark", "demo", "--html", str(tmp_path / "page.html")],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for(lambda: brokers(tmp_path), what="the demo's broker")
        [logs] = brokers(tmp_path)
        pid = wait_for(lambda: running(logs), what="a broker that runs")
        assert pid is not None
        demo.send_signal(number)
        _, said = demo.communicate(timeout=300)
    finally:
        demo.kill()
        demo.wait()
    assert demo.returncode == 128 + number and "Traceback" not in said
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
