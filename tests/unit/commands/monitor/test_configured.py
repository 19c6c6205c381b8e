"""Which clusters a monitor watches: of the file, of the command line, of the environment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.profile import fill_bootstrap
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.monitor.configured import client_configs, read_config
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.config import MonitorConfig


def watched(config: MonitorConfig, env: Mapping[str, str], **typed: str) -> dict[str, str]:
    """Clusters and their brokers."""
    run = Run(Args({}, "run", flags=False), {}, dict(env))
    for name, value in typed.items():
        run.args.values[name.replace("_", "-")] = [value]
    fill_bootstrap(run.args, {}, env)
    found = client_configs(config, run, env)
    return {name: str(client.bootstrap[0]) for name, client in found.items()}


@pytest.fixture
def config(tmp_path: Path) -> MonitorConfig:
    path = tmp_path / "monitor.toml"
    path.write_text('[cluster.prod]\nbootstrap-server = "b1:9092"\n')
    return read_config(str(path))


def test_the_environment_adds_no_cluster_to_those_of_the_file(config: MonitorConfig) -> None:
    env = {"PKO_BOOTSTRAP_SERVER": "elsewhere:9092"}
    assert watched(config, env) == {"prod": "b1:9092"}
    assert watched(MonitorConfig(), env) == {"default": "elsewhere:9092"}


def test_the_command_line_adds_one(config: MonitorConfig) -> None:
    found = watched(config, {}, bootstrap_server="b2:9092")
    assert found == {"prod": "b1:9092", "default": "b2:9092"}


def test_without_any_a_line_says_how_to_name_one() -> None:
    with pytest.raises(UsageError, match="which cluster"):
        watched(MonitorConfig(), {})


def test_a_cluster_without_brokers_is_named_with_what_to_write(tmp_path: Path) -> None:
    path = tmp_path / "monitor.toml"
    path.write_text('[cluster.prod]\nbootstrap-server = ""\n')
    with pytest.raises(UsageError, match=r'\[cluster.prod\]: write bootstrap-server = "HOST:PORT"'):
        watched(read_config(str(path)), {})
