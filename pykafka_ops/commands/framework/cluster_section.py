"""How to get into a cluster that a configuration names: by a profile, a file, settings on top."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pykafka_ops.client.completed import completed
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.commands.framework.profile import load_profile, of_profile, read_properties
from pykafka_ops.errors import UsageError


def client_of_section(
    where: str,
    env: Mapping[str, str],
    *,
    profile: str | None,
    command_config: str | None,
    settings: Mapping[str, str],
    bootstrap_server: str | None,
) -> ClientConfig:
    """The client's settings, strongest last: profile, file, settings, bootstrap server. UsageError,
    which begins with ``where``, if nothing names brokers."""
    table = load_profile(profile, env) if profile else {}
    merged = of_profile(table, env, str(table.get("command-config") or ""))
    if command_config:
        merged.update(read_properties(os.path.expanduser(command_config)))
    if table.get("bootstrap-server"):
        merged["bootstrap.servers"] = str(table["bootstrap-server"])
    merged.update(settings)
    if bootstrap_server:
        merged["bootstrap.servers"] = bootstrap_server
    if not merged.get("bootstrap.servers"):
        why = f"profile {profile} names no brokers: " if profile else ""
        raise UsageError(f'{where}: {why}write bootstrap-server = "HOST:PORT" with its brokers')
    return ClientConfig.of(completed(merged, env))
