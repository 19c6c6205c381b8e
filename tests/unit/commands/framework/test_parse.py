import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.commands.framework.options import Args, Command, Opt, OptionError, Pos, Verb
from pykafka_ops.commands.framework.parse import parse, settle, speaks_flags
from pykafka_ops.commands.get_offsets import COMMAND as OFFSETS
from pykafka_ops.commands.topics import COMMAND as TOPICS
from pykafka_ops.errors import UsageError


def nothing(ctx: object) -> None:
    """A verb that does nothing."""


DEMO = Command(
    "demo",
    "Test.",
    (
        Opt("name", "a name", "NAME", many=True, short="n"),
        Opt("state", "states", "STATES", optional="all"),
        Opt("list-of", "split at commas", "A,B", separator=","),
        Opt("count", "how many", "N", kind="int", short="c"),
        Opt("fast", "hurry", short="f"),
        Opt("kind", "which", "KIND", choices=("a", "b")),
    ),
    (
        Verb("show", "show", nothing, words=(Pos("name", "*"),), options=("state", "fast"),
             flag="show"),
        Verb("move", "move", nothing, words=(Pos("name"), Pos("kind")), options=("count", "fast"),
             flag="move"),
    ),
    tool="kafka-demo",
)  # fmt: skip


def flags(*words: str) -> Args:
    return parse(DEMO, list(words), force_flags=True)


def verbs(*words: str) -> Args:
    args = parse(DEMO, list(words))
    assert not args.flags
    return args


# --- Kafka's tongue


def test_values_come_after_a_blank_or_an_equals_sign() -> None:
    assert flags("--name", "a", "--name=b", "--name=", "--name=c=d").values["name"] == [
        "a",
        "b",
        "",
        "c=d",
    ]


def test_a_single_dash_does_too_as_in_jopt() -> None:
    assert flags("-name", "a", "-count=3", "-fast").values == {
        "name": ["a"],
        "count": ["3"],
        "fast": [],
    }


def test_a_required_value_may_look_like_an_option() -> None:
    assert flags("--name", "--fast").values == {"name": ["--fast"]}


def test_an_optional_value_may_not() -> None:
    assert flags("--state", "--fast").values == {"state": ["all"], "fast": []}
    assert flags("--state", "x", "--fast").values["state"] == ["x"]
    assert flags("--state").values["state"] == ["all"]


def test_a_separator_splits_one_value() -> None:
    assert flags("--list-of", "a,,b").values["list-of"] == ["a", "b"]
    assert flags("--list-of", "").values["list-of"] == [""]


def test_stray_words_are_kept_aside() -> None:
    args = flags("x", "--show", "-", "--", "--fast")
    assert args.stray == ["x", "-", "--fast"]
    assert args.values == {"show": []}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--bogus"], "bogus is not a recognized option"),
        (["--bogus=1"], "bogus is not a recognized option"),
        (["--na", "x"], "na is not a recognized option"),
        (["-z"], "z is not a recognized option"),
        (["--name"], "Option name requires an argument"),
        (["--="], " is not a recognized option"),
    ],
)
def test_errors_are_jopts_words(words: list[str], text: str) -> None:
    with pytest.raises(OptionError) as caught:
        flags(*words)
    assert str(caught.value) == text


def test_zookeeper_is_unknown_with_a_hint_on_the_next_line() -> None:
    with pytest.raises(OptionError) as caught:
        flags("--zookeeper", "localhost:2181")
    first, second = str(caught.value).splitlines()
    assert first == "zookeeper is not a recognized option"
    assert "--bootstrap-server" in second


def test_a_switch_with_a_value_is_a_switch() -> None:
    assert flags("--fast=no").values == {"fast": []}


def test_our_short_options_work_in_kafkas_tongue_too() -> None:
    assert flags("--show", "-o", "json", "-ocsv").values["output"] == ["json", "csv"]


def test_the_verb_is_the_one_whose_switch_was_given() -> None:
    args = flags("--move")
    settle(args)
    assert args.verb.name == "move"


@given(st.lists(st.text(alphabet="ab-=,; ", max_size=6), max_size=6))
def test_any_words_parse_or_are_an_option_error(words: list[str]) -> None:
    try:
        flags(*words)
    except OptionError:
        return


# --- ours


