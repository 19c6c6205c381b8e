"""The answer that says that a whole request failed, made from what its messages declare.

The error stands at the top where the answer has a place for it there, else at every item that the
request lists. Kafka counterpart: ``AbstractRequest.getErrorResponse``.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any

from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.message import Field, Struct, table_of
from pykafka_ops.wire.types import Scalar

AT_BOTH = frozenset({ApiKey.ELECT_LEADERS})
"""The error stands at the top and at the items."""

WITH_TEXT = frozenset(
    {
        ApiKey.ALTER_CLIENT_QUOTAS,
        ApiKey.ALTER_CONFIGS,
        ApiKey.DESCRIBE_CONFIGS,
        ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS,
        ApiKey.FIND_COORDINATOR,
        ApiKey.INCREMENTAL_ALTER_CONFIGS,
    }
)
"""An error without a message of its own has that of its code."""

CODES = ("error_code", "partition_error_code")
MESSAGE = "error_message"

BESIDE_ERRORS = {
    "committed_offset": -1,
    "entries": None,
    "expiry_timestamp_ms": -1,
    "low_watermark": -1,
    "node_id": -1,
    "port": -1,
}
"""What stands in fields beside an error where that is not their default."""


def answer_to(
    api: int,
    handler: ModuleType | None,
    request: Any,
    version: int,
    error: KafkaError,
    *,
    at_items: bool = False,
) -> Any:
    """As the handler's own ``failed`` says it, or by the rule; ``at_items``: at each item of the
    request, never at the top."""
    own = getattr(handler, "failed", None)
    if own is not None:
        return own(request, version, error)
    answer = APIS[api].response()
    text = error.message or (ErrorCode.of(error.code).text if api in WITH_TEXT else None)
    if at_items or not _tell(answer, version, error.code, text) or api in AT_BOTH:
        _list(answer, request, version, error.code, text)
    return answer


def _kind(item: object) -> type:
    return type(item)


@cache
def _fields(kind: type, version: int) -> list[Field]:
    return [field for field in table_of(kind).fields if field.exists(version)]


@cache
def _names(kind: type, version: int) -> frozenset[str]:
    return frozenset(field.name for field in _fields(kind, version))


def _tell(answer: object, version: int, code: int, text: str | None) -> bool:
    """Whether an answer, or an item of one, has a place for the error; it is there then."""
    names = _names(_kind(answer), version)
    if names.isdisjoint(CODES):
        return False
    values = {**BESIDE_ERRORS, **dict.fromkeys(CODES, code), MESSAGE: text}
    for name in names & values.keys():
        setattr(answer, name, values[name])
    return True


def _list(answer: object, asked: object, version: int, code: int, text: str | None) -> None:
    """Have in the answer's array what the request's array asks for, each with the error."""
    theirs = _fields(_kind(asked), version)
    arrays = {f.name: getattr(asked, f.name) or () for f in theirs if f.array}
    for field in _fields(_kind(answer), version):
        if arrays and field.array and isinstance(field.kind, type):
            items = []
            for each in arrays.get(field.name, next(iter(arrays.values()))):
                item = field.kind()
                if _name(item, each, version):
                    items.append(item)
                    if not _tell(item, version, code, text):
                        _list(item, each, version, code, text)
            setattr(answer, field.name, items)


def _name(item: object, asked: object, version: int) -> bool:
    """Give an item the names and numbers of what was asked; whether it is about such a thing."""
    kind = _kind(asked)
    key, shared = _shared(_kind(item), kind, version)
    if not isinstance(asked, Struct):
        setattr(item, key, asked)
        return True
    for name, may_be_null in shared:
        value = getattr(asked, name)
        if value is not None or may_be_null:
            setattr(item, name, value)
    return not key or key in _names(kind, version)


@cache
def _shared(item: type, asked: type, version: int) -> tuple[str, list[tuple[str, bool]]]:
    """What an item is named by ("" for nothing), and the fields that it takes over, which may be
    null."""
    fields = [f for f in _fields(item, version) if f.name not in (*CODES, MESSAGE)]
    keys = [f.name for f in fields if isinstance(f.kind, Scalar) and not f.array]
    is_struct = issubclass(asked, Struct)
    theirs = {f.name: f.kind for f in _fields(asked, version)} if is_struct else {}
    shared = [
        (field.name, field.may_be_null(version))
        for field in fields
        if theirs.get(field.name) is field.kind and _is_zero(field)
    ]
    return next(iter(keys), ""), shared


def _is_zero(field: Field) -> bool:
    return field.array or field.default in (None, getattr(field.kind, "zero", None))
