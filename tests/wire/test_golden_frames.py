"""Frames of Apache Kafka 3.9.1 and real clients: decoded and encoded again, the same bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.wire.apis import APIS
from pykafka_ops.wire.codec import decode
from pykafka_ops.wire.frame import (
    decode_response,
    encode_request,
    read_request_header,
    response_parts,
)
from pykafka_ops.wire.types import Buffer
from tests.support.each import each

FILES = sorted((Path(__file__).parent.parent / "golden" / "wire").glob("*.jsonl"))


def frames(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_there_are_golden_frames() -> None:
    assert len(FILES) >= 20


@each("path", FILES)
@pytest.mark.parametrize("buffer", [bytes, bytearray, memoryview])
def test_requests_survive_the_round_trip(path: Path, buffer: type[Buffer]) -> None:
    for line in frames(path):
        data = bytes.fromhex(line["request"])
        header = read_request_header(buffer(data))
        assert header[:4] == (
            line["api_key"],
            line["api_version"],
            line["correlation_id"],
            line["client_id"],
        )
        spec = APIS[header.api_key]
        message = decode(spec.request, header.api_version, buffer(data), header.body)
        again = encode_request(message, header.api_version, header.correlation_id, header.client_id)
        assert again[4:] == data, f"{spec.name} version {header.api_version}"
        assert int.from_bytes(again[:4], "big") == len(data)


@each("path", FILES)
@pytest.mark.parametrize("buffer", [bytes, bytearray, memoryview])
def test_responses_survive_the_round_trip(path: Path, buffer: type[Buffer]) -> None:
    for line in frames(path):
        if line["response"] is None:
            continue
        data = bytes.fromhex(line["response"])
        spec, version = APIS[line["api_key"]], line["api_version"]
        correlation_id, message = decode_response(spec.response, version, buffer(data))
        assert correlation_id == line["correlation_id"]
        again = b"".join(response_parts(message, version, correlation_id))
        assert again[4:] == data, f"{spec.name} version {version}"
        assert int.from_bytes(again[:4], "big") == len(data)
