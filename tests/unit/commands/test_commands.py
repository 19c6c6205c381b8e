"""What holds for every command: its table is whole, its help true, its wrapper there."""

import importlib
import itertools
import re
import shlex
import sys
from pathlib import Path

import pytest

from pykafka_ops.commands import TABLE, find
from pykafka_ops.commands._completion import commands, options_of
from pykafka_ops.commands.framework.context import handler
from pykafka_ops.commands.framework.help import command_help, flag_help, overview
from pykafka_ops.commands.framework.options import COMMON, Command
from pykafka_ops.commands.framework.parse import parse, speaks_flags

ROOT = Path(__file__).resolve().parents[3]
ALL = commands()
NAMES = [c.name for c in ALL]


def test_every_row_is_the_command_it_names() -> None:
    assert [row[0] for row in TABLE] == NAMES
    for row, command in zip(TABLE, ALL, strict=True):
        assert find(row[0]) == (row, False)
        assert not command.tool or command.tool in row[3]
        for tool in row[3]:
            assert find(tool) == find(f"{tool}.sh") == (row, True)
    assert find("nothing") is None


def test_no_name_is_taken_twice() -> None:
    words = [w for row in TABLE for w in (row[0], *row[3], *row[4])]
    assert len(words) == len(set(words))


@pytest.mark.parametrize("command", ALL, ids=NAMES)
def test_options_are_told_once_and_verbs_use_what_exists(command: Command) -> None:
    own = [o.name for o in command.options]
    assert len(own) == len(set(own))
    shorts = [o.short for o in {o.name: o for o in (*COMMON, *command.options)}.values() if o.short]
    assert len(shorts) == len(set(shorts)), "a short option means two things"
    for verb in command.verbs:
        for name in (*verb.options, *(w.name for w in verb.words)):
            assert command.opt(name), f"{verb.name} names --{name}"
    names = [v.name for v in command.verbs]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("command", ALL, ids=NAMES)
def test_every_verb_has_a_function(command: Command) -> None:
    for verb in command.verbs:
        assert callable(handler(verb))


@pytest.mark.parametrize("command", ALL, ids=NAMES)
def test_help_names_every_option_and_fits_in_100_columns(command: Command) -> None:
    text = command_help(command) + "".join(command_help(command, v) for v in command.verbs)
    flags = flag_help(command)
    words = {w.name for v in command.verbs for w in v.words}
    for opt in command.options:
        if not opt.hidden and opt.name not in words:
            pattern = rf"--{re.escape(opt.name)}\b"
            assert re.search(pattern, text) or (command.tool and re.search(pattern, flags))
        assert opt.name not in words or " ".join(opt.help.split()[:2]) in text
    assert max(map(len, text.splitlines())) <= 100
    for said in (command_help(command), *(command_help(command, v) for v in command.verbs)):
        assert said.count("-b, --bootstrap-server HOST") == 1
    if command.tool:
        for opt in (*command.options, *command.actions):
            assert opt.hidden or f"--{opt.name}" in flags
        assert flags.splitlines()[0] == command.purpose


@pytest.mark.parametrize("command", ALL, ids=NAMES)
def test_examples_parse(command: Command) -> None:
    for verb in command.verbs:
        for example in verb.examples:
            _, found, rest = example.partition(f"pko {command.name}")
            assert found, example
            words = _until_the_shell(rest)
            args = parse(command, words)
            if not speaks_flags(command, words):
                assert args.verb is verb, example


def _until_the_shell(text: str) -> list[str]:
    """The words up to a pipe, a redirection, a comment or the end of a substitution."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|<>)")
    lexer.whitespace_split = True
    return list(itertools.takewhile(lambda word: word[0] not in "|<>)", lexer))


def test_the_overview_names_every_command_and_loads_none() -> None:
    text = overview()
    for row in TABLE:
        assert f"  {row[0]}" in text
        assert row[2] in text
    assert max(map(len, text.splitlines())) <= 100


NOT_TOOLS = ("kafka-run-class.sh", "kafka-server-stop.sh", "kafka-preferred-replica-election.sh")
"""What pko has by another name."""


def test_every_tool_of_kafka_has_a_wrapper_and_a_class() -> None:
    run_class = (ROOT / "scripts" / "kafka-run-class.sh").read_text()
    for row in TABLE:
        for tool in row[3]:
            script = ROOT / "scripts" / f"{tool}.sh"
            assert f"pko_exec {tool} " in script.read_text()
            assert script.stat().st_mode & 0o111, f"{script.name} is not executable"
            assert f"tool={tool} ;;" in run_class
    for script in (ROOT / "scripts").glob("kafka-*.sh"):
        if script.name not in NOT_TOOLS:
            assert find(script.name), f"{script.name} has no command"


def test_man_pages_say_what_the_tables_say() -> None:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        man_pages = importlib.import_module("man_pages")
    finally:
        sys.path.pop(0)
    assert man_pages.stale() == [], "run scripts/man_pages.py"


def test_options_of_a_verb_hold_the_common_ones_once() -> None:
    for command in ALL:
        for verb in command.verbs:
            names = [o.name for o in options_of(command, verb)]
            assert len(names) == len(set(names))
            assert "output" in names


def test_command_lines_in_the_readme_parse() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for line in re.findall(r"^(?:\$ )?pko ((?!--).+)", readme, re.M):
        first, *words = _until_the_shell(line)
        found = find(first)
        assert found, line
        parse(ALL[NAMES.index(found[0][0])], words, force_flags=found[1])
