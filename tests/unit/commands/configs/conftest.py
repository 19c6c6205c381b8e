"""A broker's own handlers, without sockets, asked by ``pko configs`` and kafka-configs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pykafka_ops.commands.configs import configs
from pykafka_ops.commands.framework.run import Run, execute
from pykafka_ops.errors import PkoError
from tests.support.memory.config_desk import ConfigDesk, DeskCluster
from tests.support.memory.context import args_of, work_of

Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def cluster(tmp_path: Path) -> DeskCluster:
    return DeskCluster(ConfigDesk(tmp_path))


@pytest.fixture
def say(cluster: DeskCluster, capsys: pytest.CaptureFixture[str]) -> Say:
    """Run words in our command line syntax, or in Kafka's where they begin with ``--``."""

    def go(*words: str) -> tuple[int, str, str]:
        flags = words[0].startswith("--")
        extra = ["--bootstrap-server", "b:1"] if flags else []
        args = args_of(configs, [*extra, *words], tool=flags)
        run = Run(args, {}, {})
        run._cluster = cluster  # type: ignore[assignment]  # a double
        try:
            code = execute(run, work_of(configs, args))
        except PkoError as error:
            capsys.readouterr()
            return -error.exit_code, "", str(error)
        out, err = capsys.readouterr()
        return code, out, err

    return go
