"""What a file says, before clusters' own files and profiles are read; and what must hold of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.errors import UsageError
from pykafka_ops.mirror.settings.model import LISTEN, PREFIX, LinkSettings

_LEGAL: Final = re.compile(r"[a-zA-Z0-9._-]{1,100}")


@dataclass(frozen=True, slots=True)
class ClusterSource:
    """How to get into a cluster: a profile, a file of client properties, settings on top."""

    alias: str
    profile: str | None = None
    bootstrap_server: str | None = None
    command_config: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MirrorFile:
    """The whole file; ``listen`` None: no HTTP."""

    clusters: tuple[ClusterSource, ...]
    links: tuple[LinkSettings, ...]
    listen: str | None = LISTEN
    warnings: tuple[str, ...] = ()


def checked(file: MirrorFile, source: str) -> MirrorFile:
    """The file, if its parts go together. UsageError, which begins with ``source``."""
    aliases = [one.alias for one in file.clusters]
    for alias in aliases:
        if not _LEGAL.fullmatch(alias) or alias in (".", ".."):
            raise UsageError(
                f"{source}: {alias!r} is no name for a cluster: it begins names of topics, so use "
                "letters, digits, '.', '_' and '-'"
            )
    if not file.links:
        raise UsageError(f"{source}: there is no link: write a [[link]] with from and to")
    seen: set[str] = set()
    for link in file.links:
        _check_link(link, aliases, f"{source}: link {link.name}")
        if link.name in seen:
            raise UsageError(f"{source}: link {link.name} is written twice")
        seen.add(link.name)
    return file


def _check_link(link: LinkSettings, aliases: Sequence[str], where: str) -> None:
    for alias in (link.source, link.target):
        if alias not in aliases:
            known = did_you_mean(alias, aliases) or f"; known: {', '.join(aliases) or 'none'}"
            raise UsageError(f"{where}: there is no cluster {alias}{known}")
    if link.source == link.target:
        raise UsageError(f"{where}: a cluster is not mirrored to itself")
    if link.naming == PREFIX and not _LEGAL.fullmatch(link.separator):
        raise UsageError(f"{where}: separator {link.separator!r} cannot stand in a topic's name")
    for alias in (link.source, link.target):
        if link.separator in alias:
            raise UsageError(
                f"{where}: the name {alias} has the separator {link.separator!r} in it, so names "
                "of mirrored topics could not be taken apart: name the cluster or the separator "
                "otherwise"
            )
    if link.exactly_once and link.isolation == "read_uncommitted":
        raise UsageError(
            f"{where}: isolation = read_uncommitted needs exactly-once = false: what was not "
            "committed cannot be copied exactly once"
        )
