"""Fetch (1), v0-17: byte ranges of the log, now or when enough has arrived.

v3 brought a limit for the whole answer, v4 isolation levels, v5 the log start offset, v7
sessions (KIP-227), v9 leader epochs (KIP-320), v10 zstd, v12 flexible headers and divergence
(KIP-595), v13 topic ids (KIP-516), v15 the replica state, v16 the current leader (KIP-951).
Versions below 4 get message sets.
"""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from functools import partial
from typing import Any

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.fetch_answer import answer, answer_in_steps, failed
from pykafka_ops.broker.handlers.fetch_request import forgotten, terms, wanted
from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.hot.serving import Shape
from pykafka_ops.broker.partitions.fetches import Fetched, Found
from pykafka_ops.broker.state.steps import Steps, begun
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.frame import Encoded
from pykafka_ops.wire.messages.fetch import FetchRequest, FetchResponse


def handle(context: Context, request: FetchRequest) -> Answer:
    """Read what is there; wait if that is less than the client wants to wait for."""
    asked = terms(context, request)
    if asked.follower >= 0:
        _note_follower(context)
    session = (request.session_id, request.session_epoch)
    partitions, dropped = wanted(context, request), forgotten(context, request)
    found = context.services.fetches.fetch(asked, session, partitions, dropped)
    return _answer(context, request, found)


def _note_follower(context: Context) -> None:
    if context.meter is not None:
        context.meter.exempt()
    if context.services.followers is not None:
        context.services.followers.add(context.connection_id)


def _answer(context: Context, request: FetchRequest, found: Found) -> Answer:
    """The answer of what was found, or the promise of it."""
    if isinstance(found, Fetched):
        return answer(context, found)
    if isinstance(found, Deferred):
        return found.shaped(partial(_answer, context, request))
    if isinstance(found, KafkaError):
        return failed(request, context.version, found)
    if isinstance(found, Generator):
        return begun(_in_steps(context, request, found))
    return _when_read(context, found)


def _in_steps(
    context: Context, request: FetchRequest, steps: Steps[Fetched | Deferred]
) -> Steps[Answer]:
    found = yield from steps
    if isinstance(found, Fetched):
        return (yield from answer_in_steps(context, found))
    return _answer(context, request, found)


async def _when_read(
    context: Context, found: Coroutine[Any, Any, Fetched]
) -> FetchResponse | Encoded:
    return answer(context, await found)


def shape(context: Context, request: FetchRequest, frame: memoryview) -> Shape | None:
    """What serves the next requests like this one; None if it is not of the usual kind."""
    from pykafka_ops.broker.handlers import fetch_shape

    return fetch_shape.shape(context, request, frame)
