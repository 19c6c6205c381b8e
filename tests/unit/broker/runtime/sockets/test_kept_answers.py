"""Metadata that was asked for before: the same bytes, until the cluster or rights change."""

from __future__ import annotations

import asyncio
import logging
import random
import sys
from collections import Counter
from types import FrameType, SimpleNamespace
from typing import Any, cast

import pytest

from pykafka_ops.broker.handlers import ROUTES, rights
from pykafka_ops.broker.handlers.metadata import is_lasting
from pykafka_ops.broker.runtime.sockets import kept_answers
from pykafka_ops.broker.runtime.sockets.kept_answers import KeptAnswers
from pykafka_ops.broker.services.acl_admin import AclAdmin
from pykafka_ops.broker.services.authorizer import Authorizer
from pykafka_ops.broker.state.image import PartitionImage
from pykafka_ops.broker.state.session import Session
from pykafka_ops.security.acls.rules import (
    ANYBODY,
    CLUSTER_NAME,
    AclBinding,
    AclEntry,
    Operation,
    Permission,
    ResourcePattern,
    ResourceType,
)
from pykafka_ops.wire import frame as frames
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.support.memory.asking import shown
from tests.support.memory.handler_site import ME, Site
from tests.support.wire.clocked import Client, Desk

REFUSED, MISSING = ErrorCode.TOPIC_AUTHORIZATION_FAILED, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def metadata(*names: str, everything: bool = False, **rest: Any) -> MetadataRequest:
    topics = None if everything else [MetadataRequestTopic(name=name) for name in names]
    return MetadataRequest(topics=topics, allow_auto_topic_creation=False, **rest)


def rule(name: str, host: str = "*", type_: ResourceType = ResourceType.TOPIC) -> AclBinding:
    entry = AclEntry(ANYBODY, host, Operation.DESCRIBE, Permission.ALLOW)
    return AclBinding(ResourcePattern(type_, name), entry)


def codes(answer: Any) -> list[int]:
    return [topic.error_code for topic in answer.topics]


@pytest.fixture
def authorizer() -> Authorizer:
    return Authorizer()


@pytest.fixture
def guarded(loop: asyncio.AbstractEventLoop, authorizer: Authorizer) -> Desk:
    """A broker with rules."""
    return Desk(loop, authorizer)


@pytest.fixture(params=["free", "guarded"])
def desk(
    request: pytest.FixtureRequest, loop: asyncio.AbstractEventLoop, authorizer: Authorizer
) -> Desk:
    """A broker without rules, and one where everybody may describe the topic."""
    if request.param == "free":
        return Desk(loop)
    authorizer.load([rule("t")])
    return Desk(loop, authorizer)


def test_what_several_clients_ask_is_answered_once(desk: Desk, encodings: Counter[str]) -> None:
    one, other = desk.client("one"), desk.client("other")
    answers = [client.ask(metadata("t")) for client in (one, one, other)]
    assert answers[0] == answers[1] == answers[2]
    assert (codes(answers[0]), len(answers[0].topics[0].partitions)) == ([0], 2)
    assert encodings == {"MetadataResponse": 1}
    assert one.transport.correlation_ids() == [0, 1]


def test_another_version_listener_or_request_has_an_answer_of_its_own(
    desk: Desk, encodings: Counter[str]
) -> None:
    client = desk.client()
    for version in range(4, 13):
        assert client.ask(metadata("t"), version) == client.ask(metadata("t"), version)
    assert encodings == {"MetadataResponse": 9}
    client.ask(metadata("t", "t"))
    client.transport.connection.listener = "OTHER"
    assert client.ask(metadata("t")).brokers == []
    assert encodings == {"MetadataResponse": 11}


