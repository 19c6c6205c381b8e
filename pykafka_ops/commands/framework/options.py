"""What a command line may say: one table per command, read by both tongues, help, man, completion.

``pko`` speaks two tongues. The flag tongue is Kafka's (``--topic x --create``), read exactly like
jopt-simple 5 reads it. The verb tongue is ours (``create x``). Both end in the same ``Args``.
This module imports nothing, so that ``--help`` stays quick.
"""

from __future__ import annotations

from pykafka_ops.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pykafka_ops.commands.framework.context import Context
    from pykafka_ops.commands.framework.output import Table
    from pykafka_ops.errors import PkoError

    Handler = Callable[[Context], Table | int | None]
    Check = Callable[["Args"], None]
    Failure = Callable[[PkoError, Context], int]


class OptionError(UsageError):
    """The command line itself is wrong; the text is Kafka's where Kafka has one."""


class Opt:
    """One option.

    ``value`` is the name of its value in the help ("" for a switch). ``kind``: "" for text, "int",
    "long" or "double" for Java's numbers. ``many``: may be repeated. ``optional``: what a bare
    ``--opt`` means where the value may be left out (jopt's optional argument); in our tongue the
    next word is its value if it is one of ``choices`` or matches ``values``. ``separator`` splits
    one value into several, as jopt's withValuesSeparatedBy. ``complete``: "topics", "groups",
    "brokers", "file" for the shells. ``ours``: not an option of Kafka's tool. ``hidden``: old
    names that still work. ``short``: one letter, verb tongue only. ``alias``: the option that this
    one is an old name of.
    """

    __slots__ = (
        "alias", "choices", "complete", "default", "help", "hidden", "kind", "many", "name",
        "optional", "ours", "separator", "short", "value", "values",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        help: str,  # noqa: A002 - reads well in the tables
        value: str = "",
        *,
        kind: str = "",
        many: bool = False,
        optional: str | None = None,
        default: str | None = None,
        choices: tuple[str, ...] = (),
        values: str = "",
        short: str = "",
        separator: str = "",
        complete: str = "",
        ours: bool = False,
        hidden: bool = False,
        alias: str = "",
    ) -> None:
        self.name, self.help, self.value, self.kind = name, help, value, kind
        self.many, self.optional, self.default, self.choices = many, optional, default, choices
        self.short, self.separator, self.complete, self.values = short, separator, complete, values
        self.ours, self.hidden, self.alias = ours, hidden, alias


class Pos:
    """A word of the verb tongue: it fills the option ``name``; ``count`` is 1, ?, + or *."""

    __slots__ = ("count", "metavar", "name")

    def __init__(self, name: str, count: str = "1", metavar: str = "") -> None:
        self.name, self.count, self.metavar = name, count, metavar or name.upper()


class Verb:
    """One action of a command.

    ``run`` is "module:function" below ``pykafka_ops.commands`` (loaded when used) or a function.
    ``flag`` is the switch that means this verb in the flag tongue. ``options`` are the names of the
    command's options that go with the verb. ``tool_name`` is what Kafka's tool calls the verb where
    it has verbs ("": it has not this one). ``verbatim``: what stands behind the first word of the
    verb is for another program, options and all.
    """

    __slots__ = ("examples", "flag", "help", "name", "options", "run", "tool_name", "verbatim",
                 "words")  # fmt: skip

    def __init__(
        self,
        name: str,
        help: str,  # noqa: A002 - reads well in the tables
        run: str | Handler,
        *,
        words: tuple[Pos, ...] = (),
        options: tuple[str, ...] = (),
        flag: str = "",
        tool_name: str | None = None,
        examples: tuple[str, ...] = (),
        verbatim: bool = False,
    ) -> None:
        self.name, self.help, self.run, self.words = name, help, run, words
        self.verbatim = verbatim
        self.options, self.flag, self.examples = options, flag, examples
        self.tool_name = name if tool_name is None else tool_name


class Command:
    """A command: its options, its verbs, and how Kafka's tool checks and reports.

    ``check`` runs after parsing in the flag tongue and raises OptionError with Kafka's text.
    ``failure`` reports any PkoError in the flag tongue and returns the exit code (default: the
    message on stderr, 1). ``parser`` is "jopt", or "argparse" for tools whose flag tongue has verbs
    of its own, which ``tongue`` reads where the common one does not. ``bare`` lets the command run
    without any argument. ``implied`` tells of a word that is no verb whether it may be the first of
    the first verb, which then need not be said.
    """

    __slots__ = ("actions", "bare", "check", "failure", "implied", "name", "options", "parser",
                 "purpose", "tongue", "tool", "verbs")  # fmt: skip

    def __init__(
        self,
        name: str,
        purpose: str,
        options: tuple[Opt, ...],
        verbs: tuple[Verb, ...],
        *,
        tool: str = "",
        check: Check | None = None,
        failure: Failure | None = None,
        parser: str = "jopt",
        bare: bool = False,
        implied: Callable[[str], bool] | None = None,
        tongue: Callable[[Command, list[str]], Args] | None = None,
    ) -> None:
        self.name, self.purpose, self.options, self.verbs = name, purpose, options, verbs
        self.tongue = tongue
        self.tool, self.check, self.failure = tool, check, failure
        self.parser, self.bare, self.implied = parser, bare, implied
        own = {o.name for o in options}
        self.actions = tuple(Opt(v.flag, v.help) for v in verbs if v.flag and v.flag not in own)

    def opt(self, name: str) -> Opt | None:
        """The option of that name, the common ones included."""
        for o in (*self.options, *self.actions, *COMMON):
            if o.name == name:
                return o
        return None

    def verb(self, name: str) -> Verb | None:
        """The verb of that name."""
        return next((v for v in self.verbs if v.name == name), None)


