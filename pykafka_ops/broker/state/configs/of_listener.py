"""Settings of one listener: ``listener.name.<name>.<setting>`` wins over the plain setting.

Counterpart of ``AbstractConfig.valuesWithPrefixOverride``.
"""

from __future__ import annotations

from typing import Any

from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.settings.broker import BROKER


class ListenerConfigs:
    """The settings of a broker as they count for ``listener``, now."""

    __slots__ = ("_configs", "_prefix", "listener")

    def __init__(self, configs: BrokerConfigs, listener: str) -> None:
        self._configs = configs
        self.listener = listener
        self._prefix = f"listener.name.{listener.lower()}."

    def name(self, setting: str, mechanism: str = "") -> str:
        """The setting's name with the prefix of the listener, and of a SASL mechanism."""
        return self._prefix + (f"{mechanism.lower()}.{setting}" if mechanism else setting)

    def own(self, setting: str, mechanism: str = "") -> str | None:
        """The text with the prefix alone, None where it is not set."""
        return self._configs.text(self.name(setting, mechanism))

    def text(self, setting: str, mechanism: str = "") -> str | None:
        """The text in effect: for the mechanism, else for the listener, else the broker's."""
        for found in (self.own(setting, mechanism), self.own(setting)):
            if found is not None:
                return found
        return self._configs.text(setting)

    def value(self, setting: str, mechanism: str = "") -> Any:
        """The typed value of one of Kafka's settings. Raises SettingError where it does not fit."""
        text = self.text(setting, mechanism)
        return self._configs.value(setting) if text is None else BROKER[setting].parse(text)
