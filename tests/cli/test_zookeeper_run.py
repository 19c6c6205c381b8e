"""``pko zookeeper start|stop|status`` as a person types it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.process.process import Process
from tests.support.waiting import free_port

pytestmark = [pytest.mark.java, pytest.mark.live]


def pko(*words: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "pykafka_ops", "zookeeper", *words]
    return subprocess.run(argv, capture_output=True, text=True, timeout=300)


def test_a_daemon_is_started_asked_and_stopped(tmp_path: Path) -> None:
    where = ("--data-dir", str(tmp_path / "zk"))
    started = pko("start", *where, "--port", "0", "--daemon")
    try:
        assert started.returncode == 0, started.stderr
        connect = started.stdout.split()[3]
        found = pko("status", *where, "-o", "json")
        (row,) = json.loads(found.stdout)["items"]
        assert (row["state"], row["connect"], row["mode"]) == ("running", connect, "standalone")
        again = pko("start", *where, "--port", "0")
        assert (again.returncode, again.stderr.count("\n")) == (1, 1)
        assert "runs on" in again.stderr
    finally:
        stopped = pko("stop", *where)
    assert stopped.returncode == 0, stopped.stderr
    assert pko("status", *where).returncode == 4
    assert pko("stop", *where).returncode == 1


def test_in_the_foreground_it_runs_until_it_is_interrupted(tmp_path: Path) -> None:
    config = tmp_path / "zookeeper.properties"
    port = free_port()
    config.write_text(f"dataDir={tmp_path / 'zk'}\nclientPort={port}\nadmin.enableServer=true\n")
    argv = [sys.executable, "-m", "pykafka_ops", "zookeeper", "start", str(config)]
    process = Process(argv, tmp_path / "log")
    try:
        assert process.first_line(60.0).startswith(f"zookeeper ready on 127.0.0.1:{port} in ")
        process.signal(signal.SIGINT)
        assert process.popen.wait(120) == 0
    finally:
        process.kill()
    assert pko("status", str(config)).returncode == 4


def test_settings_that_zookeeper_refuses_are_told_in_one_line(tmp_path: Path) -> None:
    config = tmp_path / "zookeeper.properties"
    config.write_text(f"dataDir={tmp_path / 'zk'}\nclientPort=0\ntickTime=soon\n")
    done = pko("start", str(config), "--daemon")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert "soon" in done.stderr
