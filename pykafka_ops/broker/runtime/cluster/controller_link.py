"""Sends requests to the controller: this broker by a plain call, another one by its connection.

Counterpart of ``NodeToControllerChannelManager``; trying again is the caller's business.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from pykafka_ops.broker.services.controller_requests import ControllerRequests
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.errors import ConnectError

if TYPE_CHECKING:  # a broker alone asks nobody
    from pykafka_ops.broker.runtime.cluster.peer import Peer

T = TypeVar("T")


class ControllerLink:
    """One per broker; ``peer(id)`` gives the connection to another one.

    ``peer`` raises ConnectError for a broker that has no known address.
    """

    def __init__(
        self,
        broker_id: int,
        image: MetadataImage,
        requests: ControllerRequests,
        peer: Callable[[int], Peer],
    ) -> None:
        self._broker_id = broker_id
        self._image = image
        self._requests = requests
        self._peer = peer

    async def ask(
        self, request: object, version: int, answer: type[T], *, timeout_s: float | None = None
    ) -> T:
        """The controller's answer, which may be NOT_CONTROLLER while it moves.

        Raises ConnectError if no controller is known or it does not answer.
        """
        if self._requests.is_controller:
            response = await self._requests.answer(request, version)
            assert isinstance(response, answer)
            return response
        controller = self._image.controller_id
        if controller in (-1, self._broker_id):
            raise ConnectError("no controller is known yet")
        return await self._peer(controller).ask(request, version, answer, timeout_s=timeout_s)
