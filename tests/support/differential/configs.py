"""DescribeConfigs, AlterConfigs, IncrementalAlterConfigs."""

from __future__ import annotations

from typing import Any

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages import alter_configs as replacing
from pykafka_ops.wire.messages import incremental_alter_configs as stepwise
from pykafka_ops.wire.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from tests.support.differential.core import SECONDS, Cases, Side
from tests.support.waiting import wait_for

CASES = Cases()
TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT = 0, 1, 2, 3
STATIC, DEFAULT = 4, 5


def describe(
    side: Side,
    note: str,
    *resources: tuple[int, str],
    keys: list[str] | None = None,
    version: int | None = None,
    **more: bool,
) -> Any:
    """Describe (type, name) resources."""
    asked = [
        DescribeConfigsResource(resource_type=kind, resource_name=name, configuration_keys=keys)
        for kind, name in resources
    ]
    return side.ask(DescribeConfigsRequest(resources=asked, **more), version, note)


# -- DescribeConfigs -------------------------------------------------------------------------------


@CASES.add(ApiKey.DESCRIBE_CONFIGS, "0-4")
def topics(side: Side, version: int) -> None:
    config = {"cleanup_policy": "compact,delete", "segment_ms": 1000, "retention_bytes": "5"}
    topic = (TOPIC, side.create(**config))
    other = (TOPIC, side.create("other"))
    describe(side, "all", topic)
    describe(side, "synonyms", topic, include_synonyms=True)
    describe(side, "documentation", topic, include_documentation=True)
    describe(side, "two", topic, other)
    describe(side, "twice", topic, topic)
    keys = ["retention.ms", "segment.ms", "no.such", "cleanup.policy"]
    describe(side, "keys", topic, keys=keys)
    describe(side, "keys with synonyms", topic, keys=keys, include_synonyms=True)
    describe(side, "no keys", topic, keys=[])
    describe(side, "key twice", topic, keys=["segment.ms", "segment.ms"])
    describe(side, "empty key", topic, keys=[""])


@CASES.add(ApiKey.DESCRIBE_CONFIGS, "0-4")
def what_is_not_there(side: Side, version: int) -> None:
    known = (TOPIC, side.create())
    for name in (side.topic("none"), "", "a/b", ".", "x" * 250):
        describe(side, f"topic {name[-9:]!r}", (TOPIC, name))
    describe(side, "known and unknown", known, (TOPIC, side.topic("none")), keys=["segment.ms"])
    for name in ("1", "-1", "x", " 0", "0 ", "+0", "00", "99999999999"):
        describe(side, f"broker {name!r}", (BROKER, name), keys=["log.retention.ms"])
        describe(side, f"logger {name!r}", (LOGGER, name), keys=["none"])
    describe(side, "logger of none", (LOGGER, ""))
    describe(side, "metrics", (METRICS, "me"))
    describe(side, "metrics of none", (METRICS, ""))
    for kind in (0, 1, 3, 5, 7, 99, -1, GROUP):
        describe(side, f"type {kind}", (kind, "x"))
    describe(side, "good and bad type", known, (0, "x"), keys=["segment.ms"])
    describe(side, "nothing")


SET_UP = (
    "listeners",
    "log.dirs",
    "zookeeper.connect",
    "zookeeper.session.timeout.ms",
    "group.initial.rebalance.delay.ms",
    "offsets.topic.replication.factor",
    "transaction.state.log.replication.factor",
    "transaction.state.log.min.isr",
    "controlled.shutdown.enable",
    "delete.topic.enable",
)
"""What the two brokers of the test were given different values of."""


@CASES.add(
    ApiKey.DESCRIBE_CONFIGS,
    "0-4",
    alone=True,
    masks=tuple(f"*/configs/{name}/*" for name in SET_UP),
)
def brokers(side: Side, version: int) -> None:
    describe(side, "all", (BROKER, "0"))
    describe(side, "synonyms", (BROKER, "0"), include_synonyms=True)
    describe(side, "documentation", (BROKER, "0"), include_documentation=True)
    describe(side, "default", (BROKER, ""), include_synonyms=True)
    keys = ["log.retention.ms", "log.retention.hours", "no.such", "ssl.keystore.password"]
    describe(side, "keys", (BROKER, "0"), keys=keys, include_synonyms=True)
    describe(side, "default, keys", (BROKER, ""), keys=keys, include_synonyms=True)
    describe(side, "no keys", (BROKER, "0"), keys=[])


