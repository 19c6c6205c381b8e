"""The names that other rules of jmx_exporter give to the same beans, beside the usual ones.

``confluent``: Confluent's ``shared-assets/jmx-exporter/kafka_broker.yml`` (jmx-monitoring-stacks).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from pykafka_ops.metrics.family import Bean, Family, Labels, MetricKind

STRIMZI: Final = "strimzi"
CONFLUENT: Final = "confluent"
DIALECTS: Final = (STRIMZI, CONFLUENT)
"""The first is always spoken."""

_SOCKETS = "socket-server-metrics"
_IDLE = "RequestHandlerAvgIdlePercent"
_SOFTWARE = "kafka_server_socket_server_metrics_connections_software"
_QUOTA = "kafka_server_quota_"
_NOT_IN_NAMES = re.compile(r"[^a-z0-9_]")


def translated(families: Iterable[Family], dialects: Iterable[str]) -> Iterator[Family]:
    """The families, and behind each what it is called in ``dialects``.

    Where only the names of labels differ, a sample has those of all dialects: as two samples it
    would count twice in a sum.
    """
    if CONFLUENT not in dialects:
        yield from families
        return
    relabeled = _Relabeled(_lower)
    for family in families:
        if family.bean is not None and family.bean.type != _SOCKETS and _is_same(family):
            yield _copy(family, family.kind, family.name, relabeled, family.bean)
            continue
        yield family
        yield from _confluent(family)


def _is_same(family: Family) -> bool:
    """Whether the rules of both give the name: those of values, and of quantiles."""
    assert family.bean is not None
    return family.kind in (MetricKind.GAUGE, MetricKind.SUMMARY) and family.bean.name != _IDLE


def _confluent(family: Family) -> Iterator[Family]:
    """The families to add under Confluent's names."""
    bean = family.bean
    if bean is None:
        if family.name.startswith(_QUOTA):
            yield from _quotas(family)
        elif family.name == _SOFTWARE:
            name = "kafka_server_socketservermetrics_connections"
            yield _copy(family, family.kind, name, _Relabeled(_snake, alone=True))
    elif bean.type == _SOCKETS:
        name = _clean(f"{bean.domain}_socketservermetrics_{bean.attribute}").removesuffix("_total")
        socket = _Relabeled(_snake, alone=True)
        yield _copy(family, family.kind, name, socket)
    elif bean.name == _IDLE:
        yield _copy(family, MetricKind.UNTYPED, f"{_plain(bean)}_total", _unchanged)
    elif family.kind is MetricKind.COUNTER:
        lower = _Relabeled(_lower, alone=True)
        yield _copy(family, MetricKind.UNTYPED, _plain(bean), lower)


def _quotas(family: Family) -> Iterator[Family]:
    """By resource: ``kafka_server_produce_byte_rate``."""
    found: dict[str, Family] = {}
    for labels, value in family.samples:
        pairs = dict(labels.pairs)
        name = f"kafka_server_{pairs['resource'].lower()}_{family.name.removeprefix(_QUOTA)}"
        made = found.setdefault(name, Family(family.kind, family.help, name=name))
        made.add(value, Labels(user=pairs["user"], client_id=pairs["clientId"]))
    yield from found.values()


class _Relabeled:
    """Labels under the keys that ``rename`` gives, beside those they have or ``alone``."""

    def __init__(self, rename: Callable[[str], str], *, alone: bool = False) -> None:
        self._rename = rename
        self._alone = alone

    def __call__(self, labels: Labels) -> Labels:
        renamed = {self._rename(key): value for key, value in labels.pairs}
        if renamed.keys() == {key for key, _ in labels.pairs}:
            return labels
        return Labels(**renamed) if self._alone else Labels(**dict(labels.pairs) | renamed)


def _copy(
    family: Family,
    kind: MetricKind,
    name: str,
    relabel: Callable[[Labels], Labels],
    bean: Bean | None = None,
) -> Family:
    made = Family(kind, family.help, bean=bean, name=name)
    made.samples = [(relabel(labels), value) for labels, value in family.samples]
    return made


def _plain(bean: Bean) -> str:
    """All of the bean's name in lower case."""
    return _clean(f"{bean.domain}_{bean.type}_{bean.name or bean.attribute}")


def _clean(name: str) -> str:
    return _NOT_IN_NAMES.sub("_", name.lower())


def _lower(key: str) -> str:
    return key.lower()


def _snake(key: str) -> str:
    return re.sub("([A-Z])", r"_\1", key).lower()


def _unchanged(labels: Labels) -> Labels:
    return labels
