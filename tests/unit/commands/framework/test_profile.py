from pathlib import Path

import pytest

from pykafka_ops.commands.framework.profile import (
    UnreadableFileError,
    config_path,
    fill_bootstrap,
    load_profile,
    profile_for,
    properties,
)
from pykafka_ops.commands.get_offsets import get_offsets
from pykafka_ops.commands.log_dirs import log_dirs
from pykafka_ops.commands.topics import topics
from pykafka_ops.errors import UsageError
from tests.support.memory.context import args_of

CONFIG = """
profile = "dev"
[profiles.dev]
bootstrap-server = "dev:9092"
[profiles.prod]
bootstrap-server = "prod:9092"
command-config = "{file}"
output = "json"
[profiles.prod.settings]
"request.timeout.ms" = 5000
"enable.x" = true
"""


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A config file with two profiles, and a properties file."""
    client = tmp_path / "client.properties"
    client.write_text("request.timeout.ms=1\nbootstrap.servers=file:1\nclient.id=me\n")
    config = tmp_path / "config.toml"
    config.write_text(CONFIG.format(file=client))
    return {"PKO_CONFIG": str(config)}


def test_the_default_profile_is_the_one_the_file_names(env: dict[str, str]) -> None:
    assert load_profile(None, env)["bootstrap-server"] == "dev:9092"
    assert load_profile("prod", env)["output"] == "json"
    assert load_profile(None, {**env, "PKO_PROFILE": "prod"})["output"] == "json"


def test_no_file_is_fine_unless_a_profile_is_wanted(tmp_path: Path) -> None:
    env = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert load_profile(None, env) == {}
    with pytest.raises(UsageError, match="profile prod: there is no"):
        load_profile("prod", env)


def test_the_config_path_follows_xdg(tmp_path: Path) -> None:
    assert config_path({"XDG_CONFIG_HOME": "/x"}) == "/x/pko/config.toml"
    assert config_path({"PKO_CONFIG": "/y"}) == "/y"
    assert config_path({}).endswith("/.config/pko/config.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = [", "config.toml"),
        ("profiles = 3", "tables expected"),
        ('profile = "b"\n[profiles.a]', "not in .* which has: a"),
        ('profile = "a"\n[profiles.a]\nbotstrap = 1', "unknown key botstrap"),
    ],
)
def test_a_wrong_config_file_says_where(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=message):
        load_profile(None, {"PKO_CONFIG": str(file)})


def test_strongest_first(env: dict[str, str]) -> None:
    profile = load_profile("prod", env)
    args = args_of(topics, ["list", "-X", "request.timeout.ms=9", "-b", "flag:1"])
    assert properties(args, profile, env) == {
        "request.timeout.ms": "9",
        "enable.x": "true",
        "bootstrap.servers": "flag:1",
        "client.id": "me",
    }
    args = args_of(topics, ["list"])
    assert properties(args, profile, env)["request.timeout.ms"] == "1"


def test_environment_and_profile_stand_in_for_the_bootstrap_server(env: dict[str, str]) -> None:
    args = args_of(topics, ["list"])
    fill_bootstrap(args, load_profile("prod", env), {})
    assert args.text("bootstrap-server") == "prod:9092"
    args = args_of(topics, ["list"])
    fill_bootstrap(args, load_profile("prod", env), {"PKO_BOOTSTRAP_SERVER": "env:1"})
    assert args.text("bootstrap-server") == "env:1"


def test_an_old_name_counts_only_where_it_is_one() -> None:
    old = args_of(get_offsets, ["--broker-list", "b:1"], tool=True)
    assert properties(old, {}, {})["bootstrap.servers"] == "b:1"
    ids = args_of(log_dirs, ["--broker-list", "0,1", "--bootstrap-server", "b:1"], tool=True)
    assert properties(ids, {}, {})["bootstrap.servers"] == "b:1"


def test_a_missing_properties_file_is_told_by_its_name(tmp_path: Path) -> None:
    args = args_of(topics, ["list", "--command-config", "missing.properties"])
    with pytest.raises(UnreadableFileError) as caught:
        properties(args, {}, {})
    assert str(caught.value) == "missing.properties"


def test_a_setting_needs_an_equals_sign() -> None:
    with pytest.raises(UsageError, match="write it as -X key=value"):
        properties(args_of(topics, ["list", "-X", "a"]), {}, {})


def test_the_default_profile_is_not_for_a_cluster_named_on_the_command_line(
    env: dict[str, str],
) -> None:
    assert profile_for(args_of(topics, ["list"]), env)["bootstrap-server"] == "dev:9092"
    assert profile_for(args_of(topics, ["list", "-b", "other:1"]), env) == {}
    chosen = args_of(topics, ["list", "-b", "other:1", "--profile", "prod"])
    assert profile_for(chosen, env)["output"] == "json"
    by_env = {**env, "PKO_PROFILE": "prod"}
    assert profile_for(args_of(topics, ["list", "-b", "other:1"]), by_env)["output"] == "json"