# -- IncrementalAlterConfigs ---------------------------------------------------------------------

Steps = list[tuple[str, int, str | None]]


def step(
    side: Side,
    note: str,
    kind: int,
    name: str,
    changes: Steps,
    *,
    times: int = 1,
    dry: bool = False,
) -> Any:
    """Change one resource step by step."""
    resource = stepwise.AlterConfigsResource(
        resource_type=kind,
        resource_name=name,
        configs=[
            stepwise.AlterableConfig(name=n, config_operation=op, value=value)
            for n, op, value in changes
        ],
    )
    asked = stepwise.IncrementalAlterConfigsRequest(resources=[resource] * times, validate_only=dry)
    return side.ask(asked, note=note)


TOPIC_STEPS: dict[str, Steps] = {
    "set": [("retention.ms", SET, "5000")],
    "set two": [("segment.ms", SET, "1000"), ("flush.messages", SET, "7")],
    "set spaces": [("segment.ms", SET, " 1000 ")],
    "set null": [("retention.ms", SET, None)],
    "set empty": [("retention.ms", SET, "")],
    "set bad": [("retention.ms", SET, "soon")],
    "set out of range": [("segment.bytes", SET, "13")],
    "set unknown": [("no.such", SET, "1")],
    "set nothing": [("", SET, "1")],
    "set broker's": [("log.retention.ms", SET, "1")],
    "set bad beside good": [("segment.ms", SET, "77"), ("retention.ms", SET, "soon")],
    "same twice": [("segment.ms", SET, "1"), ("segment.ms", SET, "2")],
    "set and delete": [("segment.ms", SET, "1"), ("segment.ms", DELETE, None)],
    "append": [("cleanup.policy", APPEND, "compact")],
    "append again": [("cleanup.policy", APPEND, "compact")],
    "append bad": [("cleanup.policy", APPEND, "shred")],
    "append null": [("cleanup.policy", APPEND, None)],
    "append to no list": [("retention.ms", APPEND, "1")],
    "subtract": [("cleanup.policy", SUBTRACT, "delete")],
    "subtract what is not there": [("cleanup.policy", SUBTRACT, "delete")],
    "subtract the last": [("cleanup.policy", SUBTRACT, "compact")],
    "subtract from no list": [("retention.ms", SUBTRACT, "1")],
    "subtract from default": [("leader.replication.throttled.replicas", SUBTRACT, "0:0")],
    "append to empty": [("leader.replication.throttled.replicas", APPEND, "0:0,1:0")],
    "append to that": [("leader.replication.throttled.replicas", APPEND, "1:0,2:0")],
    "bad throttle": [("leader.replication.throttled.replicas", SET, "all")],
    "delete": [("retention.ms", DELETE, None)],
    "delete with value": [("segment.ms", DELETE, "9")],
    "delete what is not set": [("flush.ms", DELETE, None)],
    "delete unknown": [("no.such", DELETE, None)],
    "operation 4": [("segment.ms", 4, "1")],
    "operation -1": [("segment.ms", -1, "1")],
    "nothing": [],
    "lower min isr": [("min.insync.replicas", SET, "0")],
    "bad bool": [("preallocate", SET, "maybe")],
    "bool in capitals": [("preallocate", SET, "TRUE")],
    "bad double": [("min.cleanable.dirty.ratio", SET, "1.5")],
    "double": [("min.cleanable.dirty.ratio", SET, "0.25")],
    "codec": [("compression.type", SET, "brotli")],
    "time type": [("message.timestamp.type", SET, "Now")],
    "old format": [("message.format.version", SET, "0.10.0")],
    "large number": [("retention.ms", SET, "9223372036854775808")],
    "remote": [("remote.storage.enable", SET, "true")],
    "local over all": [("local.retention.ms", SET, "99999999999")],
}


