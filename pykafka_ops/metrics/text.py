"""Metrics as Prometheus and JSON, under the names that dashboards of Apache Kafka use.

A bean's name is what the rules of jmx_exporter's ``examples/kafka-2_0_0.yml`` and of Strimzi make
of it. Formats: text 0.0.4, OpenMetrics 1.0.0, JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from enum import Enum
from math import inf

from pykafka_ops.metrics.family import Bean, Buckets, Family, Labels, MetricKind, Times, Value


class Format(Enum):
    """How metrics are written; the values are what ``Content-Type`` says."""

    TEXT = "text/plain; version=0.0.4; charset=utf-8"
    OPEN = "application/openmetrics-text; version=1.0.0; charset=utf-8"
    JSON = "application/json"


LINES = 500
"""Lines of one piece of the text."""

_SUM = "Sum"
"""No histogram of Kafka has one."""
_NOT_IN_NAMES = re.compile(r"[^a-z0-9_]")


def name_of(family: Family) -> str:
    """What the family is called; counters without ``_total``."""
    name = family.name or bean_name(family.bean)
    return name.removesuffix("_total") if family.kind is MetricKind.COUNTER else name


def bean_name(bean: Bean | None) -> str:
    """Of a bean by the rules of jmx_exporter: lower case, ``PerSec`` and ``Percent`` apart."""
    assert bean is not None
    last = bean.name or bean.attribute
    percent = last.endswith("Percent")
    last = last.removesuffix("PerSec").removesuffix("Percent")
    name = _NOT_IN_NAMES.sub("_", f"{bean.domain}_{bean.type}_{last}".lower())
    return f"{name}_percent" if percent else name


def write(families: Iterable[Family], form: Format = Format.TEXT) -> Iterator[str]:
    """The text in pieces, between which others can be served."""
    if form is Format.JSON:
        return _json(families)
    return _text(families, open_metrics=form is Format.OPEN)


def _text(families: Iterable[Family], *, open_metrics: bool) -> Iterator[str]:
    lines: list[str] = []
    for family in families:
        lines += _head(family, open_metrics)
        name = name_of(family)
        sample = f"{name}_total" if family.kind is MetricKind.COUNTER else name
        for labels, value in family.samples:
            if isinstance(value, Times):
                lines += _times(name, labels.text, value)
            elif isinstance(value, Buckets):
                lines += _buckets(name, labels.text, value)
            else:
                lines.append(f"{sample}{labels.text} {value if value != inf else '+Inf'}")
            if len(lines) >= LINES:
                yield _joined(lines)
                lines = []
    if open_metrics:
        lines.append("# EOF")
    if lines:
        yield _joined(lines)


def _json(families: Iterable[Family]) -> Iterator[str]:
    """An array of samples, each with its name here and as an MBean's attribute."""
    lines: list[str] = []
    before = "["
    for family in families:
        for labels, value in family.samples:
            lines += [json.dumps(sample) for sample in _samples(family, labels, value)]
            if len(lines) >= LINES:
                yield before + ",\n".join(lines)
                lines, before = [], ",\n"
    yield (before + ",\n".join(lines) if lines else before.strip(",\n")) + "]\n"


def _samples(family: Family, labels: Labels, value: Value) -> Iterator[dict[str, object]]:
    name, bean = name_of(family), family.bean
    mbean = None if bean is None else bean.text(labels)

    def sample(metric: str, number: float, attribute: str, **more: str) -> dict[str, object]:
        of = dict(labels.pairs) | more
        known = bean is not None and attribute != _SUM
        return {
            "metric": metric,
            "labels": of,
            "value": number,
            "bean": mbean if known else None,
            "attribute": (attribute or bean.attribute) if bean is not None and known else None,
        }

    if isinstance(value, Buckets):
        for bound, number in (*value.at_most, ("+Inf", value.number)):
            yield sample(f"{name}_bucket", number, "", le=bound)
    elif not isinstance(value, Times):
        suffix = "_total" if family.kind is MetricKind.COUNTER else ""
        yield sample(f"{name}{suffix}", value, "")
        return
    else:
        for share, part in value.quantiles:
            percentile = f"{float(share) * 100:g}".replace(".", "")
            yield sample(name, part, f"{percentile}thPercentile", quantile=share)
    yield sample(f"{name}_sum", value.total, _SUM)
    yield sample(f"{name}_count", value.number, "Count")


def _joined(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def _head(family: Family, open_metrics: bool) -> list[str]:
    name = name_of(family)
    if family.kind is MetricKind.COUNTER and not open_metrics:
        name += "_total"
    text = family.help.replace("\\", "\\\\").replace("\n", "\\n")
    kind = family.kind.value
    if open_metrics and family.kind is MetricKind.UNTYPED:
        kind = "unknown"
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]


def _times(name: str, labels: str, times: Times) -> list[str]:
    inner = f"{labels[1:-1]}," if labels else ""
    lines = [f'{name}{{{inner}quantile="{share}"}} {value}' for share, value in times.quantiles]
    return [*lines, f"{name}_sum{labels} {times.total}", f"{name}_count{labels} {times.number}"]


def _buckets(name: str, labels: str, found: Buckets) -> list[str]:
    inner = f"{labels[1:-1]}," if labels else ""
    pairs = (*found.at_most, ("+Inf", found.number))
    lines = [f'{name}_bucket{{{inner}le="{bound}"}} {number}' for bound, number in pairs]
    return [*lines, f"{name}_sum{labels} {found.total}", f"{name}_count{labels} {found.number}"]
