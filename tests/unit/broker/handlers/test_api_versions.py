"""ApiVersions tells what is served, in Apache Kafka 3.9's own numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from pykafka_ops.broker.handlers import ROUTES, Route, api_versions
from pykafka_ops.wire.codec import encode
from pykafka_ops.wire.frame import Encoded, decode_response, response_parts
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from pykafka_ops.wire.types import joined
from tests.support.each import each
from tests.support.memory.handler_site import Site

GOLDEN = Path(__file__).parents[3] / "golden" / "wire" / "java-broker-api-versions.jsonl"
INVALID_REQUEST, UNSUPPORTED_VERSION = 42, 35


def request(name: str = "apache-kafka-java", version: str = "3.9.1") -> ApiVersionsRequest:
    return ApiVersionsRequest(client_software_name=name, client_software_version=version)


def kafkas_answer() -> ApiVersionsResponse:
    for line in GOLDEN.read_text().splitlines():
        frame = json.loads(line)
        if frame["api_key"] == 18:
            answer = bytes.fromhex(frame["response"])
            return decode_response(ApiVersionsResponse, frame["api_version"], answer)[1]
    raise AssertionError("no ApiVersions frame")


@pytest.mark.parametrize("version", range(5))
def test_every_route_is_announced_in_every_version(version: int) -> None:
    answer = Site().ask(request(), version)
    announced = {a.api_key: (a.min_version, a.max_version) for a in answer.api_keys}
    assert announced == {k: (r.min_version, r.max_version) for k, r in ROUTES.items()}
    assert answer.error_code == 0


def test_exactly_what_kafka_3_9_in_zookeeper_mode_announces_is_announced() -> None:
    theirs = {a.api_key: (a.min_version, a.max_version) for a in kafkas_answer().api_keys}
    assert len(theirs) == 62
    assert {key: (r.min_version, r.max_version) for key, r in ROUTES.items()} == theirs


@each("route", ROUTES.values())
def test_every_api_that_is_announced_has_a_handler(route: Route) -> None:
    assert callable(route.load().handle)


@pytest.mark.parametrize("version", [3, 4])
def test_features_are_those_of_a_broker_in_zookeeper_mode(version: int) -> None:
    ours, theirs = Site().ask(request(), version), kafkas_answer()
    ours.api_keys = theirs.api_keys = []
    assert ours == theirs


@pytest.mark.parametrize(
    ("name", "version"),
    [("", "1"), ("a", ""), ("-a", "1"), ("a-", "1"), ("a b", "1"), ("a", "1_0"), ("ä", "1")],
)
def test_a_software_name_or_version_that_is_none_is_refused(name: str, version: str) -> None:
    for number in (3, 4):
        answer = Site().ask(request(name, version), number)
        assert (answer.error_code, answer.api_keys) == (INVALID_REQUEST, [])


@pytest.mark.parametrize(("name", "version"), [("a", "0"), ("kpy", "3.0.12"), ("a.b-c", "v1-x.2")])
def test_software_names_of_letters_digits_dots_and_dashes_are_fine(name: str, version: str) -> None:
    assert Site().ask(request(name, version), 4).error_code == 0


def test_an_unknown_version_is_answered_with_the_range_of_api_versions() -> None:
    answer = api_versions.handle(Site().context(-1), None)
    assert isinstance(answer, ApiVersionsResponse)
    assert answer.error_code == UNSUPPORTED_VERSION
    assert [(a.api_key, a.min_version, a.max_version) for a in answer.api_keys] == [(18, 0, 4)]
    assert encode(answer, 0)


@pytest.mark.parametrize("version", range(5))
def test_only_who_has_no_quota_gets_the_answer_that_is_ready(version: int) -> None:
    context = Site().context(version)
    ready = [api_versions.handle(context, request()) for _ in range(2)]
    context.meter = cast(Any, object())
    made = api_versions.handle(context, request())
    assert isinstance(made, ApiVersionsResponse)  # which can say how long its client is throttled
    for number, answer in enumerate(ready):
        assert isinstance(answer, Encoded)
        assert joined(answer.framed(number)) == joined(response_parts(made, version, number))
