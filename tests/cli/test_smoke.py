"""``pko smoke`` on a broker: what it sees, where it hurts, and that nothing of it stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.groups import list_groups
from pykafka_ops.client.topics import all_topics
from pykafka_ops.client.transactions import list_transactions
from tests.support.process.broker import BrokerProcess
from tests.support.process.console import pko, start
from tests.support.process.disk import Disk
from tests.support.waiting import free_port, wait_for

pytestmark = pytest.mark.live
MakeBroker = Callable[..., BrokerProcess]
TIME = ("--wait", "60s", "--timeout", "60s")
"""For what should succeed."""
STEPS = ["metadata", "create", "produce", "consume", "group", "transaction", "compacted", "delete"]


@pytest.fixture
def lone(make_broker: MakeBroker) -> BrokerProcess:
    """A broker that nobody else looks at."""
    return make_broker().start()


def smoke(bootstrap: str, *more: str) -> tuple[int, dict[str, dict[str, object]]]:
    """The exit code, and each step by its name."""
    said = pko("smoke", "-b", bootstrap, "-o", "json", *TIME, *more)
    assert said.stderr == b"" or said.stderr.startswith(b"removed what a run"), said.stderr
    return said.returncode, {row["step"]: row for row in json.loads(said.stdout)["items"]}


def verdicts(rows: dict[str, dict[str, object]]) -> dict[str, object]:
    return {name: row["verdict"] for name, row in rows.items()}


def remains(bootstrap: str) -> list[str]:
    """Topics and groups of smokes that are there."""
    cluster = Cluster(ClientConfig.of({"bootstrap.servers": bootstrap}))
    try:
        names = [*(t.name for t in all_topics(cluster)), *list_groups(cluster)[0]]
    finally:
        cluster.close()
    return sorted(name for name in names if name.startswith("pko-smoke-"))


def ids(bootstrap: str) -> list[str]:
    """Transactional ids that are known."""
    cluster = Cluster(ClientConfig.of({"bootstrap.servers": bootstrap}))
    try:
        return [t.transactional_id for t in list_transactions(cluster)[0]]
    finally:
        cluster.close()


def test_a_broker_that_works_passes_every_step_and_is_left_as_it_was(lone: BrokerProcess) -> None:
    code, rows = smoke(lone.bootstrap)
    assert (code, verdicts(rows)) == (0, dict.fromkeys(STEPS, "ok")), rows
    assert all(isinstance(row["ms"], float) for row in rows.values())
    assert remains(lone.bootstrap) == []
    (first,) = ids(lone.bootstrap)
    assert smoke(lone.bootstrap)[0] == 0
    assert ids(lone.bootstrap) == [first], "an id that nobody uses is used again"


def test_a_named_topic_is_used_and_kept(lone: BrokerProcess) -> None:
    assert pko("topics", "create", "orders", "-b", lone.bootstrap).returncode == 0
    code, rows = smoke(lone.bootstrap, "--topic", "orders")
    assert code == 0
    assert [name for name, row in rows.items() if row["verdict"] == "left out"] == [
        "create", "compacted"
    ]  # fmt: skip
    listed = pko("topics", "list", "-b", lone.bootstrap, "--exclude-internal", "-o", "name")
    assert listed.stdout == b"orders\n"
    code, rows = smoke(lone.bootstrap, "--topic", "ordres")
    assert code == 4
    assert (rows["produce"]["where"], rows["consume"]["verdict"]) == ("topic ordres", "not run")


def test_a_round_that_only_reads_makes_nothing(lone: BrokerProcess) -> None:
    code, rows = smoke(lone.bootstrap, "--read-only")
    assert (code, rows["consume"]["detail"]) == (0, "there is no record to read")
    assert pko("produce", "--create", "orders", "-b", lone.bootstrap, text="a\n").returncode == 0
    code, rows = smoke(lone.bootstrap, "--read-only")
    assert code == 0
    ran = {name: row["detail"] for name, row in rows.items() if row["verdict"] == "ok"}
    assert ran.pop("metadata")
    assert ran == {"consume": "read from 1 broker"}
    listed = pko("topics", "list", "-b", lone.bootstrap, "-o", "name")
    assert listed.stdout == b"orders\n"


def test_a_limit_that_is_met_fails_the_round(lone: BrokerProcess) -> None:
    code, rows = smoke(lone.bootstrap, "--fail-on", "produce_ms>=0")
    assert (code, verdicts(rows)) == (4, {**dict.fromkeys(STEPS, "ok"), "fail-on": "failed"})
    code, rows = smoke(lone.bootstrap, "--fail-on", "produce_ms<0", "--brokers", "1")
    assert (code, rows["fail-on"]["verdict"]) == (0, "ok")
    code, rows = smoke(lone.bootstrap, "--brokers", "2", "--replication-factor", "2")
    assert code == 4
    assert rows["metadata"]["reason"] == "1 broker where --brokers says 2"
    assert rows["create"]["reason"] == "2 replicas need more than 1 broker"
    assert rows["produce"]["verdict"] == "not run"


def test_nobody_there_is_a_failure_that_every_format_tells() -> None:
    address = f"127.0.0.1:{free_port()}"
    argv = ("smoke", "-b", address, "--wait", "100ms")
    said = pko(*argv, "-o", "junit")
    assert said.returncode == 4
    suite = ElementTree.fromstring(said.stdout)
    assert (suite.get("failures"), suite.get("errors")) == ("1", str(len(STEPS) - 1))
    said = pko(*argv, "-o", "github")
    first, *others = [line for line in said.stdout.splitlines() if line.startswith(b"::")]
    assert first.startswith(f"::error title=pko smoke%3A metadata::{address}: cannot con".encode())
    assert len(others) == len(STEPS) - 1
    assert pko(*argv).stdout.count(b"not run") == len(STEPS) - 1


@pytest.mark.parametrize(
    "options",
    [("--timeout", "2m"), ("--rounds", "2"), ("--every", "1s", "-o", "junit"),
     ("--fail-on", "nothing_ms>1"), ("-o", "csv"), ("--wait", "soon")],
)  # fmt: skip
def test_a_wrong_line_is_one_sentence_and_asks_nobody(options: tuple[str, ...]) -> None:
    said = pko("smoke", "-b", "127.0.0.1:1", *options)
    assert (said.returncode, said.stdout, said.stderr.count(b"\n")) == (2, b"", 1), said.stderr


def test_rounds_keep_their_figures_and_go_on_after_a_failure(
    make_broker: MakeBroker,
) -> None:
    broker = make_broker()
    broker.port = free_port()
    process = start("smoke", "-b", broker.bootstrap, "--every", "50ms", "--wait", "1ms",
                    "--rounds", "1000", "-o", "json")  # fmt: skip
    assert process.stdout is not None
    try:

        def metadata() -> dict[str, object]:
            assert process.stdout is not None
            items: list[dict[str, object]] = json.loads(process.stdout.readline())["items"]
            return items[0]

        assert metadata()["failures"] == 1
        broker.start()
        while (row := metadata())["verdict"] == "failed":
            pass
        assert row["runs"] == int(str(row["failures"])) + 1
        assert row["min_ms"] == row["median_ms"] == row["p99_ms"] == row["ms"]
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=300)[1] == b""
        assert process.returncode == 4
    finally:
        process.kill()
    assert remains(broker.bootstrap) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_who_interrupts_it_finds_nothing_left(lone: BrokerProcess, number: int, code: int) -> None:
    process = in_the_midst(lone.bootstrap)
    try:
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        assert process.communicate(timeout=300)[1] == b""
    finally:
        process.kill()
    assert process.returncode == code
    assert remains(lone.bootstrap) == []


def test_what_a_killed_run_left_is_removed_by_the_next(lone: BrokerProcess) -> None:
    process = in_the_midst(lone.bootstrap)
    process.kill()
    process.communicate(timeout=300)
    left = [name for name in remains(lone.bootstrap) if str(process.pid) in name]
    assert left
    alive = left[0].replace(str(process.pid), str(os.getpid()))
    assert pko("topics", "create", alive, "-b", lone.bootstrap).returncode == 0
    said = pko("smoke", "-b", lone.bootstrap, *TIME)
    assert said.returncode == 0
    assert f"removed what a run that ended left behind: topic {left[0]}\n" in said.stderr.decode()
    assert remains(lone.bootstrap) == [alive], "what belongs to a living run is not touched"


def in_the_midst(bootstrap: str) -> subprocess.Popen[bytes]:
    """A smoke that has made a topic and stands still (SIGSTOP); it would go on and on."""
    process = start("smoke", "-b", bootstrap, "--every", "1ms", "-o", "json", *TIME)
    wait_for(lambda: remains(bootstrap), what="a topic of the smoke", poll=0.002)
    process.send_signal(signal.SIGSTOP)
    for _ in range(1000):
        if remains(bootstrap):
            return process
        process.send_signal(signal.SIGCONT)
        wait_for(lambda: remains(bootstrap), what="a topic of the smoke", poll=0.002)
        process.send_signal(signal.SIGSTOP)
    raise AssertionError("it never had a topic while it stood")


# --- disks ---------------------------------------------------------------------------------------


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """A disk that can be filled and made read-only; needs root."""
    made = Disk(tmp_path / "disk")
    if not made.mount():
        pytest.skip("cannot mount a tmpfs: not root, or not allowed")
    yield made
    made.unmount()


def test_a_full_disk_hurts_where_the_topic_is_made(make_broker: MakeBroker, disk: Disk) -> None:
    broker = make_broker(data_dir=disk.where / "data").start()
    assert smoke(broker.bootstrap)[0] == 0
    disk.fill()
    code, rows = smoke(broker.bootstrap)
    assert code == 4
    assert rows["metadata"]["verdict"] == "ok"
    assert rows["create"]["verdict"] == "failed"
    assert "full" in str(rows["create"]["reason"])
    assert rows["produce"]["verdict"] == rows["compacted"]["verdict"] == "not run"


def test_a_read_only_disk_hurts_where_its_partition_is_written(
    make_broker: MakeBroker, disk: Disk, tmp_path: Path
) -> None:
    dirs = f"{tmp_path / 'good'},{disk.where / 'bad'}"
    broker = make_broker(log_dirs=dirs).start()
    made = pko("topics", "create", "orders", "--partitions", "2", "-b", broker.bootstrap)
    assert made.returncode == 0
    (on_disk,) = (disk.where / "bad").glob("orders-*")
    assert broker.stop() == 0
    disk.read_only()
    broker.start()
    code, rows = smoke(broker.bootstrap, "--topic", "orders")
    assert code == 4
    produce = rows["produce"]
    assert (produce["where"], produce["reason"]) == (on_disk.name, "has no leader")
    assert rows["group"]["verdict"] == "not run"
