"""Passwords among dynamic settings, encrypted so that Apache Kafka and ours read them alike.

Counterpart of ``org.apache.kafka.security.EncryptingPasswordEncoder``: a key from the secret by
PBKDF2, AES in CBC mode. The text names all it needs but the secret.
"""

from __future__ import annotations

import hashlib
import os
import re
from base64 import b64decode, b64encode
from typing import Any

from pykafka_ops.errors import SettingError

CIPHER = "AES/CBC/PKCS5Padding"
_FACTORY = re.compile(r"PBKDF2WithHmac(SHA1|SHA224|SHA256|SHA384|SHA512)")
DEFAULT_FACTORY = "PBKDF2WithHmacSHA512"
BLOCK = 16
MOST_ITERATIONS = 1_000_000
MOST_KNOWN = 100
"""Texts that stay decoded: a key takes milliseconds."""


class PasswordEncoder:
    """``secret`` encrypts and decrypts, ``old_secret`` may have encrypted before.

    Raises SettingError where an algorithm or a length is not supported, or a library is missing.
    """

    def __init__(
        self,
        secret: str,
        *,
        old_secret: str | None = None,
        factory: str | None = None,
        cipher: str = CIPHER,
        key_bits: int = 128,
        iterations: int = 4096,
    ) -> None:
        self._secrets = [text for text in (secret, old_secret) if text]
        self._factory = factory or DEFAULT_FACTORY
        self._key_bits = key_bits
        self._iterations = iterations
        self._known: dict[str, str] = {}
        if cipher != CIPHER:
            raise SettingError(f"password.encoder.cipher.algorithm={cipher}: set it to {CIPHER}")
        if not _FACTORY.fullmatch(self._factory):
            raise SettingError(
                f"password.encoder.keyfactory.algorithm={factory}: set it to {DEFAULT_FACTORY}"
            )
        if key_bits not in (128, 192, 256):
            raise SettingError(f"password.encoder.key.length={key_bits}: 128, 192 or 256 is needed")
        _aes(bytes(16), bytes(BLOCK))

    def encode(self, password: str) -> str:
        """The text to store."""
        salt, vector = os.urandom(256), os.urandom(BLOCK)
        data = password.encode()
        padding = BLOCK - len(data) % BLOCK
        key = self._key(self._secrets[0], self._factory, salt, self._iterations, self._key_bits)
        encryptor = _aes(key, vector).encryptor()
        sealed = encryptor.update(data + bytes([padding]) * padding) + encryptor.finalize()
        parts = {
            "keyFactoryAlgorithm": self._factory,
            "cipherAlgorithm": CIPHER,
            "keyLength": self._key_bits,
            "iterations": self._iterations,
            "salt": b64encode(salt).decode(),
            "initializationVector": b64encode(vector).decode(),
            "encryptedPassword": b64encode(sealed).decode(),
            "passwordLength": _length(password),
        }
        return ",".join(f"{name}:{value}" for name, value in parts.items())

    def decode(self, text: str) -> str:
        """The password. Raises SettingError, which shows nothing of it."""
        found = self._known.get(text)
        if found is None:
            for secret in self._secrets:
                found = self._decode(text, secret)
                if found is not None:
                    break
            else:
                raise SettingError("it cannot be decrypted by password.encoder.secret")
            if len(self._known) < MOST_KNOWN:
                self._known[text] = found
        return found

    def renewed(self, text: str) -> str:
        """The same password encrypted by ``secret`` where only ``old_secret`` reads it, else
        ``text`` as it is."""
        if len(self._secrets) < 2 or self._decode(text, self._secrets[0]) is not None:
            return text
        found = self._decode(text, self._secrets[1])
        return text if found is None else self.encode(found)

    def _decode(self, text: str, secret: str) -> str | None:
        parts = dict(part.partition(":")[::2] for part in text.split(","))
        try:
            salt, vector, sealed = (
                b64decode(parts[name], validate=True)
                for name in ("salt", "initializationVector", "encryptedPassword")
            )
            factory, iterations = parts["keyFactoryAlgorithm"], int(parts["iterations"])
            bits, length = int(parts["keyLength"]), int(parts["passwordLength"])
            fits = parts["cipherAlgorithm"] == CIPHER and _FACTORY.fullmatch(factory)
            if not fits or bits not in (128, 192, 256) or not 0 < iterations <= MOST_ITERATIONS:
                return None
            decryptor = _aes(self._key(secret, factory, salt, iterations, bits), vector).decryptor()
            data = decryptor.update(sealed) + decryptor.finalize()
            padding = data[-1]
            if not 0 < padding <= BLOCK or data[-padding:] != bytes([padding]) * padding:
                return None
            password = data[:-padding].decode()
        except (KeyError, ValueError, IndexError):
            return None
        return password if _length(password) == length else None

    @staticmethod
    def _key(secret: str, factory: str, salt: bytes, iterations: int, bits: int) -> bytes:
        match = _FACTORY.fullmatch(factory)
        assert match is not None
        digest = match[1].lower()
        return hashlib.pbkdf2_hmac(digest, secret.encode(), salt, iterations, bits // 8)


def _length(text: str) -> int:
    """In the characters of Java."""
    return len(text.encode("utf-16-le")) // 2


def _aes(key: bytes, vector: bytes) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ImportError:
        raise SettingError(
            "password.encoder.secret needs cryptography: install it with "
            "pip install 'pykafka-ops[security]'"
        ) from None
    return Cipher(algorithms.AES(key), modes.CBC(vector))
