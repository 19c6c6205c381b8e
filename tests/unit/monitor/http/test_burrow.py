"""Burrow's paths, answered byte for byte as its sources have them."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.service import Service, ShownCluster
from tests.support.monitor.rounds import answers

NOW = now_ms() // 1000 * 1000
REQUEST = '"request":{"url":"%s","host":"burrow01"}}'


@pytest.fixture
def client() -> Iterator[TestClient]:
    watched = WatchedCluster("local")
    watched.take(answers(NOW - 9000, 100))
    watched.take(answers(NOW - 2000, 100, commits=[Commit(NOW - 2000, 96)]))
    watched.take(answers(NOW, 8343, commits=[Commit(NOW + 86_400_000, 220)]))
    service = Service({"local": watched}, {"local": ShownCluster(("b1:9092",), 15_000)})
    service.host = "burrow01"
    level = logging.getLogger().level
    yield TestClient(make_app(service, all_routes()))
    logging.getLogger().setLevel(level)


def text(client: TestClient, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    body: str = answer.text
    return body


def ok(message: str, rest: str, path: str) -> str:
    return f'{{"error":false,"message":"{message}",{rest},{REQUEST % path}'


LATER = NOW + 86_400_000
PARTITION = (
    '{"topic":"orders","partition":0,"owner":"/10.0.0.7","client_id":"billing-1","status":"%s",'
    f'"start":{{"offset":96,"timestamp":{NOW - 2000},"observedAt":{NOW - 2000},"lag":4}},'
    f'"end":{{"offset":220,"timestamp":{LATER},"observedAt":{LATER},"lag":8123}},'
    '"current_lag":8123,"complete":0.2}'
) % "WARN"


def test_lists_and_offsets(client: TestClient) -> None:
    for path, message, rest in (
        ("/v3/kafka", "cluster list returned", '"clusters":["local"]'),
        ("/v3/kafka/local/topic", "topic list returned", '"topics":["orders"]'),
        ("/v3/kafka/local/topic/orders", "topic offsets returned", '"offsets":[8343]'),
        ("/v3/kafka/local/consumer", "consumer list returned", '"consumers":["billing"]'),
        ("/v3/kafka/local/topic/orders/consumers", "consumers of topic returned",
         '"consumers":["billing"]'),
    ):  # fmt: skip
        assert text(client, path) == ok(message, rest, path)


def test_the_status_of_a_group_and_its_lag(client: TestClient) -> None:
    for door in ("status", "lag"):
        path = f"/v3/kafka/local/consumer/billing/{door}"
        status = (
            '"status":{"cluster":"local","group":"billing","status":"WARN","complete":0,'
            f'"partitions":[{PARTITION}],"partition_count":1,"maxlag":{PARTITION},"totallag":8123}}'
        )
        assert text(client, path) == ok("consumer status returned", status, path)


def test_a_group_in_detail(client: TestClient) -> None:
    path = "/v3/kafka/local/consumer/billing"
    nulls = ",".join(["null"] * 8)
    offsets = PARTITION[PARTITION.index('{"offset"') : PARTITION.index(',"current_lag"')]
    offsets = offsets.replace('"end":', "")
    topics = (
        f'"topics":{{"orders":[{{"offsets":[{nulls},{offsets}],'
        '"owner":"/10.0.0.7","client_id":"billing-1","current-lag":8123}]}'
    )
    assert text(client, path) == ok("consumer detail returned", topics, path)


def test_a_group_that_nobody_knows_is_404_without_error(client: TestClient) -> None:
    for path, cluster in (
        ("/v3/kafka/local/consumer/g/lag", "local"),
        ("/v3/kafka/c/consumer/g/status", "c"),
    ):
        status = (
            f'"status":{{"cluster":"{cluster}","group":"g","status":"NOTFOUND","complete":1,'
            '"partitions":[],"partition_count":0,"maxlag":null,"totallag":0}'
        )
        assert text(client, path, 404) == ok("consumer status returned", status, path)


def test_everything_else_that_is_missing_is_an_error(client: TestClient) -> None:
    for path, message in (
        ("/v3/kafka/x", "cluster module not found"),
        ("/v3/kafka/x/topic", "cluster not found"),
        ("/v3/kafka/local/topic/x", "cluster or topic not found"),
        ("/v3/kafka/x/consumer", "cluster not found"),
        ("/v3/kafka/local/consumer/x", "cluster or consumer not found"),
        ("/v3/config/storage/x", "storage module not found"),
    ):
        expected = f'{{"error":true,"message":"{message}",{REQUEST % path}'
        assert text(client, path, 404) == expected
    answer = client.get("/v3/nothing/here")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text == '{"error":true,"message":"invalid request type","result":{}}\n'


def test_a_group_is_removed_until_it_commits_again(client: TestClient) -> None:
    path = "/v3/kafka/local/consumer/billing"
    expected = f'{{"error":false,"message":"consumer group removed",{REQUEST % path}'
    for _ in range(2):
        answer = client.delete(path)
        assert (answer.status_code, answer.text) == (200, expected)
    assert client.get(f"{path}/status").status_code == 404
    assert client.delete("/v3/kafka/local/consumer/x/topic/y").status_code == 200
    assert client.delete("/v3/kafka/x/consumer/y").json()["error"] is False


def test_slashes_and_methods_are_those_of_its_router(client: TestClient) -> None:
    for path in ("/v3/kafka/", "/v3/kafka/local/consumer/billing/", "/burrow/admin/"):
        answer = client.get(path, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (301, path[:-1])
    answer = client.post("/v3/kafka")
    assert (answer.status_code, set(answer.headers["allow"].split(", "))) == (405, {"GET", "HEAD"})


def test_modules_and_configuration(client: TestClient) -> None:
    path = "/v3/config/storage"
    assert text(client, path) == (
        f'{{"error":false,"message":"module list returned","request":{{"url":"{path}",'
        '"host":"burrow01"},"coordinator":"storage","modules":["default"]}'
    )
    for kind, name in (("cluster", "local"), ("consumer", "local"), ("evaluator", "default")):
        found = client.get(f"/v3/config/{kind}/{name}").json()
        assert found["message"] == f"{kind} module detail returned"
        assert found["module"]["class-name"]
    assert client.get("/v3/kafka/local").json()["module"]["servers"] == ["b1:9092"]
    main = client.get("/v3/config").json()
    assert list(main) == ["error", "message", "request", "general", "logging", "zookeeper",
                          "httpserver"]  # fmt: skip


def test_the_level_of_the_log_is_told_and_set(client: TestClient) -> None:
    path = "/v3/admin/loglevel"
    answer = client.post(path, content='{"level":"warn"}')
    assert answer.text == f'{{"error":false,"message":"set log level",{REQUEST % path}'
    assert text(client, path) == ok("log level returned", '"level":"warning"', path)
    assert client.post(path, content="x").json()["message"] == "could not decode message body"
    assert client.post(path, content="[]" * 9999).status_code == 400
    assert client.post(path, content='{"level":5}').status_code == 404
    assert client.post(path, content='{"level":"loud"}').json()["message"] == "unknown log level"


def test_probes_of_burrow(client: TestClient) -> None:
    assert client.get("/burrow/admin").text == "GOOD"
    assert client.get("/burrow/admin/ready").text == "READY"
