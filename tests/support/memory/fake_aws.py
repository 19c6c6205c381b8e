"""What AWS says to who logs in by IAM: a broker of MSK that checks signatures, and STS.

Both compute signatures with botocore, so that they know nothing of our code.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from pykafka_ops.wire.messages.metadata import MetadataResponse
from pykafka_ops.wire.messages.sasl_authenticate import SaslAuthenticateResponse
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeResponse
from tests.support.memory.fake_broker import FakeBroker

ROLE = "arn:aws:iam::123456789012:role/ops"
_UNSUPPORTED, _FAILED = 33, 58
_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d+)/([^/]+)/([^/]+)/aws4_request, "
    r"SignedHeaders=([^,]+), Signature=([0-9a-f]{64})"
)


class Keys(NamedTuple):
    """Of somebody that AWS knows."""

    access_key: str
    secret_key: str
    token: str | None = None


def _signature(signer: Any, request: Any) -> str:
    text = signer.string_to_sign(request, signer.canonical_request(request))
    return str(signer.signature(text, request))


class FakeMsk(FakeBroker):
    """A broker named ``host`` that lets in who signs with ``keys``; ``users`` are those. Clients
    trust it by the file ``ca``."""

    ca: Path

    def __init__(self, host: str, keys: Mapping[str, Keys], **rest: Any) -> None:
        super().__init__(**rest)
        self.host, self.keys = host, dict(keys)
        self.users: list[str] = []
        self.on("SaslHandshake", self._handshake).on("SaslAuthenticate", self._login)

    def metadata(self, request: Any) -> MetadataResponse:
        answer = super().metadata(request)
        for broker in answer.brokers:
            broker.host = self.host
        return answer

    @staticmethod
    def _handshake(request: Any) -> SaslHandshakeResponse:
        code = 0 if request.mechanism == "AWS_MSK_IAM" else _UNSUPPORTED
        return SaslHandshakeResponse(error_code=code, mechanisms=["AWS_MSK_IAM"])

    def _login(self, request: Any) -> SaslAuthenticateResponse:
        said = json.loads(request.auth_bytes)
        who = said["x-amz-credential"].partition("/")[0]
        keys = self.keys.get(who)
        if keys is None or said["x-amz-signature"] != self._expected(said, keys):
            text = f"[{who}]: Access denied"
            return SaslAuthenticateResponse(error_code=_FAILED, error_message=text)
        self.users.append(who)
        return SaslAuthenticateResponse(auth_bytes=b'{"version":"2020_10_22"}')

    def _expected(self, said: Mapping[str, str], keys: Keys) -> str:
        """The signature of that request at that moment; a token that is missing is noticed."""
        from botocore.auth import SigV4QueryAuth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials

        _, _, region, service, _ = said["x-amz-credential"].split("/")
        assert (service, said["action"]) == ("kafka-cluster", "kafka-cluster:Connect")
        request = AWSRequest("GET", f"https://{self.host}/", params={"Action": said["action"]})
        request.context["timestamp"] = said["x-amz-date"]
        expires = int(said["x-amz-expires"])
        signer = SigV4QueryAuth(Credentials(*keys), service, region, expires=expires)
        signer._modify_request_before_signing(request)
        return _signature(signer, request)


class FakeSts:
    """STS at ``url``: who signs with ``keys`` gets those of ``role``, if it asks for ``ROLE``."""

    def __init__(self, keys: Keys, role: Keys) -> None:
        self.keys, self.role = keys, role
        self.asked: list[dict[str, str]] = []
        sts = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                sts._serve(self)

            def log_message(self, *_: object) -> None:
                return

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _serve(self, client: BaseHTTPRequestHandler) -> None:
        body = client.rfile.read(int(client.headers["Content-Length"]))
        asked = dict(parse_qsl(body.decode()))
        self.asked.append(asked)
        if not self._is_signed(client, body) or asked["RoleArn"] != ROLE:
            status, text = (
                403,
                (
                    "<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>"
                    f"not authorized to perform: sts:AssumeRole on {asked['RoleArn']}</Message>"
                    "</Error></ErrorResponse>"
                ),
            )
        else:
            status, text = (
                200,
                (
                    "<AssumeRoleResponse><AssumeRoleResult><Credentials>"
                    f"<AccessKeyId>{self.role.access_key}</AccessKeyId>"
                    f"<SecretAccessKey>{self.role.secret_key}</SecretAccessKey>"
                    f"<SessionToken>{self.role.token}</SessionToken>"
                    "<Expiration>2099-01-01T00:00:00Z</Expiration>"
                    "</Credentials></AssumeRoleResult></AssumeRoleResponse>"
                ),
            )
        client.send_response(status)
        client.send_header("Content-Type", "text/xml")
        client.send_header("Content-Length", str(len(text)))
        client.end_headers()
        client.wfile.write(text.encode())

    def _is_signed(self, client: BaseHTTPRequestHandler, body: bytes) -> bool:
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials

        found = _AUTHORIZATION.fullmatch(client.headers["Authorization"])
        assert found, client.headers["Authorization"]
        who, _, region, service, names, signature = found.groups()
        headers = {name: client.headers[name] for name in names.split(";")}
        request = AWSRequest("POST", f"http://{headers['host']}/", headers=headers, data=body)
        request.context["timestamp"] = headers["x-amz-date"]
        signer = SigV4Auth(Credentials(*self.keys), service, region)
        return who == self.keys.access_key and _signature(signer, request) == signature
