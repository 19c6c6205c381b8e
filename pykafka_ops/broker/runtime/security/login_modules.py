"""The login modules of a broker's listeners: JAAS in settings, or in the JVM's file.

Counterpart of ``JaasContext.loadServerContext``.
"""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.broker.state.configs.of_listener import ListenerConfigs
from pykafka_ops.errors import SettingError
from pykafka_ops.security import jaas
from pykafka_ops.security.jaas_file import LOGIN_CONFIG, sections_of
from pykafka_ops.security.java import system_properties

SETTING = "sasl.jaas.config"
SECTION = "KafkaServer"
MODULES = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "OAUTHBEARER": "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule",
    "GSSAPI": "com.sun.security.auth.module.Krb5LoginModule",
}
"""The login module that comes with Kafka, by mechanism."""


class LoginModules:
    """Of one broker; ``env`` are the environment's variables, which name the JVM's options."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self._sections: dict[str, list[jaas.Module]] | None = None

    def options(self, configs: ListenerConfigs, mechanism: str) -> dict[str, str] | None:
        """The options of the listener's login module for a mechanism, None where it has none.

        Raises SettingError.
        """
        modules = self._of_setting(configs, mechanism)
        if modules is None:
            sections = self._of_file()
            own = f"{configs.listener.lower()}.{SECTION}"
            modules = sections.get(own, sections.get(SECTION, []))
        wanted = MODULES[mechanism]
        return next((dict(m.options) for m in modules if m.name == wanted), None)

    def missing(self, configs: ListenerConfigs, mechanism: str) -> SettingError:
        """That there must be a login module, and where."""
        return SettingError(
            f"listener {configs.listener} needs a login module for {mechanism}: set "
            f"{configs.name(SETTING, mechanism)}={MODULES[mechanism]} required ...; or name a file "
            f"with a section {SECTION} by KAFKA_OPTS=-D{LOGIN_CONFIG}=FILE"
        )

    def _of_setting(self, configs: ListenerConfigs, mechanism: str) -> list[jaas.Module] | None:
        text = configs.own(SETTING, mechanism)
        if text is None:
            return None
        name = configs.name(SETTING, mechanism)
        try:
            (modules,) = jaas.sections(f"{SECTION} {{\n{text}\n}};").values()
        except jaas.JaasError:
            # Its own words repeat a part of the text, which may be a password.
            raise SettingError(f"{name}: {_SHAPE.format(MODULES[mechanism])}") from None
        if len(modules) != 1:
            raise SettingError(
                f"{name}: JAAS config property contains {len(modules)} login modules, should be 1 "
                "module"
            )
        if modules[0].name != MODULES[mechanism]:
            raise SettingError(
                f"{name}: {modules[0].name} is not supported: use {MODULES[mechanism]}"
            )
        return modules

    def _of_file(self) -> dict[str, list[jaas.Module]]:
        if self._sections is None:
            self._sections = sections_of(system_properties(self._env))
        return self._sections


_SHAPE = 'cannot be read: write it as {} required option="value";'
