"""The Kerberos tickets by which this broker logs in to others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from pykafka_ops.broker.state.configs.of_listener import ListenerConfigs
from pykafka_ops.errors import SettingError
from pykafka_ops.security import kerberos
from pykafka_ops.security.kerberos_login import SERVICE, login_of, service_name
from pykafka_ops.security.sasl import Dialogue


def tickets(
    configs: ListenerConfigs, options: Mapping[str, str]
) -> Callable[[str], Awaitable[Dialogue]]:
    """What begins a login to the broker on a host; its steps may block. ``options`` are those of
    the login module. Raises SettingError."""
    try:
        login = login_of(options)
        service = service_name(configs.text(SERVICE), options)
        kerberos.library()
    except SettingError as error:
        raise SettingError(f"listener {configs.listener}: {error}") from None

    async def new(host: str) -> Dialogue:
        return kerberos.dialogue(login, service, host)

    return new
