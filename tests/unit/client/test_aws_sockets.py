"""Logins by AWS IAM over sockets, to a broker and an STS that check every signature."""

from __future__ import annotations

import os
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.security.aws_signature import MODULE
from pykafka_ops.security.issuing import new_authority, new_identity
from pykafka_ops.security.sasl import AuthenticationError
from tests.support.memory.fake_aws import ROLE, FakeMsk, FakeSts, Keys

HOST = "b-1.demo.kafka.eu-west-1.amazonaws.com"
OPS = Keys("AKIAOPS", "s3cret/+of ops")
ROLE_KEYS = Keys("ASIAROLE", "s3cret/+of the role", "tok/en+of==the role")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ssl.SSLContext]:
    """Whom clients trust, and the TLS of a broker of that name."""
    pytest.importorskip("botocore")
    directory = tmp_path_factory.mktemp("msk")
    signer = new_authority("ca", 2)
    own = new_identity(signer, "msk", [HOST], 2)
    ca, key = directory / "ca.pem", directory / "broker.pem"
    ca.write_bytes(signer.certificate_pem())
    key.write_bytes(own.key_pem() + own.certificate_pem())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(key)
    return ca, context


@pytest.fixture
def msk(authority: tuple[Path, ssl.SSLContext]) -> Iterator[FakeMsk]:
    broker = FakeMsk(HOST, {OPS.access_key: OPS, ROLE_KEYS.access_key: ROLE_KEYS}, tls=authority[1])
    broker.topics["orders"] = [0]
    broker.ca = authority[0]
    try:
        yield broker
    finally:
        broker.close()


@pytest.fixture
def sts(authority: object) -> Iterator[FakeSts]:
    made = FakeSts(OPS, ROLE_KEYS)
    try:
        yield made
    finally:
        made.close()


@contextmanager
def at_amazon(directory: Path, keys: Keys, more: Mapping[str, str]) -> Iterator[None]:
    """The broker's name is an address here, and nothing but what is said gives credentials."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    said = {
        "AWS_CONFIG_FILE": str(directory / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(directory / "credentials"),
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ACCESS_KEY_ID": keys.access_key,
        "AWS_SECRET_ACCESS_KEY": keys.secret_key,
        "AWS_MAX_ATTEMPTS": "1",
        **more,
    }
    resolve = socket.getaddrinfo

    def resolved(name: Any, *rest: Any, **options: Any) -> Any:
        here = name in (HOST, HOST.encode())
        return resolve("127.0.0.1" if here else name, *rest, **options)

    with (
        mock.patch.dict(os.environ, {**kept, **said}, clear=True),
        mock.patch("socket.getaddrinfo", resolved),
    ):
        yield


def topics(
    msk: FakeMsk, directory: Path, keys: Keys = OPS, options: str = "", **more: str
) -> list[str]:
    """What a client finds that logs in so. Raises AuthenticationError."""
    config = ClientConfig.of(
        {
            "bootstrap.servers": f"{HOST}:{msk.port}",
            "security.protocol": "SASL_SSL",
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(msk.ca),
            "sasl.mechanism": "AWS_MSK_IAM",
            "sasl.jaas.config": f"{MODULE} required{options};",
        }
    )
    with at_amazon(directory, keys, more):
        cluster = Cluster(config)
        try:
            return [topic.name or "" for topic in cluster.metadata(["orders"]).topics]
        finally:
            cluster.close()


def test_who_signs_with_keys_of_its_own_is_in(msk: FakeMsk, tmp_path: Path) -> None:
    assert topics(msk, tmp_path) == ["orders"]
    assert set(msk.users) == {OPS.access_key}


@pytest.mark.parametrize(
    "keys", [OPS._replace(secret_key="another"), Keys("AKIANOBODY", "nobody's")]
)
def test_who_signs_otherwise_is_refused_in_one_line(
    msk: FakeMsk, tmp_path: Path, keys: Keys
) -> None:
    with pytest.raises(AuthenticationError) as refused:
        topics(msk, tmp_path, keys)
    assert f"[{keys.access_key}]: Access denied" in str(refused.value)
    assert "\n" not in str(refused.value)
    assert keys.secret_key not in str(refused.value)
    assert msk.users == []


def test_a_role_is_asked_of_sts_and_signs_with_what_that_gives(
    msk: FakeMsk, sts: FakeSts, tmp_path: Path
) -> None:
    said = f' awsRoleArn="{ROLE}" awsRoleSessionName="me" awsRoleExternalId="e/x"'
    said += ' awsStsRegion="eu-west-1"'
    assert topics(msk, tmp_path, options=said, AWS_ENDPOINT_URL_STS=sts.url) == ["orders"]
    assert set(msk.users) == {ROLE_KEYS.access_key}
    wanted = {"RoleArn": ROLE, "RoleSessionName": "me", "ExternalId": "e/x"}
    assert sts.asked
    assert all(asked.items() >= wanted.items() for asked in sts.asked)


def test_a_session_without_its_token_is_refused(msk: FakeMsk, tmp_path: Path) -> None:
    with pytest.raises(AuthenticationError, match=r"\[ASIAROLE\]: Access denied"):
        topics(msk, tmp_path, ROLE_KEYS)
    found = topics(msk, tmp_path, ROLE_KEYS, AWS_SESSION_TOKEN=ROLE_KEYS.token or "")
    assert found == ["orders"]


@pytest.mark.parametrize(
    ("keys", "role"), [(OPS._replace(secret_key="another"), ROLE), (OPS, f"{ROLE}-of-others")]
)
def test_a_role_that_sts_refuses_is_one_line_without_secrets(
    msk: FakeMsk, sts: FakeSts, tmp_path: Path, keys: Keys, role: str
) -> None:
    options = f' awsRoleArn="{role}"'
    with pytest.raises(AuthenticationError, match="AWS IAM: ") as refused:
        topics(msk, tmp_path, keys, options, AWS_ENDPOINT_URL_STS=sts.url)
    assert f"sts:AssumeRole on {role}" in str(refused.value)
    assert "\n" not in str(refused.value)
    assert keys.secret_key not in str(refused.value)
    assert msk.users == []
    assert [asked["RoleSessionName"] for asked in sts.asked] == ["aws-msk-iam-auth"]
