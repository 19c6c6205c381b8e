"""Encrypted passwords: those of Apache Kafka 3.9.1 are read, and what is damaged is none."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.errors import SettingError
from pykafka_ops.security.password_encoder import PasswordEncoder

SECRET = "encoder secret"
NAME = "listener.name.x.plain.sasl.jaas.config"
APACHE = (
    "initializationVector:kNC8yGwxqQU/9Eu1nfwNYw==,keyLength:128,salt:l5t+LMN0Pe8frH89kKUuzfg"
    "CLxARHRlq4KsGXqQqdP+8GkAqVIE1QHCvhHJk8oPrwVLdDc2BLrzxXn0PzwWWIbRY2Hl/3NYf7caMOKsae5/Qf5P"
    "QUwAfsqqm8PhVTNjoWTp/jp45/zcTUoSuKsmP7SPJxJvsdCAVvLG2qGKRJNrIWSa+Lm0/uBkHmK1q7gV6QH6qGuW"
    "D7SAjouWck0UmhGpR36DV1UyUXyJK7GRYaPEXEuCV73JBaxBjhzjgnPr+0unvd9f7lvq3sutYL3FmEkaOw25s7P2"
    "WqlOykWLnsBFW9ggRhjBBduIVvHMvV0TzZMTZvTu2k+JeLi/vic1naA==,keyFactoryAlgorithm:PBKDF2With"
    "HmacSHA512,cipherAlgorithm:AES/CBC/PKCS5Padding,iterations:4096,passwordLength:15,encryp"
    "tedPassword:gdm6itHaMO3t9fJjYpCY1g=="
)
APACHE_SHA1 = (
    "initializationVector:yn4ndAXPmYKXcfTidHijdw==,keyLength:256,salt:JhkrKrcVKW9zD4MNeKIfhoc"
    "vXSHO65QUwpbza819SS0imw2gVKX2fHS4ZQXXagT2tFOw4H4XvSp0n89C+yJOa75+ALdU8qmdaSSU/7VUewDgA9X"
    "Gifzzw2gOLlWRqLxrmlUkQQkP8nJtEogVQbkmSb2zHh+cALQKipIXjShM5UCNASIlScZffzgOZfUdyJ7bnj9ytTw"
    "3ZkkWJl+4xZvcAB90ySCrbqOeSqN/Ax4kub2u7RfxFonq2uPK6O9aB2B2E4zVMRpJqijbcmQffVhhcVdG/WJjLCL"
    "EXMWar5GgyLKnglWeLIVVDHqmG/9iNes/ouR0Yq8/DSJQPIaDP/+3CA==,keyFactoryAlgorithm:PBKDF2With"
    "HmacSHA1,cipherAlgorithm:AES/CBC/PKCS5Padding,iterations:1024,passwordLength:1,encrypted"
    "Password:vMnsXp+Fn7rOLO/rw/bc9g=="
)
APACHE_GCM = (
    "initializationVector:PEl5lsAY7/Rux2b4,keyLength:128,salt:Q/gns2uhn9rDpYPmLzdNqzWyEsSwajF"
    "7ahAfghEEalpv/j5c9XBIQ/7vfemzlYeRodUggLhBBNDTOzbmMjC1JhCVIRLKYHNK4qDi3hIqT0nV3RUXmkLA+ut"
    "kt5UU1pLEGcZ5jHBt722E9LpKEgXVA0lrvmtfVQ/bPwh/p3CDvNNBC7Mu9hDu+0WWa29M9vBGXtD5seuzjHkd+kO"
    "pB3OK93k021jnTqqrsl+aeV/eJUdhkQf72Vr/Mowb6zD3D9jped8Ru0j+dE3oVmSEkgNPjc2C9NrRMgc+daUFZfv"
    "a5qHZcP92g5qAZM7jsqL6jYX8AwsO15/FOsTFd40tHMMl9A==,keyFactoryAlgorithm:PBKDF2WithHmacSHA5"
    "12,cipherAlgorithm:AES/GCM/NoPadding,authenticationTagLength:128,iterations:4096,passwor"
    "dLength:3,encryptedPassword:h3E+8+GlZ6viQeqHOQ1D8s3Siw=="
)


def test_what_apache_kafka_encrypted_is_read() -> None:
    encoder = PasswordEncoder(SECRET)
    assert encoder.decode(APACHE) == "s3cret of alice"
    assert encoder.decode(APACHE_SHA1) == "é"


@pytest.mark.parametrize("password", ["", "x", "sixteen letters!", "é" * 100, "😀"])
def test_what_is_encrypted_is_read_again(password: str) -> None:
    encoder = PasswordEncoder(SECRET, key_bits=256, iterations=1024)
    one, other = encoder.encode(password), encoder.encode(password)
    assert one != other
    assert encoder.decode(one) == encoder.decode(other) == password
    assert len(password) < 9 or password not in one


def test_the_secret_before_still_reads() -> None:
    encoder = PasswordEncoder("new", old_secret=SECRET)
    assert encoder.decode(APACHE) == "s3cret of alice"
    with pytest.raises(SettingError):
        PasswordEncoder(SECRET).decode(encoder.encode("x"))


def test_what_only_the_secret_before_reads_is_encrypted_anew() -> None:
    encoder = PasswordEncoder("new", old_secret=SECRET)
    anew = encoder.renewed(APACHE)
    assert PasswordEncoder("new").decode(anew) == "s3cret of alice"
    assert encoder.renewed(anew) == anew
    assert encoder.renewed("no password") == "no password"
    assert PasswordEncoder("new").renewed(APACHE) == APACHE


def test_of_stored_settings_passwords_alone_are_encrypted_anew() -> None:
    configs = BrokerConfigs({})
    stored = {NAME: APACHE, "num.io.threads": "8"}
    assert configs.resealed(stored) == stored
    configs.sealing = PasswordEncoder("new", old_secret=SECRET)
    anew = configs.resealed(stored)
    assert anew["num.io.threads"] == "8"
    assert PasswordEncoder("new").decode(anew[NAME]) == "s3cret of alice"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain text",
        APACHE_GCM,
        APACHE.replace("iterations:4096", "iterations:2147483647"),
        APACHE.replace("iterations:4096", "iterations:0"),
        APACHE.replace("keyLength:128", "keyLength:8"),
        APACHE.replace("passwordLength:15", "passwordLength:14"),
        APACHE.replace("SHA512", "MD5"),
        APACHE[:-8],
        APACHE.replace("encryptedPassword:", "encryptedPassword:!"),
    ],
)
def test_anything_else_is_refused_without_being_shown(text: str) -> None:
    with pytest.raises(SettingError) as failed:
        PasswordEncoder(SECRET).decode(text)
    assert str(failed.value) == "it cannot be decrypted by password.encoder.secret"


@pytest.mark.parametrize(
    "options",
    [{"cipher": "AES/GCM/NoPadding"}, {"factory": "PBKDF2WithHmacMD5"}, {"key_bits": 64}],
)
def test_what_cannot_be_done_is_said_at_the_start(options: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=r"password\.encoder"):
        PasswordEncoder(SECRET, **options)


def test_a_password_among_dynamic_settings_counts_and_is_stored_encrypted() -> None:
    configs = BrokerConfigs({})
    configs.sealing = PasswordEncoder(SECRET)
    configs.check_broker({NAME: "s3cret"}, per_broker=True)
    stored = configs.sealed({NAME: "s3cret", "num.io.threads": "8"})
    assert stored["num.io.threads"] == "8"
    assert "s3cret" not in stored[NAME]
    assert configs.stored_broker(stored, per_broker=True)[NAME] == "s3cret"
    assert configs.set_dynamic_broker(stored).ignored == ()
    assert configs.text(NAME) == "s3cret"
    (shown,) = configs.describe_broker([NAME])
    assert (shown.value, shown.sensitive) == (None, True)


def test_a_password_that_cannot_be_read_is_left_out() -> None:
    configs = BrokerConfigs({})
    assert configs.set_dynamic_broker({NAME: APACHE}).ignored == (
        f"{NAME}: password.encoder.secret is not set",
    )
    configs.sealing = PasswordEncoder("another")
    assert configs.set_dynamic_broker({NAME: APACHE}).ignored == (
        f"{NAME}: it cannot be decrypted by password.encoder.secret",
    )
    assert configs.text(NAME) is None
