from pykafka_ops.client.scram import MECHANISMS, NewCredential, keys, salted


def test_the_keys_are_those_of_rfc_7677() -> None:
    """The RFC's example: user ``user``, password ``pencil``, 4096 iterations."""
    import base64

    salt = base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
    credential = NewCredential(MECHANISMS["SCRAM-SHA-256"], 4096, "pencil")
    found = keys(credential, salt)
    assert base64.b64encode(found.stored_key) == b"WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY="
    assert base64.b64encode(found.server_key) == b"wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
    assert len(salted(NewCredential(MECHANISMS["SCRAM-SHA-512"], 4096, "x"), salt)) == 64
