"""The way of services into the controller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from pykafka_ops.broker.metadata.store import StoreError
from pykafka_ops.broker.state.controller.controller import Controller
from pykafka_ops.broker.state.controller.steps import Steps
from pykafka_ops.errors import KafkaError, StorageError
from pykafka_ops.wire.codes import ErrorCode

R = TypeVar("R")


class ControllerGate(Protocol):
    """The controller, if this broker is it (``runtime/controller/loop.ControllerLoop``)."""

    @property
    def is_active(self) -> bool:
        """Whether this broker is controller."""

    async def perform(self, rule: Callable[[Controller], Steps[R]]) -> R:
        """Run a rule. Raises KafkaError NOT_CONTROLLER and what the rule raises."""

    async def deletion_settled(self, topic: str) -> None:
        """Wait until a topic's deletion is over, or waits for a broker that is down."""


class OnController:
    """Base of the services that only the controller can do."""

    def __init__(self, controller: ControllerGate) -> None:
        self._controller = controller

    @property
    def is_controller(self) -> bool:
        """Whether this broker can do any of this."""
        return self._controller.is_active

    def require_controller(self, text: str = "") -> None:
        """Raises KafkaError NOT_CONTROLLER, with that text, on any other broker."""
        if not self.is_controller:
            raise KafkaError(ErrorCode.NOT_CONTROLLER, text)

    async def _perform(self, rule: Callable[[Controller], Steps[R]]) -> R:
        """As ``ControllerGate.perform``; KafkaError also where the tree or the disk fails."""
        try:
            return await self._controller.perform(rule)
        except StorageError as error:
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, str(error)) from error
        except StoreError as error:
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, str(error)) from error
