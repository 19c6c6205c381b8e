"""Logins to Amazon MSK by AWS IAM: a request for ``kafka-cluster:Connect``, signed but not sent.

Source: AWS Signature Version 4 (query parameters); ``AWS4SignedPayloadGenerator`` of
aws-msk-iam-auth for AWS_MSK_IAM, aws-msk-iam-sasl-signer-python for tokens of OAUTHBEARER.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, NamedTuple
from urllib.parse import quote

from pykafka_ops.errors import SettingError

NAME: Final = "AWS_MSK_IAM"
MODULE: Final = "software.amazon.msk.auth.iam.IAMLoginModule"
VERSION: Final = "2020_10_22"
ACTION: Final = "kafka-cluster:Connect"
SERVICE: Final = "kafka-cluster"
LIFE_S: Final = 900
_ALGORITHM: Final = "AWS4-HMAC-SHA256"
_REGION = re.compile(r"\.([a-z]{2}(?:-[a-z]+)+-\d{1,2})(?=\.)")


class AwsKeys(NamedTuple):
    """``token`` None: keys that last."""

    access_key: str
    secret_key: str
    token: str | None = None

    def __repr__(self) -> str:
        """Without secrets."""
        return f"AwsKeys({self.access_key})"


def region_of(host: str) -> str:
    """The region in a broker's name. Raises SettingError where there is none."""
    found = _REGION.search(host)
    if found is None:
        raise SettingError(f"{NAME}: {host} names no region of AWS: use the brokers' own names")
    return found[1]


def payload(keys: AwsKeys, host: str, now: float, agent: str) -> bytes:
    """The client's message of AWS_MSK_IAM for the broker at ``host``; ``now`` in epoch seconds.
    Raises SettingError."""
    signed = _signed(keys, host, region_of(host), now)
    said = {
        "version": VERSION,
        "host": host,
        "user-agent": agent,
        **{name.lower(): value for name, value in signed.items()},
    }
    return json.dumps(said, separators=(",", ":")).encode()


def token(keys: AwsKeys, region: str, now: float, agent: str) -> tuple[str, float]:
    """A token for OAUTHBEARER, and when it ends (epoch seconds)."""
    host = f"kafka.{region}.amazonaws.com"
    signed = {**_signed(keys, host, region, now), "User-Agent": agent}
    url = f"https://{host}/?{_query(signed)}"
    return urlsafe_b64encode(url.encode()).decode().rstrip("="), int(now) + LIFE_S


def signature(secret: str, scope: str, text: str) -> str:
    """Of a text in a scope (``date/region/service/aws4_request``)."""
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.digest(key, text.encode(), "sha256").hex()


def canonical(parameters: Mapping[str, str], host: str) -> str:
    """The request whose digest is signed: a GET without a body, of which the host is signed."""
    nothing = hashlib.sha256(b"").hexdigest()
    return "\n".join(("GET", "/", _query(parameters), f"host:{host}", "", "host", nothing))


def _signed(keys: AwsKeys, host: str, region: str, now: float) -> dict[str, str]:
    moment = datetime.fromtimestamp(int(now), UTC).strftime("%Y%m%dT%H%M%SZ")
    scope = f"{moment[:8]}/{region}/{SERVICE}/aws4_request"
    parameters = {
        "Action": ACTION,
        "X-Amz-Algorithm": _ALGORITHM,
        "X-Amz-Credential": f"{keys.access_key}/{scope}",
        "X-Amz-Date": moment,
        "X-Amz-Expires": str(LIFE_S),
        "X-Amz-SignedHeaders": "host",
    }
    if keys.token:
        parameters["X-Amz-Security-Token"] = keys.token
    digest = hashlib.sha256(canonical(parameters, host).encode()).hexdigest()
    text = "\n".join((_ALGORITHM, moment, scope, digest))
    return {**parameters, "X-Amz-Signature": signature(keys.secret_key, scope, text)}


def _query(parameters: Mapping[str, str]) -> str:
    return "&".join(
        f"{quote(name, safe='-_.~')}={quote(value, safe='-_.~')}"
        for name, value in sorted(parameters.items())
    )