@CASES.add(ApiKey.INCREMENTAL_ALTER_CONFIGS, "0-1")
def topic_step_by_step(side: Side, version: int) -> None:
    topic = side.create()
    for note, changes in TOPIC_STEPS.items():
        step(side, f"validated: {note}", TOPIC, topic, changes, dry=True)
        step(side, note, TOPIC, topic, changes)
    describe(side, "afterwards", (TOPIC, topic), version=4)
    step(side, "topic twice", TOPIC, topic, [("segment.ms", SET, "1")], times=2)
    for name in (side.topic("none"), "", "a/b"):
        step(side, f"topic {name[-6:]!r}", TOPIC, name, [("segment.ms", SET, "1")])
    for kind in (0, 1, 3, 99, METRICS, GROUP):
        step(side, f"type {kind}", kind, "0", [("segment.ms", SET, "1")])
        step(side, f"type {kind} of none", kind, "", [("segment.ms", SET, "1")])
    side.ask(stepwise.IncrementalAlterConfigsRequest(), note="no resources")


BROKER_STEPS: dict[str, Steps] = {
    "set": [("log.cleaner.threads", SET, "2")],
    "set bad": [("log.cleaner.threads", SET, "none")],
    "set out of range": [("log.cleaner.threads", SET, "0")],
    "set too many threads": [("log.cleaner.threads", SET, "50")],
    "set read-only": [("broker.id", SET, "7")],
    "set unknown": [("no.such", SET, "1")],
    "set null": [("log.cleaner.threads", SET, None)],
    "set retention": [("log.retention.ms", SET, "1000000")],
    "set retention in hours": [("log.retention.hours", SET, "3")],
    "set topic's": [("retention.ms", SET, "1")],
    "append": [("log.cleanup.policy", APPEND, "compact")],
    "append to no list": [("log.cleaner.threads", APPEND, "1")],
    "subtract": [("log.cleanup.policy", SUBTRACT, "compact")],
    "delete": [("log.cleaner.threads", DELETE, None)],
    "delete what is not set": [("background.threads", DELETE, None)],
    "delete read-only": [("broker.id", DELETE, None)],
    "nothing": [],
    "message size": [("message.max.bytes", SET, "900000")],
    "negative message size": [("message.max.bytes", SET, "-1")],
    "cluster wide": [("log.segment.bytes", SET, "100000000")],
    "metrics": [("metric.reporters", SET, "")],
    "connections": [("max.connections", SET, "1000")],
    "listener's": [("listener.name.plaintext.max.connections", SET, "500")],
    "keystore": [("ssl.keystore.location", SET, "/none")],
}
UNDO = [
    (name, DELETE, None)
    for name in (
        "log.cleaner.threads",
        "log.retention.ms",
        "log.retention.hours",
        "log.cleanup.policy",
        "message.max.bytes",
        "log.segment.bytes",
        "max.connections",
        "listener.name.plaintext.max.connections",
    )
]


CURRENT = ("*set too many threads/*/error_message",)
"""Names the value that counts now: changes come into effect some time after the answer."""


def undone(side: Side) -> None:
    """Wait until the broker has taken back what was changed."""
    wanted = DescribeConfigsResource(
        resource_type=BROKER,
        resource_name="0",
        configuration_keys=[name for name, _, _ in UNDO] + ["background.threads"],
    )

    def sources() -> set[int]:
        (result,) = side.send(DescribeConfigsRequest(resources=[wanted]), 1).results
        return {entry.config_source for entry in result.configs}

    wait_for(lambda: sources() <= {STATIC, DEFAULT}, what="the old settings")


@CASES.add(ApiKey.INCREMENTAL_ALTER_CONFIGS, "0-1", alone=True, masks=CURRENT)
def broker_step_by_step(side: Side, version: int) -> None:
    for name, kind in (("0", "broker"), ("", "default")):
        for note, changes in BROKER_STEPS.items():
            step(side, f"{kind}, validated: {note}", BROKER, name, changes, dry=True)
        for note, changes in BROKER_STEPS.items():
            step(side, f"{kind}: {note}", BROKER, name, changes)
        step(side, f"{kind}: undo", BROKER, name, UNDO)
        undone(side)
    for name in ("1", "x", "-1", "00", " 0"):
        step(side, f"broker {name!r}", BROKER, name, [("log.cleaner.threads", SET, "2")])


