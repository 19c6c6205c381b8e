"""PEM of any layout becomes what OpenSSL reads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.security.pem import in_lines
from tests.support.each import each

DATA = "QUJD" * 40
LINES = "\n".join(DATA[at : at + 64] for at in range(0, len(DATA), 64))
BLOCK = f"-----BEGIN CERTIFICATE-----\n{LINES}\n-----END CERTIFICATE-----\n"
OLD = (
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0A0B\n\n"
    f"{LINES}\n-----END RSA PRIVATE KEY-----\n"
)


def blocks(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


@each(
    "text",
    [
        BLOCK,
        BLOCK.replace("\n", " "),
        BLOCK.replace("\n", ""),
        BLOCK.replace("\n", "\r\n"),
        BLOCK.replace("\n", "\n   "),
    ],
)
def test_a_block_in_any_layout_is_put_on_lines(text: str) -> None:
    assert blocks(in_lines(text)) == blocks(BLOCK)
    assert blocks(in_lines(f"{text} {text}")) == blocks(BLOCK * 2)


def test_headers_and_what_stands_between_blocks_stay() -> None:
    text = f"CN=alice\n{OLD}issuer: x\n{BLOCK}"
    assert blocks(in_lines(text)) == blocks(text)


@pytest.mark.parametrize("text", ["", "garbage", "-----BEGIN X-----", "-----END X-----", "-----"])
def test_what_has_no_block_stays(text: str) -> None:
    assert in_lines(text) == text


@given(st.text("-BEGIND X\nQ:", max_size=60))
def test_no_text_is_lost(text: str) -> None:
    assert "".join(in_lines(text).split()) == "".join(text.split())


def test_many_beginnings_take_no_longer_than_their_bytes() -> None:
    text = "-----BEGIN X-----" * 60_000
    assert in_lines(text) == text
