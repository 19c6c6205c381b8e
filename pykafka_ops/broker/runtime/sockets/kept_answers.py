"""Answers that are given again: after an election all clients of a broker ask for the same
Metadata, and each asks for it as long as it lives.

A handler module has its answers kept where it has ``is_lasting(answer)``. Such an answer depends on
nothing but the bytes of the request, who asks by which listener, and the broker's picture of the
cluster.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pykafka_ops.broker.handlers.api import Context, Services
from pykafka_ops.wire.frame import Encoded

LARGEST_REQUEST: Final = 8 << 10
LARGEST: Final = 16 << 10
MOST: Final = 128 << 10
"""Bytes of answers and of the requests they belong to; kept, they take about ten times that."""

IsLasting = Callable[[Any], bool]


class KeptAnswers:
    """Those of one API."""

    def __init__(self, services: Services, is_lasting: IsLasting) -> None:
        self._services = services
        self._is_lasting = is_lasting
        self._image = services.image
        self._by_asker = services.acls is not None
        self._epoch = -1
        self._found: dict[object, Encoded] = {}
        self._size = 0

    def find(self, context: Context, frame: memoryview, body: int) -> Encoded | None:
        """The answer to a request whose fields begin at ``body``, if there is one that holds."""
        if self._epoch != self._image.epoch:
            self._epoch = self._image.epoch
            self.forget()
        if context.meter is not None or len(frame) - body > LARGEST_REQUEST:
            return None  # a quota may delay the answer, which says for how long
        return self._found.get(self._key(context, frame, body))

    def keep(self, context: Context, frame: memoryview, body: int, answer: object) -> object:
        """The answer as it is to be sent; it is kept if it will be the same the next time."""
        authorizer = self._services.authorizer
        if (
            context.meter is not None
            or len(frame) - body > LARGEST_REQUEST
            or (authorizer is not None and authorizer.logs_all)
            or not self._is_lasting(answer)
        ):
            return answer
        made = Encoded(answer, context.version)
        if made.size <= LARGEST:
            made.join()
            size = made.size + len(frame) - body
            if self._size + size > MOST:
                self.forget()
            self._size += size
            self._found[self._key(context, frame, body)] = made
        return made

    def forget(self) -> None:
        """The cluster, or what clients may do, has changed."""
        self._found.clear()
        self._size = 0

    def _key(self, context: Context, frame: memoryview, body: int) -> object:
        version, listener, asked = context.version, context.listener, bytes(frame[body:])
        if self._by_asker:
            return version, listener, asked, context.session.principal, context.client_host
        return version, listener, asked
