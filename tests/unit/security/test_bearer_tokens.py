"""Tokens of OAuth 2.0: by which settings there is one, and what one says that nobody signed."""

from __future__ import annotations

from pathlib import Path

import pytest

from pykafka_ops.errors import SettingError
from pykafka_ops.security.bearer_tokens import (
    ENDPOINT,
    check,
    claims_of,
    extensions,
    of_provider,
    unsigned,
)
from pykafka_ops.security.provider_calls import ProviderCalls

NOW = 1_000_000


def test_a_token_says_what_the_options_name() -> None:
    options = {
        "unsecuredLoginStringClaim_sub": "alice",
        "unsecuredLoginNumberClaim_nbf": "5",
        "unsecuredLoginListClaim_scope": "|a|b c",
        "unsecuredLoginListClaim_none": "",
        "unsecuredLoginLifetimeSeconds": "60",
    }
    assert claims_of(unsigned(options, NOW)) == {
        "iat": 1000, "exp": 1060, "sub": "alice", "nbf": 5.0, "scope": ["a", "b c"], "none": [],
    }  # fmt: skip


def test_extensions_go_with_it() -> None:
    options = {"extension_a": "1", "unsecuredLoginExtension_b": "2", "scope": "x"}
    assert extensions(options) == {"a": "1", "b": "2"}


@pytest.mark.parametrize("text", ["", "a", "a.b", "a.!!.c", "a.WzFd.c", "a.bm8.c"])
def test_what_is_no_token_says_nothing(text: str) -> None:
    assert claims_of(text) == {}


def test_a_file_holds_one(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("a.b.c\n")
    assert of_provider(f"file://{tmp_path / 'token'}", {}, ProviderCalls({}).read) == "a.b.c"


@pytest.mark.parametrize(
    ("url", "options", "why"),
    [
        ("", {}, f"has no token: set {ENDPOINT}"),
        ("", {"unsecuredLoginPrincipalClaimName": "user"}, "has no token"),
        ("", {"unsecuredLoginStringClaim_sub": "a", "unsecuredLoginLifetimeSeconds": "-1"},
         "no number of seconds"),
        ("", {"unsecuredLoginStringClaim_sub": "a", "unsecuredLoginNumberClaim_x": "y"},
         "unsecuredLoginNumberClaim_x=y is no number"),
        ("ftp://x", {}, "write an address of https, http or file"),
        ("https://x", {"clientId": "a"}, "needs clientId and clientSecret"),
    ],
)  # fmt: skip
def test_settings_that_give_none_are_told(url: str, options: dict[str, str], why: str) -> None:
    with pytest.raises(SettingError, match=why):
        check(url, options)
        unsigned(options, NOW)
