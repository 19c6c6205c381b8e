"""Checks of a whole broker configuration: values against each other, and what has no effect.

Counterpart of ``KafkaConfig.validateValues`` in ZooKeeper mode; listeners are checked where they
are opened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pykafka_ops.errors import SettingError
from pykafka_ops.settings import authorizer, of_listener
from pykafka_ops.settings.broker import BROKER
from pykafka_ops.settings.setting import Setting, Support
from pykafka_ops.settings.topic import HOUR_MS, MINUTE_MS, TOPIC
from pykafka_ops.settings.types import show
from pykafka_ops.settings.versions import is_version, message_magic, resolve

_LISTENER = re.compile(r"listener\.name\.[^.]*\.(.+)")
_HOST = re.compile(r"[0-9A-Za-z\-%._:]*")

NO_EFFECT_ON_TOPICS = (
    "local.retention.ms",
    "local.retention.bytes",
    "remote.log.copy.disable",
    "remote.log.delete.on.disable",
)

RACK_AWARE_SELECTOR = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
LEADER_SELECTOR = "org.apache.kafka.common.replica.LeaderSelector"

Get = Callable[[str], Any]
"""Typed value of a setting by name, None where it has none."""


class Review(NamedTuple):
    """What to say about a configuration before the broker starts, one line each."""

    warnings: list[str]
    refusals: list[str]


def retention_ms(get: Get) -> int:
    """Effective ``log.retention.ms``; any negative value means for ever, -1."""
    found: int | None = get("log.retention.ms")
    if found is None:
        minutes = get("log.retention.minutes")
        found = MINUTE_MS * minutes if minutes is not None else HOUR_MS * get("log.retention.hours")
    return max(found, -1)


def roll_ms(get: Get) -> int:
    """Effective ``log.roll.ms``."""
    found: int | None = get("log.roll.ms")
    return HOUR_MS * int(get("log.roll.hours")) if found is None else found


def roll_jitter_ms(get: Get) -> int:
    """Effective ``log.roll.jitter.ms``."""
    found: int | None = get("log.roll.jitter.ms")
    return HOUR_MS * int(get("log.roll.jitter.hours")) if found is None else found


def flush_ms(get: Get) -> int:
    """Effective ``log.flush.interval.ms``."""
    found: int | None = get("log.flush.interval.ms")
    return int(get("log.flush.scheduler.interval.ms")) if found is None else found


def log_dirs(get: Get) -> list[str]:
    """The log directories: ``log.dirs``, else ``log.dir``."""
    text = get("log.dirs")
    return [d for d in (part.strip() for part in (text or get("log.dir")).split(",")) if d]


def connections_per_ip_overrides(get: Get) -> dict[str, int]:
    """``max.connections.per.ip.overrides`` as host -> number. Raises SettingError."""
    name = "max.connections.per.ip.overrides"
    found = {}
    for item in filter(None, (part.strip() for part in get(name).split(","))):
        host, _, number = item.rpartition(":")
        if not host or not number.strip().isdecimal():
            raise SettingError(f"Error parsing configuration property '{name}': {item}")
        if not _HOST.fullmatch(host.strip()):
            raise SettingError(f"{name} contains invalid addresses : {host.strip()}")
        found[host.strip()] = int(number)
    return found


def check_values(get: Get) -> None:
    """Raise SettingError, with Kafka's text, where two settings contradict each other."""
    _check_broker(get)
    _check_logs(get)
    _check_replication(get)
    _check_connections(get)


def _require(holds: bool, text: str) -> None:
    if not holds:
        raise SettingError(f"requirement failed: {text}")


def _check_broker(get: Get) -> None:
    broker_id = get("broker.id")
    if get("node.id") != broker_id:
        raise SettingError("You must set `node.id` to the same value as `broker.id`.")
    if get("broker.id.generation.enable"):
        _require(
            -1 <= broker_id <= get("reserved.broker.max.id"),
            "broker.id must be greater than or equal to -1 and not greater than "
            "reserved.broker.max.id",
        )
    else:
        _require(broker_id >= 0, "broker.id must be greater than or equal to 0")


def _check_logs(get: Get) -> None:
    _require(roll_ms(get) >= 1, "log.roll.ms must be greater than or equal to 1")
    _require(roll_jitter_ms(get) >= 0, "log.roll.jitter.ms must be greater than or equal to 0")
    _require(
        retention_ms(get) != 0,
        "log.retention.ms must be unlimited (-1) or, greater than or equal to 1",
    )
    _require(
        bool(log_dirs(get)), "At least one log directory must be defined via log.dirs or log.dir."
    )
    threads = get("log.cleaner.threads")
    if threads == 0:
        raise SettingError("/ by zero")  # Kafka's own words for it
    _require(
        get("log.cleaner.dedupe.buffer.size") // threads > 1024 * 1024,
        "log.cleaner.dedupe.buffer.size must be at least 1MB per cleaner thread.",
    )


def _check_replication(get: Get) -> None:
    wait = get("replica.fetch.wait.max.ms")
    _require(
        wait <= get("replica.socket.timeout.ms"),
        "replica.socket.timeout.ms should always be at least replica.fetch.wait.max.ms"
        " to prevent unnecessary socket timeouts",
    )
    _require(
        wait <= get("replica.lag.time.max.ms"),
        "replica.fetch.wait.max.ms should always be less than or equal to replica.lag.time.max.ms"
        " to prevent frequent changes in ISR",
    )


