"""Logins by AWS IAM: credentials by botocore, from options of ``IAMLoginModule``."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from pykafka_ops import __version__
from pykafka_ops.client.config import ClientConfig, ClientConfigError
from pykafka_ops.errors import SettingError
from pykafka_ops.security import aws_signature, jaas
from pykafka_ops.security.aws_signature import AwsKeys
from pykafka_ops.security.sasl import AuthenticationError, Dialogue

AGENT = f"pko/{__version__}"
EXTRA = "pip install 'pykafka-ops[aws]'"
SESSION_NAME = "aws-msk-iam-auth"


def new_dialogue(config: ClientConfig, host: str) -> Dialogue:
    """A login to the broker at ``host``; its first step may ask AWS, and blocks. Raises
    ClientConfigError; its steps raise AuthenticationError."""
    options = jaas.options(config.get("sasl.jaas.config") or "")
    library()
    try:
        aws_signature.region_of(host)
    except SettingError as error:
        raise ClientConfigError(str(error)) from None
    return _talk(options, host)


def _talk(options: Mapping[str, str], host: str) -> Dialogue:
    yield aws_signature.payload(keys(options), host, time.time(), AGENT)


def library() -> Any:
    """botocore's sessions. ClientConfigError where it is not there."""
    try:
        import botocore.session
    except ImportError:
        raise ClientConfigError(f"AWS IAM needs the package botocore: {EXTRA}") from None
    return botocore.session


def keys(options: Mapping[str, str]) -> AwsKeys:
    """Those of a profile (``awsProfileName``), of a role (``awsRoleArn``), or what botocore finds:
    variables, files, the machine's own. Blocks. Raises ClientConfigError, AuthenticationError."""
    sessions = library()
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        session = sessions.Session(profile=options.get("awsProfileName") or None)
        role = options.get("awsRoleArn")
        if role:
            return _of_role(session, role, options)
        found = session.get_credentials()
        frozen = None if found is None else found.get_frozen_credentials()
    except (BotoCoreError, ClientError) as error:
        raise AuthenticationError(f"AWS IAM: {' '.join(str(error).split())}") from None
    if frozen is None or not frozen.access_key or not frozen.secret_key:
        raise AuthenticationError(
            "AWS IAM: no credentials: set awsProfileName, or AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY"
        )
    return AwsKeys(frozen.access_key, frozen.secret_key, frozen.token)


def _of_role(session: Any, role: str, options: Mapping[str, str]) -> AwsKeys:
    asked = {
        "RoleArn": role,
        "RoleSessionName": options.get("awsRoleSessionName") or SESSION_NAME,
    }
    if options.get("awsRoleExternalId"):
        asked["ExternalId"] = options["awsRoleExternalId"]
    region = options.get("awsStsRegion") or session.get_config_variable("region") or "aws-global"
    given = session.create_client("sts", region_name=region).assume_role(**asked)["Credentials"]
    return AwsKeys(given["AccessKeyId"], given["SecretAccessKey"], given["SessionToken"])
