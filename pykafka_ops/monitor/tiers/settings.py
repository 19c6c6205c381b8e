"""``[books]``: the file of ``pko audit``, and which tiers should hold the same. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from pykafka_ops.analysis.moments import span
from pykafka_ops.errors import UsageError

_PAIR: Final = ("a", "b", "prefix", "grace", "cluster")
_GRACE: Final = "1m"


class TierPair(NamedTuple):
    """Two tiers; topics of the second have a prefix, records may come so late (ms). ``cluster``:
    the watched one that its alerts and metrics are of."""

    a: str
    b: str
    prefix: str = ""
    grace_ms: int = 60_000
    cluster: str = ""

    @property
    def name(self) -> str:
        """What alerts, metrics and the history call it."""
        return f"{self.a}/{self.b}"


class BookSettings(NamedTuple):
    """The file, and what is compared."""

    file: str
    pairs: tuple[TierPair, ...] = ()


def book_settings(
    document: Mapping[str, object], where: str, clusters: Collection[str] = ()
) -> BookSettings | None:
    """The settings in a configuration, None without a table; ``where`` is its name, for complaints;
    ``clusters`` are those that are watched. Raises UsageError."""
    if "books" not in document:
        return None
    values, place = document["books"], f"{where}: [books]"
    if not isinstance(values, dict):
        raise UsageError(f"{place}: write it as a [books] table")
    _only(values, ("file", "compare"), place)
    file, pairs = values.get("file"), values.get("compare", [])
    if not isinstance(file, str) or not file:
        raise UsageError(f'{place} needs file = "FILE", the book of pko audit')
    if not isinstance(pairs, list):
        raise UsageError(f'{place} compare: write it as [{{a = "us", b = "eu"}}]')
    return BookSettings(file, tuple(_pair(one, place, clusters) for one in pairs))


def _pair(values: object, place: str, clusters: Collection[str]) -> TierPair:
    if not isinstance(values, dict):
        raise UsageError(f'{place} compare: write each as {{a = "us", b = "eu"}}')
    _only(values, _PAIR, f"{place} compare")
    for key in _PAIR:
        if not isinstance(values.get(key, ""), str):
            raise UsageError(f"{place} compare: {key} is a text")
    if not values.get("a") or not values.get("b"):
        raise UsageError(f"{place} compare: each needs a and b, names of tiers")
    try:
        grace = span(str(values.get("grace", _GRACE)))
    except UsageError as error:
        raise UsageError(f"{place} compare: grace: {error}") from None
    a, b, prefix = (str(values.get(key, "")) for key in ("a", "b", "prefix"))
    return TierPair(a, b, prefix, grace, _cluster(values, (b, a), place, clusters))


def _cluster(
    values: Mapping[str, object], tiers: tuple[str, str], place: str, clusters: Collection[str]
) -> str:
    """As configured; else the one that a tier is called after, the copy's first; else the first."""
    named = values.get("cluster")
    if named is not None and named not in clusters:
        known = ", ".join(clusters)
        raise UsageError(f"{place} compare: there is no [cluster.{named}]; there are: {known}")
    choices = (*([str(named)] if named else []), *tiers, *clusters)
    return next((name for name in choices if name in clusters), "")


def _only(values: Mapping[str, object], known: tuple[str, ...], place: str) -> None:
    for key in values:
        if key not in known:
            raise UsageError(f"{place} {key} is not known; known: {', '.join(known)}")
