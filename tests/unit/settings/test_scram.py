"""SCRAM credentials: keys, text."""

from __future__ import annotations

from base64 import b64decode, b64encode

import pytest

from pykafka_ops.client.scram import NewCredential, salted
from pykafka_ops.errors import SettingError
from pykafka_ops.settings.scram import MECHANISMS, Credential


def test_the_keys_are_those_of_rfc_7677() -> None:
    """The RFC's example: user ``user``, password ``pencil``, 4096 iterations."""
    salt = b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
    mechanism = MECHANISMS["SCRAM-SHA-256"]
    secret = salted(NewCredential(mechanism, 4096, "pencil"), salt)
    found = Credential.of(mechanism, secret, salt, 4096)
    assert b64encode(found.stored_key) == b"WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY="
    assert b64encode(found.server_key) == b"wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
    assert Credential.parse(found.text()) == found
    assert len(salted(NewCredential(MECHANISMS["SCRAM-SHA-512"], 4096, "x"), salt)) == 64


@pytest.mark.parametrize(
    "text",
    [
        "",
        "salt=YQ==",
        "salt=YQ==,stored_key=YQ==,server_key=YQ==,iterations=x",
        "salt=YQ==,stored_key=YQ==,server_key=!,iterations=1",
        "salt=YQ==,stored_key=YQ==,server_key=YQ==,iterations=1,more=1",
    ],
)
def test_a_text_that_is_no_credential_is_refused(text: str) -> None:
    with pytest.raises(SettingError, match="Credentials not valid"):
        Credential.parse(text)
