"""kafka-acls: which options go together, and how it reports failures."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.kafka_syntax import jopt
from pykafka_ops.errors import KafkaError, PkoError

WARNING = (
    "Warning: support for ACL configuration directly through the authorizer is deprecated and will "
    "be removed in a future release. Please use --bootstrap-server instead to set ACLs through the "
    "admin client."
)
INFERRED = ("operation", "deny-principal", "deny-host")
"""What does not go with the roles."""


class AclProblem(PkoError):  # noqa: N818 - Kafka's tool catches it, and prints it
    """What ends the tool once its work has begun; ``java`` is the exception's class there."""

    def __init__(self, message: str, java: str = "java.lang.IllegalArgumentException") -> None:
        super().__init__(message)
        self.java = java


def check(args: Args) -> None:
    """AclCommandOptions.checkArgs, in its order and words."""
    if args.has("authorizer-properties") and "bootstrap-server" in args.filled:
        del args.values["bootstrap-server"]  # who names an authorizer does not mean a profile
    brokers = args.has("bootstrap-server")
    if brokers and args.has("authorizer"):
        raise OptionError("Only one of --bootstrap-server or --authorizer must be specified")
    if not brokers:
        args.require("authorizer-properties")
        sys.stderr.write(f"{WARNING}\n")
    if args.has("command-config") and not brokers:
        raise OptionError(
            "The --command-config option can only be used with --bootstrap-server option"
        )
    if args.has("authorizer-properties") and brokers:
        raise OptionError(
            "The --authorizer-properties option can only be used with --authorizer option"
        )
    if sum(args.has(action) for action in ("add", "remove", "list")) != 1:
        raise OptionError("Command must include exactly one action: --list, --add, --remove. ")
    args.forbid("list", "producer", "consumer", "allow-host", "allow-principal", "deny-host",
                "deny-principal")  # fmt: skip
    args.forbid("producer", *INFERRED)
    args.forbid("consumer", *INFERRED)
    if args.has("principal") and not args.has("list"):
        raise OptionError("The --principal option is only available if --list is set")
    _check_roles(args)


def _check_roles(args: Args) -> None:
    if args.has("producer") and not args.has("topic"):
        raise OptionError("With --producer you must specify a --topic")
    if args.has("idempotent") and not args.has("producer"):
        raise OptionError("The --idempotent option is only available if --producer is set")
    wrong = not args.has("producer") and (args.has("cluster") or args.has("transactional-id"))
    if args.has("consumer") and (not args.has("topic") or not args.has("group") or wrong):
        raise OptionError(
            "With --consumer you must specify a --topic and a --group and no --cluster or "
            "--transactional-id option should be specified."
        )


def failure(error: PkoError, run: Run) -> int:
    """Wrong options on stderr; what goes wrong in its work on stdout, as the tool prints it before
    the stack."""
    if isinstance(error, OptionError):
        sys.stderr.write(f"{jopt.uncaught(str(error))}\n")
        return 1
    from pykafka_ops.commands.framework.failures import execution_text

    text = execution_text(error)
    sys.stdout.write(f"Error while executing ACL command: {text}\n{_java(error)}: {text}\n\n")
    return 1


def _java(error: PkoError) -> str:
    """The class of the exception that the tool catches."""
    from pykafka_ops.commands.framework.failures import security_class
    from pykafka_ops.commands.framework.principal import PrincipalProblem
    from pykafka_ops.commands.framework.profile import UnreadableFileError

    if isinstance(error, (AclProblem, PrincipalProblem)):
        return error.java
    if isinstance(error, KafkaError) or hasattr(error, "trouble") or security_class(error):
        return "java.util.concurrent.ExecutionException"
    if isinstance(error, UnreadableFileError):
        return "java.nio.file.NoSuchFileException"
    return "org.apache.kafka.common.KafkaException"
