"""What holds for every command: its table is whole, its help true, its wrapper there."""

import importlib
import itertools
import re
import shlex
import sys
from pathlib import Path

import click
import pytest

from pykafka_ops.commands import MORE_TOOLS, ROWS, find, find_tool
from pykafka_ops.commands.framework.group import Bilingual, VerbGroup
from pykafka_ops.commands.framework.params import Option
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.options import COMMON
from tests.support.golden.transcripts import run
from tests.support.memory.context import args_of, reader_of

ROOT = Path(__file__).resolve().parents[3]
ALL = [row.load() for row in ROWS]
NAMES = [row.name for row in ROWS]


def verbs_of(command: Bilingual) -> list[Verb]:
    """Its verbs; a command without is one itself."""
    if isinstance(command, VerbGroup):
        return command.verbs
    assert isinstance(command, Verb)
    return [command]


def help_of(command: Bilingual, verb: Verb | None = None) -> str:
    """What ``--help`` prints."""
    ctx = click.Context(click.Group("pko"), info_name="pko")
    ctx = click.Context(command, parent=ctx, info_name=command.name, max_content_width=102)
    if verb is not None and verb is not command:
        ctx = click.Context(verb, parent=ctx, info_name=verb.name)
    ctx.terminal_width = 100
    return ctx.command.get_help(ctx)


def test_every_row_is_the_command_it_names() -> None:
    for row, command in zip(ROWS, ALL, strict=True):
        assert command.name == row.name
        assert find(row.name) == (row, False)
        assert row.tool == (command.tool.name if command.tool else "")
        if row.tool:
            assert find(row.tool) == find(f"{row.tool}.sh") == (row, True)
        if row.other:
            assert find(row.other) == (row, False)
    assert find("nothing") is find("") is find(".sh") is None


def test_no_name_is_taken_twice() -> None:
    words = [w for row in ROWS for w in (row.name, row.tool, row.other) if w]
    assert len(words) == len(set(words))


@pytest.mark.parametrize("command", ALL, ids=NAMES)
def test_an_option_is_declared_once_and_its_letter_means_one_thing(command: Bilingual) -> None:
    declared: dict[tuple[str, str], Option] = {}  # Kafka has two names for a few things
    for verb in verbs_of(command):
        shorts = [o.short for o in verb.options.values() if o.short]
        assert len(shorts) == len(set(shorts)), verb.name
        for name, option in verb.options.items():
            assert declared.setdefault((name, option.kafka), option) is option, (
                f"--{name} of {verb.name}"
            )
    names = [v.name for v in verbs_of(command)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("command", ALL, ids=NAMES)
def test_help_names_every_option_once_and_fits_in_100_columns(command: Bilingual) -> None:
    for verb in verbs_of(command):
        text = help_of(command, verb)
        words = {w.option.long for w in verb.words}
        for option in verb.options.values():
            wanted = int(not option.hidden and option.long not in words)
            found = len(
                re.findall(rf"^  (?:-\w, |    )--{re.escape(option.long)}(?![\w.-])", text, re.M)
            )
            assert found == wanted, option.long
            assert option.long not in words or " ".join((option.help or "").split()[:2]) in text
        assert max(map(len, text.splitlines())) <= 100
    assert max(map(len, help_of(command).splitlines())) <= 100


@pytest.mark.parametrize("command", [c for c in ALL if c.tool], ids=lambda c: c.tool.name)
def test_the_help_of_a_tool_names_its_options(command: Bilingual) -> None:
    assert command.tool is not None
    text = command.tool.manual()
    for option in command.tool.options.values():
        assert option.hidden or f"--{option.kafka}" in text
    assert text.splitlines()[0] == command.tool.help
    assert max(map(len, text.splitlines()[1:])) <= 100


@pytest.mark.parametrize("command", ALL, ids=NAMES)
def test_examples_parse(command: Bilingual) -> None:
    for verb in verbs_of(command):
        for example in verb.examples:
            _, found, rest = example.partition(f"pko {command.name}")
            assert found, example
            ctx = reader_of(command, _until_the_shell(rest))
            if isinstance(ctx.command, Tool):
                ctx.command.read(ctx.command, ctx.args)
            else:
                assert ctx.command is verb, example
                verb.args(ctx)


def _until_the_shell(text: str) -> list[str]:
    """The words up to a pipe, a redirection, a comment or the end of a substitution."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|<>)")
    lexer.whitespace_split = True
    return list(itertools.takewhile(lambda word: word[0] not in "|<>)", lexer))


def test_the_overview_names_every_command_and_loads_none() -> None:
    text = run("--help").stdout
    for row in ROWS:
        assert f"  {row.name} " in text
        assert " ".join(row.summary.split()[:2]) in text
    assert max(map(len, text.splitlines())) <= 100


NOT_TOOLS = ("kafka-run-class.sh", "kafka-server-stop.sh", "kafka-preferred-replica-election.sh")
"""What pko has by another name."""


def test_every_tool_of_kafka_has_a_wrapper_and_a_class() -> None:
    run_class = (ROOT / "scripts" / "kafka-run-class.sh").read_text()
    for row in ROWS:
        if row.tool:
            script = ROOT / "scripts" / f"{row.tool}.sh"
            assert f"pko_exec {row.tool} " in script.read_text()
            assert script.stat().st_mode & 0o111, f"{script.name} is not executable"
            assert f"tool={row.tool} ;;" in run_class
    for name in MORE_TOOLS:
        script = ROOT / "scripts" / f"{name}.sh"
        assert f"pko_exec {name} " in script.read_text()
        assert script.stat().st_mode & 0o111, f"{script.name} is not executable"
        assert f"tool={name} ;;" in run_class
    for script in (ROOT / "scripts").glob("kafka-*.sh"):
        if script.name not in NOT_TOOLS:
            known = find(script.name) or find_tool(script.name)
            assert known, f"{script.name} has no command"


@pytest.mark.parametrize("name", MORE_TOOLS)
def test_a_tool_without_a_row_is_found_and_its_help_names_its_options(name: str) -> None:
    tool = find_tool(name)
    assert tool is not None and tool is find_tool(f"{name}.sh")
    assert tool.name == name and find(name) is None
    text = tool.manual()
    assert all(option.hidden or f"--{option.kafka}" in text for option in tool.options.values())
    assert max(map(len, text.splitlines()[1:])) <= 100


def test_man_pages_say_what_the_tables_say() -> None:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        man_pages = importlib.import_module("man_pages")
    finally:
        sys.path.pop(0)
    assert man_pages.stale() == [], "run scripts/man_pages.py"


def test_every_verb_has_the_common_options() -> None:
    for command in ALL:
        for verb in verbs_of(command):
            for option in COMMON:
                assert option.long in verb.options, f"{command.name} {verb.name}"


def test_command_lines_in_the_readme_parse() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^(?:\$ )?pko ((?!--).+)", readme, re.M)
    assert lines
    for line in lines:
        first, *words = _until_the_shell(line)
        found = find(first)
        assert found, line
        args_of(found[0].load(), words, tool=found[1])
