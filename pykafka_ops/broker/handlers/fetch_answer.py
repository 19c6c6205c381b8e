"""The answer to a Fetch request, made of what was read."""

from __future__ import annotations

from typing import Any

from pykafka_ops.broker.handlers import leader_hint
from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.partitions.fetches import IDS_FROM, Fetched
from pykafka_ops.broker.partitions.partition_read import refusal
from pykafka_ops.broker.state.steps import STEP, Steps
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.division import GatheredAnswer
from pykafka_ops.wire.frame import Encoded
from pykafka_ops.wire.messages.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
)

MOST_BYTES = 1 << 30
"""More than the records and the names of all partitions take."""

HINTS_FROM = 16

LED_ELSEWHERE = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH)
"""Errors that come with where the partition is led (KIP-951)."""

SESSION_ERRORS = (
    ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
    ErrorCode.INVALID_FETCH_SESSION_EPOCH,
    ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
)


def answer(context: Context, found: Fetched) -> FetchResponse | Encoded:
    """The answer, an empty one if the client is over a quota (KIP-219)."""
    response: FetchResponse | Encoded = _response(context, found)
    if context.meter is not None:
        response = Encoded(response, context.version)
        if context.meter.fetched(response.size):
            return FetchResponse(session_id=found.hold_back())
    found.sent()
    return response


def answer_in_steps(context: Context, found: Fetched) -> Steps[FetchResponse | GatheredAnswer]:
    """The same of very many partitions."""
    parts: list[FetchResponse] = []
    for at in range(0, len(found.reads), STEP):
        parts.append(_response(context, found.part(at, at + STEP)))
        yield None
    whole = GatheredAnswer(["responses", "partitions"], context.version, MOST_BYTES)
    first = parts[0] if parts else FetchResponse(session_id=found.session_id)
    endpoints = {each.node_id: each for part in parts for each in part.node_endpoints}
    first.node_endpoints = list(endpoints.values())
    for part in parts or [first]:
        yield from whole.add(part, goes_on=True)
    yield from whole.finish()
    if context.meter is not None and context.meter.fetched(whole.size):
        return FetchResponse(session_id=found.hold_back())
    found.sent()
    return whole


def _response(context: Context, found: Fetched) -> FetchResponse:
    topics: dict[Any, FetchableTopicResponse] = {}
    leaders: set[int] = set()
    for read in found.reads:
        wanted, data = read.wanted, read.data
        topic = topics.get(read.key[0])
        if topic is None:
            topic = FetchableTopicResponse(topic=wanted.topic, topic_id=wanted.topic_id)
            topics[read.key[0]] = topic
        if context.version >= HINTS_FROM and data.error_code in LED_ELSEWHERE:
            hint = leader_hint.find(context, wanted.topic, wanted.index)
            data.current_leader = LeaderIdAndEpoch(**hint._asdict())
            leaders.add(hint.leader_id)
        topic.partitions.append(data)
    response = FetchResponse(session_id=found.session_id, responses=list(topics.values()))
    if leaders:
        response.node_endpoints = leader_hint.endpoints(context, leaders, NodeEndpoint)
    return response


def failed(request: FetchRequest | None, version: int, error: KafkaError) -> FetchResponse:
    """The error at the top; unless it is about the session, also at every partition that has a
    name."""
    response = FetchResponse(error_code=error.code)
    if request is None or version >= IDS_FROM or error.code in SESSION_ERRORS:
        return response
    for topic in request.topics:
        answers = FetchableTopicResponse(topic=topic.topic)
        for data in topic.partitions:
            refused = refusal(data.partition, version, error.code)
            refused.aborted_transactions, refused.records = [], None
            answers.partitions.append(refused)
        response.responses.append(answers)
    return response
