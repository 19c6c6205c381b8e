"""Our tables against kio 0.6.2 (made from Kafka 3.9.0) where kafka-python has none.

Those are the APIs between brokers and controller, delegation tokens, and a few for clients.
"""

from __future__ import annotations

import dataclasses
import importlib
import io
import types
import typing
from typing import Any

import pytest
from kio.schema.errors import ErrorCode as KioErrorCode
from kio.serial import entity_reader, entity_writer

from pykafka_ops.wire.apis import APIS, ApiKey, ApiSpec
from pykafka_ops.wire.codec import decode, encode
from pykafka_ops.wire.message import Field
from tests.support.wire.values import Maker
from tests.wire.layouts import Layout, ours, snake

KEYS = (4, 5, 6, 7, 38, 39, 40, 41, 56, 58, 64, 67, 68)
CASES = [
    pytest.param(APIS[key], kind, id=f"{APIS[key].name}{kind}")
    for key in KEYS
    for kind in ("Request", "Response")
]
KIO_TYPES = {
    "error_code": "int16",
    "timedelta_i32": "int32",
    "timedelta_i64": "int64",
    "datetime_i64": "int64",
}
TIMES = ("timedelta_i32", "timedelta_i64", "datetime_i64")
ROUNDS = 6


def versions(spec: ApiSpec) -> range:
    """Those that Kafka 3.9 has."""
    api = ApiKey(spec.key)
    return range(spec.min_version, (api.served if api.is_announced else api.versions)[1] + 1)


def kio_class(spec: ApiSpec, kind: str, version: int) -> Any:
    module = importlib.import_module(
        f"kio.schema.{snake(spec.name)}.v{version}.{kind.lower()}",
    )
    return getattr(module, f"{spec.name}{kind}")


def without_none(hint: Any) -> tuple[Any, bool]:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        (inner,) = (h for h in typing.get_args(hint) if h is not type(None))
        return inner, True
    return hint, False


def of_kio(cls: Any) -> Layout:
    """The layout of one of kio's dataclasses; it drops units from the names of times."""
    hints = typing.get_type_hints(cls)
    plain, tagged = [], []
    for field in dataclasses.fields(cls):
        hint, nullable = without_none(hints[field.name])
        kafka_type = field.metadata.get("kafka_type")
        array = typing.get_origin(hint) is tuple
        if array:
            hint, _ = without_none(typing.get_args(hint)[0])
        inner = of_kio(hint) if kafka_type is None else None
        kind = "struct" if inner is not None else KIO_TYPES.get(kafka_type, kafka_type)
        if kind == "uuid" and not array:
            nullable = False  # kio shows the zero UUID as None
        if kafka_type == "datetime_i64":
            nullable = False  # likewise -1
        name = field.name.rstrip("_").replace("k_raft", "kraft")
        tag = field.metadata.get("tag")
        row = (name if tag is None else f"{tag}:{name}", kind, nullable, inner)
        row = (row[0], ("[]" if array else "") + row[1], nullable, inner)
        (plain if tag is None else tagged).append(row)
    return plain + sorted(tagged)


def without_units(layout: Layout) -> Layout:
    return [
        (name.removesuffix("_ms"), kind, nullable, None if inner is None else without_units(inner))
        for name, kind, nullable, inner in layout
    ]


@pytest.mark.parametrize(("spec", "kind"), CASES)
def test_every_version_has_the_layout_of_kio(spec: ApiSpec, kind: str) -> None:
    cls = spec.request if kind == "Request" else spec.response
    for version in versions(spec):
        theirs = kio_class(spec, kind, version)
        assert without_units(ours(cls, version)) == without_units(of_kio(theirs)), version
        assert theirs.__flexible__ == (version >= spec.flexible)
        assert theirs.__api_key__ == spec.key


class Tame(Maker):
    """kio accepts only known error codes, and times that Python's datetime can hold."""

    def number(self, field: Field, low: int, high: int) -> int:
        if field.name.endswith("error_code"):
            return self.rng.choice([int(code) for code in KioErrorCode])
        if high > 2**15 and field.name.endswith(("_ms", "timestamp")):
            return self.rng.choice((0, 1, 60_000, 1_700_000_000_000 if high > 2**31 else 5))
        return super().number(field, low, high)


@pytest.mark.parametrize(("spec", "kind"), CASES)
def test_random_messages_keep_their_bytes_both_ways(spec: ApiSpec, kind: str) -> None:
    cls = spec.request if kind == "Request" else spec.response
    for version in versions(spec):
        theirs = kio_class(spec, kind, version)
        read, write = entity_reader(theirs), entity_writer(theirs)
        maker = Tame(version, f"{spec.name}{kind}{version}")
        for _ in range(ROUNDS):
            message = maker.make(cls)
            data = encode(message, version)
            value, size = read(data, 0)
            assert size == len(data)
            buffer = io.BytesIO()
            write(buffer, value)
            assert buffer.getvalue() == data, f"version {version}: {message}"
            assert encode(decode(cls, version, buffer.getvalue()), version) == data
