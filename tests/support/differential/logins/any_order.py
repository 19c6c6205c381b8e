"""Logins whose steps come in an order that is drawn, the same in every run."""

from __future__ import annotations

import random

from tests.support.differential.logins.again_scripts import ALICE
from tests.support.differential.logins.first_scripts import IN
from tests.support.differential.logins.scram_scripts import SMALL
from tests.support.differential.logins.steps import (
    api_versions,
    authenticate,
    frame,
    handshake,
    serves,
    token,
)
from tests.support.differential.logins.talk import ENCRYPTED, Script, Step
from tests.support.differential.logins.token_scripts import BEARER, PLAIN

ORDERED: tuple[Step, ...] = (
    api_versions(),
    api_versions(0),
    api_versions(99),
    handshake("PLAIN"),
    handshake("PLAIN"),
    handshake("PLAIN", 0),
    handshake(SMALL),
    handshake("OAUTHBEARER"),
    handshake("x"),
    token(PLAIN["right"]),
    token(PLAIN["right"]),
    token(PLAIN["wrong password"]),
    token(BEARER["right"]),
    token(b""),
    ALICE,
    serves,
    authenticate(PLAIN["right"], 0),
    authenticate(b"", 1),
    frame(b""),
    frame(b"\x60\x10"),
)
SEED, ORDERS = 20_241_104, 100


def _any_order() -> list[Script]:
    draw = random.Random(SEED)
    return [
        Script(
            f"any order {n}",
            (*((*IN,) if draw.random() < 0.3 else ()), *draw.choices(ORDERED, k=6)),
            draw.choice(("LOGIN", "AGAIN", "AGAIN", ENCRYPTED)),
        )
        for n in range(ORDERS)
    ]


SCRIPTS = _any_order()
