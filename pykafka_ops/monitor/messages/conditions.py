"""``value.amount>100&key=order-17``: conditions over what is seen of a record. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pykafka_ops.analysis.conditions import Condition, ConditionField, parse_condition
from pykafka_ops.monitor.messages.shown import ShownRecord

_OWN: Final = {
    "partition": ConditionField(),
    "offset": ConditionField(),
    "timestamp": ConditionField("moment"),
    "size": ConditionField(),
    "key": ConditionField("any", spare=True),
    "value": ConditionField("any", spare=True),
}
_PATHS: Final = ("key.", "value.", "header.")


class _Fields(Mapping[str, ConditionField]):
    """The fields that may be asked for: those of every record, and any path into it."""

    def __getitem__(self, name: str) -> ConditionField:
        if name.startswith(_PATHS):
            return ConditionField("any", spare=True)
        return _OWN[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*_OWN, *(f"{path}NAME" for path in _PATHS)))

    def __len__(self) -> int:
        return len(_OWN) + len(_PATHS)


class _Row(Mapping[str, object]):
    """A record as a row: what is not there is None."""

    def __init__(self, record: ShownRecord) -> None:
        self._record = record

    def __getitem__(self, name: str) -> object:
        record = self._record
        head, dot, path = name.partition(".")
        if head == "header":
            found = (p for n, p in record.headers if n.replace("-", "_") == path)
            part = next(found, None)
            return None if part is None or part.data is None else part.text()
        if head in ("key", "value"):
            part = record.key if head == "key" else record.value
            if dot:
                return _at(part.data, path)
            return None if part.data is None else part.text()
        if head == "size":
            return (record.key.size or 0) + (record.value.size or 0)
        return getattr(record, head)

    def __iter__(self) -> Iterator[str]:
        return iter(_OWN)

    def __len__(self) -> int:
        return len(_OWN)


def _at(value: object, path: str) -> object:
    """A scalar within fields, by names and numbers of items; None where there is none."""
    for step in path.split("."):
        if isinstance(value, dict):
            named = (v for k, v in value.items() if str(k).replace("-", "_") == step)
            value = value[step] if step in value else next(named, None)
        elif isinstance(value, list) and step.isdigit() and int(step[:9]) < len(value):
            value = value[int(step[:9])]
        else:
            return None
    return None if isinstance(value, dict | list) else value


def record_condition(text: str) -> Condition:
    """The condition in ``text``; ConditionError with one line."""
    return parse_condition(text, _Fields())


def meets(condition: Condition, record: ShownRecord) -> bool:
    """Whether a record meets it; a field that is not there meets ``!=`` alone."""
    return condition.judged(_Row(record)) is True
