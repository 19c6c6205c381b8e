import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from pykafka_ops import __version__, cli
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.root import Pko
from pykafka_ops.compiled import is_compiled
from pykafka_ops.errors import CheckFailed, ConnectError, KafkaError, PkoError, UsageError
from tests.support.golden.transcripts import run
from tests.support.memory.client_clock import client_clock, patient
from tests.support.memory.demo_command import demo
from tests.support.memory.fake_broker import FakeBroker

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whatever the one who runs the tests has set."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in ("PKO_BOOTSTRAP_SERVER", "PKO_OUTPUT", "PKO_PROFILE", "PKO_CONFIG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def broker() -> Iterator[FakeBroker]:
    made = FakeBroker()
    made.topics = {"orders": [0, 0]}
    with client_clock():
        yield made
    made.close()


def pko(*argv: str, **more: object) -> subprocess.CompletedProcess[str]:
    """pko in a process of its own."""
    command = [sys.executable, "-m", "pykafka_ops", *argv]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, **more)  # type: ignore[call-overload,no-any-return]  # options pass through


def test_help_and_version_need_no_command() -> None:
    assert run("--help").stdout == run().stdout
    form = "compiled" if is_compiled() else "pure Python"
    assert run("--version").stdout == f"pko {__version__} ({form})\n"
    assert run("kafka-topics", "--version").stdout == "3.9.1\n"


def test_mistakes_are_one_line_and_exit_2() -> None:
    for argv in (["topix"], ["--bogus"], ["topics", "shrink"], ["--profile"], ["topics", "list"]):
        said = run(*argv)
        assert said.code == 2, argv
        assert said.stderr.startswith("pko: ")
        assert said.stderr.count("\n") == 1
        assert said.stdout == ""
    assert "did you mean topics?" in run("topix").stderr


def test_kafkas_tools_exit_1_and_explain_on_stderr_without_arguments() -> None:
    said = run("kafka-topics")
    assert (said.code, said.stdout) == (1, "")
    assert said.stderr.startswith("Create, delete, describe, or change a topic.\n")


def test_help_of_a_tool_is_on_stdout_and_exits_0() -> None:
    said = run("kafka-topics", "--help")
    assert said.code == 0
    assert "--replica-assignment" in said.stdout


def test_the_first_line_of_a_usage_error_is_kafkas() -> None:
    assert run("kafka-topics", "--bogus").stderr == "bogus is not a recognized option\n"
    said = run("kafka-topics", "--list")
    assert (said.code, said.stderr) == (1, "--bootstrap-server must be specified\n")


def test_options_may_stand_before_the_command(broker: FakeBroker) -> None:
    said = run("-b", broker.bootstrap, "-o", "name", "topics", "list")
    assert said.stdout == "orders\n"


def test_both_forms_ask_the_same_and_answer_in_their_way(broker: FakeBroker) -> None:
    flags = run("kafka-topics", "--bootstrap-server", broker.bootstrap, "--list")
    verbs = run("topics", "list", "-b", broker.bootstrap)
    assert flags.stdout == "orders\n"
    assert verbs.stdout == "TOPIC   PARTITIONS  REPLICAS\norders           2         1\n"
    both = [
        run("kafka-topics", "--bootstrap-server", broker.bootstrap, "--list", "-o", "json"),
        run("topics", "list", "-b", broker.bootstrap, "-o", "json"),
    ]
    assert both[0].stdout == both[1].stdout


def test_a_cluster_that_does_not_answer_exits_3_in_ours_and_1_in_kafkas() -> None:
    quick = ("-X", "default.api.timeout.ms=50")
    said = run("topics", "list", "-b", "127.0.0.1:1", *quick)
    assert said.code == 3
    assert said.stderr == "pko: cannot connect to 127.0.0.1:1: Connection refused\n"
    said = run("kafka-topics", "--bootstrap-server", "127.0.0.1:1", "--list", *quick)
    assert said.code == 1
    assert said.stdout == (
        "Error while executing topic command : "
        "Timed out waiting for a node assignment. Call: listTopics\n"
    )


def test_debug_shows_the_trace_and_the_traceback() -> None:
    said = run("topics", "list", "-b", "127.0.0.1:1", "-X", "default.api.timeout.ms=1", "--debug")
    assert "Traceback" in said.stderr
    assert said.stderr.endswith("pko: cannot connect to 127.0.0.1:1: Connection refused\n")


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (UsageError("wrong"), 2, "pko: wrong\n"),
        (ConnectError("far\naway"), 3, "pko: far away\n"),
        (CheckFailed("bad"), 4, "pko: bad\n"),
        (KafkaError(29), 3, "pko: Topic authorization failed. [TOPIC_AUTHORIZATION_FAILED]\n"),
        (KafkaError(42, "no"), 1, "pko: no [INVALID_REQUEST]\n"),
        (PkoError(), 1, "pko: PkoError\n"),
        (ZeroDivisionError("x"), 1, "pko: internal error, please report it with --debug's output: "
         "ZeroDivisionError('x')\n"),
    ],
)  # fmt: skip
def test_every_error_is_one_line_and_an_exit_code(
    monkeypatch: pytest.MonkeyPatch, error: Exception, code: int, text: str
) -> None:
    def fail(run: Run) -> int:
        raise error

    monkeypatch.setattr(demo.commands["show"], "work", fail)
    monkeypatch.setattr(Pko, "get_command", lambda self, ctx, name: demo)
    said = run("demo", "show")
    assert (said.code, said.stderr, said.stdout) == (code, text, "")


