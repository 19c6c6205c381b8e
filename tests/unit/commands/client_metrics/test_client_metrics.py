"""``pko client-metrics`` and kafka-client-metrics on fake brokers in KRaft."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.wire.messages import describe_configs as dc
from pykafka_ops.wire.messages import incremental_alter_configs as iac
from pykafka_ops.wire.messages import list_client_metrics_resources as lists
from tests.support.golden.transcripts import Said, run
from tests.support.memory.fake_broker import FakeBroker

Pko = Callable[..., Said]
Fakes = tuple[FakeBroker, ...]
Held = dict[str, dict[str, str]]
TOOL = "kafka-client-metrics"
DEFAULTS = {"interval.ms": "300000", "match": "", "metrics": ""}


@pytest.fixture
def held(fakes: Fakes) -> Held:
    """What the brokers keep; requests change it."""
    kept: Held = {"one": {"interval.ms": "5000", "match": "client_id=x,client_software_name=y"}}

    def listed(request: Any) -> Any:
        names = [lists.ClientMetricsResource(name=name) for name in kept]
        if not request.resource_types:  # what else has settings, since Kafka 4.1
            names.append(lists.ClientMetricsResource(name="orders", resource_type=2))
        return lists.ListClientMetricsResourcesResponse(client_metrics_resources=names)

    def described(request: Any) -> Any:
        results = []
        for wanted in request.resources:
            settings = {**DEFAULTS, **kept.get(wanted.resource_name, {})}
            configs = [
                dc.DescribeConfigsResourceResult(name=k, value=v) for k, v in settings.items()
            ]
            results.append(
                dc.DescribeConfigsResult(
                    resource_type=16, resource_name=wanted.resource_name, configs=configs
                )
            )
        return dc.DescribeConfigsResponse(results=results)

    def altered(request: Any) -> Any:
        (wanted,) = request.resources
        name = wanted.resource_name
        answer = iac.AlterConfigsResourceResponse(resource_type=16, resource_name=name)
        settings = {c.name: c.value for c in wanted.configs}
        if settings.get("interval.ms") == "1":
            answer.error_code, answer.error_message = 42, "Invalid value 1 for interval.ms"
        else:
            now = {**kept.get(name, {}), **settings}
            kept[name] = {k: v for k, v in now.items() if v is not None}
            if not kept[name]:
                del kept[name]
        return iac.IncrementalAlterConfigsResponse(responses=[answer])

    for fake in fakes:
        fake.in_kraft(leader=100)
        fake.on("ListClientMetricsResources", listed).on("DescribeConfigs", described)
        fake.on("IncrementalAlterConfigs", altered)
    return kept


def tool(fakes: Fakes, *words: str) -> Said:
    return run(TOOL, "--bootstrap-server", fakes[0].bootstrap, *words)


def test_the_tool_prints_what_kafkas_does(fakes: Fakes, held: Held) -> None:
    assert tool(fakes, "--list").stdout == "one\n"
    assert tool(fakes, "--describe").stdout == (
        "Client metrics configs for one are:\n  interval.ms=5000\n"
        "  match=client_id=x,client_software_name=y\n  metrics=\n"
    )
    said = tool(fakes, "--describe", "--name", "no")
    assert (said.code, said.stdout) == (
        0, "The client metric resource no doesn't exist and doesn't have dynamic config.\n",
    )  # fmt: skip
    said = tool(fakes, "--alter", "--name", "two", "--metrics", "a.,b", "--interval", "")
    assert said.stdout == "Altered client metrics config for two.\n"
    assert held["two"] == {"metrics": "a.,b"}
    assert tool(fakes, "--delete", "--name", "two").stdout == (
        "Deleted client metrics config for two.\n"
    )
    assert list(held) == ["one"]
    said = tool(fakes, "--alter", "--name", "one", "--interval", "1")
    assert (said.code, said.stdout) == (
        1, "Error while executing client metrics command : Invalid value 1 for interval.ms\n",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--list --describe", "Command must include exactly one action: --alter, --delete, "
         "--describe or --list."),
        ("--alter", "One of --name or --generate-name must be specified with --alter."),
        ("--delete", "A client metrics resource name must be specified with --delete."),
        ("--list --name a", 'Option "[list]" can\'t be used with option "[name]"'),
        ("--alter --name a --interval x",
         "Invalid interval value. Enter an integer, or leave empty to reset."),
        ("--block", "block is not a recognized option"),
    ],
)  # fmt: skip
def test_the_tool_complains_as_kafkas(fakes: Fakes, words: str, text: str) -> None:
    said = tool(fakes, *words.split())
    assert (said.code, said.stderr, said.stdout) == (1, f"{text}\n", "")


def test_subscriptions_are_made_changed_shown_and_deleted(held: Held, pko: Pko) -> None:
    assert pko("client-metrics alter web --metrics * --interval 30s").code == 0
    assert held["web"] == {"metrics": "*", "interval.ms": "30000"}
    assert pko("client-metrics alter web --unset interval --match client_id=w").code == 0
    items = json.loads(pko("client-metrics describe -o json").stdout)["items"]
    assert items[1] == {
        "name": "web", "interval_ms": 300000, "match": ["client_id=w"], "metrics": ["*"],
    }  # fmt: skip
    assert pko("client-metrics delete web --yes").code == 0
    assert pko("client-metrics list -o name").stdout == "one\n"
    assert pko("client-metrics alter --generate-name --metrics a").code == 0
    assert len(held) == 2


def test_what_is_not_there_or_not_said_is_told_in_one_line(held: Held, pko: Pko) -> None:
    for line in ("describe no", "delete no --yes"):
        said = pko(f"client-metrics {line}")
        assert (said.code, said.stderr.count("\n"), "no: " in said.stderr) == (1, 1, True)
    assert pko("client-metrics alter").code == 2
    assert pko("client-metrics alter one").code == 2
    assert pko("client-metrics alter one --interval 5s --unset interval").code == 2


def test_brokers_on_zookeeper_have_none(fakes: Fakes, pko: Pko) -> None:
    for fake in fakes:
        del fake.ranges[74]
    said = pko("client-metrics list")
    assert (said.code, said.stderr.count("\n")) == (1, 1)
