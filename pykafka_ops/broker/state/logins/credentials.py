"""The SCRAM credentials of all users, as in the tree. Counterpart of ``CredentialProvider``."""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.errors import SettingError
from pykafka_ops.settings.scram import MECHANISMS, Credential


class ScramCredentials:
    """Kept current by :meth:`changed`."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, Credential]] = {}

    def changed(self, user: str, settings: Mapping[str, str]) -> list[str]:
        """These are all settings of a user now; mechanisms whose credential cannot be read."""
        fit: dict[str, Credential] = {}
        unfit = []
        for mechanism in MECHANISMS.keys() & settings.keys():
            try:
                fit[mechanism] = Credential.parse(settings[mechanism])
            except SettingError:
                unfit.append(mechanism)
        if fit:
            self._found[user] = fit
        else:
            self._found.pop(user, None)
        return sorted(unfit)

    def find(self, mechanism: str, user: str) -> Credential | None:
        """The credential of a user, None if there is none."""
        return self._found.get(user, {}).get(mechanism)
