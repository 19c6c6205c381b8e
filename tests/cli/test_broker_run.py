"""``pko broker start|stop|status`` as a person types it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from pykafka_ops.compiled import is_compiled
from tests.support.waiting import wait_for

PKO = str(Path(sys.executable).parent / "pko")


def pko(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PKO, *words], capture_output=True, text=True, timeout=300, cwd=cwd)


@pytest.mark.live
def test_a_daemon_is_started_asked_and_stopped(tmp_path: Path) -> None:
    where = ("--data-dir", str(tmp_path / "data"))
    started = pko("broker", "start", *where, "--listen", "127.0.0.1:0", "--daemon")
    try:
        assert started.returncode == 0, started.stderr
        listeners = f"PLAINTEXT://{started.stdout.split()[4]}"
        (row,) = json.loads(pko("broker", "status", *where, "-o", "json").stdout)["items"]
        assert (row["state"], row["listeners"]) == ("running", listeners)
        assert row["code"] == ("compiled" if is_compiled() else "pure-python")
        again = pko("broker", "start", *where, "--listen", "127.0.0.1:0", "--daemon")
        assert (again.returncode, again.stdout, again.stderr.count("\n")) == (1, "", 1)
    finally:
        stopped = pko("broker", "stop", *where)
    assert stopped.returncode == 0, stopped.stderr
    asked = pko("broker", "status", *where, "-o", "json")
    assert (asked.returncode, json.loads(asked.stdout)["items"][0]["code"]) == (4, None)
    assert "broker 0" in (tmp_path / "data" / "broker.log").read_text()


@pytest.mark.live
def test_what_a_broker_is_told_is_in_no_process_list_and_nothing_else_is_loaded(
    tmp_path: Path,
) -> None:
    settings = tmp_path / "server.properties"
    settings.write_text("listeners=PLAINTEXT://127.0.0.1:0\nssl.key.password=hidden-word\n")
    (tmp_path / "json.py").write_text("raise SystemExit('not the json we meant')\n")
    where = ("--data-dir", str(tmp_path / "data"))
    started = pko("broker", "start", str(settings), *where, "--daemon", cwd=tmp_path)
    try:
        assert started.returncode == 0, started.stderr
        (row,) = json.loads(pko("broker", "status", *where, "-o", "json").stdout)["items"]
        process = Path("/proc") / str(row["pid"])
        words = (process / "cmdline").read_bytes()
        assert str(tmp_path / "data").encode() in words
        assert b"hidden-word" not in words + (process / "environ").read_bytes()
    finally:
        pko("broker", "stop", *where)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("broker", "start"), 2, "pko: Invalid value many for configuration num.partitions"),
        (("kafka-server-start",), 1, "Invalid value many for configuration num.partitions"),
        (("broker", "start", "--daemon"), 1, "pko: Invalid value many for configuration"),
    ],
)
def test_a_setting_that_is_refused_is_told_in_one_line(
    tmp_path: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    settings = tmp_path / "server.properties"
    settings.write_text(f"num.partitions=many\nlog.dirs={tmp_path / 'data'}\n")
    done = pko(*words, str(settings))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (code, "", 1)
    assert done.stderr.startswith(said)


@pytest.mark.live
def test_a_broker_goes_on_when_nobody_reads_what_it_says(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    argv = [PKO, "broker", "start", "--data-dir", str(tmp_path), "--listen", "127.0.0.1:0"]
    process = subprocess.Popen(argv, stdout=writer, stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        wait_for((tmp_path / "broker.pid").exists)
        stopped = pko("broker", "stop", "--data-dir", str(tmp_path))
        assert (stopped.returncode, process.wait(120)) == (0, 0)
    finally:
        process.kill()


IDLE = """
import asyncio, dataclasses, json, logging, os, re, signal, sqlite3, subprocess, sys
try:
    import uvloop
except ImportError:
    pass
theirs = set(sys.modules)
from pykafka_ops.broker import __main__
from pykafka_ops.broker.runtime.process import run

def tell_when_warm(loop):
    if "pykafka_ops.broker.handlers.init_producer_id" not in sys.modules:
        loop.call_later(0.01, tell_when_warm, loop)
        return
    print(*(set(sys.modules) - theirs), sep="\\n")
    os.kill(os.getpid(), signal.SIGTERM)

def ready(line):
    tell_when_warm(asyncio.get_running_loop())

