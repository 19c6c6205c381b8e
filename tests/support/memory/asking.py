"""Ask a handler as the server does: requests and answers go through the codec of their version."""

from __future__ import annotations

import inspect
from typing import Any

from pykafka_ops.broker.handlers import ROUTES, failed
from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.apis import APIS
from pykafka_ops.wire.codec import decode, encode
from pykafka_ops.wire.division import GatheredAnswer
from pykafka_ops.wire.frame import Encoded, decode_response
from pykafka_ops.wire.message import table_of
from tests.support.memory.steps import at_once


def ask(context: Context, request: Any) -> Any:
    """What the handler gives at once: a message, a Deferred, a coroutine, or None."""
    version = context.version
    asked = decode(type(request), version, memoryview(bytearray(encode(request, version))))
    try:
        return ROUTES[api_of(request)].load().handle(context, asked)
    except KafkaError as error:
        return _failed(asked, version, error)


async def ask_and_wait(context: Context, request: Any) -> Any:
    """The answer, also of a handler that is a coroutine."""
    answer = ask(context, request)
    if inspect.iscoroutine(answer):
        try:
            answer = await answer
        except KafkaError as error:
            answer = _failed(request, context.version, error)
    return shown(request, context.version, answer)


def driven(answer: Any) -> Any:
    """What work in steps gives in the end, or any other answer."""
    while inspect.isgenerator(answer):
        answer = at_once(answer)
    return answer


def shown(request: Any, version: int, answer: Any) -> Any:
    """The answer as a client decodes it; None where the protocol has none."""
    answer = driven(answer)
    if answer is None:
        return None
    response = APIS[api_of(request)].response
    if isinstance(answer, GatheredAnswer | Encoded):
        frame = b"".join(bytes(part) for part in answer.framed(1))
        return decode_response(response, version, frame[4:])[1]
    assert isinstance(answer, response)
    return decode(response, version, encode(answer, version))


def api_of(request: Any) -> int:
    """The key of a request's API."""
    return table_of(type(request)).api


def _failed(request: Any, version: int, error: KafkaError) -> Any:
    """The error of a whole request in its response."""
    key = api_of(request)
    return failed.answer_to(key, ROUTES[key].load(), request, version, error)
