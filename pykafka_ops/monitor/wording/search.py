"""Search over all that is known of a cluster. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from pykafka_ops.monitor.cluster.view import ClusterView

MOST: Final = 20
"""Finds that are named of each kind."""
LEAST: Final = 2
"""Characters that a search needs."""


class FoundThing(NamedTuple):
    """Something that fits: what it is called, what fits beside its name, the page it is on."""

    name: str
    note: str
    page: tuple[str, ...]


class FoundKind(NamedTuple):
    """What was found of one kind: how many, and the first of them."""

    title: str
    total: int
    things: list[FoundThing]


def search(view: ClusterView, wanted: str, transactional_ids: Iterable[str]) -> list[FoundKind]:
    """All kinds that have finds, whatever the case of letters."""
    text = wanted.casefold()
    kinds: tuple[tuple[str, Iterator[FoundThing]], ...] = (
        ("Brokers", _brokers(view, text)),
        ("Topics", _named(view.topics or (), "topics", text)),
        ("Groups", _named(view.groups or (), "groups", text)),
        ("Members", _members(view, text)),
        ("Transactional ids", _transactions(transactional_ids, text)),
        ("Settings of topics", _settings(view, text)),
    )
    found = [_counted(title, things) for title, things in kinds]
    return [kind for kind in found if kind.total]


def _counted(title: str, things: Iterator[FoundThing]) -> FoundKind:
    first: list[FoundThing] = []
    total = 0
    for thing in things:
        total += 1
        if len(first) < MOST:
            first.append(thing)
    return FoundKind(title, total, first)


def _fits(text: str) -> Callable[[str], bool]:
    return lambda value: text in value.casefold()


def _named(names: Iterable[str], page: str, text: str) -> Iterator[FoundThing]:
    """Names that fit, those that begin so first."""
    fits = [name for name in names if text in name.casefold()]
    fits.sort(key=lambda name: (not name.casefold().startswith(text), len(name), name))
    return (FoundThing(name, "", (page, name)) for name in fits)


def _brokers(view: ClusterView, text: str) -> Iterator[FoundThing]:
    for row in view.brokers:
        said = [f"broker {row['id']}", str(row["address"] or ""), str(row["rack"] or "")]
        if any(map(_fits(text), said)):
            note = " ".join(word for word in said[1:] if word)
            yield FoundThing(said[0], note, ("brokers", str(row["id"])))


def _members(view: ClusterView, text: str) -> Iterator[FoundThing]:
    for name, group in (view.groups or {}).items():
        for member in group.members:
            if any(map(_fits(text), (member.client_id, member.host, member.id))):
                where = f"{member.host} in group {name}"
                yield FoundThing(member.client_id or member.id, where, ("groups", name))


def _transactions(ids: Iterable[str], text: str) -> Iterator[FoundThing]:
    return (FoundThing(i, "", ("transactions",)) for i in ids if text in i.casefold())


def _settings(view: ClusterView, text: str) -> Iterator[FoundThing]:
    for name, topic in (view.topics or {}).items():
        for key, value in topic.settings.items():
            line = f"{key}={value}"
            if text in line:
                yield FoundThing(line, f"topic {name}", ("topics", name))
