"""Steps of a login that a test strings together; each notes what the broker answers."""

from __future__ import annotations

import hashlib
import re
import struct
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, NamedTuple

from pykafka_ops.security import scram as rules
from pykafka_ops.settings.scram import MECHANISMS
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest
from pykafka_ops.wire.messages.metadata import MetadataRequest
from pykafka_ops.wire.messages.sasl_authenticate import SaslAuthenticateRequest
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeRequest
from tests.support.differential.logins.talk import LENGTH, Step, Talk

CHALLENGE = re.compile("r=[^,]*,s=[^,]*,")
GIVEN = "given by the broker"
"""Stands for the delegation token's id as a name, and for its secret as a password."""


def handshake(mechanism: str, version: int = 1) -> Step:
    """SaslHandshake: tokens follow as they are after version 0."""

    def step(talk: Talk) -> None:
        found = talk.ask(SaslHandshakeRequest(mechanism=mechanism), version)
        if found is not None:
            talk.say(f"handshake {found.error_code} {sorted(found.mechanisms)}")
            talk.headers = version > 0

    return step


def told(data: bytes) -> str:
    """A token, without what is drawn at random."""
    return CHALLENGE.sub("a challenge, ", data.decode(errors="replace"))


def tokens_by(version: int) -> Step:
    """From now on by this version of SaslAuthenticate."""

    def step(talk: Talk) -> None:
        talk.tokens_by = version

    return step


def token(data: bytes) -> Step:
    """A token, however tokens are sent."""

    def step(talk: Talk) -> None:
        found = talk.token(data)
        if found is not None:
            talk.say(f"token {told(found)}")

    return step


def authenticate(data: bytes, version: int = 2) -> Step:
    """SaslAuthenticate, whatever came before."""

    def step(talk: Talk) -> None:
        found = talk.ask(SaslAuthenticateRequest(auth_bytes=data), version)
        if found is not None and (answer := talk.accepted(found)) is not None:
            talk.say(f"token {told(answer)}")

    return step


def api_versions(version: int = 3, name: str = "peer", software: str = "1.0") -> Step:
    """ApiVersions: its error, and what it says about logins."""

    def step(talk: Talk) -> None:
        request = ApiVersionsRequest(client_software_name=name, client_software_version=software)
        made = bytearray(encode_request(request, max(0, min(version, 3)), 7, "peer"))
        made[6:8] = struct.pack(">h", version)
        talk.send(bytes(made))
        found = talk.answer(ApiKey.API_VERSIONS, version if 0 <= version <= 4 else 0)
        if found is not None:
            about = [
                (each.api_key, each.min_version, each.max_version)
                for each in found.api_keys
                if each.api_key in (17, 18, 36)
            ]
            talk.say(f"versions {found.error_code} {sorted(about)}")

    return step


def ask(request: Any, version: int) -> Step:
    """Any request: whether there is an answer, and its errors."""

    def step(talk: Talk) -> None:
        found = talk.ask(request, version)
        if found is not None:
            talk.say(f"answered {type(found).__name__}{errors(found)}")

    return step


def errors(found: Any) -> str:
    """Of an answer, with texts."""
    said = [getattr(found, name, None) for name in ("error_code", "error_message")]
    return f" {said[0]} {said[1]}" if any(said) else ""


def frame(data: bytes) -> Step:
    """A frame of these bytes."""
    return send(LENGTH.pack(len(data)) + data)


def send(data: bytes) -> Step:
    """Bytes as they are, and what comes back."""

    def step(talk: Talk) -> None:
        talk.send(data)
        found = talk.read()
        talk.say(f"{len(found)} bytes: {found[:16].hex()}")

    return step


def push(data: bytes) -> Step:
    """Bytes to which no answer is due yet."""
    return lambda talk: talk.send(data)


def hang_up(talk: Talk) -> None:
    """Nothing more comes from the client."""
    talk.finish_sending()
    found = talk.read()
    talk.say(f"{len(found)} bytes: {found[:16].hex()}")


def serves(talk: Talk) -> None:
    """Whether the client gets answers now."""
    ask(MetadataRequest(topics=[]), 1)(talk)


def until_it_ends(talk: Talk) -> None:
    """Ask until the session is over."""
    talk.say("served until it ends")
    for _ in range(1_000_000):
        talk.ask(MetadataRequest(topics=[]), 1)


class Scram(NamedTuple):
    """A login by SCRAM, with parts of its messages replaced: ``first`` and ``final`` are changes by
    field, ``whole_first`` and ``whole_final`` stand for all of a message."""

    mechanism: str
    name: str
    password: str
    gs2: str = "n,,"
    binding: str | None = None
    extensions: str = ""
    final_extensions: str = ""
    nonce_more: str = ""
    proof: bytes | None = None
    whole_final: bytes | None = None

    def __call__(self, talk: Talk) -> None:
        name, password = self.name, self.password
        if name == GIVEN:
            name, password = talk.site.token_id, talk.site.token_secret
        bare = f"n={name},r={talk.nonce}{self.extensions}"
        answer = talk.token(f"{self.gs2}{bare}".encode("utf-8", "surrogateescape"))
        if answer is None:
            return
        server = answer.decode(errors="replace")
        fields = _fields(server)
        if not {"r", "s", "i"} <= fields.keys():
            talk.say(f"instead of a challenge {server}")
            return
        ours = fields["r"].startswith(talk.nonce) and len(fields["r"]) > len(talk.nonce)
        talk.say(f"challenge {'with our nonce' if ours else 'of another'}, i={fields['i']}")
        self._prove(talk, password, bare, server, fields)

    def _prove(
        self, talk: Talk, password: str, bare: str, server: str, fields: Mapping[str, str]
    ) -> None:
        digest = MECHANISMS[self.mechanism].digest
        salted = hashlib.pbkdf2_hmac(
            digest, password.encode(), b64decode(fields["s"]), int(fields["i"])
        )
        binding = b64encode(self.gs2.encode()).decode() if self.binding is None else self.binding
        without = f"c={binding},r={fields['r']}{self.nonce_more}{self.final_extensions}"
        said = f"{bare},{server},{without}".encode("utf-8", "surrogateescape")
        proof = rules.client_proof(digest, salted, said) if self.proof is None else self.proof
        final = f"{without},p={b64encode(proof).decode()}".encode()
        answer = talk.token(final if self.whole_final is None else self.whole_final)
        if answer is None:
            return
        right = b"v=" + b64encode(rules.server_signature(digest, salted, said))
        talk.say("in, with its signature" if answer == right else f"in, but {answer!r}")


def _fields(text: str) -> dict[str, str]:
    return dict(part.partition("=")[::2] for part in text.split(","))
