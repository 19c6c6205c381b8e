"""The JAAS file that a JVM would be given by ``java.security.auth.login.config``."""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.errors import UsageError
from pykafka_ops.security import jaas

LOGIN_CONFIG = "java.security.auth.login.config"


def path_of(system: Mapping[str, str]) -> str:
    """The file that the system properties name, "" for none."""
    return system.get(LOGIN_CONFIG, "").removeprefix("=").removeprefix("file:")


def sections_of(system: Mapping[str, str]) -> dict[str, list[jaas.Module]]:
    """Its sections by name; {} where no file is named. UsageError for one that is none."""
    path = path_of(system)
    if not path:
        return {}
    try:
        with open(path, encoding="utf-8") as file:
            return jaas.sections(file.read(), system)
    except OSError as error:
        raise UsageError(f"{LOGIN_CONFIG}: cannot read {path}: {error.strerror}") from None
    except (UnicodeDecodeError, jaas.JaasError) as error:
        raise UsageError(f"{LOGIN_CONFIG}: {path}: {error}") from None
