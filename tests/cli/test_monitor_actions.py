"""Changes made through the monitor on live brokers, proved by what the commands show afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.samples import messages
from tests.support.process.broker import BrokerProcess
from tests.support.process.console import PATIENT, pko
from tests.support.process.monitor import MonitorProcess
from tests.support.waiting import PATIENCE, wait_for

pytestmark = pytest.mark.live
MakeBroker = Callable[..., BrokerProcess]
HERE = f"/api/v1/clusters/{PATIENT['PKO_PROFILE']}"


@pytest.fixture
def lone(make_broker: MakeBroker) -> BrokerProcess:
    broker = make_broker().start()
    client = ConfluentClient(broker.bootstrap)
    client.create_topic("orders", 2)
    for partition in (0, 1):
        client.produce("orders", messages(10), partition=partition)
    said = pko("consume", "orders", "-b", broker.bootstrap, "--group", "billing",
               "--from-beginning", "--max-messages", "20")  # fmt: skip
    assert said.returncode == 0, said.stderr
    return broker


@pytest.fixture
def monitor(lone: BrokerProcess, tmp_path: Path) -> Iterator[MonitorProcess]:
    config = tmp_path / "monitor.toml"
    config.write_text('actions = ["*"]\n')
    with MonitorProcess("--config", str(config), "-b", lone.bootstrap) as running:
        wait_for(lambda: running.get(HERE)[0] == 200, what="the first round")
        yield running


def planned(monitor: MonitorProcess, action: str, **params: object) -> Any:
    status, body = monitor.post(f"{HERE}/actions/{action}?dry_run=true", params)
    assert status == 200, body
    return body


def done(monitor: MonitorProcess, action: str, token: str, **more: str) -> Any:
    status, body = monitor.post(f"{HERE}/actions/{action}", {"token": token, **more})
    assert (status, body.get("result")) == (200, "done"), body
    return body


def offsets(broker: BrokerProcess) -> dict[int, int]:
    said = pko("groups", "lag", "billing", "--partitions", "-b", broker.bootstrap, "-o", "json")
    return {row["partition"]: row["current_offset"] for row in json.loads(said.stdout)["items"]}


def setting(broker: BrokerProcess, kind: str, name: str, key: str) -> str | None:
    said = pko("configs", "describe", kind, name, "-b", broker.bootstrap, "-o", "json")
    (item,) = json.loads(said.stdout)["items"]
    return {row["name"]: row["value"] for row in item["configs"]}.get(key)


def test_a_group_is_moved_and_moved_back_and_all_of_it_is_written_down(
    lone: BrokerProcess, monitor: MonitorProcess
) -> None:
    before = offsets(lone)
    assert sum(before.values()) == 20
    plan = planned(monitor, "seek", group="billing", to="earliest")
    assert offsets(lone) == before, "a plan changes nothing"
    assert {row["what"]: (row["before"], row["after"]) for row in plan["plan"]} == {
        f"orders-{n}": (str(offset), "0") for n, offset in before.items() if offset
    }
    assert plan["command"] == "pko groups seek billing --to-earliest"
    moved = done(monitor, "seek", plan["token"])
    assert moved["undone_by"] == "undo"
    assert set(offsets(lone).values()) == {0}
    again = monitor.post(f"{HERE}/actions/seek", {"token": plan["token"]})
    assert (again[0], again[1]["error"]["code"]) == (409, "UNKNOWN_TOKEN")
    done(monitor, "undo", planned(monitor, "undo", group="billing")["token"])
    assert offsets(lone) == before
    entries = monitor.json("/api/v1/audit")["entries"]
    assert [(e["action"], e["resource"], e["result"], e["who"]) for e in entries] == [
        ("undo", "billing", "done", "local"), ("seek", "billing", "done", "local"),
    ]  # fmt: skip
    assert entries[1]["params"] == {"group": "billing", "to": "earliest"}
    assert entries[1]["before"] == {f"orders-{n}": str(o) for n, o in before.items() if o}
    assert entries[1]["address"] == "127.0.0.1"
    lines = (monitor.data / "audit.jsonl").read_text().splitlines()
    assert [json.loads(line)["result"] for line in lines] == ["begun", "done"] * 2


def test_a_plan_that_the_cluster_has_overtaken_is_refused_with_the_new_one(
    lone: BrokerProcess, monitor: MonitorProcess
) -> None:
    plan = planned(monitor, "seek", group="billing", topic="orders", to="offset", value=1)
    said = pko("groups", "seek", "billing", "--to-latest", "-b", lone.bootstrap, "--yes")
    pko("groups", "seek", "billing", "--to-offset", "2", "-b", lone.bootstrap, "--yes")
    assert said.returncode == 0, said.stderr
    status, body = monitor.post(f"{HERE}/actions/seek", {"token": plan["token"]})
    assert (status, body["error"]["code"]) == (409, "PLAN_CHANGED"), body
    assert {row["before"] for row in body["plan"]} == {"2"}
    assert set(offsets(lone).values()) == {2}
    done(monitor, "seek", body["token"])
    assert set(offsets(lone).values()) == {1}
    results = [e["result"] for e in monitor.json("/api/v1/audit")["entries"]]
    assert results == ["done", "refused"]


def test_settings_are_set_and_unset_and_secrets_stay_secret(
    lone: BrokerProcess, monitor: MonitorProcess
) -> None:
    key = "retention.ms"
    plan = planned(monitor, "config", topic="orders", setting=key, do="set", value="3600000")
    (row,) = plan["plan"]
    assert (row["what"], row["before"], row["after"]) == (key, "604800000", "3600000")
    assert setting(lone, "topics", "orders", key) is None
    body = done(monitor, "config", plan["token"])
    assert setting(lone, "topics", "orders", key) == "3600000"
    assert body["undo"] == "pko configs unset topics orders retention.ms"
    done(monitor, "config",
         planned(monitor, "config", topic="orders", setting=key, do="unset")["token"])  # fmt: skip
    assert setting(lone, "topics", "orders", key) is None
    secret = {"broker": "default", "setting": "ssl.keystore.password", "value": "s3cret-word"}
    status, body = monitor.post(f"{HERE}/actions/broker-config?dry_run=true", secret)
    assert "s3cret-word" not in json.dumps(body)
    if status == 200:
        done(monitor, "broker-config", body["token"])
    status, body = monitor.post(
        f"{HERE}/actions/config?dry_run=true",
        {"topic": "orders", "setting": "retention.mss", "value": "1"},
    )
    assert (status, body["error"]["code"]) == (400, "INVALID_REQUEST")
    assert "did you mean retention.ms?" in body["error"]["message"]
    for file in monitor.data.glob("audit*"):
        assert "s3cret-word" not in file.read_text()


def test_records_are_deleted_once_the_name_is_typed(
    lone: BrokerProcess, monitor: MonitorProcess
) -> None:
    plan = planned(monitor, "delete-records", topic="orders", before="end")
    path = f"{HERE}/actions/delete-records"
    status, body = monitor.post(path, {"token": plan["token"], "confirm": "order"})
    assert (status, body["error"]["code"]) == (400, "NOT_CONFIRMED")
    done(monitor, "delete-records", body["token"], confirm="orders")
    said = pko("get-offsets", "orders", "--time", "earliest", "-b", lone.bootstrap, "-o", "json")
    assert {row["earliest"] for row in json.loads(said.stdout)["items"]} == {10}, said.stdout
    empty = planned(monitor, "delete-records", topic="orders", before="end")
    assert (empty["plan"], "token" in empty) == ([], False)


def test_an_open_transaction_is_aborted_by_its_first_offset(
    lone: BrokerProcess, monitor: MonitorProcess
) -> None:
    settings = {"transactional.id": "payments", "transaction.timeout.ms": 600_000}
    producer = Producer({"bootstrap.servers": lone.bootstrap, **settings})
    producer.init_transactions(PATIENCE)
    producer.begin_transaction()
    producer.produce("orders", b"v", partition=1)
    assert producer.flush(PATIENCE) == 0
    at = {"topic": "orders", "partition": 1}
    path = f"{HERE}/actions/abort-transaction?dry_run=true"
    status, body = monitor.post(path, {**at, "start-offset": 3})
    assert (status, "open from: 10" in body["error"]["message"]) == (400, True), body
    shown = planned(monitor, "abort-transaction", **at, **{"start-offset": 10})
    assert shown["plan"][0]["before"].startswith("open since offset 10, producer ")
    assert "knows it as payments" in shown["notes"][0]
    done(monitor, "abort-transaction", shown["token"], confirm="orders")
    said = pko("transactions", "describe-producers", "--topic", "orders", "--partition", "1",
               "-b", lone.bootstrap, "-o", "json")  # fmt: skip
    (row,) = json.loads(said.stdout)["items"]
    assert row["open_since_offset"] is None


def test_a_group_with_members_is_left_alone(lone: BrokerProcess, monitor: MonitorProcess) -> None:
    from tests.support.process.console import start

    member = start("consume", "orders", "-b", lone.bootstrap, "--group", "billing")
    try:
        path = f"{HERE}/actions/seek?dry_run=true"

        def code() -> Any:
            return monitor.post(path, {"group": "billing", "to": "earliest"})[1].get("error", {})

        wait_for(lambda: code().get("code") == "NON_EMPTY_GROUP", what="the member is seen")
        assert "stop them first" in code()["message"]
    finally:
        member.kill()
        member.communicate()
