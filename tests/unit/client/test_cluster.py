from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest

from pykafka_ops.client import cluster as cluster_of
from pykafka_ops.client.cluster import CONTROLLER, CallTimeoutError, Cluster, Question
from pykafka_ops.client.connection import SilentError
from pykafka_ops.client.log_dirs import describe_log_dirs
from pykafka_ops.client.topic_changes import NewTopic, create_topics
from pykafka_ops.client.topics import all_topics, describe_topics
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.create_topics import CreatableTopicResult, CreateTopicsResponse
from pykafka_ops.wire.messages.describe_cluster import (
    DescribeClusterRequest,
    DescribeClusterResponse,
)
from pykafka_ops.wire.messages.describe_log_dirs import (
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
)
from tests.support.memory.fake_broker import FakeBroker, HangUp, silent_brokers
from tests.support.waiting import free_port

Fakes = tuple[FakeBroker, FakeBroker]
Connect = Callable[..., Cluster]


@pytest.fixture
def silent() -> Iterator[list[str]]:
    """Addresses that take connections and answer nothing."""
    with ExitStack() as stack:
        yield silent_brokers(stack, 4)


def created(code: int) -> Callable[[Any], CreateTopicsResponse]:
    return lambda request: CreateTopicsResponse(
        topics=[
            CreatableTopicResult(name=t.name, error_code=code, num_partitions=3)
            for t in request.topics
        ]
    )


def test_the_controller_is_asked_for_what_it_decides(fakes: Fakes, connect: Connect) -> None:
    fakes[1].on("CreateTopics", created(0))
    done = create_topics(connect(fakes[0].bootstrap), [NewTopic("x", 3, 1)])
    assert not isinstance(done["x"], KafkaError)
    assert done["x"].partitions == 3
    assert len(fakes[1].asked("CreateTopics")) == 1


def test_a_controller_that_moved_is_looked_up_again(fakes: Fakes, connect: Connect) -> None:
    first, second = fakes

    def moved(request: Any) -> CreateTopicsResponse:
        first.controller = second.controller = 0
        return created(41)(request)

    second.on("CreateTopics", moved)
    first.on("CreateTopics", created(0))
    done = create_topics(connect(first.bootstrap), [NewTopic("x")])
    assert not isinstance(done["x"], KafkaError)
    assert len(first.asked("CreateTopics")) == 1


def test_a_controller_that_died_is_looked_up_again(fakes: Fakes, connect: Connect) -> None:
    first, second = fakes
    second.on("CreateTopics", created(0))
    first.on("CreateTopics", created(0))
    cluster = connect(first.bootstrap)
    create_topics(cluster, [NewTopic("x")])
    second.close()
    first.controller = 0
    done = create_topics(cluster, [NewTopic("y")])
    assert not isinstance(done["y"], KafkaError)
    assert [r.topics[0].name for _, r in first.asked("CreateTopics")] == ["y"]


def test_no_controller_ends_in_a_time_out_that_says_so(fakes: Fakes, connect: Connect) -> None:
    fakes[0].controller = fakes[1].controller = -1
    cluster = connect(fakes[0].bootstrap, default_api_timeout_ms="100")
    with pytest.raises(CallTimeoutError) as caught:
        cluster.call(
            DescribeClusterRequest(), DescribeClusterResponse, to=CONTROLLER, name="createTopics"
        )
    assert "no controller" in str(caught.value.trouble)


def test_brokers_are_asked_side_by_side_and_fail_alone(fakes: Fakes, connect: Connect) -> None:
    result = DescribeLogDirsResult(log_dir="/d", total_bytes=5, usable_bytes=2)
    fakes[0].on("DescribeLogDirs", lambda r: DescribeLogDirsResponse(results=[result]))
    fakes[1].on("DescribeLogDirs", lambda r: HangUp())
    found = describe_log_dirs(connect(fakes[0].bootstrap, default_api_timeout_ms="150"), [0, 1])
    assert isinstance(found[0], list)
    assert found[0][0].path == "/d"
    assert isinstance(found[1], CallTimeoutError)


def test_a_broker_that_is_not_in_the_cluster_is_a_time_out(fakes: Fakes, connect: Connect) -> None:
    cluster = connect(fakes[0].bootstrap, default_api_timeout_ms="100")
    question = Question(9, DescribeClusterRequest(), DescribeClusterResponse)
    (found,) = cluster.call_each([question], name="x")
    assert isinstance(found, CallTimeoutError)
    assert "no broker 9" in str(found.trouble)


def test_a_connection_that_broke_is_made_anew(fakes: Fakes, connect: Connect) -> None:
    fakes[0].topics = {"a": [0]}
    cluster = connect(fakes[0].bootstrap)
    assert [t.name for t in all_topics(cluster)] == ["a"]
    for client in fakes[0].clients:
        client.shutdown(2)
    assert [t.name for t in all_topics(cluster)] == ["a"]


def test_one_connection_serves_calls_in_turn(fakes: Fakes, connect: Connect) -> None:
    cluster = connect(fakes[0].bootstrap)
    for _ in range(3):
        all_topics(cluster)
    assert len(fakes[0].asked("ApiVersions")) == 1


def test_the_next_bootstrap_server_is_tried(fakes: Fakes, connect: Connect) -> None:
    fakes[0].close()
    cluster = connect(f"{fakes[0].bootstrap},{fakes[1].bootstrap}")
    assert cluster.metadata([]).cluster_id == "fake"


def test_that_nobody_answers_is_told_as_such(connect: Connect) -> None:
    first, second = (f"127.0.0.1:{free_port()}" for _ in range(2))
    cluster = connect(f"{first},{second}")
    cluster.config.patience = 0.05
    with pytest.raises(CallTimeoutError) as caught:
        cluster.metadata([])
    assert str(caught.value.trouble) == (
        "none of 2 brokers can be reached; the last one: cannot connect to "
        f"{second}: Connection refused"
    )


def test_one_that_is_silent_is_told_beside_those_that_are_gone(
    silent: Sequence[str], connect: Connect
) -> None:
    cluster = connect(f"{silent[0]},127.0.0.1:{free_port()}")
    cluster.config.silence = 0.05
    with pytest.raises(CallTimeoutError) as caught:
        cluster.metadata([])
    assert isinstance(caught.value.trouble, SilentError)
    assert str(caught.value.trouble).startswith(
        f"none of 2 brokers answers; one of them: {silent[0]}: takes the connection"
    )


def test_a_crowd_of_silent_ones_is_borne_no_longer_than_one(
    silent: Sequence[str], connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_of, "LEAST_SILENCE", 0.05)
    monkeypatch.setattr(cluster_of, "SILENCE_MS", 100)
    trace: list[str] = []
    cluster = connect(",".join(silent))
    cluster.trace, cluster.config.silence = trace.append, 0.1
    with pytest.raises(CallTimeoutError) as caught:
        cluster.metadata([])
    assert str(caught.value.trouble).startswith("none of 2 brokers answers")
    assert [line.split()[0] for line in trace if "-> ApiVersions" in line] == list(silent[:2])


def test_unknown_topics_are_errors_of_their_own(fakes: Fakes, connect: Connect) -> None:
    fakes[0].topics = {"a": [0, 1]}
    found = describe_topics(connect(fakes[0].bootstrap), ["a", "b"])
    assert isinstance(found["b"], KafkaError)
    assert found["b"].code == 3
    assert not isinstance(found["a"], KafkaError)
    assert [p.leader for p in found["a"].partitions] == [0, 1]
