"""Settings of topics, brokers and the like: read and change (KIP-133, KIP-339, KIP-569)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any, Final, NamedTuple

from pykafka_ops.client.answers import complete, error_of
from pykafka_ops.client.cluster import ANY, Cluster, Question
from pykafka_ops.errors import PkoError
from pykafka_ops.wire.messages import alter_configs as ac
from pykafka_ops.wire.messages import describe_configs as dc
from pykafka_ops.wire.messages import incremental_alter_configs as iac

TOPIC: Final = 2
BROKER: Final = 4
BROKER_LOGGER: Final = 8
CLIENT_METRICS: Final = 16
GROUP: Final = 32


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

    def request(group: Sequence[ConfigResource]) -> Any:
        return dc.DescribeConfigsRequest(
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
        )

    def read(answer: dc.DescribeConfigsResponse) -> dict[ConfigResource, Any]:
        return {
            ConfigResource(r.resource_type, r.resource_name): error_of(r)
            or [_entry(c) for c in r.configs]
            for r in answer.results
        }

    name = "describeConfigs"
    return _ask_homes(cluster, resources, request, dc.DescribeConfigsResponse, read, name)


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

    answer, name = iac.IncrementalAlterConfigsResponse, "incrementalAlterConfigs"
    return _ask_homes(cluster, list(changes), request, answer, _altered, name)


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

    answer, name = ac.AlterConfigsResponse, "alterConfigs"
    return _ask_homes(cluster, list(settings), request, answer, _altered, name)


def _altered(answer: Any) -> dict[ConfigResource, Any]:
    return {ConfigResource(r.resource_type, r.resource_name): error_of(r) for r in answer.responses}


def _ask_homes(
    cluster: Cluster,
    resources: Sequence[ConfigResource],
    request: Callable[[Sequence[ConfigResource]], Any],
    answer: type[Any],
    read: Callable[[Any], dict[ConfigResource, Any]],
    name: str,
) -> dict[ConfigResource, Any]:
    """What ``read`` finds in the answers about each resource, or its PkoError.

    A named broker is asked itself, the rest anywhere.
    """
    groups: dict[int, list[ConfigResource]] = {}
    for r in resources:
        home = int(r.name) if r.type in (BROKER, BROKER_LOGGER) and r.name else ANY
        groups.setdefault(home, []).append(r)
    questions = [Question(node, request(group), answer) for node, group in groups.items()]
    found: dict[ConfigResource, Any] = {}
    for group, got in zip(groups.values(), cluster.call_each(questions, name=name), strict=True):
        found.update(dict.fromkeys(group, got) if isinstance(got, PkoError) else read(got))
    return complete(found, resources)
