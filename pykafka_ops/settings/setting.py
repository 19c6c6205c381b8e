"""One setting: name, type, default, check, and what this broker does with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from pykafka_ops.errors import SettingError
from pykafka_ops.settings.types import Type, Value, parse
from pykafka_ops.settings.validators import Validator


class Update(Enum):
    """When a change takes effect (Kafka's "dynamic update mode")."""

    READ_ONLY = "read-only"
    PER_BROKER = "per-broker"
    CLUSTER_WIDE = "cluster-wide"


class Support(Enum):
    """What this broker does with a setting found in its configuration.

    HONOURED  it acts on it
    WARN      it starts, and says that the setting has no effect here
    REFUSE    it does not start: ignoring the setting would be unsafe or misleading
    """

    HONOURED = "honoured"
    WARN = "warn"
    REFUSE = "refuse"


class Synonym(NamedTuple):
    """A broker setting that gives a topic setting its default; ``factor`` turns its unit."""

    name: str
    factor: int = 1

    def convert(self, text: str) -> str:
        """``text`` of the broker setting in the topic setting's unit (hours -> ms)."""
        return text if self.factor == 1 else str(int(text.strip()) * self.factor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A row of a settings table; ``default`` is text as Kafka shows it, None for no default."""

    name: str
    type: Type
    default: str | None
    doc: str
    validator: Validator | None = None
    update: Update = Update.READ_ONLY
    support: Support = Support.HONOURED
    internal: bool = False
    synonyms: tuple[Synonym, ...] = ()

    @property
    def sensitive(self) -> bool:
        """Whether the value is never shown."""
        return self.type is Type.PASSWORD

    def parse(self, text: str | None) -> Value:
        """Typed value of ``text``; SettingError with Kafka's text if it does not fit."""
        if text is None and self.default is not None:
            raise SettingError(f"Null value not supported for topic configs: {self.name}")
        value = parse(self.name, self.type, text)
        if self.validator is not None:
            self.validator(self.name, value)
        return value

    @property
    def default_value(self) -> Value:
        """The default, typed."""
        return parse(self.name, self.type, self.default)
