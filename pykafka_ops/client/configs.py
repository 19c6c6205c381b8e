"""Settings of topics, brokers and the like: read and change (KIP-133, KIP-339, KIP-569)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, Final, NamedTuple

from pykafka_ops.client.cluster import ANY, Cluster, Question, complete
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.messages import alter_configs as ac
from pykafka_ops.wire.messages import describe_configs as dc
from pykafka_ops.wire.messages import incremental_alter_configs as iac

TOPIC: Final = 2
BROKER: Final = 4
BROKER_LOGGER: Final = 8
CLIENT_METRICS: Final = 16


class ConfigResource(NamedTuple):
    """What has settings: one of the types above and a name ("" is the default of all brokers)."""

    type: int
    name: str


class AlterOp(IntEnum):
    """What to do with one setting."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


class ConfigSynonym(NamedTuple):
    """Another name under which the value could be set."""

    name: str
    value: str | None
    source: int


class ConfigEntry(NamedTuple):
    """One setting; ``value`` is None where it is sensitive or unset."""

    name: str
    value: str | None
    source: int
    read_only: bool
    sensitive: bool
    synonyms: list[ConfigSynonym]
    type: int
    documentation: str | None


def describe_configs(
    cluster: Cluster,
    resources: Sequence[ConfigResource],
    *,
    keys: Sequence[str] | None = None,
    synonyms: bool = False,
    documentation: bool = False,
) -> dict[ConfigResource, list[ConfigEntry] | PkoError]:
    """The settings of each resource; a named broker is asked itself, the rest anywhere."""
    groups: dict[int, list[ConfigResource]] = {}
    for resource in resources:
        groups.setdefault(_home(resource), []).append(resource)
    questions = [
        Question(
            node,
            dc.DescribeConfigsRequest(
                resources=[
                    dc.DescribeConfigsResource(
                        resource_type=r.type,
                        resource_name=r.name,
                        configuration_keys=None if keys is None else list(keys),
                    )
                    for r in group
                ],
                include_synonyms=synonyms,
                include_documentation=documentation,
            ),
            dc.DescribeConfigsResponse,
        )
        for node, group in groups.items()
    ]
    answers = cluster.call_each(questions, name="describeConfigs")
    found: dict[ConfigResource, list[ConfigEntry] | PkoError] = {}
    for group, answer in zip(groups.values(), answers, strict=True):
        found.update(complete(_described(group, answer), group))
    return found


def _home(resource: ConfigResource) -> int:
    """Who answers for it: the broker itself, or anyone."""
    if resource.type in (BROKER, BROKER_LOGGER) and resource.name:
        return int(resource.name)
    return ANY


def _described(
    group: Sequence[ConfigResource], answer: dc.DescribeConfigsResponse | PkoError
) -> dict[ConfigResource, list[ConfigEntry] | PkoError]:
    if isinstance(answer, PkoError):
        return dict.fromkeys(group, answer)
    return {
        ConfigResource(r.resource_type, r.resource_name): KafkaError(
            r.error_code, r.error_message or ""
        )
        if r.error_code
        else [_entry(c) for c in r.configs]
        for r in answer.results
    }


def _entry(c: dc.DescribeConfigsResourceResult) -> ConfigEntry:
    synonyms = [ConfigSynonym(s.name, s.value, s.source) for s in c.synonyms]
    return ConfigEntry(
        c.name,
        c.value,
        c.config_source,
        c.read_only,
        c.is_sensitive,
        synonyms,
        c.config_type,
        c.documentation,
    )


def alter_configs(
    cluster: Cluster,
    changes: Mapping[ConfigResource, Sequence[tuple[AlterOp, str, str | None]]],
    *,
    validate_only: bool = False,
) -> dict[ConfigResource, PkoError | None]:
    """Set, delete, append or subtract single settings (IncrementalAlterConfigs); None: done."""

    def resource(r: ConfigResource) -> Any:
        return iac.AlterConfigsResource(
            resource_type=r.type,
            resource_name=r.name,
            configs=[
                iac.AlterableConfig(name=k, config_operation=int(op), value=v)
                for op, k, v in changes[r]
            ],
        )

    def request(group: Sequence[ConfigResource]) -> Any:
        return iac.IncrementalAlterConfigsRequest(
            resources=[resource(r) for r in group], validate_only=validate_only
        )

    name = "incrementalAlterConfigs"
    return _altered(cluster, list(changes), request, iac.IncrementalAlterConfigsResponse, name)


def replace_configs(
    cluster: Cluster,
    settings: Mapping[ConfigResource, Mapping[str, str]],
    *,
    validate_only: bool = False,
) -> dict[ConfigResource, PkoError | None]:
    """Replace all settings of each resource (AlterConfigs, which forgets what is not named)."""

    def request(group: Sequence[ConfigResource]) -> Any:
        resources = [
            ac.AlterConfigsResource(
                resource_type=r.type,
                resource_name=r.name,
                configs=[ac.AlterableConfig(name=k, value=v) for k, v in settings[r].items()],
            )
            for r in group
        ]
        return ac.AlterConfigsRequest(resources=resources, validate_only=validate_only)

    return _altered(cluster, list(settings), request, ac.AlterConfigsResponse, "alterConfigs")


def _altered(
    cluster: Cluster, resources: Sequence[ConfigResource], request: Any, answer: type, name: str
) -> dict[ConfigResource, PkoError | None]:
    groups: dict[int, list[ConfigResource]] = {}
    for resource in resources:
        groups.setdefault(_home(resource), []).append(resource)
    questions = [Question(node, request(group), answer) for node, group in groups.items()]
    done: dict[ConfigResource, PkoError | None] = {}
    for group, found in zip(groups.values(), cluster.call_each(questions, name=name), strict=True):
        if isinstance(found, PkoError):
            done.update(dict.fromkeys(group, found))
            continue
        for r in found.responses:
            error = KafkaError(r.error_code, r.error_message or "") if r.error_code else None
            done[ConfigResource(r.resource_type, r.resource_name)] = error
    return {**complete(done, resources)}