@CASES.add(ApiKey.INCREMENTAL_ALTER_CONFIGS, "0-1", alone=True)
def loggers(side: Side, version: int) -> None:
    name = "kafka.server.KafkaApis"
    changes: dict[str, Steps] = {
        "set": [(name, SET, "WARN")],
        "set small": [(name, SET, "warn")],
        "set bad": [(name, SET, "LOUD")],
        "set null": [(name, SET, None)],
        "unknown": [("no.such.logger", SET, "WARN")],
        "delete": [(name, DELETE, None)],
        "delete unknown": [("no.such.logger", DELETE, None)],
        "delete root": [("root", DELETE, None)],
        "append": [(name, APPEND, "WARN")],
        "same twice": [(name, SET, "WARN"), (name, SET, "INFO")],
        "nothing": [],
    }
    for note, wanted in changes.items():
        step(side, note, LOGGER, "0", wanted, dry=True)
        step(side, f"in earnest: {note}", LOGGER, "0", wanted)
    for broker in ("1", "", "x"):
        step(side, f"broker {broker!r}", LOGGER, broker, changes["set"])


# -- AlterConfigs ----------------------------------------------------------------------------------

Values = list[tuple[str, str | None]]


def replace(
    side: Side,
    note: str,
    kind: int,
    name: str,
    values: Values,
    *,
    times: int = 1,
    dry: bool = False,
    seconds: float = SECONDS,
) -> Any:
    """Replace all settings of one resource."""
    resource = replacing.AlterConfigsResource(
        resource_type=kind,
        resource_name=name,
        configs=[replacing.AlterableConfig(name=n, value=value) for n, value in values],
    )
    asked = replacing.AlterConfigsRequest(resources=[resource] * times, validate_only=dry)
    return side.ask(asked, note=note, seconds=seconds)


TOPIC_VALUES: dict[str, Values] = {
    "one": [("retention.ms", "5000")],
    "two": [("segment.ms", "1000"), ("cleanup.policy", "compact")],
    "none": [],
    "null": [("retention.ms", None)],
    "null beside another": [("retention.ms", None), ("segment.ms", "5")],
    "empty": [("retention.ms", "")],
    "bad": [("retention.ms", "soon")],
    "out of range": [("segment.bytes", "13")],
    "unknown": [("no.such", "1")],
    "no name": [("", "1")],
    "same twice": [("segment.ms", "1"), ("segment.ms", "2")],
    "the last": [("flush.ms", "99")],
}


@CASES.add(ApiKey.ALTER_CONFIGS, "0-2")
def topic_as_a_whole(side: Side, version: int) -> None:
    topic = side.create()
    for note, values in TOPIC_VALUES.items():
        replace(side, f"validated: {note}", TOPIC, topic, values, dry=True)
        replace(side, note, TOPIC, topic, values)
        keys = ["retention.ms", "segment.ms", "cleanup.policy", "flush.ms"]
        describe(side, f"after {note}", (TOPIC, topic), keys=keys, version=4)
    for name in (side.topic("none"), "", "a/b"):
        replace(side, f"topic {name[-6:]!r}", TOPIC, name, [("segment.ms", "1")])
    for kind in (0, 1, 3, 99, LOGGER, METRICS, GROUP):
        replace(side, f"type {kind}", kind, "0", [("segment.ms", "1")])
    side.ask(replacing.AlterConfigsRequest(), note="no resources")


@CASES.add(ApiKey.ALTER_CONFIGS, "0-2")
def topic_twice(side: Side, version: int) -> None:
    values = [("segment.ms", "1")]
    replace(side, "asked", TOPIC, side.create(), values, times=2, seconds=1.5)


@CASES.add(ApiKey.ALTER_CONFIGS, "0-2", alone=True, masks=CURRENT)
def broker_as_a_whole(side: Side, version: int) -> None:
    for name, kind in (("0", "broker"), ("", "default")):
        for note, changes in BROKER_STEPS.items():
            values = [(n, value) for n, _, value in changes]
            replace(side, f"{kind}, validated: {note}", BROKER, name, values, dry=True)
        replace(side, f"{kind}: one", BROKER, name, [("log.cleaner.threads", "2")])
        replace(side, f"{kind}: another", BROKER, name, [("background.threads", "11")])
        replace(side, f"{kind}: none", BROKER, name, [])
        undone(side)
    for name in ("1", "x", "-1"):
        replace(side, f"broker {name!r}", BROKER, name, [("log.cleaner.threads", "2")])
