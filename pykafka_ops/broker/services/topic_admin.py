"""Creates, deletes and enlarges topics and elects leaders for clients; answers when done.

Counterpart of ``ZkAdminManager``. What is asked is checked and decided in one rule of the
controller, so two requests cannot both create the same topic.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pykafka_ops.broker.services.auto_topics import AutoTopics, SendOn
from pykafka_ops.broker.services.controller_gate import ControllerGate, OnController
from pykafka_ops.broker.services.image_waits import ImageWaits
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.configs.sources import DescribedConfig
from pykafka_ops.broker.state.controller.controller import Controller
from pykafka_ops.broker.state.controller.election import ElectionType
from pykafka_ops.broker.state.controller.leadership import ReplicaAssignment, TopicPartition
from pykafka_ops.broker.state.controller.steps import Steps, WriteProblem, pause
from pykafka_ops.broker.state.controller.topic_requests import (
    Charge,
    Draw,
    PartitionsSpec,
    TopicDefaults,
    TopicSpec,
    apart,
    plan_partitions,
    plan_topic,
    unfit,
    within_limit,
)
from pykafka_ops.broker.state.controller.topic_rules import TopicCreation
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import ZERO_UUID

SETTLE_WAIT_MS = 1000
"""How long an answer to DeleteTopics waits for znodes once the brokers know nothing any more."""

Errors = dict[TopicPartition, KafkaError | None]


@dataclass(slots=True, kw_only=True)
class Created:
    """What became of one topic: ``error`` None if it exists (or may be created) now."""

    error: KafkaError | None
    topic_id: bytes = ZERO_UUID
    partitions: int = -1
    replication_factor: int = -1
    config: Mapping[str, str] = field(default_factory=dict)
    settings: Sequence[DescribedConfig] = ()
    """All settings, if they were asked for; the same list for topics with the same overrides."""


class TopicAdmin(OnController):
    """One per broker."""

    def __init__(
        self,
        image: MetadataImage,
        controller: ControllerGate,
        configs: BrokerConfigs,
        *,
        draw: Draw,
        new_topic_id: Callable[[], bytes],
        send_on: SendOn | None = None,
    ) -> None:
        """``draw(n)`` gives a random number in ``range(n)``, ``new_topic_id()`` a random id.

        ``send_on`` has another broker create topics that clients only ask for.
        """
        super().__init__(controller)
        self._image = image
        self._configs = configs
        self._draw = draw
        self._new_topic_id = new_topic_id
        self._waits = ImageWaits(image)
        self.auto = AutoTopics(self, image, self._waits, configs, send_on)
        """Creates topics that are only asked for."""

    # -- create

    async def create(
        self,
        specs: Sequence[TopicSpec],
        timeout_ms: int,
        *,
        validate_only: bool = False,
        describe: bool = False,
        charge: Charge | None = None,
    ) -> dict[str, Created]:
        """Create topics; answers when all have leaders, at most ``timeout_ms`` later.

        Those that have none then have REQUEST_TIMED_OUT, though they exist. ``describe`` asks for
        their settings. ``charge`` counts the partitions of each before, or refuses the topic.
        Raises KafkaError NOT_CONTROLLER.
        """
        self.require_controller()
        refused = unfit(specs)
        specs = [spec for spec in specs if spec.name not in refused]

        def rule(controller: Controller) -> Steps[dict[str, Created]]:
            if validate_only:
                return self._validate(specs, controller)
            return self._create(specs, controller, charge)

        results = await self._perform(rule)
        if not validate_only:
            wanted = {name: r.partitions for name, r in results.items() if r.error is None}
            for name in await self._waits.leaderless(wanted, timeout_ms):
                results[name].error = KafkaError(ErrorCode.REQUEST_TIMED_OUT)
        if describe:
            self._describe(results.values())
        return results | {name: Created(error=error) for name, error in refused.items()}

    def _describe(self, results: Iterable[Created]) -> None:
        """A request has thousands of topics, but few kinds of them."""
        known: dict[frozenset[tuple[str, str]], list[DescribedConfig]] = {}
        for result in results:
            alike = frozenset(result.config.items())
            if result.error is None and alike not in known:
                known[alike] = self._configs.describe_topic(result.config)
            result.settings = known.get(alike, ())

    def _validate(
        self, specs: Sequence[TopicSpec], controller: Controller
    ) -> Steps[dict[str, Created]]:
        plans = yield from self._plan_all(specs, controller)
        return {spec.name: _created(plan) for spec, plan in zip(specs, plans, strict=True)}

    def _create(
        self, specs: Sequence[TopicSpec], controller: Controller, charge: Charge | None
    ) -> Steps[dict[str, Created]]:
        made = yield from self._plan_all(specs, controller)
        plans = [
            (_refused(len(p.assignments), charge) or p) if isinstance(p, TopicCreation) else p
            for p in apart(made)
        ]
        results = {spec.name: _created(plan) for spec, plan in zip(specs, plans, strict=True)}
        errors = yield from controller.topics.create(
            [plan for plan in plans if isinstance(plan, TopicCreation)]
        )
        for name, error in errors.items():
            if error is None:
                results[name].topic_id = controller.cluster.topics[name].topic_id
            else:
                results[name] = Created(error=error)
        return results

    def _plan_all(
        self, specs: Sequence[TopicSpec], controller: Controller
    ) -> Steps[list[TopicCreation | KafkaError]]:
        plans = []
        for spec in within_limit(specs, self._configs.value("num.partitions")):
            plan = spec if isinstance(spec, KafkaError) else self._plan(spec, controller)
            plans.append(plan)
            if isinstance(plan, TopicCreation):
                yield from pause(plan.assignments)
        return plans

    def _plan(self, spec: TopicSpec, controller: Controller) -> TopicCreation | KafkaError:
        value = self._configs.value
        defaults = TopicDefaults(
            partitions=value("num.partitions"),
            replication_factor=value("default.replication.factor"),
            check_config=self._configs.check_topic,
        )
        try:
            return plan_topic(spec, controller.cluster, defaults, self._draw, self._new_topic_id())
        except KafkaError as error:
            return error.bare()

    async def create_all(
        self, specs: Sequence[TopicSpec], timeout_ms: int, charge: Charge | None
    ) -> dict[str, KafkaError | None]:
        """As :meth:`create`, with nothing but the errors."""
        created = await self.create(specs, timeout_ms, charge=charge)
        return {name: result.error for name, result in created.items()}

    # -- enlarge

    async def add_partitions(
        self,
        specs: Sequence[PartitionsSpec],
        timeout_ms: int,
        *,
        validate_only: bool = False,
        charge: Charge | None = None,
    ) -> dict[str, KafkaError | None]:
        """Enlarge topics; answers as :meth:`create` does. Raises KafkaError NOT_CONTROLLER."""
        self.require_controller()

        def rule(controller: Controller) -> Steps[dict[str, KafkaError | None]]:
            results: dict[str, KafkaError | None] = {}
            for spec in specs:
                try:
                    added = plan_partitions(spec.name, spec.count, spec.brokers, controller.cluster)
                    results[spec.name] = None
                    if validate_only:
                        continue
                    if charge is not None:
                        charge(len(added))
                    yield from pause(added)
                    yield from _enlarge(controller, spec.name, added)
                except KafkaError as error:
                    results[spec.name] = error.bare()
            return results

        results = await self._perform(rule)
        if not validate_only:
            done = {s.name: s.count for s in specs if results[s.name] is None}
            for name in await self._waits.leaderless(done, timeout_ms):
                results[name] = KafkaError(ErrorCode.REQUEST_TIMED_OUT)
        return results

    # -- delete

    async def delete(
        self,
        asked: Sequence[tuple[str | None, bytes]],
        timeout_ms: int,
        *,
        charge: Charge | None = None,
    ) -> list[tuple[str | None, ErrorCode]]:
        """Delete topics, each given by its name or its id; the name of each and what became of it.

        Answers when brokers know them no more, at most ``timeout_ms`` later. ``charge`` counts the
        partitions of each before, or refuses it. Raises KafkaError NOT_CONTROLLER,
        TOPIC_DELETION_DISABLED, and INVALID_REQUEST for a name together with an id.
        """
        self.require_controller()
        if not self._configs.value("delete.topic.enable"):
            raise KafkaError(ErrorCode.TOPIC_DELETION_DISABLED)
        if any(name is not None and topic_id != ZERO_UUID for name, topic_id in asked):
            text = "Topic name and topic ID can not both be specified."
            raise KafkaError(ErrorCode.INVALID_REQUEST, text)
        found = [self._resolved(*each) for each in asked]
        names = {name for name, code in found if name is not None and code is ErrorCode.NONE}
        deleted = await self._delete(names, timeout_ms, charge) if names else {}
        return [(name, deleted.get(name or "", code)) for name, code in found]

    def _resolved(self, name: str | None, topic_id: bytes) -> tuple[str | None, ErrorCode]:
        if topic_id != ZERO_UUID:
            name = self._image.topic_names_by_id.get(topic_id)
            return name, ErrorCode.UNKNOWN_TOPIC_ID if name is None else ErrorCode.NONE
        known = name in self._image.topics
        return name, ErrorCode.NONE if known else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION

    async def _delete(
        self, names: Collection[str], timeout_ms: int, charge: Charge | None
    ) -> dict[str, ErrorCode]:
        results = dict.fromkeys(names, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)

        def rule(controller: Controller) -> Steps[set[str]]:
            for name in sorted(results):
                found = controller.cluster.topics.get(name)
                if found is not None:
                    error = _refused(len(found.partitions), charge)
                    results[name] = ErrorCode.of(error.code) if error else ErrorCode.NONE
            known = {name for name, code in results.items() if code == ErrorCode.NONE}
            yield from controller.topics.delete(sorted(known))
            return known

        known = await self._perform(rule)
        gone = timeout_ms > 0 and await self._waits.wait(
            known, lambda: known.isdisjoint(self._image.topics), timeout_ms
        )
        if gone:
            await self._settle(known, timeout_ms)
        for name in known:
            if timeout_ms <= 0 or name in self._image.topics:
                results[name] = ErrorCode.REQUEST_TIMED_OUT
        return results

    async def _settle(self, topics: Collection[str], timeout_ms: int) -> None:
        """Let the controller finish, for clients that create the topics again at once."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(timeout_ms, SETTLE_WAIT_MS) / 1000):
                for topic in topics:
                    await self._controller.deletion_settled(topic)

    # -- elect

    async def elect(
        self, partitions: Sequence[TopicPartition] | None, kind: int, timeout_ms: int
    ) -> Errors:
        """Elect leaders; answers when brokers know them.

        None stands for all partitions, of which those are left out where nothing was to do. On
        another broker NOT_CONTROLLER stands at each, as in Kafka. Raises KafkaError
        INVALID_REQUEST for an unknown kind of election.
        """
        if not self.is_controller:
            return dict.fromkeys(partitions or (), KafkaError(ErrorCode.NOT_CONTROLLER))
        if kind not in set(ElectionType):
            text = f"Value {kind} must be one of [PREFERRED, UNCLEAN]"
            raise KafkaError(ErrorCode.INVALID_REQUEST, text)
        wanted = partitions
        if wanted is None:
            wanted = [
                (t, index) for t, topic in self._image.topics.items() for index in topic.partitions
            ]
        results = await self._perform(lambda term: term.elections.elect(wanted, ElectionType(kind)))
        answers = await self._elected(results, timeout_ms)
        if partitions is None:
            needless = ErrorCode.ELECTION_NOT_NEEDED
            return {k: e for k, e in answers.items() if e is None or e.code != needless}
        return answers

    async def _elected(
        self, results: Mapping[TopicPartition, int | KafkaError], timeout_ms: int
    ) -> Errors:
        answers: Errors = {}
        expected: dict[TopicPartition, int] = {}
        for key, result in results.items():
            answers[key] = result if isinstance(result, KafkaError) else None
            if not isinstance(result, KafkaError):
                expected[key] = result

        def ready() -> bool:
            return all(self._led_by(key, leader) for key, leader in expected.items())

        await self._waits.wait({topic for topic, _ in expected}, ready, timeout_ms)
        for key, leader in expected.items():
            if not self._led_by(key, leader):
                answers[key] = KafkaError(ErrorCode.REQUEST_TIMED_OUT)
        return answers

    async def reassign(self, wanted: Mapping[TopicPartition, Sequence[int] | None]) -> Errors:
        """Begin moves of replicas, or cancel them (None); answers once that is written.

        Raises KafkaError NOT_CONTROLLER.
        """
        self.require_controller(ErrorCode.NOT_CONTROLLER.text)
        return await self._perform(lambda controller: controller.moves.alter(wanted))

    async def reassignments(
        self, partitions: Sequence[TopicPartition] | None
    ) -> dict[TopicPartition, ReplicaAssignment]:
        """Which of the partitions (None: of all) are being moved, and how.

        Raises KafkaError NOT_CONTROLLER.
        """
        self.require_controller(ErrorCode.NOT_CONTROLLER.text)

        def rule(controller: Controller) -> Steps[dict[TopicPartition, ReplicaAssignment]]:
            yield from ()
            return controller.cluster.being_reassigned(partitions)

        return await self._perform(rule)

    def _led_by(self, key: TopicPartition, leader: int) -> bool:
        image = self._image.partition(*key)
        return image is not None and image.leader == leader


def _refused(partitions: int, charge: Charge | None) -> KafkaError | None:
    """Why the client's quota does not allow to create or delete so many; None if it does."""
    try:
        if charge is not None:
            charge(partitions)
    except KafkaError as error:
        return error
    return None


def _enlarge(
    controller: Controller, topic: str, added: Mapping[int, ReplicaAssignment]
) -> Steps[None]:
    problem = yield from controller.topics.add_partitions(topic, added)
    if problem is WriteProblem.MISSING:
        raise KafkaError(
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"The topic '{topic}' does not exist."
        )
    if problem is not None:
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, problem.value)


def _created(plan: TopicCreation | KafkaError) -> Created:
    if isinstance(plan, KafkaError):
        return Created(error=plan)
    return Created(
        error=None,
        partitions=len(plan.assignments),
        replication_factor=len(plan.assignments[0].replicas),
        config=plan.config,
    )
