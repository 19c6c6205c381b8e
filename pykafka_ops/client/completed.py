"""Client properties with what stands elsewhere: config providers, and a login of a JAAS file."""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.client.config import ClientConfigError
from pykafka_ops.errors import SettingError

JAAS = "sasl.jaas.config"
SECTION = "KafkaClient"
_PROVIDERS = "config.providers"


def completed(properties: Mapping[str, str], env: Mapping[str, str]) -> dict[str, str]:
    """The properties with every ``${provider:path:key}`` replaced, as ``ConfigTransformer`` does,
    and ``sasl.jaas.config`` of the section ``KafkaClient`` of the JVM's JAAS file where a login is
    wanted and none is set (``JaasContext.loadClientContext``).

    Raises ClientConfigError, and UsageError for a file that cannot be read.
    """
    found = dict(properties)
    if found.get(_PROVIDERS, "").strip():
        found = _provided(found, env)
    if found.get("security.protocol", "").upper().startswith("SASL") and not found.get(JAAS):
        line = _of_file(env)
        if line:
            found[JAAS] = line
    return found


def _provided(properties: Mapping[str, str], env: Mapping[str, str]) -> dict[str, str]:
    from pykafka_ops.settings.providers import resolved

    try:
        found = resolved(properties, env)
    except SettingError as error:
        raise ClientConfigError(str(error)) from None
    return {name: text for name, text in found.items() if not name.startswith(_PROVIDERS)}


def _of_file(env: Mapping[str, str]) -> str:
    """The first login module of the file's section as a JAAS line, "" where there is none."""
    from pykafka_ops.security import jaas
    from pykafka_ops.security.jaas_file import path_of, sections_of
    from pykafka_ops.security.java import system_properties

    system = system_properties(env)
    modules = sections_of(system).get(SECTION)
    if modules:
        return jaas.line(modules[0])
    if path_of(system):
        raise ClientConfigError(
            f"Could not find a '{SECTION}' entry in the JAAS configuration. System property "
            f"'java.security.auth.login.config' is {path_of(system)}"
        )
    return ""
