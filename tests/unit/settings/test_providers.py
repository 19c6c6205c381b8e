"""Settings whose values stand in files, in directories and in the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from pykafka_ops.errors import SettingError
from pykafka_ops.settings.providers import resolved

PACKAGE = "org.apache.kafka.common.config.provider."
SETUP = {
    "config.providers": "file, dir,env",
    "config.providers.file.class": f"{PACKAGE}FileConfigProvider",
    "config.providers.dir.class": f"{PACKAGE}DirectoryConfigProvider",
    "config.providers.env.class": f"{PACKAGE}EnvVarConfigProvider",
}


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    (tmp_path / "s.properties").write_text("user = alice\npass: a=b\n")
    (tmp_path / "token").write_text("from a file")
    return tmp_path


def value(text: str, env: dict[str, str] | None = None, **more: str) -> str:
    params = {f"config.providers.{k.replace('_', '.')}": v for k, v in more.items()}
    return resolved({**SETUP, **params, "x": text}, env or {})["x"]


def test_values_are_put_where_their_names_stand(secrets: Path) -> None:
    file = f"file:{secrets / 's.properties'}"
    assert value(f"u=${{{file}:user}} p=${{{file}:pass}};") == "u=alice p=a=b;"
    assert value(f"${{dir:{secrets}:token}}") == "from a file"
    assert value("<${env:SECRET}>", {"SECRET": "s"}) == "<s>"


def test_what_names_no_provider_stays_and_values_are_not_looked_at_again() -> None:
    assert value("${other:x:y} $ {} ${x}") == "${other:x:y} $ {} ${x}"
    assert value("${env:A}", {"A": "${env:B}", "B": "b"}) == "${env:B}"
    assert resolved({"x": "${env:A}"}, {"A": "a"}) == {"x": "${env:A}"}


@pytest.mark.parametrize(
    ("text", "params", "why"),
    [
        ("${env:MISSING}", {}, "x: ${env:MISSING} has no value"),
        ("${env:HOME}", {"env_param_allowlist_pattern": "K.*"}, "has no value"),
        ("${env:HOME}", {"env_param_allowlist_pattern": "("}, "allowlist.pattern"),
        ("${file:/nowhere:x}", {}, "cannot read /nowhere: No such file"),
        ("${dir:/etc:../etc/passwd}", {}, "has no value"),
        ("${dir:/etc:passwd}", {"dir_param_allowed_paths": "/srv,/run/secrets"}, "is not below"),
        ("${file:/srv/../etc/passwd:x}", {"file_param_allowed_paths": "/srv"}, "is not below"),
        ("x", {"file_class": "my.Provider"}, "my.Provider is not supported: set it to one of"),
        ("x", {"file_class": "FileConfigProvider"}, "is not supported"),
    ],
)
def test_a_value_that_is_not_there_is_an_error_in_one_line(
    text: str, params: dict[str, str], why: str
) -> None:
    with pytest.raises(SettingError) as failed:
        value(text, {"HOME": "secret"}, **params)
    assert why in str(failed.value)
    assert "\n" not in str(failed.value)
    assert "secret " not in str(failed.value)


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * (1024 * 1024 + 1))
    with pytest.raises(SettingError, match="more than"):
        value(f"${{dir:{tmp_path}:big}}")
