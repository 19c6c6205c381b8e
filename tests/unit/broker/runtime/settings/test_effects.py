"""What changed settings do at once; who keeps a copy of one is told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from pykafka_ops.broker.runtime.settings.effects import SettingEffects
from pykafka_ops.broker.state.configs.running import BrokerConfigs


class Logs:
    """What effects do to logs."""

    def __init__(self) -> None:
        self.settings = SimpleNamespace(move_bytes_per_second=None, verify_transactions=None)
        self.updated: list[tuple[str, Any]] = []
        self.online = [self]

    def update_config(self, topic: str, config: Any) -> None:
        self.updated.append((topic, config))

    def forget_expiry(self) -> None:
        self.updated.clear()

    def open_logs(self) -> list[Any]:
        place = SimpleNamespace(key=("t", 0))
        return [SimpleNamespace(place=place, update_config=lambda c: self.update_config("t", c))]


def effects(
    configs: BrokerConfigs, logs: Logs
) -> tuple[SettingEffects, list[str | None], list[frozenset[str]]]:
    unclean: list[str | None] = []
    said: list[frozenset[str]] = []
    made = SettingEffects(
        configs,
        cast(Any, logs),
        lambda topic: configs.topic_config({}),
        allow_unclean=unclean.append,
        copies=[said.append],
    )
    return made, unclean, said


def test_a_changed_setting_reaches_logs_and_copies() -> None:
    configs, logs = BrokerConfigs({}), Logs()
    made, unclean, said = effects(configs, logs)
    names = configs.set_dynamic_default({"log.retention.ms": "7"}).changed
    made.broker_changed(names)
    assert said == [names]
    ((topic, config),) = logs.updated
    assert (topic, config.retention_ms) == ("t", 7)
    assert logs.settings.verify_transactions is True
    assert unclean == []


def test_unclean_elections_are_allowed_at_once_and_only_if_that_changed() -> None:
    configs, logs = BrokerConfigs({}), Logs()
    made, unclean, _ = effects(configs, logs)
    made.broker_changed(configs.set_dynamic_default({"log.retention.ms": "7"}).changed)
    made.topic_changed("t", configs.topic_config({}))
    assert unclean == []
    made.topic_changed("t", configs.topic_config({"unclean.leader.election.enable": "true"}))
    changed = configs.set_dynamic_default({"unclean.leader.election.enable": "true"}).changed
    made.broker_changed(changed)
    assert unclean == ["t", None]