def test_ctrl_c_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(words: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_dispatch", interrupt)
    said = run("topics")
    assert (said.code, said.stdout, said.stderr) == (130, "", "")


def test_a_closed_pipe_is_quiet() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "pykafka_ops", "topics", "--help"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


def test_what_a_latin_terminal_cannot_show_is_escaped(broker: FakeBroker, tmp_path: Path) -> None:
    broker.topics = {"zähler-Ω": [0]}
    done = pko("topics", "list", "-o", "name", "-b", broker.bootstrap,
               env={**os.environ, **patient(tmp_path), "PYTHONIOENCODING": "latin-1"},
               encoding="latin-1")  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "zähler-\\u03a9\n")


def test_a_destructive_verb_needs_yes_where_nobody_can_be_asked(broker: FakeBroker) -> None:
    done = pko("topics", "delete", "orders", "-b", broker.bootstrap, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert "add --yes" in done.stderr
    assert broker.asked("DeleteTopics") == []


def test_a_profile_and_the_environment_name_the_cluster(
    broker: FakeBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pko").mkdir()
    config = tmp_path / "pko" / "config.toml"
    config.write_text(
        f'[profiles.test]\nbootstrap-server = "{broker.bootstrap}"\noutput = "name"\n'
    )
    assert run("topics", "list", "--profile", "test").stdout == "orders\n"
    monkeypatch.setenv("PKO_BOOTSTRAP_SERVER", broker.bootstrap)
    monkeypatch.setenv("PKO_OUTPUT", "csv")
    assert run("topics", "list").stdout.startswith("topic,partition_count,")
    assert run("kafka-topics", "--list").stdout == "orders\n", "only -o changes Kafka's text"
    monkeypatch.setenv("PKO_OUTPUT", "xml")
    assert "choose one of table, wide, json" in run("topics", "list").stderr


HEAVY = ("rich", "confluent_kafka", "yaml", "asyncio", "ssl", "json", "cramjam", "subprocess",
         "statistics", "kazoo", "pykafka_ops.broker", "tomllib")  # fmt: skip
NOBODY = ("-b", "127.0.0.1:1", "-X", "default.api.timeout.ms=1")


@pytest.mark.parametrize(
    ("argv", "work", "more"),
    [
        (["--help"], "root", ("dataclasses", "socket", "pykafka_ops.wire", "pykafka_ops.client")),
        (["topics", "--help"], "topics", ("dataclasses", "socket", "pykafka_ops.wire")),
        (["kafka-topics", "--list", "--bootstrap-server"], "topics.list",
         ("dataclasses", "pykafka_ops.settings", "pykafka_ops.client.reassignments")),
        (["topics", "describe", *NOBODY], "topics.describe", ("dataclasses",)),
        (["groups", "describe", "a", *NOBODY], "groups.describe", ()),
        (["groups", "lag", "--all", *NOBODY], "groups.lag", ()),
        (["log-dirs", "describe", *NOBODY], "log_dirs.describe", ("dataclasses",)),
    ],
)  # fmt: skip
def test_start_up_imports_nothing_it_does_not_need(
    broker: FakeBroker, argv: list[str], work: str, more: tuple[str, ...]
) -> None:
    if argv[-1] == "--bootstrap-server":
        argv = [*argv, broker.bootstrap]
    code = f"import sys; from pykafka_ops.cli import main; main({argv!r})"
    code += "; print(*sys.modules, sep='\\n', file=sys.stderr)"
    env = {k: v for k, v in os.environ.items() if not k.startswith(("COV", "PKO"))}
    path = os.pathsep.join((str(ROOT), sysconfig.get_path("purelib")))
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        env={**env, "PYTHONPATH": path},
        check=True,
    )
    loaded = set(done.stderr.splitlines())
    assert f"pykafka_ops.commands.{work}" in loaded, "it did not get as far as that"
    assert not loaded & {*HEAVY, *more}


@pytest.mark.parametrize(("end", "code"), [("raise", 130), ("raise SystemExit(143)", 143)])
def test_an_interrupt_inside_exec_ends_the_module_with_the_code_of_its_end(
    tmp_path: Path, end: str, code: int
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import pykafka_ops.cli as cli\n"
        "def dispatch(words):\n"
        "    try:\n"
        "        exec('raise KeyboardInterrupt')\n"
        "    except KeyboardInterrupt:\n"
        f"        {end}\n"
        "cli._dispatch = dispatch\n"
    )
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    argv = [sys.executable, "-m", "pykafka_ops"]
    assert subprocess.run(argv, env=env, check=False).returncode == code
