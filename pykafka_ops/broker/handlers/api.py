"""What a handler gets and gives.

A handler module serves one API (or two twins) and holds ``handle(context, request)``. It
answers with

* the response message, when it can be answered now (no task, no future: the hot path),
* a :class:`~pykafka_ops.broker.state.deferred.Deferred`, when it must wait for other requests,
* a coroutine, when it waits for the controller or for threads (admin work),
* a generator, when it turns out to take long (:mod:`~pykafka_ops.broker.state.steps`),
* ``None``, when the protocol has no answer (Produce with acks=0).

``KafkaError`` raised by a handler stands for the whole request; ``failed.py`` shapes it, or the
module's own ``failed(request, version, error)`` where that rule does not fit. Memory
views of records inside a request are valid only until ``handle`` returns.

A module may also have ``shape(context, request, frame)``: a :class:`Shape` that serves later
requests like this one from their bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pykafka_ops.broker.coordinators.groups import Groups
from pykafka_ops.broker.coordinators.offsets import Offsets
from pykafka_ops.broker.coordinators.transactions import Transactions
from pykafka_ops.broker.hot.serving import Shape
from pykafka_ops.broker.metadata.store import MetadataStore
from pykafka_ops.broker.partitions.append import AppendSite
from pykafka_ops.broker.partitions.deletion import RecordDeletion
from pykafka_ops.broker.partitions.fetches import Fetches
from pykafka_ops.broker.partitions.offset_lookup import OffsetLookup
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.services.consumer_offsets import ConsumerOffsets
from pykafka_ops.broker.services.controller_requests import ControllerRequests
from pykafka_ops.broker.services.meter import Meter
from pykafka_ops.broker.services.producer_ids import ProducerIds
from pykafka_ops.broker.services.topic_admin import TopicAdmin
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.controller.orders import OrderExecutor
from pykafka_ops.broker.state.controller.topic_requests import Charge
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.state.memory import Memory
from pykafka_ops.broker.state.quotas.entities import QuotaEntities
from pykafka_ops.broker.state.session import NOBODY, Session
from pykafka_ops.broker.storage.log_manager import LogManager

if TYPE_CHECKING:  # few clients ask for it
    from pykafka_ops.broker.services.acl_admin import AclAdmin
    from pykafka_ops.broker.services.authorizer import Authorizer
    from pykafka_ops.broker.services.config_admin import ConfigAdmin
    from pykafka_ops.broker.services.delegation_tokens import TokenAdmin
    from pykafka_ops.broker.services.log_dirs import LogDirs
    from pykafka_ops.security.acls.rules import Operation, ResourceType

MAX_VERSION = 0x7FFF
SHAPE_BYTES = 2_000
"""What a :class:`Shape` takes without what its client named; measured."""
Answer = object | Coroutine[Any, Any, object] | None


@dataclass(slots=True)
class Services:
    """Everything a handler may call; one per broker, built by ``runtime/parts.py``.

    ``clock()`` is the wall clock in ms, ``timer()`` a monotonic clock in ms. ``image`` changes in
    place; a ``TopicImage`` taken from it does not.
    """

    broker_id: int
    cluster_id: str
    clock: Callable[[], int]
    timer: Callable[[], float]
    image: MetadataImage
    configs: BrokerConfigs
    logs: LogManager
    replicas: Replicas
    append_site: AppendSite
    fetches: Fetches
    deletion: RecordDeletion
    offset_lookup: OffsetLookup
    topics: TopicAdmin
    store: MetadataStore
    producer_ids: ProducerIds
    transactions: Transactions
    groups: Groups
    offsets: Offsets
    consumer_offsets: ConsumerOffsets
    executor: OrderExecutor
    controller: ControllerRequests
    run_in_thread: Callable[..., Coroutine[Any, Any, Any]]
    quotas: QuotaEntities
    memory: Memory
    delegation_tokens: TokenAdmin | None = None
    """Where ``delegation.token.secret.key`` is set."""
    followers: set[int] | None = None
    """Connections by which a replica has fetched, where somebody wants to know."""
    software: dict[int, tuple[str, str]] | None = None
    """Name and version of the clients' libraries by connection, likewise."""
    acls: AclAdmin | None = None
    """What changes and finds access rules; None where no authorizer is configured."""
    check_tls: Callable[[BrokerConfigs], Coroutine[Any, Any, None]] | None = None
    """Whether listeners with TLS could go on with such settings; it raises SettingError."""
    levels_changed: list[Callable[[], None]] = field(default_factory=list)
    """Called when loggers have other levels."""

    @property
    def authorizer(self) -> Authorizer | None:
        """What says who may do what, if one is configured."""
        return None if self.acls is None else self.acls.authorizer

    def config_admin(self) -> ConfigAdmin:
        """What changes and describes settings."""
        from pykafka_ops.broker.services.config_admin import ConfigAdmin

        return ConfigAdmin(
            self.store,
            self.image,
            self.configs,
            self.broker_id,
            self.levels_changed,
            self.check_tls,
        )

    def log_dirs(self) -> LogDirs:
        """What describes the data directories, and moves replicas between them."""
        from pykafka_ops.broker.services.log_dirs import LogDirs

        return LogDirs(self.logs, self.replicas, self.image)


@dataclass(slots=True)
class Context:
    """One request: who asks, in which version, on which listener.

    ``meter`` is None if the client has no quota.
    """

    services: Services
    version: int
    client_id: str | None
    correlation_id: int
    listener: str
    client_host: str
    connection_id: int
    session: Session = NOBODY
    close_connection: bool = False
    meter: Meter | None = None
    api_key: int = -1

    @property
    def principal(self) -> str:
        """Who asks, as ``User:alice``."""
        return self.session.principal

    def may(
        self,
        operation: Operation,
        type_: ResourceType,
        name: str,
        *,
        count: int = 1,
        quiet: bool = False,
    ) -> bool:
        """Whether the client has this right; see :meth:`Authorizer.allows`."""
        authorizer = self.services.authorizer
        if authorizer is None:
            return True
        return authorizer.allows(self, operation, type_, name, count=count, quiet=quiet)

    def may_any(self, operation: Operation, type_: ResourceType) -> bool:
        """Whether it has the right to some resource of a type."""
        authorizer = self.services.authorizer
        return authorizer is None or authorizer.allows_any(self, operation, type_)

    @property
    def user(self) -> str:
        """The principal's name, without its type."""
        return self.session.user

    def mutations(self, strict_since: int = MAX_VERSION) -> Charge | None:
        """What counts topics that this request changes; from version ``strict_since`` on it
        refuses: clients before do not know THROTTLING_QUOTA_EXCEEDED (KIP-599). None if the client
        has no quota."""
        if self.meter is None:
            return None
        return self.meter.mutations(strict=self.version >= strict_since)


Handle = Callable[[Context, Any], Answer]


MakeShape = Callable[[Context, Any, memoryview], Shape | None]
