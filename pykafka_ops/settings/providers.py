"""Values of settings that stand elsewhere: ``${file:/etc/kafka/secrets.properties:password}``.

Counterpart of ``ConfigTransformer`` with the providers that come with Kafka (KIP-297, KIP-421,
KIP-887, KIP-993). Kafka goes on with the text as it is where there is no such value; a broker that
took it for a password would not do what is meant, so here that is an error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping

from pykafka_ops.errors import SettingError

PROVIDERS = "config.providers"
MOST_BYTES = 1024 * 1024
_VARIABLE = r"\$\{([^}]*?):(?:([^}]*?):)?([^}]*?)\}"
_PACKAGE = "org.apache.kafka.common.config.provider."

Look = Callable[[str, str], str | None]
"""The value at a path under a key."""


def resolved(properties: Mapping[str, str], env: Mapping[str, str]) -> dict[str, str]:
    """The properties with every ``${provider:path:key}`` of a known provider replaced, once.

    Raises SettingError where a provider is none, or has no such value.
    """
    names = [name.strip() for name in properties.get(PROVIDERS, "").split(",") if name.strip()]
    if not names:
        return dict(properties)
    looks = {name: _look(name, properties, env) for name in names}

    def replace(setting: str, found: re.Match[str]) -> str:
        look = looks.get(found[1])
        if look is None:
            return found[0]
        value = look(found[2] or "", found[3])
        if value is None:
            raise SettingError(f"{setting}: {found[0]} has no value")
        return value

    return {
        name: text
        if name.startswith(PROVIDERS)
        else re.sub(_VARIABLE, lambda found, name=name: replace(name, found), text)  # type: ignore[misc]
        for name, text in properties.items()
    }


def _look(name: str, properties: Mapping[str, str], env: Mapping[str, str]) -> Look:
    setting = f"{PROVIDERS}.{name}.class"
    kind = properties.get(setting, "").strip()
    make = MAKERS.get(kind.removeprefix(_PACKAGE))
    if make is None or not kind.startswith(_PACKAGE):
        known = ", ".join(_PACKAGE + each for each in MAKERS)
        raise SettingError(f"{setting}={kind} is not supported: set it to one of {known}")
    prefix = f"{PROVIDERS}.{name}.param."
    params = {k.removeprefix(prefix): v for k, v in properties.items() if k.startswith(prefix)}
    return make(params, env)


def _file(params: Mapping[str, str], env: Mapping[str, str]) -> Look:
    read: dict[str, dict[str, str]] = {}

    def look(path: str, key: str) -> str | None:
        if path not in read:
            from pykafka_ops.settings.properties import parse_properties  # few keep values there

            read[path] = parse_properties(_bytes(path, params))
        return read[path].get(key)

    return look


def _directory(params: Mapping[str, str], env: Mapping[str, str]) -> Look:
    def look(path: str, key: str) -> str | None:
        if not key or "/" in key or key in (".", ".."):
            return None
        return _bytes(os.path.join(path, key), params).decode(errors="replace")

    return look


def _environment(params: Mapping[str, str], env: Mapping[str, str]) -> Look:
    pattern = params.get("allowlist.pattern") or ".*"
    try:
        allowed = re.compile(pattern)
    except re.error as error:
        raise SettingError(f"allowlist.pattern {pattern}: {error}") from None

    def look(path: str, key: str) -> str | None:
        return env.get(key) if not path and allowed.fullmatch(key) else None

    return look


MAKERS = {
    "FileConfigProvider": _file,
    "DirectoryConfigProvider": _directory,
    "EnvVarConfigProvider": _environment,
}


def _bytes(path: str, params: Mapping[str, str]) -> bytes:
    """What is in a file below ``allowed.paths``. Raises SettingError."""
    real = os.path.realpath(path)
    allowed = [
        os.path.realpath(each.strip())
        for each in params.get("allowed.paths", "").split(",")
        if each.strip()
    ]
    if allowed and not any(os.path.commonpath((real, each)) == each for each in allowed):
        raise SettingError(f"{path} is not below {params['allowed.paths']} (allowed.paths)")
    try:
        with open(real, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise SettingError(f"{PROVIDERS}: cannot read {path}: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise SettingError(f"{PROVIDERS}: {path} has more than {MOST_BYTES} bytes")
    return data
