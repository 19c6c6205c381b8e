"""What members of groups send again: the bytes of a request around its correlation id, and around
its generation where it names one."""

from __future__ import annotations

from collections.abc import Callable

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.hot.raw import HEAD_SIZE, length
from pykafka_ops.wire.frame import encode_request

_LENGTH = 4


def around_generation(context: Context, make: Callable[[int], object]) -> tuple[int, bytes, bytes]:
    """Of the requests that ``make(generation)`` gives: the number that API and version are, the
    bytes from behind the correlation id to before the generation, and those behind it.

    Made by our own encoder, so that a request with these bytes can mean nothing else.
    """
    zeros, ones = (
        memoryview(encode_request(make(n), context.version, n, context.client_id)[_LENGTH:])
        for n in (0, -1)
    )
    place = next(at for at in range(HEAD_SIZE, len(zeros)) if zeros[at] != ones[at])
    return length(zeros, 0), bytes(zeros[HEAD_SIZE:place]), bytes(zeros[place + 4 :])
