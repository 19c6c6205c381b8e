"""AWS IAM for librdkafka, which knows no AWS_MSK_IAM: brokers of MSK take signed tokens, too."""

from __future__ import annotations

import time
from collections.abc import Mapping

from pykafka_ops.client import aws
from pykafka_ops.client.config import ClientConfigError
from pykafka_ops.errors import SettingError
from pykafka_ops.security import jaas
from pykafka_ops.security.aws_signature import region_of, token


def login(line: str, properties: Mapping[str, str]) -> dict[str, object]:
    """OAUTHBEARER with a new token whenever librdkafka asks for one; the region is that of the
    first broker. ClientConfigError where it has none, or botocore is not there."""
    options = jaas.options(line)
    aws.library()
    try:
        region = region_of(properties.get("bootstrap.servers", "").partition(":")[0])
    except SettingError as error:
        raise ClientConfigError(str(error)) from None

    def new(_: str) -> tuple[str, float]:
        return token(aws.keys(options), region, time.time(), aws.AGENT)

    return {"sasl.mechanism": "OAUTHBEARER", "oauth_cb": new}
