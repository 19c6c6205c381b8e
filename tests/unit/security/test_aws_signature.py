"""Signed requests are those of Amazon's own library, for the same clock and keys."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from pykafka_ops.errors import SettingError
from pykafka_ops.security.aws_signature import AwsKeys, payload, region_of, token

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "aws" / "payloads.jsonl"
"""What ``AWS4SignedPayloadGenerator`` of aws-msk-iam-auth 2.3.2 made, with these keys."""
KEYS = {
    "AKIDEXAMPLE": AwsKeys("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
    "ASIAEXAMPLE": AwsKeys("ASIAEXAMPLE", "s3cret/+=key", "tok/en+with=signs=="),
}


@pytest.mark.parametrize("line", GOLDEN.read_text(encoding="utf-8").splitlines())
def test_a_payload_is_that_of_amazons_library(line: str) -> None:
    wanted = json.loads(line)
    keys = KEYS[wanted["x-amz-credential"].partition("/")[0]]
    moment = datetime.strptime(wanted["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    made = payload(keys, wanted["host"], moment.timestamp(), "agent/1 (x)")
    assert json.loads(made) == wanted


def test_a_token_is_a_signed_url_that_botocore_signs_alike() -> None:
    auth = pytest.importorskip("botocore.auth")
    request = pytest.importorskip("botocore.awsrequest").AWSRequest(
        method="GET",
        url="https://kafka.eu-west-1.amazonaws.com/",
        params={"Action": "kafka-cluster:Connect"},
    )
    credentials = pytest.importorskip("botocore.credentials").Credentials
    keys = KEYS["ASIAEXAMPLE"]
    signer = auth.SigV4QueryAuth(credentials(*keys), "kafka-cluster", "eu-west-1", expires=900)
    signer.add_auth(request)
    wanted = parse_qs(urlsplit(request.prepare().url).query)
    moment = datetime.strptime(wanted["X-Amz-Date"][0], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    made, ends = token(keys, "eu-west-1", moment.timestamp(), "agent/1")
    assert "=" not in made
    url = urlsplit(urlsafe_b64decode(made + "=" * (-len(made) % 4)).decode())
    assert url.netloc == "kafka.eu-west-1.amazonaws.com"
    assert parse_qs(url.query) == {**wanted, "User-Agent": ["agent/1"]}
    assert ends == moment.timestamp() + 900


def test_the_region_is_in_the_brokers_name() -> None:
    assert region_of("b-1.x.y.c2.kafka.us-gov-west-1.amazonaws.com") == "us-gov-west-1"
    with pytest.raises(SettingError, match="localhost names no region"):
        region_of("localhost")


def test_keys_do_not_show_their_secret() -> None:
    assert "s3cret" not in repr(KEYS["ASIAEXAMPLE"])
    assert "tok/en" not in f"{KEYS['ASIAEXAMPLE']}"
