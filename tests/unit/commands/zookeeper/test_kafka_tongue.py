import pytest

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.zookeeper import zookeeper
from tests.support.memory.context import args_of


def said(line: str) -> Args:
    return args_of(zookeeper, line.split(), tool=True)


@pytest.mark.parametrize(
    "line",
    [
        "z:1/k -zk-tls-config-file f ls -R /",
        "-server z:1/k -timeout 5 ls -R / -zk-tls-config-file f",
        "-zk-tls-config-file f -server z:1/k ls -R /",
    ],
)
def test_the_file_of_tls_may_stand_anywhere(line: str) -> None:
    args = said(line)
    assert args.text("zookeeper") == "z:1/k"
    assert args.text("zk-tls-config-file") == "f"
    assert args.texts("command") == ["ls", "-R", "/"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "USAGE: zookeeper-shell.sh"),
        ("z:1 -zk-tls-config-file", "no filename provided with option -zk-tls-config-file"),
        ("z:1 -r -zk-tls-config-file f", r"read-only mode \(-r\) is not supported"),
        ("z:1 -x", "no such option: -x"),
    ],
)
def test_what_the_shell_does_not_take_is_told(line: str, why: str) -> None:
    with pytest.raises(OptionError, match=why):
        said(line)


def test_without_tls_it_may_be_read_only() -> None:
    assert said("z:1 -r").text("zk-tls-config-file") is None
