from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from pykafka_ops.wire import messages
from pykafka_ops.wire.apis import APIS, ApiKey, ApiSpec
from pykafka_ops.wire.frame import decode_response
from pykafka_ops.wire.message import table_of
from pykafka_ops.wire.messages.api_versions import ApiVersionsResponse
from pykafka_ops.wire.types import NEVER, Scalar
from tests.support.each import each

GOLDEN = Path(__file__).parents[2] / "golden" / "wire"


def test_a_row_says_key_name_versions_and_files() -> None:
    spec = APIS[ApiKey.LIST_OFFSETS]
    assert (spec.key, spec.name, spec.file) == (2, "ListOffsets", "list_offsets")
    assert (spec.min_version, spec.max_version, spec.flexible) == (0, 11, 6)
    assert ApiKey.LIST_OFFSETS.served == (0, 9)
    assert list(APIS) == [int(api) for api in ApiKey]
    assert len({spec.name for spec in APIS.values()}) == len(APIS)


def test_no_file_of_messages_is_without_a_row() -> None:
    files = {path.stem for path in Path(messages.__path__[0]).glob("*.py")} - {"__init__"}
    assert files == {spec.file for spec in APIS.values()}


@each("spec", APIS.values(), lambda spec: spec.name)
def test_request_and_response_are_of_the_row(spec: ApiSpec) -> None:
    for cls, kind in ((spec.request, "Request"), (spec.response, "Response")):
        table = table_of(cls)
        assert (table.api, table.name) == (spec.key, f"{spec.name}{kind}")
        assert table.versions == (spec.min_version, spec.max_version)
        assert table.flexible[0] == spec.flexible
        assert cls.__doc__
        assert sys.modules[cls.__module__].__doc__


def test_the_ranges_are_those_a_zookeeper_broker_of_kafka_39_announces() -> None:
    found = {}
    path = GOLDEN / "java-broker-api-versions.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines():
        frame = json.loads(line)
        if frame["api_key"] == ApiKey.API_VERSIONS:
            data = bytes.fromhex(frame["response"])
            _, answer = decode_response(ApiVersionsResponse, frame["api_version"], data)
            for api in answer.api_keys:
                found[api.api_key] = (api.min_version, api.max_version)
    assert len(found) == 62
    assert found == {int(api): api.served for api in ApiKey if api.is_announced}


def test_apis_without_flexible_versions_say_so() -> None:
    assert ApiKey.SASL_HANDSHAKE.flexible == NEVER
    assert APIS[ApiKey.SASL_HANDSHAKE].flexible > APIS[ApiKey.SASL_HANDSHAKE].max_version
    assert APIS[ApiKey.PRODUCE].flexible == 9


def test_importing_the_list_imports_no_message() -> None:
    code = (
        "import sys, pykafka_ops.wire.apis as a;"
        "assert not [m for m in sys.modules if m.startswith('pykafka_ops.wire.messages.')];"
        "a.APIS[3].request;"
        "print([m for m in sys.modules if m.startswith('pykafka_ops.wire.messages.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['pykafka_ops.wire.messages.metadata']"


def structs(cls: type, version: int | None = None) -> Iterator[type]:
    """All structs inside a message; with ``version``, those that it has."""
    for field in table_of(cls).fields:
        if not isinstance(field.kind, Scalar) and (version is None or field.exists(version)):
            yield field.kind
            yield from structs(field.kind, version)


@each("spec", APIS.values(), lambda spec: spec.name)
def test_the_bound_on_counts_refuses_nothing_legal(spec: ApiSpec) -> None:
    """It takes each element for at least one byte, so none may be smaller."""
    for cls in (spec.request, spec.response):
        for version in range(spec.min_version, spec.max_version + 1):
            for inner in structs(cls, version):
                assert any(field.exists(version) for field in table_of(inner).fields)


@each("spec", APIS.values(), lambda spec: spec.name)
def test_every_struct_is_documented(spec: ApiSpec) -> None:
    for cls in (spec.request, spec.response):
        assert all(inner.__doc__ for inner in structs(cls))
