"""The authorizer that the settings ask for."""

from __future__ import annotations

from pykafka_ops.broker.services.authorizer import Authorizer
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.settings.authorizer import super_users, without_rules


def authorizer_of(configs: BrokerConfigs) -> Authorizer:
    """Without rules yet. Raises SettingError."""
    return Authorizer(super_users(configs.static), without_rules=without_rules(configs.static))
