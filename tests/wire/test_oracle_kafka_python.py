"""Our tables against kafka-python's: same layout, same bytes, for every version both have."""

from __future__ import annotations

import importlib
import importlib.resources
import pkgutil
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import kafka.protocol
import pytest
from kafka.protocol.schemas import load_json

from pykafka_ops.wire.apis import APIS, ApiSpec
from pykafka_ops.wire.codec import decode, encode
from pykafka_ops.wire.message import Field, table_of
from pykafka_ops.wire.messages.api_versions import ApiVersionsResponse
from pykafka_ops.wire.types import ZERO_UUID
from tests.support.each import each
from tests.support.wire.values import Maker
from tests.wire import test_oracle_kafka_json as kafka_json
from tests.wire import test_oracle_kio as kio
from tests.wire.layouts import in_range, of_json, ours

RESOURCES = importlib.resources.files("kafka.protocol.schemas.resources")
ROUNDS = 3
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def kafka_python_has(spec: ApiSpec, kind: str) -> bool:
    return RESOURCES.joinpath(f"{spec.name}{kind}.json").is_file()


MESSAGES = [
    (spec, kind)
    for spec in APIS.values()
    for kind in ("Request", "Response")
    if kafka_python_has(spec, kind)
]


def full_name(message: tuple[ApiSpec, str]) -> str:
    return f"{message[0].name}{message[1]}"


def versions(spec: ApiSpec, kind: str) -> range:
    """Those that both have."""
    theirs = load_json(f"{spec.name}{kind}")["validVersions"]
    last = max(v for v in range(100) if in_range(theirs, v))
    return range(spec.min_version, min(spec.max_version, last) + 1)


NOT_THERE = {spec.key for spec in APIS.values() if not kafka_python_has(spec, "Request")}


def our_class(spec: ApiSpec, kind: str) -> type:
    return spec.request if kind == "Request" else spec.response


def their_class(name: str) -> Any:
    for part in ("admin", "consumer", "metadata", "producer", "sasl"):
        module = importlib.import_module(f"kafka.protocol.{part}")
        if hasattr(module, name):
            return getattr(module, name)
    raise LookupError(name)


def test_kafka_python_lacks_only_what_others_are_asked_for() -> None:
    assert {*kio.KEYS, *kafka_json.KEYS} - {*kafka_json.NEWER} == NOT_THERE
    behind = {s.key for s, kind in MESSAGES if versions(s, kind)[-1] < s.max_version}
    assert behind == {*kafka_json.NEWER}
    assert {m.name for m in pkgutil.iter_modules(kafka.protocol.__path__)} >= {"admin", "consumer"}


@each("spec, kind", MESSAGES, full_name)
def test_every_version_has_the_layout_of_kafkas_json(spec: ApiSpec, kind: str) -> None:
    theirs = load_json(f"{spec.name}{kind}")
    cls = our_class(spec, kind)
    for version in versions(spec, kind):
        assert ours(cls, version) == of_json(theirs["fields"], version), f"version {version}"
        assert in_range(theirs["flexibleVersions"], version) == (version >= spec.flexible)


class Tame(Maker):
    """kafka-python reads sets of operations, which have no use for most numbers."""

    def number(self, field: Field, low: int, high: int) -> int:
        if field.name.endswith("authorized_operations"):
            return self.rng.choice((0, -(2**31), 0x0FF8))
        return super().number(field, low, high)


def differences(mine: Any, theirs: Any, path: str = "") -> Iterator[str]:
    """Where a value of ours and one of kafka-python's mean something else."""
    if hasattr(type(mine), "__wire__"):
        if theirs is None and mine == type(mine)():
            return  # a tagged struct of defaults is not sent
        yield from struct_differences(mine, theirs, path)
    elif isinstance(mine, list) and theirs is not None and len(mine) == len(theirs):
        for i, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            yield from differences(one, other, f"{path}[{i}]")
    elif isinstance(theirs, UUID):
        if mine != theirs.bytes:
            yield f"{path}: {mine!r} {theirs!r}"
    elif isinstance(theirs, set):
        if mine != sum(1 << bit for bit in theirs):
            yield f"{path}: {mine!r} {theirs!r}"
    elif mine != theirs and not (mine == ZERO_UUID and theirs is None):
        yield f"{path}: {mine!r} {theirs!r}"


def struct_differences(mine: Any, theirs: Any, path: str) -> Iterator[str]:
    names = [f.name for f in theirs._struct._fields]
    for field, name in zip(table_of_json(mine, theirs), names, strict=True):
        if field is None or not field.exists(theirs.version):
            continue
        value, other = getattr(mine, field.name), getattr(theirs, name)
        if field.name.endswith("authorized_operations") and other is None:
            other = -(2**31)
        if value is None and isinstance(field.kind, type) and field.tag is not None:
            continue
        yield from differences(value, other, f"{path}.{field.name}")


def table_of_json(mine: Any, theirs: Any) -> list[Field | None]:
    """Our fields in kafka-python's order; it renames some, and has some of Kafka 4."""
    fields = {f.name: f for f in table_of(type(mine)).fields}
    renamed = [f for f in fields.values() if f.name.endswith("authorized_operations")]
    if renamed:
        fields["authorized_operations"] = renamed[0]
    return [fields.get(f.name) for f in theirs._struct._fields]


@pytest.mark.parametrize(("spec", "kind"), MESSAGES, ids=map(full_name, MESSAGES))
def test_random_messages_keep_values_and_bytes_both_ways(spec: ApiSpec, kind: str) -> None:
    cls, other = our_class(spec, kind), their_class(f"{spec.name}{kind}")
    for version in versions(spec, kind):
        if not ours(cls, version):
            continue  # nothing to send, and kafka-python cannot compile that
        maker = Tame(version, f"{spec.name}{kind}{version}")
        for _ in range(ROUNDS):
            message = maker.make(cls)
            if isinstance(message, ApiVersionsResponse):
                message.error_code = 0  # with an error kafka-python reads version 0
            data = encode(message, version)
            theirs = other.decode(data, version=version)
            assert not list(differences(message, theirs)), f"version {version}"
            theirs._header = None  # their decoder leaves it unset, their encoder looks at it
            back = theirs.encode(version=version)
            assert back == data, f"version {version}: {message}"
            assert encode(decode(cls, version, back), version) == data
