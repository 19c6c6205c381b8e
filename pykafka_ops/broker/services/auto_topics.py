"""Topics that Metadata and FindCoordinator requests create.

Counterpart of ``AutoTopicCreationManager``: the controller creates them at once, any other broker
has the controller do it.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pykafka_ops.broker.services.image_waits import ImageWaits
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.controller.topic_requests import (
    DEFAULT,
    Charge,
    TopicSpec,
    default_spec,
)
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.state.names import name_problem
from pykafka_ops.errors import ConnectError, KafkaError
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("kafka.server.DefaultAutoTopicCreationManager")

AUTO_CREATE_WAIT_MS = 200
"""How long an answer to Metadata waits for a topic it creates; Kafka does not wait at all."""

CreationErrors = Mapping[str, KafkaError | None]
SendOn = Callable[[Sequence[TopicSpec], int], Awaitable[CreationErrors]]
"""Has the controller create topics, which may wait so many ms for their leaders; an error for each
topic. Raises ConnectError, KafkaError."""


class Creator(Protocol):
    """Creates topics if this broker is controller."""

    @property
    def is_controller(self) -> bool:
        """Whether it is."""

    async def create_all(
        self, specs: Sequence[TopicSpec], timeout_ms: int, charge: Charge | None
    ) -> CreationErrors:
        """Create; an error for each topic. Raises KafkaError NOT_CONTROLLER."""


@dataclass(slots=True, eq=False)
class AutoTopics:
    """One per broker; without ``send_on`` nothing can be created unless it is controller."""

    creator: Creator
    image: MetadataImage
    waits: ImageWaits
    configs: BrokerConfigs
    send_on: SendOn | None = None
    _creating: set[str] = field(default_factory=set)

    async def create(
        self, names: Collection[str], charge: Charge | None = None
    ) -> dict[str, ErrorCode]:
        """Create topics that a client has asked for; ``charge`` counts their partitions.

        NONE: look at the image again; LEADER_NOT_AVAILABLE: it is on its way.
        """
        results: dict[str, ErrorCode] = {}
        specs: list[TopicSpec] = []
        others = []
        for name in names:
            if name_problem(name) is not None:
                results[name] = ErrorCode.INVALID_TOPIC_EXCEPTION
            elif name in self._creating:
                others.append(name)
            else:
                specs.append(default_spec(name, self.configs.value))
        if specs:
            results |= await self._create(specs, charge)
        results |= dict.fromkeys(others, ErrorCode.NONE)
        missing = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return results | dict.fromkeys(await self._late(others), missing)

    async def ensure_internal(self, name: str, charge: Charge | None = None) -> ErrorCode:
        """Create ``__consumer_offsets`` or ``__transaction_state`` if it is missing.

        NONE if its partitions have leaders now, else why not.
        """
        if name in self.image.topics:
            return ErrorCode.NONE
        code = (await self.create([name], charge))[name]
        if code not in (ErrorCode.NONE, ErrorCode.LEADER_NOT_AVAILABLE):
            log.warning("cannot create %s yet: %s", name, code.text)
        return code

    async def _late(self, names: Sequence[str]) -> list[str]:
        """Those of some topics under way that are still not there after a while."""
        known = self.image.topics
        await self.waits.wait(names, lambda: known.keys() >= set(names), AUTO_CREATE_WAIT_MS)
        return [name for name in names if name not in known]

    async def _create(
        self, specs: Sequence[TopicSpec], charge: Charge | None
    ) -> dict[str, ErrorCode]:
        names = {spec.name for spec in specs}
        self._creating |= names
        try:
            errors = await self._here_or_there(specs, charge)
        except (ConnectError, KafkaError):
            return dict.fromkeys(names, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        finally:
            self._creating -= names
        return {name: self._created(name, error) for name, error in errors.items()}

    async def _here_or_there(
        self, specs: Sequence[TopicSpec], charge: Charge | None
    ) -> CreationErrors:
        if self.creator.is_controller:
            return await self.creator.create_all(specs, AUTO_CREATE_WAIT_MS, charge)
        if self.send_on is None:
            raise KafkaError(ErrorCode.NOT_CONTROLLER)
        if charge is not None:
            default = self.configs.value("num.partitions")
            charge(sum(default if s.partitions == DEFAULT else s.partitions for s in specs))
        errors = await self.send_on(specs, AUTO_CREATE_WAIT_MS)
        made = [name for name, error in errors.items() if error is None]
        late = await self._late(made)
        return {**errors, **dict.fromkeys(late, KafkaError(ErrorCode.REQUEST_TIMED_OUT))}

    def _created(self, name: str, error: KafkaError | None) -> ErrorCode:
        if error is None:
            return ErrorCode.NONE
        if error.code == ErrorCode.TOPIC_ALREADY_EXISTS and name in self.image.topics:
            return ErrorCode.NONE
        if error.code in (ErrorCode.TOPIC_ALREADY_EXISTS, ErrorCode.REQUEST_TIMED_OUT):
            return ErrorCode.LEADER_NOT_AVAILABLE
        return ErrorCode.of(error.code)
