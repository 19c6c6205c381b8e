"""The monitor's messages against a broker: every format, transactions, a registry, the live stream,
a value of 50 MB."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import confluent_kafka as ck
import pytest

from tests.support.clients.confluent import ConfluentClient
from tests.support.monitor.payloads import ORDER, ORDER_AVRO, avro, framed, order_file, protobuf
from tests.support.monitor.schema_registry import RegistryServer
from tests.support.process.broker import BrokerProcess
from tests.support.process.console import pko
from tests.support.process.monitor import MonitorProcess
from tests.support.waiting import PATIENCE, wait_for

pytestmark = pytest.mark.live
MakeBroker = Callable[..., BrokerProcess]
LARGE = 50_000_000
VALUES: dict[str, tuple[bytes | None, str, object]] = {
    "json": (b'{"n":1.10}', "json", {"n": 1.10}),
    "text": (b"plain", "utf-8", "plain"),
    "avro": (framed(1, avro(ORDER)), "avro", ORDER),
    "protobuf": (framed(2, b"\x00" + protobuf(id=2**60)), "protobuf", {"id": str(2**60)}),
    "unknown": (framed(9, b"x"), "hex", "00 00 00 00 09 78"),
    "binary": (b"\xff\x00", "hex", "ff 00"),
    "tombstone": (None, "null", None),
}


class Site:
    """A broker, a registry and a monitor that has both."""

    def __init__(self, broker: BrokerProcess, monitor: MonitorProcess) -> None:
        self.broker, self.monitor = broker, monitor

    def records(self, topic: str, query: str = "") -> Any:
        return self.monitor.json(f"/api/v1/clusters/dev/topics/{topic}/records?{query}")

    def produce(self, topic: str, *pairs: tuple[str, bytes | None]) -> None:
        producer = ck.Producer(
            {"bootstrap.servers": self.broker.bootstrap, "message.max.bytes": 2 * LARGE}
        )
        for key, value in pairs:
            producer.produce(topic, value, key=key, partition=0)
        assert producer.flush(PATIENCE) == 0


@pytest.fixture
def site(make_broker: MakeBroker, tmp_path: Path) -> Iterator[Site]:
    broker = make_broker(message_max_bytes=2 * LARGE).start()
    with ExitStack() as stack:
        registry = stack.enter_context(RegistryServer(("pko", "geheim")))
        registry.add(1, ORDER_AVRO)
        registry.add_protobuf(2, order_file().SerializeToString())
        (tmp_path / "password").write_text("geheim\n")
        config = tmp_path / "monitor.toml"
        config.write_text(
            f'[cluster.dev]\nbootstrap-server = "{broker.bootstrap}"\n'
            f'[schema-registry.dev]\nurl = "{registry.url}"\nusername = "pko"\n'
            f'password_file = "{tmp_path / "password"}"\ntimeout = "60s"\n'
            '[mask.cards]\ntopics = "payments.*"\nfields = ["card"]\n'
        )
        said = pko("monitor", "check-config", str(config))
        assert said.returncode == 0, said.stderr
        monitor = stack.enter_context(MonitorProcess("--config", str(config), "--every", "1s"))
        yield Site(broker, monitor)


def test_records_of_every_kind_are_read_as_they_were_written(site: Site) -> None:
    client = ConfluentClient(site.broker.bootstrap)
    for topic in ("orders", "payments.eu", "large"):
        client.create_topic(topic, 1)
    site.produce("orders", *((key, value) for key, (value, _, _) in VALUES.items()))
    _formats(site)
    _transactions(site)
    _internal(site)
    _masked(site)
    _large(site)
    _live(site)


def _formats(site: Site) -> None:
    found = site.records("orders", "order=oldest")
    assert found["complete"]
    shown = {r["key"]["data"]: (r["value"]["format"], r["value"]["data"]) for r in found["records"]}
    assert shown == {key: (name, data) for key, (_, name, data) in VALUES.items()}
    by_key = {r["key"]["data"]: r["value"] for r in found["records"]}
    assert "HTTP 404 Schema not found" in by_key["unknown"]["error"]
    newest = site.records("orders", "limit=3")["records"]
    assert [r["offset"] for r in newest] == [6, 5, 4]
    assert [r["key"]["data"] for r in site.records("orders", "where=value.id>5")["records"]] == [
        "protobuf", "avro",
    ]  # fmt: skip
    assert len(site.records("orders", "key=json&since=1h")["records"]) == 1


def _transactions(site: Site) -> None:
    producer = ck.Producer({"bootstrap.servers": site.broker.bootstrap, "transactional.id": "t"})
    producer.init_transactions(PATIENCE)
    for value, end in ((b"kept", "commit"), (b"lost", "abort"), (b"open", "")):
        producer.begin_transaction()
        producer.produce("orders", value, partition=0)
        producer.flush(PATIENCE)
        if end:
            getattr(producer, f"{end}_transaction")(PATIENCE)

    def states(query: str) -> dict[str, str]:
        found = site.records("orders", f"offset=7&{query}")
        assert found["complete"]
        return {str(r["value"]["data"]): r["state"] for r in found["records"]}

    assert states("") == {"kept": "committed"}
    every = states("isolation=read_uncommitted&control=true")
    assert every.pop("{'coordinator_epoch': 0}") == "control"
    assert every == {"kept": "committed", "lost": "aborted", "open": "open"}
    producer.abort_transaction(PATIENCE)


def _internal(site: Site) -> None:
    said = pko("consume", "orders", "-b", site.broker.bootstrap, "--group", "billing",
               "--from-beginning", "--max-messages", "3")  # fmt: skip
    assert said.returncode == 0, said.stderr
    found = site.records("__consumer_offsets", "where=key.group=billing%26value.offset=3")
    assert [r["key"]["data"]["topic"] for r in found["records"]] == ["orders"]
    states = site.records("__transaction_state")["records"]
    assert states[0]["key"]["data"]["transactionalId"] == "t"


def _masked(site: Site) -> None:
    site.produce("payments.eu", ("a", framed(1, avro(ORDER))), ("b", b"card 4111"))
    found = json.dumps(site.records("payments.eu"))
    assert "4111" not in found
    assert "5222" not in found
    assert str(ORDER["id"]) in found
    assert site.records("payments.eu", "text=4111")["records"] == []


def _large(site: Site) -> None:
    site.produce("large", ("before", b"x"), ("large", b"x" * LARGE), ("behind", b"x"))
    found = site.records("large")
    assert [r["value"]["size"] for r in found["records"]] == [1, LARGE, 1]
    assert len(json.dumps(found)) < 100_000
    status, page = site.monitor.get("/c/dev/topics/large/messages/0/1")
    assert status == 200
    assert len(page) < 200_000
    path = "/api/v1/clusters/dev/topics/large/records/0/1/value"
    with urllib.request.urlopen(site.monitor.url + path, timeout=PATIENCE) as answer:
        assert sum(len(part) for part in iter(lambda: answer.read(1 << 20), b"")) == LARGE


def _live(site: Site) -> None:
    lines: list[str] = []
    begun = threading.Event()

    def follow() -> None:
        url = f"{site.monitor.url}/api/v1/clusters/dev/topics/orders/tail?text=fresh"
        with urllib.request.urlopen(url, timeout=PATIENCE) as stream:
            for line in stream:
                lines.append(line.decode())
                if "event: progress" in lines[-1]:
                    begun.set()
                if '"data":"fresh"' in lines[-1]:
                    return

    following = threading.Thread(target=follow, daemon=True)
    following.start()
    assert begun.wait(PATIENCE)
    site.produce("orders", ("other", b"stale"), ("live", b"fresh"))
    wait_for(lambda: not following.is_alive(), what="the record is told")
    heard = [line for line in lines if line.startswith('data: {"partition"')]
    assert len(heard) == 1
    assert "stale" not in heard[0]
