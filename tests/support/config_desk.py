"""A desk to serve configs requests at: a tree of znodes, settings and a topic, no sockets."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pykafka_ops.broker.handlers import alter_configs, describe_configs, incremental_alter_configs
from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.metadata import membership
from pykafka_ops.broker.metadata.embedded import EmbeddedStore
from pykafka_ops.broker.metadata.znodes_config import ConfigChanges, EntityConfig
from pykafka_ops.broker.state.configs import BrokerConfigs
from pykafka_ops.broker.state.image import MetadataImage, TopicImage
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.wire.codec import decode, encode
from pykafka_ops.wire.messages import alter_configs as replace
from pykafka_ops.wire.messages import client_quotas as quotas
from pykafka_ops.wire.messages import describe_configs as describe
from pykafka_ops.wire.messages import incremental_alter_configs as change
from pykafka_ops.wire.messages import scram_credentials as scram
from pykafka_ops.wire.messages.metadata import MetadataResponse, MetadataResponseTopic

TOPIC, BROKER, LOGGER, CLIENT_METRICS = 2, 4, 8, 16
Outcome = tuple[int, str | None]


class ConfigDesk:
    """Broker 0 with topic ``t``; every answer goes through the codec of its version."""

    def __init__(self, tmp_path: Path, static: Mapping[str, str] | None = None) -> None:
        self.configs = BrokerConfigs({"broker.id": "0", **(static or {})})
        self.image = MetadataImage()
        self.image.topics["t"] = TopicImage("t", bytes(16), {})
        self.tmp_path = tmp_path

    def serve(self, *requests: tuple[Any, int]) -> list[Any]:
        """Answers of one broker to requests in the given versions, in turn."""
        return asyncio.run(self._serve(requests))

    async def _serve(self, requests: tuple[tuple[Any, int], ...]) -> list[Any]:
        store = EmbeddedStore(self.tmp_path / "m.db", clock=lambda: 1, durable=False)
        await membership.ensure_paths(store)
        services: Any = SimpleNamespace(
            broker_id=0, configs=self.configs, image=self.image, store=store
        )
        answers = []
        for request, version in requests:
            context = Context(services, version, "c", 1, "PLAINTEXT", "h", 1)
            answer: Any = module_of(request).handle(context, request)
            if inspect.iscoroutine(answer):
                answer = await answer
            answers.append(decode(type(answer), version, encode(answer, version)))
        await store.close()
        return answers

    def stored(self, entity: str) -> dict[str, str]:
        """What the tree holds of an entity."""

        async def read() -> dict[str, str]:
            store = EmbeddedStore(self.tmp_path / "m.db", clock=lambda: 1, durable=False)
            node = await store.get(EntityConfig.path(entity))
            await store.close()
            return EntityConfig.decode(entity, node.data if node else None)

        return asyncio.run(read())

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


def module_of(request: object) -> Any:
    """The handler of a request."""
    if isinstance(request, describe.DescribeConfigsRequest):
        return describe_configs
    if isinstance(request, replace.AlterConfigsRequest):
        return alter_configs
    return incremental_alter_configs


class DeskCluster:
    """A client's cluster whose only broker is the desk's; quotas and credentials are kept here."""

    def __init__(self, desk: ConfigDesk) -> None:
        self.desk = desk
        self.asked: list[Any] = []
        self.quotas: dict[tuple[tuple[str, str | None], ...], dict[str, float]] = {}
        self.scram: dict[str, dict[int, int]] = {}
        self.incremental = True

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
        if isinstance(request, quotas.DescribeClientQuotasRequest):
            return self._describe_quotas(request)
        if isinstance(request, quotas.AlterClientQuotasRequest):
            return self._alter_quotas(request)
        if isinstance(request, scram.DescribeUserScramCredentialsRequest):
            return self._describe_scram(request)
        if isinstance(request, scram.AlterUserScramCredentialsRequest):
            return self._alter_scram(request)
        if isinstance(request, change.IncrementalAlterConfigsRequest) and not self.incremental:
            return UnsupportedVersionError("The node does not support IncrementalAlterConfigs")
        newest = {describe.DescribeConfigsRequest: 4, replace.AlterConfigsRequest: 2}
        (answer,) = self.desk.serve((request, newest.get(type(request), 1)))
        self._apply()
        return answer

    def _apply(self) -> None:
        """What brokers do after a notification."""
        self.desk.configs.set_dynamic_broker(self.desk.stored("brokers/0"))
        self.desk.configs.set_dynamic_default(self.desk.stored("brokers/<default>"))

    def _describe_quotas(self, request: Any) -> Any:
        wanted = {c.entity_type: (c.match_type, c.match) for c in request.components}

        def fits(entity: tuple[tuple[str, str | None], ...]) -> bool:
            return {t for t, _ in entity} == set(wanted) and all(
                wanted[t][0] == 2 or wanted[t] == ((1, None) if n is None else (0, n))
                for t, n in entity
            )

        return quotas.DescribeClientQuotasResponse(
            entries=[
                quotas.DescribeClientQuotasResponseEntryData(
                    entity=[quotas.EntityData(entity_type=t, entity_name=n) for t, n in entity],
                    values=[quotas.ValueData(key=k, value=v) for k, v in values.items()],
                )
                for entity, values in self.quotas.items()
                if fits(entity) and values
            ]
        )

    def _alter_quotas(self, request: Any) -> Any:
        entries = []
        for entry in request.entries:
            entity = tuple(sorted((e.entity_type, e.entity_name) for e in entry.entity))
            held = dict(self.quotas.get(entity, {}))
            for op in entry.ops:
                held.pop(op.key, None)
                if not op.remove:
                    held[op.key] = op.value
            if not request.validate_only:
                self.quotas[entity] = held
            entries.append(quotas.AlterClientQuotasResponseEntryData(entity=entry.entity))
        return quotas.AlterClientQuotasResponse(entries=entries)

    def _describe_scram(self, request: Any) -> Any:
        names = [u.name for u in request.users or ()] or list(self.scram)
        return scram.DescribeUserScramCredentialsResponse(
            results=[
                scram.DescribeUserScramCredentialsResult(
                    user=name,
                    error_code=0 if self.scram.get(name) else 91,
                    credential_infos=[
                        scram.CredentialInfo(mechanism=m, iterations=n)
                        for m, n in self.scram.get(name, {}).items()
                    ],
                )
                for name in names
            ]
        )

    def _alter_scram(self, request: Any) -> Any:
        users = {}
        for gone in request.deletions:
            held = self.scram.setdefault(gone.name, {})
            users[gone.name] = 0 if held.pop(gone.mechanism, None) else 91
        for new in request.upsertions:
            self.scram.setdefault(new.name, {})[new.mechanism] = new.iterations
            users[new.name] = 0
        return scram.AlterUserScramCredentialsResponse(
            results=[
                scram.AlterUserScramCredentialsResult(user=user, error_code=code)
                for user, code in users.items()
            ]
        )