def test_a_change_of_the_cluster_is_in_the_next_answer(desk: Desk) -> None:
    client = desk.client()

    def partitions() -> list[int]:
        client.ask(metadata("t"))
        return [p.leader_id for p in client.ask(metadata("t")).topics[0].partitions]

    assert partitions() == [ME, ME]
    desk.site.update({"t": {1: PartitionImage(1, 4, (1,), (1, 0))}})
    assert partitions() == [ME, 1]
    desk.site.update({}, alive=(ME,))
    assert partitions() == [ME, -1]
    desk.site.update(
        {"t": {n: desk.site.image.topics["t"].partitions[n].deleted() for n in (0, 1)}}
    )
    assert codes(client.ask(metadata("t"))) == [MISSING]


def test_topics_that_are_not_there_are_asked_for_each_time(
    desk: Desk, authorizer: Authorizer, encodings: Counter[str]
) -> None:
    authorizer.load([rule("t"), rule("new")])
    client = desk.client()
    for _ in range(2):
        assert codes(client.ask(metadata("t", "new"))) == [0, MISSING]
    assert encodings == {"MetadataResponse": 2}
    desk.site.topic("new")
    assert codes(client.ask(metadata("t", "new"))) == [0, 0]


def test_a_rule_is_heeded_at_once(guarded: Desk, authorizer: Authorizer) -> None:
    client = guarded.client()
    for _ in range(2):
        assert codes(client.ask(metadata("t"))) == [REFUSED]
        assert codes(client.ask(metadata(everything=True))) == []
        authorizer.replace(rule("t").resource, [rule("t").entry])
        for _ in range(2):
            assert codes(client.ask(metadata("t"))) == [0]
            assert codes(client.ask(metadata(everything=True))) == [0]
        authorizer.replace(rule("t").resource, [])


def test_hosts_do_not_share_what_one_of_them_may_see(guarded: Desk, authorizer: Authorizer) -> None:
    authorizer.load([rule("t", "1.1.1.1")])
    may, may_not = guarded.client(host="1.1.1.1"), guarded.client(host="2.2.2.2")
    for _ in range(2):
        assert codes(may.ask(metadata("t"))) == [0]
        assert codes(may_not.ask(metadata("t"))) == [REFUSED]
        assert codes(may_not.ask(metadata(everything=True))) == []


def test_users_do_not_share_what_one_of_them_may_see(authorizer: Authorizer) -> None:
    site = Site()
    site.services.acls = cast(AclAdmin, SimpleNamespace(authorizer=authorizer))
    kept = KeptAnswers(site.services, lambda answer: True)
    frame = memoryview(b"head" + b"fields")

    def context(user: str) -> Any:
        made = site.context(12)
        made.session = Session(user)
        return made

    kept.find(context("User:a"), frame, 4)
    kept.keep(context("User:a"), frame, 4, _answer(site))
    found = [kept.find(context(user), frame, 4) is not None for user in ("User:a", "User:b")]
    assert found == [True, False]


def test_what_is_refused_is_logged_each_time_and_what_is_allowed_at_debug(
    guarded: Desk, authorizer: Authorizer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "kafka.authorizer.logger")
    client = guarded.client()
    for _ in range(3):
        client.ask(metadata("t"))
    assert sum("is Denied" in text for text in caplog.messages) == 3
    authorizer.load([rule("t")])
    client.ask(metadata("t"))
    assert not any("is Allowed" in text for text in caplog.messages)
    caplog.set_level(logging.DEBUG, "kafka.authorizer.logger")
    authorizer.ask_again()
    for _ in range(3):
        client.ask(metadata("t"))
    assert sum("is Allowed" in text for text in caplog.messages) == 3


def test_who_has_a_quota_hears_how_long_the_answer_was_delayed(desk: Desk) -> None:
    client = desk.client()
    assert client.ask(metadata("t")).throttle_time_ms == 0
    desk.limit(client_id="c", request_percentage=0)
    desk.server.dispatch.timer = desk.site.services.timer = iter(range(10**6)).__next__
    answer = client.ask(metadata("t"))
    assert (answer.throttle_time_ms > 0, codes(answer)) == (True, [0])


