"""kafka-streams-application-reset, as StreamsResetter of Kafka 4.3; what 3.9 says otherwise is said
where brokers of 3.9 are asked."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.failures import is_usage, java_text, text_of
from pykafka_ops.commands.framework.params import Option, Switch
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.types import ANY_LONG, FILE_PATH
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.groups.kafka4 import RELEASE
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.errors import PkoError

SCENARIOS = (
    "to-offset", "to-datetime", "by-duration", "to-earliest", "to-latest", "from-file", "shift-by",
)  # fmt: skip
OPTIONS = (
    Option("--application-id", metavar="ID", help="the application.id of the Streams application"),
    Option("--input-topics", metavar="TOPICS", multiple=True, separator=",",
           help="topics that it reads: their offsets are reset, by default to the first"),
    Option("--intermediate-topics", metavar="TOPICS", multiple=True, separator=",",
           help="old: topics that it reads and writes: their offsets go to the end"),
    Option("--internal-topics", metavar="TOPICS", multiple=True, separator=",",
           help="which of its internal topics to delete (default: all)"),
    Option("--to-offset", metavar="N", type=ANY_LONG, help="to this offset"),
    Option("--to-datetime", metavar="TIME", help="to a moment: YYYY-MM-DDThh:mm:ss.sss"),
    Option("--by-duration", metavar="DURATION", help="to a time before now: PnDTnHnMnS"),
    Switch("--to-earliest", help="to the first record"),
    Switch("--to-latest", help="to the end"),
    Option("--from-file", metavar="FILE", type=FILE_PATH,
           help="to offsets of a CSV file: TOPIC,PARTITION,OFFSET"),
    Option("--shift-by", metavar="N", type=ANY_LONG, help="so many records on, or (-N) back"),
    Option("--config-file", metavar="FILE", type=FILE_PATH, help="old name of --command-config"),
    Switch("--force", help="put members out of the group that are still there"),
    Switch("--dry-run", help="show what would be done, and do nothing"),
)  # fmt: skip


def _check(args: Args) -> None:
    """As ``StreamsResetterOptions``."""
    if not args.has("application-id"):
        raise OptionError("Missing required option(s) [application-id]")
    for name in SCENARIOS:
        args.forbid(name, *(other for other in SCENARIOS if other != name))
    if args.has("config-file"):
        sys.stdout.write(
            "Option --config-file has been deprecated and will be removed in a future version. "
            "Use --command-config instead.\n"
        )
        args.values["command-config"] = [args.text("config-file") or ""]
    if not args.has("bootstrap-server"):
        args.values["bootstrap-server"] = ["localhost:9092"]


def _work(run: Run) -> int:
    from pykafka_ops.commands.groups.streams_reset import reset

    return reset(run)


def _failure(error: PkoError, run: Run) -> int:
    from pykafka_ops.commands.framework.profile import UnreadableFileError
    from pykafka_ops.commands.groups.streams_offsets import StreamsResetError

    if isinstance(error, StreamsResetError):
        text = f"ERROR: {error.java}: {error}"
    elif isinstance(error, UnreadableFileError):
        text = f"ERROR: java.nio.file.NoSuchFileException: {error}"
    elif is_usage(error, run):
        text = text_of(error)
    else:
        text = f"ERROR: java.util.concurrent.ExecutionException: {java_text(error)}"
    sys.stderr.write(f"{text}\n")
    return 1


TOOL = Tool(
    "kafka-streams-application-reset",
    "This tool helps to quickly reset an application in order to reprocess its data from scratch: "
    "offsets of input topics, internal topics. It deletes neither output topics nor local state.",
    check=_check,
    failure=_failure,
)
TOOL.release = RELEASE
TOOL.add(Verb("reset", _work, options=OPTIONS))
