"""The settings about consumer groups (``GroupCoordinatorConfig``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple

from pykafka_ops.broker.state.groups.consumer.assignors import range as ranges
from pykafka_ops.broker.state.groups.consumer.assignors import uniform
from pykafka_ops.broker.state.groups.consumer.assignors.spec import Assign
from pykafka_ops.errors import SettingError

ASSIGNORS: Final[Mapping[str, Assign]] = {"uniform": uniform.assign, "range": ranges.assign}
"""What assigns partitions, by the name that clients know."""
_CLASSES: Final = {
    "org.apache.kafka.coordinator.group.assignor.UniformAssignor": "uniform",
    "org.apache.kafka.coordinator.group.assignor.RangeAssignor": "range",
}


class MigrationPolicy(Enum):
    """Which way a group may go while it has members (``ConsumerGroupMigrationPolicy``)."""

    DISABLED = "disabled"
    UPGRADE = "upgrade"
    DOWNGRADE = "downgrade"
    BIDIRECTIONAL = "bidirectional"

    @property
    def allows_upgrade(self) -> bool:
        """Whether a classic group may become a consumer group."""
        return self in (MigrationPolicy.UPGRADE, MigrationPolicy.BIDIRECTIONAL)

    @property
    def allows_downgrade(self) -> bool:
        """Whether a consumer group may become a classic group."""
        return self in (MigrationPolicy.DOWNGRADE, MigrationPolicy.BIDIRECTIONAL)


class ConsumerSettings(NamedTuple):
    """The broker's settings about consumer groups; times in ms. The first of ``assignors`` is the
    one for groups that ask for none."""

    session_ms: int = 45_000
    heartbeat_ms: int = 5_000
    max_size: int = 2**31 - 1
    assignors: tuple[str, ...] = ("uniform", "range")
    policy: MigrationPolicy = MigrationPolicy.DISABLED
    classic_max_size: int = 2**31 - 1


def within(name: str, get: Callable[[str], int]) -> int:
    """A setting that has to be between its least and its greatest. Raises SettingError."""
    prefix = "group.consumer."
    least, most = get(f"{prefix}min.{name}"), get(f"{prefix}max.{name}")
    value = get(prefix + name)
    if not least <= value <= most:
        raise SettingError(
            f"{prefix}{name} is {value}: it has to be from {prefix}min.{name} ({least}) to "
            f"{prefix}max.{name} ({most})"
        )
    return value


def assignor_names(values: Sequence[str]) -> tuple[str, ...]:
    """The assignors of a setting, by name or by Kafka's class.

    Raises SettingError for what there is not, for none, and for one that stands there twice.
    """
    found = tuple(_CLASSES.get(value, value) for value in values)
    for value, name in zip(values, found, strict=True):
        if name not in ASSIGNORS:
            known = ", ".join(ASSIGNORS)
            raise SettingError(f"group.consumer.assignors: no assignor {value}: there is {known}")
    if not found or len(set(found)) < len(found):
        raise SettingError("group.consumer.assignors: name at least one assignor, each once")
    return found