def test_what_is_kept_is_bounded(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_answers, "MOST", 10_000)
    monkeypatch.setattr(kept_answers, "LARGEST", 1_000)
    client = desk.client()
    kept = desk.server.dispatch.apis[ApiKey.METADATA]
    kept.load()
    assert kept.kept is not None
    sizes = set()
    for count in range(1, 400):
        client.ask(metadata(*["t"] * count))
        sizes.add(kept.kept._size)
    assert 5_000 < max(sizes) <= 10_000
    desk.site.topic("long", 200)
    for _ in range(2):
        client.ask(metadata("long"))
    assert kept.kept._size == 0


def test_a_request_that_was_allowed_before_costs_no_call_more_than_without_rules(
    loop: asyncio.AbstractEventLoop, authorizer: Authorizer
) -> None:
    authorizer.load([rule("t")])
    counts = []
    for made in (Desk(loop), Desk(loop, authorizer)):
        client = made.client()
        for _ in range(3):
            client.ask(metadata("t"))
        frame = frames.encode_request(metadata("t"), 12, 7, "c")
        counts.append(calls(client, frame))
    assert counts[0] == counts[1]
    assert 0 < sum(counts[0].values()) < 30


def calls(client: Client, frame: bytes) -> Counter[str]:
    """How often each function of the broker runs for a request."""
    found: Counter[str] = Counter()

    def note(running: FrameType, event: str, _: object) -> None:
        if event == "call" and "/pykafka_ops/" in running.f_code.co_filename:
            found[running.f_code.co_qualname] += 1

    sys.setprofile(note)
    try:
        client.transport.feed(frame)
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_whatever_changes_answers_are_those_of_the_handler(
    loop: asyncio.AbstractEventLoop, seed: int
) -> None:
    draw = random.Random(seed)
    authorizer = Authorizer(without_rules=bool(seed % 2))
    desk = Desk(loop, authorizer)
    handle = rights.guarded(ApiKey.METADATA, ROUTES[ApiKey.METADATA].load())
    hosts, names = ("1.1.1.1", "2.2.2.2"), ("t", "u", "v", "w")
    clients = {host: desk.client(host=host) for host in hosts}
    lasting = 0
    for _ in range(600):
        match draw.randrange(12):
            case 0:
                _change_rules(draw, authorizer, names)
            case 1:
                _change_topic(draw, desk.site, draw.choice(names))
            case _:
                host, version = draw.choice(hosts), draw.choice((5, 9, 12))
                request = _request(draw, names, version)
                context = desk.site.context(version)
                context.client_host, context.api_key = host, ApiKey.METADATA
                expected = shown(request, version, handle(context, request))
                lasting += is_lasting(expected)
                assert clients[host].ask(request, version) == expected
    assert lasting > 100


def _change_rules(draw: random.Random, authorizer: Authorizer, names: tuple[str, ...]) -> None:
    some = [rule(draw.choice(names), draw.choice(("*", "1.1.1.1"))) for _ in range(2)]
    if draw.random() < 0.3:
        some.append(rule(CLUSTER_NAME, type_=ResourceType.CLUSTER))
    authorizer.load(some)


def _change_topic(draw: random.Random, site: Site, name: str) -> None:
    known = site.image.topics.get(name)
    if known is not None and draw.random() < 0.4:
        site.update({name: {n: p.deleted() for n, p in known.partitions.items()}})
    else:
        partition = PartitionImage(draw.randrange(2), draw.randrange(9), (ME,), (ME, 1))
        site.update({name: {draw.randrange(3): partition}})


def _request(draw: random.Random, names: tuple[str, ...], version: int) -> MetadataRequest:
    some = draw.sample(names, draw.randrange(1, 3))
    about = {
        "include_topic_authorized_operations": version >= 8 and draw.random() < 0.2,
        "include_cluster_authorized_operations": version == 9 and draw.random() < 0.2,
    }
    return metadata(*some, everything=draw.random() < 0.2, **about)


def _answer(site: Site) -> Any:
    return ROUTES[ApiKey.METADATA].load().handle(site.context(12), metadata())
