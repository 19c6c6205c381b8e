"""What all requests of a broker share: the APIs it serves, the quotas, the request log.

Counterpart of the head of ``KafkaApis.handle``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from types import ModuleType
from typing import Any

from pykafka_ops.broker.handlers import Route, failed
from pykafka_ops.broker.handlers.api import Context, Handle, MakeShape, Services
from pykafka_ops.broker.runtime.sockets import request_log
from pykafka_ops.broker.runtime.sockets.ended import Observer
from pykafka_ops.broker.runtime.sockets.kept_answers import KeptAnswers
from pykafka_ops.broker.runtime.sockets.memory import DecodedMemory
from pykafka_ops.broker.services.meter import Meter
from pykafka_ops.broker.state.quotas.clients import ClientQuotas
from pykafka_ops.errors import KafkaError, WireError
from pykafka_ops.wire.apis import APIS, ApiKey

Spawn = Callable[[Coroutine[Any, Any, object]], "asyncio.Task[object]"]


class Api:
    """One served API, its handler and classes loaded at first use."""

    __slots__ = ("_module", "_services", "handle", "kept", "key", "request_class", "route", "shape")

    def __init__(self, key: int, route: Route, services: Services) -> None:
        self.key = key
        self.route = route
        self._services = services
        self._module: ModuleType | None = None
        self.handle: Handle | None = None
        self.request_class: type[Any] | None = None
        self.shape: MakeShape | None = None
        self.kept: KeptAnswers | None = None

    def load(self) -> Handle:
        """Import the handler module and the message classes."""
        self._module = self.route.load()
        self.request_class = APIS[self.key].request
        shape: MakeShape | None = getattr(self._module, "shape", None)
        handle: Handle = self._module.handle
        if self._services.acls is not None:
            from pykafka_ops.broker.handlers import rights

            handle = rights.guarded(self.key, self._module)
            shape = None if shape is None else rights.guarded_shape(self.key, shape)
        if hasattr(self._module, "is_lasting"):
            self.kept = KeptAnswers(self._services, self._module.is_lasting)
        self.shape, self.handle = shape, handle
        return handle

    def failed(self, request: object, version: int, error: KafkaError) -> object:
        """The answer that says the whole request failed."""
        return failed.answer_to(self.key, self._module, request, version, error)


class Dispatch:
    """One per broker. ``quotas`` says who has some, ``timer()`` is a monotonic clock in ms;
    ``spawn`` runs the coroutines of handlers, ``memory`` is for requests of many items."""

    def __init__(
        self,
        services: Services,
        routes: Mapping[int, Route],
        spawn: Spawn,
        memory: DecodedMemory,
    ) -> None:
        self.services = services
        self.memory = memory
        self.spawn = spawn
        self.quotas = services.quotas
        self.client_quotas = ClientQuotas(services.quotas, services.configs.value)
        self.timer = services.timer
        self.observers: list[Observer] = []
        """Called with every request that has ended; nothing is measured while there are none."""
        services.levels_changed.append(self.log_or_not)
        self.log_or_not()
        self.apis = {int(key): Api(key, route, services) for key, route in routes.items()}

    def log_or_not(self) -> None:
        """Have requests logged from now on, or no more, as the level of their logger says."""
        others = [observer for observer in self.observers if observer is not request_log.write]
        self.observers[:] = [*others, request_log.write] if request_log.is_wanted() else others

    def preload(self, key: int) -> None:
        """Import the handler and the messages of an API before its first request."""
        api = self.apis.get(key)
        if api is not None and api.handle is None:
            api.load()

    def forget_answers(self) -> None:
        """What clients may do has changed."""
        for api in self.apis.values():
            if api.kept is not None:
                api.kept.forget()

    def find(self, key: int, version: int) -> tuple[Api, int]:
        """The API that a request asks for, in which version; -1 for one of ApiVersions that is not
        known. Raises WireError for all else that is not served, which closes the connection.
        """
        api = self.apis.get(key)
        if api is None:
            raise WireError(f"API key {key} is not served")
        if api.route.min_version <= version <= api.route.max_version:
            return api, version
        if key == ApiKey.API_VERSIONS:
            return api, -1
        raise WireError(f"version {version} of {APIS[key].name} is not served")

    def meter(self, context: Context, key: int, size: int, started: float) -> Meter | None:
        """What measures a request of ``size`` bytes that began to be served at ``started``; None if
        its client has no quota."""
        quotas, client = self.client_quotas, (context.user, context.client_id or "")
        if not self.quotas.version or not quotas.concern(*client):
            return None
        return Meter(quotas, client, key, size, context.services.timer, started)
