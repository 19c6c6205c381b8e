"""Dynamic settings of brokers as they are stored: what of them can be used, passwords decrypted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from pykafka_ops.broker.state.configs import dynamic
from pykafka_ops.errors import SettingError


class Sealing(Protocol):
    """Encrypts passwords among dynamic settings; raises SettingError for what is no such text."""

    def encode(self, password: str) -> str: ...

    def decode(self, text: str) -> str: ...

    def renewed(self, text: str) -> str: ...


class Unsealed:
    """Passwords that are not encrypted, because they are not stored."""

    def encode(self, password: str) -> str:
        return password

    def decode(self, text: str) -> str:
        return text

    def renewed(self, text: str) -> str:
        return text


def usable(
    stored: Mapping[str, str], sealing: Sealing | None, *, per_broker: bool
) -> tuple[dict[str, str], list[str]]:
    """Stored dynamic settings without those that cannot be used, and a line about each of them."""
    kept = dict(stored)
    ignored: list[str] = []

    def leave_out(names: Collection[str], why: str) -> None:
        gone = [name for name in names if name in kept]
        for name in gone:
            del kept[name]
        ignored.extend(f"{name}: {why}" for name in gone)

    for name, text in stored.items():
        try:
            dynamic.check_type(name, text)
        except SettingError as error:
            leave_out([name], str(error))
    leave_out(dynamic.read_only(stored), "cannot be set dynamically")
    leave_out(dynamic.without_listener(stored), "needs the prefix of a listener")
    if not per_broker:
        leave_out(dynamic.only_per_broker(stored), "can be set only of one broker")
    for name in dynamic.passwords(kept):
        try:
            if sealing is None:
                raise SettingError("password.encoder.secret is not set")
            kept[name] = sealing.decode(kept[name])
        except SettingError as error:
            leave_out([name], str(error))
    return kept, ignored
