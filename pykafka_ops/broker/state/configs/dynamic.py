"""What may change while the broker runs, and within which bounds.

Counterpart of the checks in ``kafka.server.DynamicBrokerConfig``; error codes and texts are
Kafka's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pykafka_ops.broker.state.configs.sources import (
    CLUSTER_LEVEL_LISTENER_SETTINGS,
    LISTENER_PREFIX,
    SECURITY_SETTINGS,
    is_dynamic,
    is_password,
)
from pykafka_ops.errors import KafkaError, SettingError
from pykafka_ops.settings.broker import BROKER
from pykafka_ops.settings.check import Get
from pykafka_ops.settings.of_listener import setting_of
from pykafka_ops.settings.quotas import BROKER_QUOTAS
from pykafka_ops.settings.setting import Support, Update
from pykafka_ops.wire.codes import ErrorCode

THREADS = (
    "num.io.threads",
    "num.replica.fetchers",
    "num.recovery.threads.per.data.dir",
    "background.threads",
)
FIXED_HERE = frozenset({"listeners", "advertised.listeners", "listener.security.protocol.map"})
"""Kafka can change these while it runs; this broker needs a restart."""


def read_only(names: Iterable[str]) -> list[str]:
    """Those of ``names`` that are broker settings and cannot change at run time."""
    return sorted(n for n in names if n in BROKER and not is_dynamic(n))


def without_listener(names: Iterable[str]) -> list[str]:
    """Those of ``names`` that can change only with a listener's prefix."""
    return sorted(SECURITY_SETTINGS.intersection(names))


def only_per_broker(names: Iterable[str]) -> list[str]:
    """Those of ``names`` that cannot be set for all brokers at once."""
    return sorted(n for n in names if _per_broker(n))


def check_type(name: str, text: str) -> None:
    """Raise SettingError if ``text`` is no value of dynamic setting ``name``.

    Names Kafka does not know pass: they may belong to a plug-in.
    """
    match = LISTENER_PREFIX.fullmatch(name)
    base = match[1] if match else name
    setting = BROKER_QUOTAS.get(base) or (BROKER[base] if is_dynamic(base) else None)
    if setting is not None:
        setting.parse(text)


def check_change(values: Mapping[str, str], *, per_broker: bool) -> None:
    """Check all dynamic settings meant for a broker, or for all brokers.

    Raises KafkaError INVALID_REQUEST.
    """
    _refuse("Cannot update these configs dynamically: Set", read_only(values))
    _refuse(
        "These security configs can be dynamically updated only per-listener using the listener "
        "prefix: HashSet",
        without_listener(values),
    )
    for name, text in values.items():
        try:
            check_type(name, text)
        except SettingError as error:
            raise KafkaError(ErrorCode.INVALID_REQUEST, str(error)) from None
    if not per_broker:
        _refuse(
            "Cannot update these configs at default cluster level, broker id must be specified: "
            "Set",
            only_per_broker(values),
        )
    _refuse(
        "These configs cannot be updated while this broker runs: Set",
        sorted(n for n in values if _unsupported(n)),
    )


def check_step(old: Get, new: Get) -> None:
    """Check a change from the values in effect to new ones.

    Raises KafkaError INVALID_REQUEST.
    """
    for name in THREADS:
        _check_threads(name, old(name), new(name))
    threads, now = new("log.cleaner.threads"), old("log.cleaner.threads")
    if threads < 1:
        raise invalid("Log cleaner threads should be at least 1")
    if threads < now // 2:
        raise invalid(
            f"Log cleaner threads cannot be reduced to less than half the current value {now}"
        )
    if threads > now * 2:
        raise invalid(
            f"Log cleaner threads cannot be increased to more than double the current value {now}"
        )


def _check_threads(name: str, old: int, new: int) -> None:
    if new == old:
        return
    what = f"Dynamic thread count update validation failed for {name}={new}"
    if new < old // 2:
        raise invalid(f"{what}, value should be at least half the current value {old}")
    if new > old * 2:
        raise invalid(f"{what}, value should not be greater than double the current value {old}")


def passwords(names: Iterable[str]) -> list[str]:
    """Those of ``names`` whose values are stored encrypted."""
    return sorted(n for n in names if is_password(n))


def _per_broker(name: str) -> bool:
    match = LISTENER_PREFIX.fullmatch(name)
    if match:
        return match[1] not in CLUSTER_LEVEL_LISTENER_SETTINGS
    setting = BROKER.get(name)
    return setting is not None and setting.update is Update.PER_BROKER


def _unsupported(name: str) -> bool:
    """Whether Kafka could change a setting at run time but this broker does not act on it."""
    match = LISTENER_PREFIX.fullmatch(name)
    if match:
        # Passwords are refused where they would be stored.
        return setting_of(match[1]) is None and not is_password(name)
    if name in FIXED_HERE:
        return True
    setting = BROKER.get(name)
    return setting is not None and setting.support is Support.REFUSE


def _refuse(text: str, names: list[str]) -> None:
    if names:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"{text}({', '.join(names)})")


def invalid(text: str) -> KafkaError:
    """The error with Kafka's text around the reason that a part of the broker gave."""
    return KafkaError(
        ErrorCode.INVALID_REQUEST,
        f"Invalid value org.apache.kafka.common.config.ConfigException: {text} "
        "for configuration Invalid dynamic configuration",
    )
