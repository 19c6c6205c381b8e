"""Our command line syntax: words, options, mistakes, help."""

import re

import click
import pytest

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.errors import UsageError
from tests.support.memory.context import args_of, reader_of
from tests.support.memory.demo_command import demo, runner


def verbs(*words: str) -> Args:
    args = args_of(demo, words)
    assert not args.flags
    return args


def test_words_fill_their_places() -> None:
    args = verbs("move", "x", "-c3", "a", "-f")
    assert args.verb == "move"
    assert args.values == {"count": [3], "fast": [], "name": ["x"], "kind": ["a"]}


def test_a_word_can_be_given_as_the_option_that_it_fills() -> None:
    assert verbs("show", "--name", "x", "-n", "y", "z").values == {"name": ["x", "y", "z"]}


def test_options_may_stand_anywhere_and_end_at_two_dashes() -> None:
    assert verbs("-o", "json", "show", "--", "-x").values == {"output": ["json"], "name": ["-x"]}
    assert verbs("-c3", "move", "x", "a").values["count"] == [3]
    assert verbs("show", "-fn", "x").values == {"fast": [], "name": ["x"]}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["shw"], "no such verb: shw (did you mean show?); one of show, move"),
        (["show", "--fasst"], "did you mean --fast?"),
        (["show", "--count", "1"], "--count does not go with 'pko demo show'"),
        (["move"], "which NAME?"),
        (["move", "x"], "which KIND?"),
        (["move", "x", "c"], "c: choose one of a, b"),
        (["move", "x", "a", "y"], "one word too many: y"),
        (["move", "--kind=c", "x"], "--kind c: choose one of a, b"),
        (["move", "x", "a", "-c", "1.5"], "--count 1.5: give a whole number"),
        (["show", "--fast=1"], "--fast takes no value"),
        (["move", "-c"], "--count needs a value: --count N"),
        (["move", "x", "a", "-c", "1", "-c", "2"], "--count was given twice"),
        (["show", "-7"], "looks like a number"),
        (["show", "-z"], "no such option: -z"),
        (["-o", "json"], "say what to do: pko demo show, move"),
    ],
)
def test_mistakes_say_what_to_do(words: list[str], text: str) -> None:
    with pytest.raises(UsageError, match=re.escape(text)) as caught:
        verbs(*words)
    assert not isinstance(caught.value, OptionError)


@pytest.mark.parametrize(
    ("words", "state", "name"),
    [
        (["show", "--state", "full,EMPTY"], ["full,EMPTY"], []),
        (["show", "--state", "billing"], ["all"], ["billing"]),
        (["show", "billing", "--state"], ["all"], ["billing"]),
        (["show", "--state=full"], ["full"], []),
    ],
)
def test_a_word_behind_an_option_that_can_do_without_is_its_value_if_it_looks_so(
    words: list[str], state: list[str], name: list[str]
) -> None:
    args = verbs(*words)
    assert args.values["state"] == state
    assert args.values.get("name", []) == name


def test_what_is_for_another_program_is_passed_on_as_it_is() -> None:
    words = ["--fast", "run", "job.py", "x", "--fast", "-zz", "--", "--help"]
    assert args_of(runner, words).values == {"fast": [], "file": ["job.py"], "args": words[3:]}


@pytest.mark.parametrize(
    ("words", "usage"),
    [
        ([], "usage: pko demo VERB [options]"),
        (["--help"], "usage: pko demo VERB [options]"),
        (["move", "-h"], "usage: pko demo move NAME KIND [options]"),
        (["-h", "move"], "usage: pko demo move NAME KIND [options]"),
    ],
)
def test_help_is_shown_of_the_command_or_of_the_verb(
    words: list[str], usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(click.exceptions.Exit) as caught:
        reader_of(demo, words)
    assert caught.value.exit_code == 0
    assert capsys.readouterr().out.startswith(usage + "\n")
