"""kafka-cluster: ``VERB --bootstrap-server B [--config FILE]``, as argparse4j reads it.

Unlike kafka-transactions all its options stand behind the verb. ``list-endpoints`` is Kafka 4's.
"""

from __future__ import annotations

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.kafka_syntax.tool import Tool

_CONNECT = ("bootstrap-server", "bootstrap-controller")
_SHORT = {"-b": "bootstrap-server", "-C": "bootstrap-controller", "-c": "config", "-i": "id",
          "-h": "help"}  # fmt: skip
_OLD = {"config": "command-config"}
_LETTERS = {name: letter for letter, name in _SHORT.items()}
_KAFKA_3 = ("cluster-id", "unregister")


def read(tool: Tool, words: list[str]) -> Args:
    """The arguments; OptionError holds the usage and the complaint."""
    args = Args(tool.options, "", flags=True)
    if words[:1] in (["-h"], ["--help"]):
        args.values["help"] = []
        return args
    if not words:
        raise _error(None, "too few arguments")
    verb = next((v for v in tool.verbs if v.tool_name and v.tool_name == words[0]), None)
    if verb is None:
        if words[0].startswith("-"):
            raise _error(None, f"unrecognized arguments: '{words[0]}'")
        choices = ", ".join(f"'{name}'" for name in _KAFKA_3)
        raise _error(None, f"invalid choice: '{words[0]}' (choose from {choices})")
    args.verb = verb.name or ""
    rest = words[1:]
    while rest:
        _take(args, verb, rest)
    if not args.has("help"):
        _complete(args, verb)
    return args


def _take(args: Args, verb: Verb, rest: list[str]) -> None:
    word = rest.pop(0)
    name, eq, value = word.partition("=")
    name = _SHORT.get(name, name[2:] if name.startswith("--") else "")
    known = (*_CONNECT, "config", "command-config", "help", *(w.option.long for w in verb.words))
    if name not in known:
        raise _error(verb, f"unrecognized arguments: '{word}'")
    if name == "help":
        args.values[name] = []
        return
    if not eq:
        if not rest or rest[0].startswith("--"):
            raise _error(verb, f"argument {_both(name)}: expected one argument")
        value = rest.pop(0)
    if name == "id" and java_integer(value) is None:
        text = f"could not convert '{value}' to Integer (For input string: \"{value}\")"
        raise _error(verb, f"argument {_both(name)}: {text}")
    other = next((c for c in _CONNECT if c != name and args.has(c)), None)
    if name in _CONNECT and other:
        raise _error(verb, f"argument {_both(name)}: not allowed with argument {_both(other)}")
    args.values[_OLD.get(name, name)] = [value]


def _complete(args: Args, verb: Verb) -> None:
    for word in verb.words:
        if not args.has(word.option.long):
            raise _error(verb, f"argument {_both(word.option.long)} is required")
    if not any(args.has(name) for name in _CONNECT):
        both = " ".join(_both(name) for name in _CONNECT)
        raise _error(verb, f"one of the arguments {both} is required")
    if args.has("bootstrap-controller"):
        args.values["bootstrap-server"] = args.values["bootstrap-controller"]


def _both(name: str) -> str:
    return f"--{name}/{_LETTERS[name]}" if name in _LETTERS else f"--{name}"


def usage(verb: Verb | None) -> str:
    """The usage of the tool or of one verb."""
    if verb is None:
        return f"usage: kafka-cluster [-h] {{{','.join(_KAFKA_3)}}} ..."
    own = "".join(f" --{w.option.long} {w.option.long.upper()}" for w in verb.words)
    return (
        f"usage: kafka-cluster {verb.tool_name} [-h] [--config CONFIG]{own}\n"
        "                     (--bootstrap-server BOOTSTRAP_SERVER |\n"
        "                     --bootstrap-controller BOOTSTRAP_CONTROLLER)"
    )


def _error(verb: Verb | None, text: str) -> OptionError:
    return OptionError(f"{usage(verb)}\nkafka-cluster: error: {text}")
