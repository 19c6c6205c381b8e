"""Connections that log in again (KIP-368): sessions end after a minute, a second, or never."""

from __future__ import annotations

from pykafka_ops.wire.messages.metadata import MetadataRequest
from tests.support.differential.logins.first_scripts import IN
from tests.support.differential.logins.scram_scripts import LARGE, SMALL
from tests.support.differential.logins.steps import (
    GIVEN,
    Scram,
    api_versions,
    ask,
    authenticate,
    frame,
    handshake,
    serves,
    token,
    tokens_by,
    until_it_ends,
)
from tests.support.differential.logins.talk import Script, Step, Talk
from tests.support.differential.logins.token_scripts import BEARER, PLAIN
from tests.support.waiting import wait_for

ALICE = Scram(SMALL, "alice", "alice-secret")
LOGINS: dict[str, tuple[Step, ...]] = {
    "PLAIN as alice": (handshake("PLAIN"), token(PLAIN["right"])),
    "PLAIN as bob": (handshake("PLAIN"), token(b"\0bob\0bob-secret")),
    "PLAIN with a wrong password": (handshake("PLAIN"), token(PLAIN["wrong password"])),
    "PLAIN by raw tokens": (handshake("PLAIN", 0), token(PLAIN["right"])),
    "SCRAM as alice": (handshake(SMALL), ALICE),
    "SCRAM-SHA-512 as alice": (handshake(LARGE), ALICE._replace(mechanism=LARGE)),
    "SCRAM as bob": (handshake(SMALL), Scram(SMALL, "bob", "bob-secret")),
    "SCRAM with a wrong password": (handshake(SMALL), Scram(SMALL, "alice", "wrong")),
    "a token": (handshake(SMALL), Scram(SMALL, GIVEN, "", extensions=",tokenauth=true")),
    "OAUTHBEARER as alice": (handshake("OAUTHBEARER"), token(BEARER["right"])),
    "an OAUTHBEARER token that ended": (
        handshake("OAUTHBEARER"),
        token(BEARER["exp has been"]),
        token(b"\x01"),
    ),
}
IN_BETWEEN: dict[str, tuple[Step, ...]] = {
    "ApiVersions": (api_versions(),),
    "Metadata": (ask(MetadataRequest(topics=[]), 1),),
    "an empty frame": (frame(b""),),
    "a second handshake": (handshake("PLAIN"),),
}


def a_second_later(talk: Talk) -> None:
    """Until the second between two re-authentications is over, of which a handshake is the end."""
    began = talk.now()
    wait_for(lambda: talk.now() - began > 1.1, what="a second")


def _again(first: str, second: str, listener: str) -> Script:
    steps = (*LOGINS[first], serves, tokens_by(2), *LOGINS[second], serves)
    return Script(f"{first}, then {second} on {listener}", steps, listener)


AGAIN = [_again(name, name, "AGAIN") for name in LOGINS if "wrong" not in name]
OTHERWISE = [
    _again("PLAIN as alice", second, listener)
    for listener in ("AGAIN", "LOGIN")
    for second in LOGINS
    if second != "PLAIN as alice" or listener == "LOGIN"
] + [
    _again(first, second, "AGAIN")
    for first in ("SCRAM as alice", "a token", "OAUTHBEARER as alice")
    for second in LOGINS
    if second != first
]
SCRIPTS = [
    *AGAIN,
    *OTHERWISE,
    _again("OAUTHBEARER as alice", "OAUTHBEARER as alice", "LOGIN"),
    _again("a token", "a token", "LOGIN"),
    _again("a token", "SCRAM as alice", "LOGIN"),
    Script("three times within a second", (*IN, *IN, *IN), "AGAIN"),
    Script("three times, a second between", (*IN, *IN, a_second_later, *IN), "AGAIN"),
    Script(
        "a handshake for what there is not",
        (*IN, handshake("x"), handshake("PLAIN"), *IN),
        "AGAIN",
    ),
    Script("SaslAuthenticate after a login", (*IN, authenticate(PLAIN["right"]), serves)),
    Script(
        "SaslAuthenticate without a handshake, again",
        (*IN, authenticate(PLAIN["right"]), serves, *IN),
        "AGAIN",
    ),
    *(
        Script(f"{name} within a login again", (*IN, handshake("PLAIN"), *steps, *IN), "AGAIN")
        for name, steps in IN_BETWEEN.items()
    ),
    *(
        Script(f"{name} before a login again", (*IN, *steps, *IN), "AGAIN")
        for name, steps in IN_BETWEEN.items()
        if name != "a second handshake"
    ),
    *(
        Script(f"{name}, until it ends", (*LOGINS[name], until_it_ends), "BRIEF")
        for name in (
            "PLAIN as alice",
            "PLAIN by raw tokens",
            "SCRAM as alice",
            "OAUTHBEARER as alice",
            "a token",
        )
    ),
    Script("logs in again when its session has ended", (*IN, a_second_later, *IN), "BRIEF"),
    Script("asks when its session has ended", (*IN, a_second_later, serves), "BRIEF"),
    Script("versions when its session has ended", (*IN, a_second_later, api_versions()), "BRIEF"),
]
