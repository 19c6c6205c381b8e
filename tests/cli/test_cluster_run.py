"""``pko cluster start|ps|kill|stop`` as a person types it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.disk.names import CLEAN_SHUTDOWN
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.live]

BRIEF = ("--override", "zookeeper.session.timeout.ms=10000")


def pko(*words: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "pykafka_ops", *words]
    return subprocess.run(argv, capture_output=True, text=True, timeout=300)


def described(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    (item,) = json.loads(done.stdout)["items"]
    assert isinstance(item, dict)
    return item


def _stop_with_care(data_dir: Path, servers: str) -> None:
    """A broker that alone holds a topic is not stopped; without that topic it is."""
    alone = ("create", "lone", "--replica-assignment", "1")
    assert pko("topics", *alone, "-b", servers).returncode == 0
    stop = ("broker", "stop", "--controlled", "--data-dir", str(data_dir))
    refused = pko(*stop)
    assert (refused.returncode, refused.stderr.count("\n")) == (4, 1), refused.stderr
    assert "broker 1 is the only replica in sync of lone-0" in refused.stderr
    assert pko("topics", "delete", "lone", "--yes", "-b", servers).returncode == 0
    done = pko(*stop)
    assert (done.returncode, done.stderr.count("\n")) == (0, 1), done.stderr


def _start_and_kill_the_starter(directory: Path, *words: str) -> None:
    """kill -9 of ``pko cluster start`` while it waits for the brokers."""
    argv = [sys.executable, "-m", "pykafka_ops", "cluster", "start", *words]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as starter:
        wait_for((directory / "broker-1" / "process.json").exists, what="the launch of both")
        starter.kill()
    seen = pko("cluster", "ps", "--dir", str(directory), "-o", "json")
    assert (seen.returncode, described(seen)["state"]) in ((4, "incomplete"), (0, "running"))


def test_two_brokers_are_started_used_killed_resumed_and_stopped(tmp_path: Path) -> None:
    where = ("--dir", str(tmp_path))
    try:
        _start_and_kill_the_starter(tmp_path, "-n", "2", *where, *BRIEF)
        started = pko("cluster", "start", *where, "-o", "json")
        assert started.returncode == 0, started.stderr
        cluster = described(started)
        servers = cluster["bootstrap_servers"]
        assert cluster["state"] == "running"
        assert [p["process"] for p in cluster["processes"]] == ["zookeeper", "broker 0", "broker 1"]

        made = pko("topics", "create", "orders", "--partitions", "4", "-b", servers)
        assert made.returncode == 0, made.stderr
        _stop_with_care(tmp_path / "broker-1" / "data", servers)
        assert pko("cluster", "start", *where).returncode == 0
        assert pko("cluster", "kill", "1", *where).returncode == 0
        seen = pko("cluster", "ps", *where, "-o", "json")
        assert (seen.returncode, described(seen)["state"]) == (4, "incomplete")

        with socket.create_server(("127.0.0.1", int(servers.rpartition(":")[2]))):
            again = pko("cluster", "start", *where, "-o", "name")
        assert again.returncode == 0, again.stderr
        first, _, second = again.stdout.strip().partition(",")
        assert servers.startswith(f"{first},") and not servers.endswith(second)
        assert "is taken, it listens on" in again.stderr.splitlines()[0]
        servers = first
        listed = pko("topics", "list", "-b", servers, "-o", "name")
        assert listed.stdout.split() == ["orders"]
    finally:
        stopped = pko("cluster", "stop", *where)
    assert (stopped.returncode, stopped.stderr.split()[0]) == (0, "3"), stopped.stderr
    seen = pko("cluster", "ps", *where, "-o", "json")
    assert (seen.returncode, described(seen)["state"]) == (4, "stopped")
    assert pko("cluster", "stop", *where).returncode == 1


def test_brokers_stop_cleanly_though_zookeeper_hangs(tmp_path: Path) -> None:
    """The controller takes the request to move leaderships, and can answer it as little."""
    where = ("--dir", str(tmp_path))
    try:
        started = pko("cluster", "start", "-n", "2", *where, *BRIEF, "-o", "json")
        assert started.returncode == 0, started.stderr
        cluster = described(started)
        servers = cluster["bootstrap_servers"]
        made = pko("topics", "create", "orders", "--partitions", "8", "--replication-factor", "2",
                   "-b", servers)  # fmt: skip
        assert made.returncode == 0, made.stderr
        controller = described(pko("cluster", "status", "-b", servers, "-o", "json"))["controller"]
        (zookeeper,) = [p["pid"] for p in cluster["processes"] if p["process"] == "zookeeper"]
        os.kill(zookeeper, signal.SIGSTOP)
        for broker in (1 - controller, controller):
            stopped = pko("cluster", "stop", "--id", str(broker), *where)
            assert (stopped.returncode, stopped.stderr) == (0, f"broker {broker} stopped\n")
            home = tmp_path / f"broker-{broker}"
            assert list((home / "data").rglob(CLEAN_SHUTDOWN)), "the logs were not closed"
        said = (tmp_path / f"broker-{1 - controller}" / "broker.log").read_text()
        assert "stopping without moving" in said
        assert "no answer to ControlledShutdownRequest" not in said
    finally:
        pko("cluster", "stop", *where)


def test_a_setting_that_brokers_refuse_is_told_in_one_line(tmp_path: Path) -> None:
    where = ("--dir", str(tmp_path))
    try:
        done = pko("cluster", "start", "-n", "1", *where, "--override", "num.partitions=x")
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
        assert "broker 0 did not start: pko: Invalid value x" in done.stderr
    finally:
        pko("cluster", "stop", *where)
