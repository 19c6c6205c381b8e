"""Logins by GSSAPI (Kerberos), from ``sasl.jaas.config`` as in Kafka."""

from __future__ import annotations

from pykafka_ops.client.config import ClientConfig, ClientConfigError
from pykafka_ops.errors import SettingError
from pykafka_ops.security import jaas
from pykafka_ops.security.kerberos_login import SERVICE, login_of, service_name
from pykafka_ops.security.sasl import Dialogue


def new_dialogue(config: ClientConfig, host: str) -> Dialogue:
    """A login to the broker at ``host``; each step may ask the KDC, which blocks. Raises
    ClientConfigError."""
    from pykafka_ops.security import kerberos

    options = jaas.options(config.get("sasl.jaas.config") or "")
    try:
        login = login_of(options)
        service = service_name(config.get(SERVICE), options)
        kerberos.library()
    except SettingError as error:
        raise ClientConfigError(str(error)) from None
    return kerberos.dialogue(login, service, host)