def test_words_fill_their_places() -> None:
    args = verbs("move", "x", "-c3", "a", "-f")
    assert args.verb.name == "move"
    assert args.values == {"count": ["3"], "fast": [], "name": ["x"], "kind": ["a"]}


def test_options_may_stand_anywhere_and_end_at_two_dashes() -> None:
    assert verbs("-o", "json", "show", "--", "-x").values == {"output": ["json"], "name": ["-x"]}
    assert verbs("show", "-fn", "x").values == {"fast": [], "name": ["x"]}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["shw"], "no such verb: shw"),
        (["show", "--fasst"], "did you mean --fast?"),
        (["show", "--count", "1"], "--count does not go with 'pko demo show'"),
        (["move"], "which NAME?"),
        (["move", "x"], "which KIND?"),
        (["move", "x", "c"], "c: choose one of a, b"),
        (["move", "x", "a", "y"], "one word too many: y"),
        (["show", "--kind=c"], "--kind c: choose one of a, b"),
        (["show", "--fast=1"], "--fast takes no value"),
        (["show", "-c"], "--count needs a value"),
        (["move", "x", "a", "-c", "1", "-c", "2"], "--count was given twice"),
        (["show", "-7"], "looks like a number"),
        (["show", "-z"], "no such option: -z"),
        ([], "say what to do"),
    ],
)
def test_mistakes_say_what_to_do(words: list[str], text: str) -> None:
    with pytest.raises(UsageError) as caught:
        verbs(*words)
    assert text in str(caught.value)
    assert not isinstance(caught.value, OptionError)


def test_help_is_understood_with_and_without_a_verb() -> None:
    assert verbs("--help").has("help")
    assert verbs("show", "-h").verb.name == "show"


# --- which of the two


@pytest.mark.parametrize(
    "words",
    [
        ["--bootstrap-server", "b", "--list"],
        ["--list", "-o", "json"],
        ["stray", "--list"],
        ["--topic", "list", "--describe"],
        ["--bootstrap-server", "b"],
    ],
)
def test_kafkas_switches_mean_kafkas_tongue(words: list[str]) -> None:
    assert speaks_flags(TOPICS, words)


@pytest.mark.parametrize(
    "words",
    [["list"], ["-b", "b", "list"], ["--bootstrap-server", "b", "describe", "x"], ["-o", "json"]],
)
def test_a_verb_means_ours(words: list[str]) -> None:
    assert not speaks_flags(TOPICS, words)


def test_a_command_without_verbs_is_ours_with_words_or_without_kafkas_options() -> None:
    assert not speaks_flags(OFFSETS, [])
    assert not speaks_flags(OFFSETS, ["orders", "--time", "-1"])
    assert not speaks_flags(OFFSETS, ["-b", "b:1", "orders"])
    assert speaks_flags(OFFSETS, ["--bootstrap-server", "b:1", "--topic", "orders"])


def test_kafkas_tool_name_forces_its_tongue() -> None:
    assert parse(TOPICS, ["list"], force_flags=True).flags


@pytest.mark.parametrize(
    ("words", "state", "group"),
    [
        (["list", "--state", "stable,EMPTY"], ["stable,EMPTY"], []),
        (["list", "--state", "billing"], [""], ["billing"]),
        (["list", "billing", "--state"], [""], ["billing"]),
        (["list", "--state=dead"], ["dead"], []),
    ],
)
def test_a_word_behind_an_option_that_can_do_without_is_its_value_if_it_looks_so(
    words: list[str], state: list[str], group: list[str]
) -> None:
    from pykafka_ops.commands.consumer_groups import COMMAND

    args = parse(COMMAND, words)
    assert args.values["state"] == state
    assert args.values.get("group", []) == group


RUNNER = Command(
    "runner",
    "Test.",
    (Opt("fast", "hurry", short="f"), Opt("file", "it", "FILE"), Opt("args", "", "A", many=True)),
    (Verb("run", "run", nothing, words=(Pos("file"), Pos("args", "*")), options=("fast",),
          verbatim=True),),
    parser="argparse",
)  # fmt: skip


def test_what_is_for_another_program_is_passed_on_as_it_is() -> None:
    words = ["--fast", "run", "job.py", "x", "--fast", "-zz", "--", "--help"]
    args = parse(RUNNER, words)
    assert args.values == {"fast": [], "file": ["job.py"], "args": words[3:]}