def _check_connections(get: Get) -> None:
    queued = get("queued.max.request.bytes")
    _require(
        queued <= 0 or queued >= get("socket.request.max.bytes"),
        "queued.max.request.bytes must be larger or equal to socket.request.max.bytes",
    )
    overrides = connections_per_ip_overrides(get)
    _require(
        get("max.connections.per.ip") != 0 or bool(overrides),
        "max.connections.per.ip can be set to zero only if max.connections.per.ip.overrides "
        "property is set.",
    )
    _require(
        get("max.connections.per.ip") != 0 or any(overrides.values()),
        "max.connections.per.ip can be set to zero only if max.connections.per.ip.overrides "
        "allows some address a connection.",
    )
    idle, delay = get("connections.max.idle.ms"), get("connection.failed.authentication.delay.ms")
    _require(
        idle < 0 or delay < idle,
        f"connection.failed.authentication.delay.ms={delay} should always be less than"
        f" connections.max.idle.ms={idle} to prevent failed authentication responses from"
        " timing out",
    )


def review(static: Mapping[str, str]) -> Review:
    """Go through a server.properties before the start.

    Refused is what this broker cannot do and must not pretend to; warned about is what it
    accepts without effect, and what it does not know. A setting at its default is neither.
    Malformed values of known settings raise SettingError.
    """
    found = Review([], [])
    for name, text in static.items():
        setting = BROKER.get(name)
        if setting is None:
            _review_unknown(name, static, found)
        elif name == authorizer.CLASS:
            _review_authorizer(str(setting.parse(text) or ""), found)
        elif name == "replica.selector.class":
            found.warnings.extend(_selector(str(setting.parse(text) or "")))
        elif name == "log.message.format.version":
            found.warnings.extend(_old_format(name, str(setting.parse(text))))
        elif setting.support is not Support.HONOURED and not _is_default(setting, text):
            shown = "[hidden]" if setting.sensitive else text.strip()
            if setting.support is Support.WARN:
                found.warnings.append(f"{name}={shown} has no effect on this broker")
            else:
                instead = "" if not setting.default else f" or set it to {setting.default}"
                found.refusals.append(
                    f"{name}={shown} is not supported by this broker: remove it{instead}"
                )
    return found


def review_topic(overrides: Mapping[str, str]) -> list[str]:
    """A line for each of a topic's own settings that this broker accepts without effect."""
    lines = [
        f"{name}={overrides[name]} has no effect on this broker"
        for name in NO_EFFECT_ON_TOPICS
        if overrides.get(name) and overrides[name] != TOPIC[name].default
    ]
    name = "message.format.version"
    return lines + _old_format(name, overrides.get(name, "")) + misfits(overrides)


def misfits(overrides: Mapping[str, str]) -> list[str]:
    """A line for each of a topic's own settings whose value cannot be used, as people wrote it by
    hand: what is set for the broker counts instead."""
    lines = []
    for name, text in overrides.items():
        try:
            if name in TOPIC:
                TOPIC[name].parse(text)
        except SettingError as error:
            lines.append(f"{error}: the broker's own counts")
    return lines


def _old_format(name: str, version: str) -> list[str]:
    """Kafka 3.9 says so, too, of formats before v2 (``MessageFormatVersion.shouldWarn``)."""
    if not is_version(version) or message_magic(version) > 1:
        return []
    return [
        f"{name}={version} is ignored because the inter-broker protocol version is 3.0 or newer: "
        "records are stored in format v2"
    ]


def _selector(name: str) -> list[str]:
    """Of the classes that pick a replica, those that come with Kafka are known."""
    if name in ("", RACK_AWARE_SELECTOR, LEADER_SELECTOR):
        return []
    return [
        f"replica.selector.class={name} has no effect on this broker, leaders serve all consumers: "
        f"it knows {RACK_AWARE_SELECTOR}"
    ]


def _review_authorizer(name: str, found: Review) -> None:
    """One comes with Kafka in ZooKeeper mode."""
    if name not in ("", authorizer.ACL_AUTHORIZER):
        found.refusals.append(
            f"{authorizer.CLASS}={name} is not supported by this broker: "
            f"set it to {authorizer.ACL_AUTHORIZER} or remove it"
        )


def _review_unknown(name: str, static: Mapping[str, str], found: Review) -> None:
    text = static[name]
    if name == "config.providers" or name.startswith("config.providers."):
        return  # what they stand for is in its place by now
    if name in authorizer.OWN:
        if not static.get(authorizer.CLASS, "").strip():
            found.warnings.append(f"{name} has no effect without {authorizer.CLASS}")
    elif name.startswith(authorizer.ELSEWHERE):
        found.refusals.append(f"{name}: access rules are in the broker's own ZooKeeper: remove it")
    elif match := _LISTENER.fullmatch(name):
        plain = of_listener.setting_of(match[1])
        if plain is not None:
            BROKER[plain].parse(text)
        else:
            found.warnings.append(f"{name}: has no effect on this broker for a single listener")
    else:
        found.warnings.append(f"{name} is not a setting of a broker and has no effect")


def _is_default(setting: Setting, text: str) -> bool:
    value = setting.parse(text)
    if setting.name == "inter.broker.protocol.version":
        return resolve(str(value)) == setting.default
    return (show(value) or "") == (setting.default or "")
