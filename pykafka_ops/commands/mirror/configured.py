"""The file that a verb is given: mirror.toml, or the properties of MirrorMaker 2."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pykafka_ops.client.completed import completed
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.commands.framework.cluster_section import client_of_section
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import SettingError, UsageError
from pykafka_ops.mirror.settings.file import ClusterSource, MirrorFile
from pykafka_ops.mirror.settings.mm2 import parse_mm2
from pykafka_ops.mirror.settings.model import LinkSettings, MirrorSettings
from pykafka_ops.mirror.settings.toml import parse_toml
from pykafka_ops.settings.properties import parse_properties

MOST_BYTES = 4 << 20
CLIENT_ID = "pko-mirror"
_ABOUT_PROVIDERS = "config.providers"


def read_settings(run: Run) -> MirrorSettings:
    """The file, with the clusters' own files and profiles read. UsageError."""
    path = run.args.texts("config")[0]
    file = _read(path, run.env)
    clusters = {one.alias: _client(path, one, run.env) for one in file.clusters}
    return MirrorSettings(clusters, file.links, file.listen, file.warnings)


def _client(path: str, one: ClusterSource, env: Mapping[str, str]) -> ClientConfig:
    """Brokers know a mirror by its client id, for quotas and logs, where none is set."""
    found = client_of_section(
        f"{path}: cluster {one.alias}",
        env,
        profile=one.profile,
        command_config=one.command_config,
        settings=one.settings,
        bootstrap_server=one.bootstrap_server,
    )
    return ClientConfig.of({"client.id": CLIENT_ID, **found.properties})


def chosen_links(run: Run, settings: MirrorSettings) -> list[LinkSettings]:
    """Those of ``--link``, or all. UsageError."""
    names = run.args.names("link")
    found = []
    for name in names:
        link = settings.link(name)
        if link is None:
            known = ", ".join(one.name for one in settings.links)
            raise UsageError(f"--link {name}: there is none; the file has {known}")
        found.append(link)
    return found or list(settings.links)


def ends_of(settings: MirrorSettings, link: LinkSettings) -> tuple[ClientConfig, ClientConfig]:
    """How to get into both clusters of a link."""
    return settings.clusters[link.source], settings.clusters[link.target]


def _read(path: str, env: Mapping[str, str]) -> MirrorFile:
    try:
        with open(os.path.expanduser(path), "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path}: more than {MOST_BYTES} bytes, which no configuration has")
    if not path.endswith(".properties"):
        return parse_toml(data, path)
    try:
        properties = parse_properties(data)
    except SettingError as error:
        raise UsageError(f"{path}: {error}") from None
    if properties.get(_ABOUT_PROVIDERS):
        properties = completed(properties, env)
    return parse_mm2(properties, path)
