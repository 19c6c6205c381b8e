"""A client logs in to Amazon MSK by AWS IAM; who knows the keys finds its signature right."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import parse_qsl, urlsplit

import pytest

from pykafka_ops.client.config import ClientConfig, ClientConfigError
from pykafka_ops.client.sasl import new_dialogue, who
from pykafka_ops.commands.console.rdkafka import librdkafka
from pykafka_ops.security.aws_signature import MODULE, canonical, signature
from pykafka_ops.security.sasl import AuthenticationError, advanced

HOST = "b-1.demo.kafka.us-east-1.amazonaws.com"
SECRET = "s3cret/+key"


@pytest.fixture(autouse=True)
def environment(tmp_path: Path) -> Iterator[Path]:
    """Only what a test says, and no machine that gives credentials."""
    pytest.importorskip("botocore")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    files = {
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials"),
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    with mock.patch.dict(os.environ, {**kept, **files}, clear=True):
        yield tmp_path


def config(options: str = "", host: str = HOST) -> ClientConfig:
    return ClientConfig.of(properties(options, host))


def properties(options: str = "", host: str = HOST) -> dict[str, str]:
    return {
        "bootstrap.servers": f"{host}:9098",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "AWS_MSK_IAM",
        "sasl.jaas.config": f"{MODULE} required{options};",
    }


def is_right(said: dict[str, str], host: str, secret: str) -> bool:
    """As the brokers check it: the signature is computed anew from what was sent."""
    signed = {name: value for name, value in said.items() if name.startswith(("X-Amz", "Action"))}
    given = signed.pop("X-Amz-Signature")
    scope = signed["X-Amz-Credential"].partition("/")[2]
    digest = hashlib.sha256(canonical(signed, host).encode()).hexdigest()
    text = "\n".join(("AWS4-HMAC-SHA256", signed["X-Amz-Date"], scope, digest))
    return signature(secret, scope, text) == given


def titled(said: dict[str, str]) -> dict[str, str]:
    """Names as they are signed."""
    return {
        "-".join(part.capitalize() for part in name.split("-")).replace(
            "Signedheaders", "SignedHeaders"
        ): value
        for name, value in said.items()
    }


def test_a_profile_signs_in(environment: Path) -> None:
    (environment / "credentials").write_text(
        f"[ops]\naws_access_key_id = AKIDX\naws_secret_access_key = {SECRET}\n"
    )
    made = config(' awsProfileName="ops"')
    talk = new_dialogue(made, HOST)
    said: dict[str, Any] = json.loads(advanced(talk, None) or b"")
    assert is_right(titled(said), HOST, SECRET)
    assert not is_right(titled(said), HOST, "another")
    assert said["x-amz-credential"].startswith("AKIDX/")
    assert advanced(talk, b"{}") is None
    assert who(made) == "ops"


def test_produce_and_consume_show_a_signed_token() -> None:
    keys = {"AWS_ACCESS_KEY_ID": "AKIDX", "AWS_SECRET_ACCESS_KEY": SECRET}
    with mock.patch.dict(os.environ, keys):
        backwards = dict(reversed(properties().items()))  # the order of settings does not matter
        found: dict[str, Any] = librdkafka(backwards, consumer=False)
        token, ends = found["oauth_cb"]("")
    assert found["sasl.mechanism"] == "OAUTHBEARER"
    url = urlsplit(urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode())
    assert is_right(dict(parse_qsl(url.query)), url.netloc, SECRET)
    assert ends > 900


def test_what_is_missing_is_one_line() -> None:
    with pytest.raises(AuthenticationError, match="AWS IAM: no credentials: set awsProfileName"):
        advanced(new_dialogue(config(), HOST), None)
    with pytest.raises(AuthenticationError, match=r"AWS IAM: .*nowhere.* could not be found"):
        advanced(new_dialogue(config(' awsProfileName="nowhere"'), HOST), None)
    with pytest.raises(ClientConfigError, match="localhost names no region of AWS"):
        new_dialogue(config(host="localhost"), "localhost")
    with (
        mock.patch.dict(sys.modules, {"botocore": None, "botocore.session": None}),
        pytest.raises(ClientConfigError, match=r"pip install 'pykafka-ops\[aws\]'"),
    ):
        new_dialogue(config(), HOST)
