"""``pko tokens`` against fake brokers: what is asked, and where secrets are shown."""

import json
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.sasl import credentials, is_token
from pykafka_ops.settings.properties import parse_properties
from pykafka_ops.wire.messages.create_delegation_token import CreateDelegationTokenResponse
from pykafka_ops.wire.messages.describe_delegation_token import (
    DescribedDelegationToken,
    DescribeDelegationTokenResponse,
)
from pykafka_ops.wire.messages.expire_delegation_token import ExpireDelegationTokenResponse
from pykafka_ops.wire.messages.renew_delegation_token import RenewDelegationTokenResponse
from pykafka_ops.wire.shared import Principal
from tests.support.golden.transcripts import Said
from tests.support.memory.fake_broker import FakeBroker

Fakes = tuple[FakeBroker, ...]
Pko = Callable[..., Said]
HMAC = b"\x00secret\xff"
SECRET = b64encode(HMAC).decode()
HOUR = 3_600_000


@pytest.fixture
def asked(fakes: Fakes) -> list[Any]:
    """The requests about tokens; there is one, t-1, of User:alice."""
    seen: list[Any] = []

    def answering(answer: Any) -> Callable[[Any], Any]:
        def call(request: Any) -> Any:
            seen.append(request)
            return answer

        return call

    token = DescribedDelegationToken(
        principal_type="User",
        principal_name="alice",
        token_id="t-1",
        hmac=HMAC,
        expiry_timestamp=HOUR,
        renewers=[Principal(principal_type="User", principal_name="bob")],
    )
    created = CreateDelegationTokenResponse(
        principal_type="User", principal_name="alice", token_id="t-1", hmac=HMAC
    )
    for fake in fakes:
        fake.on("CreateDelegationToken", answering(created))
        fake.on(
            "DescribeDelegationToken", answering(DescribeDelegationTokenResponse(tokens=[token]))
        )
        fake.on(
            "RenewDelegationToken", answering(RenewDelegationTokenResponse(expiry_timestamp_ms=5))
        )
        fake.on(
            "ExpireDelegationToken", answering(ExpireDelegationTokenResponse(expiry_timestamp_ms=5))
        )
    return seen


def test_a_list_shows_secrets_only_where_they_are_asked_for(asked: list[Any], pko: Pko) -> None:
    said = pko("tokens list -o json")
    (item,) = json.loads(said.stdout)["items"]
    assert (item["token"], item["renewers"], item["expires"]) == (
        "t-1", ["User:bob"], "1970-01-01T01:00:00Z",
    )  # fmt: skip
    assert SECRET not in said.stdout
    assert asked[0].owners is None
    assert SECRET in pko("tokens list --owner alice --show-hmac").stdout
    assert asked[1].owners == [Principal(principal_type="User", principal_name="alice")]


def test_a_token_is_asked_for_as_it_is_said(asked: list[Any], pko: Pko) -> None:
    said = pko("tokens create --owner alice --renewer bob --renewer Group:x --max-life 2h")
    assert said.code == 0
    assert SECRET in said.stdout
    (request,) = asked
    assert (request.owner_principal_type, request.owner_principal_name) == ("User", "alice")
    assert [p.principal_type for p in request.renewers] == ["User", "Group"]
    assert request.max_lifetime_ms == 2 * HOUR


def test_the_file_of_a_token_holds_a_login_of_our_client(
    asked: list[Any], pko: Pko, tmp_path: Path
) -> None:
    file = tmp_path / "token.properties"
    said = pko(f"tokens create --file {file} -X ssl.truststore.location=C:\\ca.pem")
    assert said.code == 0, said.stderr
    assert SECRET not in said.stdout + said.stderr
    assert file.stat().st_mode & 0o777 == 0o600
    found = parse_properties(file.read_bytes())
    assert credentials(found["sasl.jaas.config"]) == ("t-1", SECRET)
    assert is_token(found["sasl.jaas.config"])
    assert found["ssl.truststore.location"] == "C:\\ca.pem"
    assert ClientConfig.of(found).sasl_mechanism == "SCRAM-SHA-256"
    again = pko(f"tokens create --file {file}")
    assert (again.code, "File exists" in again.stderr) == (2, True)
    assert len(asked) == 1


def test_no_file_is_left_where_no_token_is_made(fakes: Fakes, pko: Pko, tmp_path: Path) -> None:
    for fake in fakes:
        fake.on("CreateDelegationToken", lambda _: CreateDelegationTokenResponse(error_code=65))
    said = pko(f"tokens create --file {tmp_path / 'token.properties'}")
    assert said.code == 3
    assert not list(tmp_path.glob("token*"))


@pytest.mark.parametrize(
    ("line", "period"),
    [
        ("renew t-1", -1),
        ("renew t-1 --for 12h", 12 * HOUR),
        ("expire t-1 --yes", -1),
        ("expire t-1 --in 1h --yes", HOUR),
    ],
)
def test_a_token_is_changed_by_its_id(asked: list[Any], pko: Pko, line: str, period: int) -> None:
    said = pko(f"tokens {line} -o json")
    assert json.loads(said.stdout)["items"] == [
        {"token": "t-1", "expires": "1970-01-01T00:00:00.005Z"}
    ]
    request = asked[-1]
    assert bytes(request.hmac) == HMAC
    assert getattr(request, "renew_period_ms", getattr(request, "expiry_time_period_ms", 0)) == (
        period
    )


def test_who_does_not_see_a_token_gives_its_hmac_in_a_file(
    asked: list[Any], pko: Pko, tmp_path: Path
) -> None:
    file = tmp_path / "hmac"
    file.write_text(f"{SECRET}\n")
    assert pko(f"tokens renew --hmac-file {file}").code == 0
    assert [bytes(request.hmac) for request in asked] == [HMAC]
    file.write_text("not base64!")
    said = pko(f"tokens renew --hmac-file {file}")
    assert (said.code, said.stderr.count("\n")) == (2, 1)
    assert "no HMAC in Base64" in said.stderr


@pytest.mark.parametrize(
    ("line", "code", "text"),
    [
        ("renew", 2, "which token?"),
        ("renew t-1 --hmac-file x", 2, "which token?"),
        ("renew t-2", 1, "did you mean t-1?"),
        ("expire t-1", 2, "add --yes"),
        ("create --owner a --owner b", 2, "a token has one owner"),
        ("create --renewer User:", 2, "write User:NAME"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    asked: list[Any], pko: Pko, line: str, code: int, text: str
) -> None:
    said = pko(f"tokens {line}")
    assert (said.code, text in said.stderr) == (code, True), said.stderr
    assert all(type(r).__name__.startswith("Describe") for r in asked)


@pytest.mark.parametrize(
    ("hmac", "text"),
    [("%%%", "Illegal base64 character 25"), ("abc", "Input byte array has wrong 4-byte ending")],
)
def test_kafkas_flags_tell_a_wrong_hmac_as_java_does(
    asked: list[Any], pko: Pko, tmp_path: Path, hmac: str, text: str
) -> None:
    file = tmp_path / "client.properties"
    file.write_text("")
    said = pko(f"tokens --renew --hmac {hmac} --renew-time-period -1 --command-config {file}")
    assert said.code == 1
    assert said.stderr.startswith(text)
    assert not asked
