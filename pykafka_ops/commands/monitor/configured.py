"""The configuration of a run: the file, and what the command line says on top of it."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pykafka_ops.client.config import ClientConfig
from pykafka_ops.commands.framework.cluster_section import client_of_section
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.config import ClusterSection, MonitorConfig, parse

ONLY = "default"
"""What a cluster of the command line is called that has no profile."""


def read_config(path: str) -> MonitorConfig:
    """The file. UsageError."""
    try:
        with open(os.path.expanduser(path), "rb") as file:
            return parse(file.read(), path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def client_configs(
    config: MonitorConfig, run: Run, env: Mapping[str, str]
) -> dict[str, ClientConfig]:
    """How to get into each cluster, by name: those of the file, and one that the command line
    names. What the environment says counts where the file has none. UsageError where there is
    none at all."""
    found = {one.name: _of_section(one, env) for one in config.clusters}
    props = run.properties()
    if props.get("bootstrap.servers") and (_is_named(run) or not found):
        name = run.args.text("profile") or env.get("PKO_PROFILE") or ONLY
        found[name] = _named(ClientConfig.of(props))
    if not found:
        raise UsageError(
            "which cluster? give -b HOST:PORT, a profile, or --config FILE with [cluster.NAME]"
        )
    return found


def _is_named(run: Run) -> bool:
    typed = run.args.has("bootstrap-server") and "bootstrap-server" not in run.args.filled
    return typed or run.args.has("profile")


def _of_section(one: ClusterSection, env: Mapping[str, str]) -> ClientConfig:
    client = client_of_section(
        f"[cluster.{one.name}]",
        env,
        profile=one.profile,
        command_config=one.command_config,
        settings=one.settings,
        bootstrap_server=one.bootstrap_server,
    )
    return _named(client)


def _named(config: ClientConfig) -> ClientConfig:
    """Brokers know the monitor by its client id, for quotas and logs."""
    if "client.id" not in config.properties:
        config.client_id = "pko-monitor"
    return config
