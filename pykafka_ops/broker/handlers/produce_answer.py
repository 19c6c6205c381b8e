"""The appends and the answer of a Produce request, for requests of every kind."""

from __future__ import annotations

from collections.abc import Iterable

from pykafka_ops.broker.handlers import leader_hint
from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.partitions.append import Appends, Certain, Result
from pykafka_ops.broker.partitions.refusals import Refused
from pykafka_ops.broker.state.steps import Steps, begun
from pykafka_ops.broker.storage.validate import RecordsRejectedError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.produce import (
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)

HINTS_FROM = 10
ADMIN_CLIENT_ID = "__admin_client"
"""The one client that may write to internal topics (``AdminUtils.ADMIN_CLIENT_ID``)."""

Topics = Iterable[TopicProduceData]


def begin(context: Context, acks: int) -> Appends:
    """The appends of a client's request."""
    allowed = context.client_id == ADMIN_CLIENT_ID
    return Appends(context.services.append_site, acks, context.version, allowed)


def conclude(
    context: Context, acks: int, topics: Topics, results: Certain | Steps[Certain]
) -> Answer:
    """The answer to a request with these topics, or the promise of it."""
    if isinstance(results, list):
        return _respond(context, acks, topics, results)
    if isinstance(results, Deferred):
        return results.shaped(lambda found: conclude(context, acks, topics, found))
    return begun(_concluded(context, acks, topics, results))


def _concluded(context: Context, acks: int, topics: Topics, steps: Steps[Certain]) -> Steps[Answer]:
    results = yield from steps
    return conclude(context, acks, topics, results)


def _respond(
    context: Context, acks: int, topics: Topics, results: Iterable[Result]
) -> ProduceResponse | None:
    """acks=0 has no answer; a failure closes the connection so that metadata is refreshed."""
    if acks == 0:
        context.close_connection |= any(isinstance(result, Refused) for result in results)
        return None
    found = iter(results)
    response = ProduceResponse()
    for topic in topics:
        answers = [partition_answer(data.index, next(found)) for data in topic.partition_data]
        response.responses.append(
            TopicProduceResponse(name=topic.name, partition_responses=answers)
        )
    if context.version >= HINTS_FROM:
        _hint(context, response)
    return response


def partition_answer(index: int, result: Result) -> PartitionProduceResponse:
    """The answer for one partition."""
    if not isinstance(result, Refused):
        return PartitionProduceResponse(
            index=index,
            base_offset=result.first_offset,
            log_append_time_ms=result.log_append_time,
            log_start_offset=result.log_start_offset,
        )
    error = result.error
    answer = PartitionProduceResponse(
        index=index,
        error_code=error.code,
        base_offset=-1,
        log_start_offset=result.log_start_offset,
        error_message=error.message or None,
    )
    if isinstance(error, RecordsRejectedError):
        answer.record_errors = error.record_errors
    return answer


def _hint(context: Context, response: ProduceResponse) -> None:
    """Tell who leads the partitions that were refused for not being led here (KIP-951)."""
    leaders: set[int] = set()
    for topic in response.responses:
        for answer in topic.partition_responses:
            if answer.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER:
                hint = leader_hint.find(context, topic.name, answer.index)
                answer.current_leader = LeaderIdAndEpoch(**hint._asdict())
                leaders.add(hint.leader_id)
    if leaders:
        response.node_endpoints = leader_hint.endpoints(context, leaders, NodeEndpoint)
