"""``mm2.properties``, the file of ``connect-mirror-maker.sh``. Pure: properties in, values out.

``clusters = a, b``; ``a.bootstrap.servers``; ``a->b.enabled = true``; ``a->b.topics``; settings
without a link before them are for all links. Source: MirrorMakerConfig.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.errors import UsageError
from pykafka_ops.mirror.settings import mm2_names as names
from pykafka_ops.mirror.settings.file import ClusterSource, MirrorFile, checked
from pykafka_ops.mirror.settings.model import IDENTITY, LinkSettings

_SPECIAL: Final = ("clusters", "config.providers")
_CLIENTS: Final = ("admin.", "consumer.", "producer.")


def parse_mm2(properties: Mapping[str, str], source: str) -> MirrorFile:
    """The clusters and links of the properties; ``source`` is the file's name in errors.

    Raises UsageError. What is understood and means nothing here is named in ``warnings``.
    """
    aliases = [one.strip() for one in properties.get("clusters", "").split(",") if one.strip()]
    if not aliases:
        raise UsageError(f"{source}: write clusters = A, B with the names of the clusters")
    sorted_out = _Sorted(properties, aliases, source)
    pairs = sorted(
        pair for pair, given in sorted_out.links.items() if _enabled(pair, given, source)
    )
    if not pairs:
        first = f"{aliases[0]}->{aliases[-1]}"
        raise UsageError(f"{source}: no link is enabled: write {first}.enabled = true")
    clusters = tuple(_cluster(alias, sorted_out, source) for alias in aliases)
    links = tuple(_link(pair, sorted_out, source) for pair in pairs)
    return checked(MirrorFile(clusters, links, warnings=tuple(sorted_out.warnings())), source)


class _Sorted:
    """The properties by what they are about."""

    def __init__(self, properties: Mapping[str, str], aliases: list[str], source: str) -> None:
        self.common: dict[str, str] = {}
        self.clusters: dict[str, dict[str, str]] = {alias: {} for alias in aliases}
        self.links: dict[tuple[str, str], dict[str, str]] = {}
        self.dropped: list[str] = []
        self.unknown: list[str] = []
        self.notes: list[str] = []
        self._source = source
        longest_first = sorted(aliases, key=len, reverse=True)
        for name, value in properties.items():
            if "->" in name:
                self._of_link(name, value, longest_first)
            elif alias := next((a for a in longest_first if name.startswith(f"{a}.")), None):
                self.clusters[alias][name[len(alias) + 1 :]] = value
            elif name not in _SPECIAL and not name.startswith("config.providers."):
                self._of_all(name, value)

    def _of_link(self, name: str, value: str, aliases: list[str]) -> None:
        before, _, after = name.partition("->")
        target = next((a for a in aliases if after.startswith(f"{a}.")), None)
        if before not in aliases or target is None:
            wrong = before if before not in aliases else after.partition(".")[0]
            near = did_you_mean(wrong, aliases) or f"; clusters = {', '.join(aliases)}"
            raise UsageError(f"{self._source}: {name}: there is no cluster {wrong}{near}")
        key = after[len(target) + 1 :]
        self.links.setdefault((before, target), {})[key] = value
        if key not in (*names.LINK, *names.ONLY, "enabled"):
            self._note(key, name, (*names.LINK, *names.DROPPED, "enabled"))

    def _of_all(self, name: str, value: str) -> None:
        self.common[name] = value
        if name not in names.LINK and name not in names.ONLY and not names.is_client(name):
            self._note(name, name, (*names.LINK, *names.DROPPED, *names.CLIENT, *_SPECIAL))

    def _note(self, key: str, name: str, known: tuple[str, ...]) -> None:
        """A property that says nothing here. UsageError where it looks misspelt."""
        if names.is_dropped(key):
            self.dropped.append(name)
        elif near := did_you_mean(key, known):
            raise UsageError(f"{self._source}: {name} is not known{near}")
        else:
            self.unknown.append(name)

    def warnings(self) -> Iterator[str]:
        """Lines about what was dropped."""
        if self.dropped:
            yield f"{self._source}: means nothing here: {', '.join(self.dropped)}"
        if self.unknown:
            yield f"{self._source}: not known, ignored: {', '.join(self.unknown)}"
        yield from self.notes


def _enabled(pair: tuple[str, str], given: Mapping[str, str], source: str) -> bool:
    text = given.get("enabled", "false").strip().lower()
    if text not in ("true", "false"):
        raise UsageError(f"{source}: {'->'.join(pair)}.enabled: true or false is expected")
    return text == "true"


def _cluster(alias: str, found: _Sorted, source: str) -> ClusterSource:
    """Client properties: common ones, the cluster's own, and logins that stand under a client."""
    own = found.clusters[alias]
    merged = {name: text for name, text in found.common.items() if names.is_client(name)}
    for client in _CLIENTS:
        for name, text in own.items():
            bare = name.removeprefix(client)
            if bare != name and bare.startswith(names.CLIENT_BEGIN):
                merged[bare] = text
    merged.update((name, text) for name, text in own.items() if not name.startswith(_CLIENTS))
    for name in list(merged):
        if name in names.LINK or names.is_dropped(name):
            del merged[name]
    bootstrap = merged.pop("bootstrap.servers", "")
    if not bootstrap.strip():
        raise UsageError(f"{source}: write {alias}.bootstrap.servers = HOST:PORT")
    return ClusterSource(alias, bootstrap_server=bootstrap, settings=merged)


def _link(pair: tuple[str, str], found: _Sorted, source: str) -> LinkSettings:
    """What is set for all links, for the cluster (exactly once of its workers, where to begin), and
    for this link."""
    origin, target = pair
    values: dict[str, Any] = dict(names.DEFAULTS)
    layers = (
        ("", found.common),
        (f"{target}.", _beginning(found.clusters[target], "exactly.")),
        (f"{origin}.", _beginning(found.clusters[origin], "consumer.")),
        (f"{origin}->{target}.", found.links[pair]),
    )
    for before, given in layers:
        for name, value in given.items():
            where = f"{source}: {before}{name}"
            if name in names.ONLY:
                _check_class(name, value, where)
            elif name in names.LINK:
                key = names.LINK[name]
                try:
                    values[key.field] = key.read(value)
                except TypeError as wanted:
                    raise UsageError(f"{where} = {value}: {wanted} is expected") from None
    heartbeats, checkpoints = values.pop("_heartbeats", True), values.pop("_checkpoints", True)
    values["mm2"] = heartbeats or checkpoints
    if heartbeats != checkpoints:
        found.notes.append(
            f"{source}: {origin}->{target}: heartbeats and checkpoints are both written; switch "
            "both off for neither"
        )
    if not values.pop("_offset_syncs", True):
        values["offset_syncs"] = "off"
    if values.get("naming") == IDENTITY:
        values["adopt"] = (".*",)  # it writes into what is there
    return replace(LinkSettings(origin, target), **values)


def _beginning(given: Mapping[str, str], start: str) -> dict[str, str]:
    return {name: text for name, text in given.items() if name.startswith(start)}


def _check_class(name: str, value: str, where: str) -> None:
    if value.strip().rpartition(".")[2] != names.ONLY[name]:
        raise UsageError(
            f"{where} = {value}: classes of Java cannot be run here; write its rules as topics, "
            "groups and config.properties.exclude"
        )
