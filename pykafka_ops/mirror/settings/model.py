"""Clusters and the links between them as typed values, with defaults.

Times are in ms, sizes in bytes. Names and defaults are MirrorMaker 2's where it has them
(MirrorMakerConfig, MirrorConnectorConfig, DefaultTopicFilter, DefaultGroupFilter,
DefaultConfigPropertyFilter).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pykafka_ops.client.config import ClientConfig

PREFIX: Final = "prefix"
IDENTITY: Final = "identity"
NAMINGS: Final = (PREFIX, IDENTITY)
ISOLATIONS: Final = ("read_committed", "read_uncommitted")
TOO_LARGE: Final = ("stop", "skip")
OFFSET_SYNCS: Final = ("off", "source", "target")
STARTS: Final = ("earliest", "latest")
DELETES: Final = ("keep", "delete")
DEFAULTS_FROM: Final = ("target", "source")

LISTEN: Final = "127.0.0.1:8084"
EXCLUDED_TOPICS: Final = (r".*[\-\.]internal", r".*\.replica", r"__.*")
EXCLUDED_GROUPS: Final = (r"console-consumer-.*", r"connect-.*", r"__.*")
EXCLUDED_CONFIGS: Final = (
    r"follower\.replication\.throttled\.replicas",
    r"leader\.replication\.throttled\.replicas",
    r"message\.timestamp\.difference\.max\.ms",
    r"message\.timestamp\.type",
    r"unclean\.leader\.election\.enable",
    r"min\.insync\.replicas",
)


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """One direction: what is copied from ``source`` to ``target`` (aliases of clusters), and how.

    Patterns are regular expressions that match a whole name; who is excluded is excluded whatever
    else matches. ``exactly_once``: each round is a transaction at the target, and the source is
    read as ``read_committed`` whatever ``isolation`` says.
    """

    source: str
    target: str
    naming: str = PREFIX
    separator: str = "."
    topics: tuple[str, ...] = (".*",)
    exclude_topics: tuple[str, ...] = EXCLUDED_TOPICS
    groups: tuple[str, ...] = (".*",)
    exclude_groups: tuple[str, ...] = EXCLUDED_GROUPS
    exclude_configs: tuple[str, ...] = EXCLUDED_CONFIGS
    start: str = "earliest"
    """Where a partition begins that was never mirrored."""

    adopt: tuple[str, ...] = ()
    """Topics at the target, made by somebody else, that may be written to under their own names."""

    exactly_once: bool = True
    isolation: str = "read_committed"
    round_ms: int = 500
    """A round ends after so long, and its records become visible at the target."""
    round_bytes: int = 32 * 1024 * 1024
    """A round ends with so many bytes, whichever comes first."""
    bytes_per_second: int = 0
    """Of each process; 0: no limit."""
    records_per_second: int = 0
    too_large: str = "stop"
    """Records that the target finds too large: stop their partition, or skip them."""

    replication_factor: int = 0
    """Of topics made at the target; 0: the target's default."""
    sync_topics: bool = True
    """Topics are made and grown at the target."""
    sync_configs: bool = True
    sync_acls: bool = True
    sync_quotas: bool = False
    sync_users: bool = False
    sync_groups: bool = True
    """Offsets of consumer groups are translated and committed at the target."""
    deletes: str = "keep"
    """A topic that was deleted at the source stays at the target, or is deleted there too."""
    defaults_from: str = "target"
    """A setting that has its default at the source: the target's own default, or the source's
    written down."""
    topics_every_ms: int = 10_000
    configs_every_ms: int = 600_000
    """Configs, ACLs, quotas and users."""
    groups_every_ms: int = 60_000

    mm2: bool = False
    """Whether MirrorMaker 2's internal topics are written: heartbeats, checkpoints."""
    offset_syncs: str = "off"
    """Where its topic of offset syncs is written."""
    heartbeats_every_ms: int = 1_000
    checkpoints_every_ms: int = 60_000

    @property
    def name(self) -> str:
        """``source->target``, as files, logs and commands write a link."""
        return f"{self.source}->{self.target}"

    @property
    def read_committed(self) -> bool:
        """Whether records of open and aborted transactions are left out."""
        return self.exactly_once or self.isolation == "read_committed"


@dataclass(frozen=True, slots=True)
class MirrorSettings:
    """A whole mirror. ``clusters`` are by alias; ``listen`` is where /metrics and /status are
    served, None: nowhere. ``warnings`` are lines about settings that have no meaning here."""

    clusters: Mapping[str, ClientConfig]
    links: tuple[LinkSettings, ...]
    listen: str | None = LISTEN
    warnings: tuple[str, ...] = ()

    def link(self, name: str) -> LinkSettings | None:
        """The link that is written ``source->target``; None: there is none."""
        return next((link for link in self.links if link.name == name), None)
