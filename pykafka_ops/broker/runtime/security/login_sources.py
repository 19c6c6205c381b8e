"""Where the logins of a broker are looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.broker.runtime.security.login_modules import LoginModules
from pykafka_ops.broker.state.logins.credentials import ScramCredentials
from pykafka_ops.broker.state.logins.delegation import DelegationTokens
from pykafka_ops.broker.storage.clocks import monotonic_clock
from pykafka_ops.errors import ConnectError, SettingError

if TYPE_CHECKING:  # few ask for it
    from pykafka_ops.broker.runtime.security.signing_keys import KeyTimes, SigningKeys
    from pykafka_ops.security.provider_calls import ProviderCalls

_Place = tuple[str, tuple[tuple[str, str], ...]]
"""An address, and whom to trust there."""


class LoginSources:
    """``secret`` is for the salts of users that are not there."""

    def __init__(
        self,
        modules: LoginModules,
        credentials: ScramCredentials,
        secret: bytes,
        tokens: DelegationTokens | None = None,
    ) -> None:
        self.modules = modules
        self.credentials = credentials
        self.secret = secret
        self.tokens = tokens
        self._keys: dict[_Place, SigningKeys] = {}
        self._is_started = False

    def keys_at(self, url: str, times: KeyTimes, calls: ProviderCalls) -> SigningKeys:
        """The signing keys at an address, which are read by :meth:`start`. Raises SettingError for
        a new address, or other trust, after that."""
        place = url, tuple(sorted(calls.trust.items()))
        found = self._keys.get(place)
        if found is None:
            if self._is_started:
                raise SettingError(f"{url}: another address or trust store counts after a restart")
            from pykafka_ops.broker.runtime.security.signing_keys import SigningKeys

            found = self._keys[place] = SigningKeys(url, times, monotonic_clock, calls.read)
        return found

    async def start(self) -> None:
        """Read all signing keys. Raises SettingError: without them nobody could log in."""
        self._is_started = True
        for keys in self._keys.values():
            try:
                await keys.start()
            except ConnectError as error:
                raise SettingError(f"the keys that sign tokens cannot be read: {error}") from None

    async def close(self) -> None:
        """Read them no more."""
        for keys in self._keys.values():
            await keys.close()
