"""The immediate effects of changed settings, and notices to parts that keep a copy of one.

Counterpart of ``DynamicBrokerConfig``'s reconfigurables.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.log_manager import LogManager

log = logging.getLogger("kafka.server.DynamicBrokerConfig")

UNCLEAN = "unclean.leader.election.enable"

Changed = Callable[[frozenset[str]], None]
"""Hears which settings of the broker have other values."""


class SettingEffects:
    """``copies`` are called with every change. ``allow_unclean(topic)`` has the controller elect
    leaders that were not in sync, for one topic or (None) for all."""

    def __init__(
        self,
        configs: BrokerConfigs,
        logs: LogManager,
        topic_config: Callable[[str], TopicConfig],
        *,
        allow_unclean: Callable[[str | None], None],
        copies: list[Changed],
    ) -> None:
        self._configs = configs
        self._logs = logs
        self._topic_config = topic_config
        self._allow_unclean = allow_unclean
        self.copies = copies

    def topic_changed(self, topic: str, config: TopicConfig) -> None:
        """A topic has other settings."""
        self._logs.update_config(topic, config)
        if config.unclean_leader_election_enable:
            self._allow_unclean(topic)

    def broker_changed(self, names: frozenset[str]) -> None:
        """These settings of the broker have other values."""
        log.info("settings now in effect: %s", ", ".join(sorted(names)))
        get, settings = self._configs.value, self._logs.settings
        settings.move_bytes_per_second = get("replica.alter.log.dirs.io.max.bytes.per.second")
        settings.verify_transactions = get("transaction.partition.verification.enable")
        for data_dir in self._logs.online:
            data_dir.forget_expiry()
            for found in data_dir.open_logs():
                found.update_config(self._topic_config(found.place.key[0]))
        for copy in self.copies:
            copy(names)
        if UNCLEAN in names and get(UNCLEAN):
            self._allow_unclean(None)
