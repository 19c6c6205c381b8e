"""Settings of groups (Kafka 4) on fake brokers, in pko's form and in Kafka's."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.client.configs import GROUP
from pykafka_ops.wire.messages import describe_configs as dc
from pykafka_ops.wire.messages import incremental_alter_configs as iac
from pykafka_ops.wire.messages import list_client_metrics_resources as lists
from pykafka_ops.wire.messages.list_groups import ListedGroup, ListGroupsResponse
from tests.support.golden.transcripts import Said, run
from tests.support.memory.fake_broker import FakeBroker

Pko = Callable[..., Said]
Fakes = tuple[FakeBroker, ...]
KEY = "share.auto.offset.reset"


@pytest.fixture
def kafka4(fakes: Fakes) -> Fakes:
    """``sharing`` is a group, ``coming`` has settings alone, of which ``KEY`` is earliest."""

    def described(request: Any) -> dc.DescribeConfigsResponse:
        own = dc.DescribeConfigsResourceResult(
            name=KEY, value="earliest", config_source=8, synonyms=[
                dc.DescribeConfigsSynonym(name=KEY, value="earliest", source=8),
                dc.DescribeConfigsSynonym(name=KEY, value="latest", source=5),
            ]
        )  # fmt: skip
        usual = dc.DescribeConfigsResourceResult(
            name="share.session.timeout.ms", value="45000", config_source=5
        )
        return dc.DescribeConfigsResponse(results=[
            dc.DescribeConfigsResult(
                resource_type=r.resource_type, resource_name=r.resource_name, configs=[own, usual]
            )
            for r in request.resources
        ])  # fmt: skip

    def altered(request: Any) -> iac.IncrementalAlterConfigsResponse:
        return iac.IncrementalAlterConfigsResponse(responses=[
            iac.AlterConfigsResourceResponse(
                resource_type=r.resource_type, resource_name=r.resource_name
            )
            for r in request.resources
        ])  # fmt: skip

    named = [
        lists.ClientMetricsResource(name="coming", resource_type=GROUP),
        lists.ClientMetricsResource(name="metrics"),
    ]
    for fake in fakes:
        fake.in_kraft(leader=100)
        fake.ranges[1] = (4, 17)  # what tells Kafka 4
        fake.on("DescribeConfigs", described).on("IncrementalAlterConfigs", altered)
        fake.on("ListClientMetricsResources", lambda request: (
            lists.ListClientMetricsResourcesResponse(client_metrics_resources=named)
        ))  # fmt: skip
        fake.on("ListGroups", lambda request: ListGroupsResponse(
            groups=[ListedGroup(group_id="sharing", group_type="share")]
        ))  # fmt: skip
    return fakes


def tool(fakes: Fakes, words: str) -> Said:
    return run("kafka-configs", "--bootstrap-server", fakes[0].bootstrap, *words.split())


def test_every_group_is_shown_and_what_has_settings_alone(kafka4: Fakes, pko: Pko) -> None:
    said = pko("configs describe groups -o json")
    names = [item["name"] for item in json.loads(said.stdout)["items"]]
    assert (said.code, names) == (0, ["coming", "sharing"])


def test_a_group_that_is_not_there_is_told(kafka4: Fakes, pko: Pko) -> None:
    said = pko("configs describe groups sharin")
    assert (said.code, said.stdout) == (1, "")
    assert "there is no group sharin, nor settings for it (did you mean sharing?)" in said.stderr


def test_settings_of_a_group_are_changed(kafka4: Fakes, pko: Pko) -> None:
    said = pko(f"configs set groups new {KEY}=latest")
    assert said.code == 0, said.stderr
    asked = [r for fake in kafka4 for _, r in fake.asked("IncrementalAlterConfigs")]
    (resource,) = asked[-1].resources
    assert (resource.resource_type, resource.resource_name) == (GROUP, "new")
    assert [(c.name, c.value) for c in resource.configs] == [(KEY, "latest")]


def test_groups_have_no_default_of_all(kafka4: Fakes, pko: Pko) -> None:
    said = pko("configs describe groups --default")
    assert (said.code, "groups have no default of all" in said.stderr) == (2, True)


@pytest.mark.parametrize("how", ["--group sharing", "--entity-type groups --entity-name sharing"])
def test_the_tool_shows_what_a_group_sets_itself(kafka4: Fakes, how: str) -> None:
    said = tool(kafka4, f"--describe {how}")
    assert said.stdout == (
        "Dynamic configs for group sharing are:\n"
        f"  {KEY}=earliest sensitive=false synonyms={{DYNAMIC_GROUP_CONFIG:{KEY}=earliest, "
        f"DEFAULT_CONFIG:{KEY}=latest}}\n"
    )


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        ("--describe --group NO", 0, "The group 'NO' doesn't exist and doesn't have dynamic"),
        ("--describe --entity-type groups --entity-default", 1, "--entity-default must not be"),
        (f"--alter --entity-type groups --add-config {KEY}=latest", 1, "An entity name must be"),
        (f"--alter --group g --add-config {KEY}=latest", 0, "Completed updating config for group"),
        ("--alter --group g --delete-config odd", 0, "Completed updating config for group g."),
    ],
)
def test_the_tool_says_what_kafkas_says(kafka4: Fakes, words: str, code: int, text: str) -> None:
    said = tool(kafka4, words)
    assert (said.code, text in said.stdout + said.stderr) == (code, True), said