BOOTSTRAP = Opt("bootstrap-server", "brokers to connect to first: host:port,host:port", "HOST:PORT",
                short="b")  # fmt: skip
COMMAND_CONFIG = Opt("command-config", "client settings, a .properties file as Kafka's", "FILE",
                     complete="file")  # fmt: skip
TLS_FILE = Opt("zk-tls-config-file", "zookeeper.ssl.* properties for --zookeeper", "FILE",
               complete="file")  # fmt: skip
COMMON: tuple[Opt, ...] = (
    BOOTSTRAP,
    COMMAND_CONFIG,
    Opt("output", "format of the answer", "FORMAT", short="o", ours=True, default="table",
        choices=("table", "wide", "json", "yaml", "csv", "name")),
    Opt("profile", "which [profiles.NAME] of the config file to use", "NAME", ours=True),
    Opt("setting", "one client setting, e.g. -X request.timeout.ms=5000", "KEY=VALUE", short="X",
        many=True, ours=True),
    Opt("yes", "do it without asking", short="y", ours=True),
    Opt("debug", "show the traceback of an error and the protocol trace", ours=True),
    Opt("help", "show this help", short="h"),
    Opt("version", "show the version"),
)  # fmt: skip

_LIMITS = {"int": 31, "long": 63}


class Args:
    """What was said, the same for both tongues.

    ``flags``: the flag tongue was spoken. ``verb``: the action. ``stray``: words Kafka ignores.
    ``order``: the options of the flag tongue as they came, ``said``: all its words. ``filled``: the
    options whose value is from the environment or a profile.
    """

    __slots__ = ("command", "filled", "flags", "order", "said", "stray", "values", "verb")

    def __init__(self, command: Command, verb: Verb, *, flags: bool) -> None:
        self.command, self.verb, self.flags = command, verb, flags
        self.values: dict[str, list[str]] = {}
        self.stray: list[str] = []
        self.order: list[str] = []
        self.said: list[str] = []
        self.filled: set[str] = set()

    def has(self, name: str) -> bool:
        """Whether the option was given (a default does not count)."""
        return name in self.values

    def texts(self, name: str) -> list[str]:
        """Every value given, else the default as the only one."""
        given = self.values.get(name)
        if given:
            return given
        opt = self.command.opt(name)
        return [opt.default] if opt and opt.default is not None else []

    def text(self, name: str) -> str | None:
        """The one value, its default, or None; jopt's complaint where several were given."""
        found = self.texts(name)
        if len(found) > 1:
            raise OptionError(
                f"Found multiple arguments for option {name}, but you asked for only one"
            )
        return found[0] if found else None

    def number(self, name: str) -> int | None:
        """``text`` as a Java int or long, jopt's complaint where it is none."""
        value = self.text(name)
        if value is None:
            return None
        opt = self.command.opt(name)
        parsed = java_integer(value, _LIMITS[opt.kind] if opt and opt.kind in _LIMITS else 63)
        if parsed is None:
            raise OptionError(f"Cannot parse argument '{value}' of option {name}")
        return parsed

    def double(self, name: str) -> float | None:
        """``text`` as a double."""
        value = self.text(name)
        if value is None:
            return None
        try:
            return float(value)
        except ValueError:
            raise OptionError(f"Cannot parse argument '{value}' of option {name}") from None

    def require(self, *names: str) -> None:
        """Kafka's CommandLineUtils.checkRequiredArgs."""
        for name in names:
            if name not in self.values:
                raise OptionError(f'Missing required argument "[{name}]"')

    def forbid(self, used: str, *others: str) -> None:
        """Kafka's CommandLineUtils.checkInvalidArgs: ``others`` cannot stand beside ``used``."""
        if used in self.values:
            for other in others:
                if other in self.values:
                    raise OptionError(f'Option "[{used}]" can\'t be used with option "[{other}]"')


def java_integer(text: str, bits: int = 31) -> int | None:
    """Integer.valueOf / Long.valueOf: None where Java throws NumberFormatException."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdigit()):
        return None
    value = int(text) if len(digits) < 4000 else 1 << 64
    return value if -(1 << bits) <= value < 1 << bits else None
