"""A desk to serve configs requests at: a tree of znodes, settings and a topic, no sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pykafka_ops.broker.handlers import ROUTES
from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.metadata import registration
from pykafka_ops.broker.metadata.embedded import EmbeddedStore
from pykafka_ops.broker.metadata.znodes.config import ConfigChanges, EntityConfig
from pykafka_ops.broker.services.config_admin import ConfigAdmin
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.image import MetadataImage, TopicImage
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages import alter_configs as replace
from pykafka_ops.wire.messages import describe_configs as describe
from pykafka_ops.wire.messages import incremental_alter_configs as change
from pykafka_ops.wire.messages.metadata import MetadataResponse, MetadataResponseTopic
from tests.support.memory.asking import api_of, ask_and_wait

TOPIC, BROKER, LOGGER, CLIENT_METRICS = 2, 4, 8, 16
Outcome = tuple[int, str | None]


class ConfigDesk:
    """Broker 0 with topic ``t``; every answer goes through the codec of its version."""

    def __init__(self, tmp_path: Path, static: Mapping[str, str] | None = None) -> None:
        self.configs = BrokerConfigs({"broker.id": "0", **(static or {})})
        self.image = MetadataImage()
        self.image.topics["t"] = TopicImage("t", bytes(16), {})
        self.tmp_path = tmp_path
        self.levels_changed: list[Callable[[], None]] = []
        self.require_controller: Callable[[], None] = lambda: None

    def serve(self, *requests: tuple[Any, int]) -> list[Any]:
        """Answers of one broker to requests in the given versions, in turn."""
        return asyncio.run(self._serve(requests))

    async def _serve(self, requests: tuple[tuple[Any, int], ...]) -> list[Any]:
        store = EmbeddedStore(self.tmp_path / "m.db", clock=lambda: 1, durable=False)
        await registration.ensure_paths(store)
        services: Any = SimpleNamespace(
            broker_id=0,
            configs=self.configs,
            image=self.image,
            store=store,
            config_admin=lambda: ConfigAdmin(
                store, self.image, self.configs, 0, self.levels_changed
            ),
            run_in_thread=asyncio.to_thread,
            controller=SimpleNamespace(require_controller=self.require_controller),
            levels_changed=self.levels_changed,
            acls=None,
        )
        answers = []
        for request, version in requests:
            context = Context(services, version, "c", 1, "PLAINTEXT", "h", 1)
            answers.append(await ask_and_wait(context, request))
        await store.close()
        return answers

    def stored(self, entity: str) -> dict[str, str]:
        """What the tree holds of an entity."""

        return EntityConfig.decode(entity, self.znodes().get(entity))

    def znodes(self) -> dict[str, bytes | None]:
        """The data of all entities by path."""

        async def below(store: EmbeddedStore, path: str) -> dict[str, bytes | None]:
            found: dict[str, bytes | None] = {}
            for name in await store.children(path):
                node = await store.get(f"{path}/{name}")
                assert node is not None
                found[f"{path}/{name}".removeprefix("/config/")] = node.data
                found |= await below(store, f"{path}/{name}")
            return found

        async def read() -> dict[str, bytes | None]:
            store = EmbeddedStore(self.tmp_path / "m.db", clock=lambda: 1, durable=False)
            found = {}
            for kind in ("topics", "brokers", "users", "clients", "ips"):
                found |= await below(store, f"/config/{kind}")
            await store.close()
            return found

        return asyncio.run(read())

    def write(self, entity: str, data: bytes) -> None:
        """Put a znode by hand."""

        async def put() -> None:
            store = EmbeddedStore(self.tmp_path / "m.db", clock=lambda: 1, durable=False)
            await registration.ensure_paths(store)
            await store.create(EntityConfig.path(entity), data)
            await store.close()

        asyncio.run(put())

    def notified(self) -> list[str]:
        """The entities that brokers were told to read."""

        async def read() -> list[str]:
            store = EmbeddedStore(self.tmp_path / "m.db", clock=lambda: 1, durable=False)
            names = await store.children(ConfigChanges.path)
            nodes = await store.get_many([f"{ConfigChanges.path}/{name}" for name in names])
            await store.close()
            return [ConfigChanges.decode(node.data) for node in nodes if node]

        return asyncio.run(read())

    # -- requests ------------------------------------------------------------------------------

    def change(
        self, kind: int, name: str, *keys: tuple[str, int, str | None], only: bool = False
    ) -> Outcome:
        """Outcome of an IncrementalAlterConfigs of one resource."""
        request = change.IncrementalAlterConfigsRequest(
            resources=[
                change.AlterConfigsResource(
                    resource_type=kind,
                    resource_name=name,
                    configs=[
                        change.AlterableConfig(name=n, config_operation=op, value=v)
                        for n, op, v in keys
                    ],
                )
            ],
            validate_only=only,
        )
        (answer,) = self.serve((request, 1))
        (found,) = answer.responses
        assert (found.resource_type, found.resource_name) == (kind, name)
        return found.error_code, found.error_message

    def replace(self, kind: int, name: str, values: Mapping[str, str | None]) -> Outcome:
        """Outcome of an AlterConfigs of one resource."""
        request = replace.AlterConfigsRequest(
            resources=[
                replace.AlterConfigsResource(
                    resource_type=kind,
                    resource_name=name,
                    configs=[replace.AlterableConfig(name=n, value=v) for n, v in values.items()],
                )
            ]
        )
        (answer,) = self.serve((request, 2))
        (found,) = answer.responses
        return found.error_code, found.error_message

    def describe(
        self, kind: int, name: str, keys: list[str] | None = None, version: int = 4, **flags: bool
    ) -> describe.DescribeConfigsResult:
        """The answer about one resource, synonyms included where the version has them."""
        if version >= 1:
            flags.setdefault("include_synonyms", True)
        asked = describe.DescribeConfigsResource(
            resource_type=kind, resource_name=name, configuration_keys=keys
        )
        request = describe.DescribeConfigsRequest(resources=[asked], **flags)
        (answer,) = self.serve((request, version))
        (found,) = answer.results
        assert isinstance(found, describe.DescribeConfigsResult)
        return found


class DeskCluster:
    """A client's cluster whose only broker is the desk's."""

    def __init__(self, desk: ConfigDesk) -> None:
        self.desk = desk
        self.asked: list[Any] = []
        self.incremental = True
        self.announced = {int(ApiKey.FETCH): (0, 17)}

    def close(self) -> None:
        """Nothing is open."""

    def brokers(self, name: str = "") -> dict[int, None]:
        return {0: None}

    def metadata(self, names: object, *, name: str = "") -> Any:
        topics = [MetadataResponseTopic(name=topic) for topic in self.desk.image.topics]
        return MetadataResponse(topics=topics)

    def call_each(self, questions: list[Any], *, name: str = "call") -> list[Any]:
        return [self._one(question.request) for question in questions]

    def call(self, request: Any, answer: type, **_: Any) -> Any:
        found = self._one(request)
        assert isinstance(found, answer)
        return found

    def _one(self, request: Any) -> Any:
        self.asked.append(request)
        if isinstance(request, change.IncrementalAlterConfigsRequest) and not self.incremental:
            return UnsupportedVersionError("The node does not support IncrementalAlterConfigs")
        (answer,) = self.desk.serve((request, ROUTES[api_of(request)].max_version))
        self._apply()
        return answer

    def _apply(self) -> None:
        """What brokers do after a notification."""
        self.desk.configs.set_dynamic_broker(self.desk.stored("brokers/0"))
        self.desk.configs.set_dynamic_default(self.desk.stored("brokers/<default>"))