sys.exit(run({"listeners": "PLAINTEXT://127.0.0.1:0", "log.dirs": sys.argv[1]}, sys.argv[1], ready))
"""
NOT_IDLE = (
    # the command line, and ways into other clusters
    *("click", "rich", "kazoo", "pykafka_ops.commands", "pykafka_ops.client"),
    # large, and needed for odd names and random numbers alone
    *("pathlib", "urllib.parse", "random"),
    # what waits for groups, for transactions, for other brokers
    *("pykafka_ops.broker.state.groups.shard", "pykafka_ops.broker.state.groups.group"),
    *("pykafka_ops.broker.state.transactions.shard", "pykafka_ops.disk.internal"),
    *(
        "pykafka_ops.broker.state.transactions.metadata",
        "pykafka_ops.broker.coordinators.elsewhere",
    ),
    *("pykafka_ops.broker.runtime.cluster.peer", "pykafka_ops.broker.state.replication.fetching"),
    *("pykafka_ops.broker.runtime.replication.fetch_requests",),
    # what few clients ask for
    *("pykafka_ops.broker.services.config_admin", "pykafka_ops.broker.services.client_quotas"),
    *("pykafka_ops.broker.services.scram_credentials", "pykafka_ops.broker.storage.describe"),
    *("pykafka_ops.wire.code_texts", "pykafka_ops.broker.runtime.cluster.send_on"),
    # what is for old or compacted logs
    *("pykafka_ops.disk.legacy", "pykafka_ops.disk.convert"),
    "pykafka_ops.broker.storage.cleaner",
)
"""What an idle broker does without: each costs memory, all together 2 MB."""


def test_an_idle_broker_holds_nothing_that_waits_for_work(tmp_path: Path) -> None:
    command = [sys.executable, "-c", IDLE, str(tmp_path)]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    loaded = set(found.split())
    assert all(find_spec(name) for name in NOT_IDLE), "a module has another name now"
    assert "pykafka_ops.broker.handlers.produce" in loaded
    assert "pykafka_ops.broker.runtime.broker" in loaded
    assert not [m for m in loaded if any(m == n or m.startswith(f"{n}.") for n in NOT_IDLE)]
    # 2 MB, for what a compiled broker does by itself
    assert not is_compiled() or "google_crc32c" not in loaded


def test_a_stranger_that_has_the_pid_of_a_broker_that_is_gone_is_left_alone(tmp_path: Path) -> None:
    stranger = subprocess.Popen(["sleep", "600"])
    try:
        left = {"pid": stranger.pid, "broker_id": 0, "started": 1}
        (tmp_path / "broker.pid").write_text(json.dumps(left))
        for verb, code in (("status", 4), ("stop", 1)):
            assert pko("broker", verb, "--data-dir", str(tmp_path)).returncode == code
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.live
def test_a_hang_up_makes_a_broker_go_on_in_a_new_log_file(tmp_path: Path) -> None:
    where = ("--data-dir", str(tmp_path / "data"))
    log, moved = tmp_path / "server.log", tmp_path / "server.log.1"
    words = ("--listen", "127.0.0.1:0", "--log-file", str(log), "--daemon")
    started = pko("broker", "start", *where, *words)
    try:
        assert started.returncode == 0, started.stderr
        (row,) = json.loads(pko("broker", "status", *where, "-o", "json").stdout)["items"]
        log.rename(moved)
        os.kill(row["pid"], signal.SIGHUP)
        wait_for(lambda: log.exists() and "SIGHUP" in log.read_text())
        assert "SIGHUP" not in moved.read_text()
    finally:
        stopped = pko("broker", "stop", *where)
    assert stopped.returncode == 0, stopped.stderr
    assert "resigns" in log.read_text()


@pytest.mark.live
def test_a_listener_without_an_address_is_warned_about(tmp_path: Path) -> None:
    where = ("--data-dir", str(tmp_path))
    settings = "listeners=IN://127.0.0.1:0,ALL://:0"
    protocols = "listener.security.protocol.map=IN:PLAINTEXT,ALL:PLAINTEXT"
    words = ("--override", settings, "--override", protocols)
    words += ("--override", "inter.broker.listener.name=IN")
    started = pko("broker", "start", *where, *words, "--daemon")
    try:
        assert started.returncode == 0, started.stderr
        log = (tmp_path / "broker.log").read_text()
        assert "ALL://:0 names no address: every network here reaches it" in log
        assert "IN://127.0.0.1:0 names" not in log
    finally:
        pko("broker", "stop", *where)


@pytest.mark.live
def test_a_broker_that_lets_nobody_in_is_mended_while_it_is_stopped(tmp_path: Path) -> None:
    where = ("--data-dir", str(tmp_path / "data"))
    listen = ("--listen", "127.0.0.1:0", "--daemon")

    def start() -> tuple[str, str]:
        started = pko("broker", "start", *where, *listen)
        assert started.returncode == 0, started.stderr
        return "-b", started.stdout.split()[4]

    try:
        broker = start()
        lock = ("max.connections.per.ip=0", "max.connections.per.ip.overrides=192.0.2.1:1")
        assert pko("configs", "set", "brokers", "0", *lock, *broker).returncode == 0
        wait_for(lambda: pko("topics", "list", *broker).returncode == 3, what="nobody gets in")
        unset = ("configs", "unset", "brokers", "0", "max.connections.per.ip", *where)
        refused = pko(*unset)
        assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
        assert "a broker runs on" in refused.stderr
        assert pko("broker", "stop", *where).returncode == 0
        assert pko("topics", "list", *start()).returncode == 3, "it keeps its settings"
        assert pko("broker", "stop", *where).returncode == 0
        assert pko(*unset).returncode == 0
        assert pko("topics", "list", *start()).returncode == 0
    finally:
        pko("broker", "stop", *where)


@pytest.mark.live
def test_a_service_manager_and_a_collector_of_logs_are_served(tmp_path: Path) -> None:
    said = str(tmp_path / "said")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(said)
        manager.settimeout(120)
        process = subprocess.Popen(
            [PKO, "broker", "start", "--data-dir", str(tmp_path / "data"), "--listen",
             "127.0.0.1:0", "--override", "broker.id=7", "--log-format", "json"],
            env=os.environ | {"NOTIFY_SOCKET": said}, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert manager.recv(100) == b"READY=1"
            process.terminate()
            assert manager.recv(100) == b"STOPPING=1"
            _, log = process.communicate(timeout=120)
        finally:
            process.kill()
    assert process.returncode == 0
    lines = [json.loads(line) for line in log.splitlines()]
    assert {line["broker"] for line in lines} == {"7"}
    wrong = pko("broker", "start", "--data-dir", str(tmp_path), "--log-format", "xml")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
