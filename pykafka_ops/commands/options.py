"""Options that several commands have: the same thing has the same name, spelled and meant alike."""

from __future__ import annotations

import sys

import click

from pykafka_ops.commands.framework.params import Option, Switch
from pykafka_ops.commands.framework.types import FILE_PATH, SPAN, TIME, Choices

TOOLS_VERSION = "3.9.1"


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from pykafka_ops import __version__

        if ctx.parent is None:
            from pykafka_ops.compiled import is_compiled

            form = "compiled" if is_compiled() else "pure Python"
            sys.stdout.write(f"pko {__version__} ({form})\n")
        else:
            sys.stdout.write(f"{TOOLS_VERSION} (pko {__version__})\n")
        ctx.exit()


BOOTSTRAP = Option("-b", "--bootstrap-server", metavar="HOST:PORT",
                   help="brokers to connect to first: host:port,host:port")  # fmt: skip
COMMAND_CONFIG = Option("--command-config", metavar="FILE", type=FILE_PATH,
                        help="client settings, a .properties file as Kafka's")  # fmt: skip
OUTPUT = Option("-o", "--output", metavar="FORMAT", ours=True, default="table",
                type=Choices(("table", "wide", "json", "yaml", "csv", "name")),
                help="format of the answer")  # fmt: skip
TIMEOUT = Option("--timeout", metavar="SPAN", type=SPAN, default="4s", ours=True,
                 help="how long a broker or ZooKeeper that is called may be silent")  # fmt: skip
COMMON: tuple[Option, ...] = (
    BOOTSTRAP,
    COMMAND_CONFIG,
    OUTPUT,
    Option("--profile", metavar="NAME", ours=True,
           help="which [profiles.NAME] of the config file to use"),
    Option("-X", "--setting", metavar="KEY=VALUE", multiple=True, ours=True,
           help="one client setting, e.g. -X request.timeout.ms=5000"),
    TIMEOUT,
    Switch("-y", "--yes", ours=True, help="do it without asking"),
    Switch("--debug", ours=True, help="show the traceback of an error and the protocol trace"),
    Switch("--version", help="show the version", is_eager=True, expose_value=False,
           callback=_version),
)  # fmt: skip
"""What every verb has."""

TLS_FILE = Option("--zk-tls-config-file", metavar="FILE", type=FILE_PATH,
                  help="zookeeper.ssl.* properties for --zookeeper")  # fmt: skip
REGEX = Switch("-e", "--regex", ours=True,
               help="names are regular expressions that match as a whole")  # fmt: skip
EXCLUDE_INTERNAL = Switch("--exclude-internal", help="leave out internal topics")
DRY_RUN = Switch("--dry-run", ours=True, help="check and show it, change nothing")
FAIL_ON = Option("--fail-on", metavar="CONDITION", ours=True,
                 help="exit code 4 if a row meets this, e.g. 'lag>1000|status!=OK'; the fields are "
                 "those of -o csv")  # fmt: skip
WATCH = Option("-w", "--watch", metavar="SPAN", type=SPAN, bare="5s", ours=True,
               help="show it again every so often (default 5s) until Ctrl-C")  # fmt: skip
SINCE = Option("--since", metavar="TIME", type=TIME, ours=True, help="nothing before this time")
UNTIL = Option("--until", metavar="TIME", type=TIME, ours=True, help="nothing after this time")
KEY_FORMAT = Option("--key-format", metavar="FORMAT", ours=True,
                    help="what keys are: utf-8, hex, base64, json, int, long or avro:SCHEMA-FILE "
                    "(skips 5 bytes of Confluent's registry before the data)")  # fmt: skip
VALUE_FORMAT = Option("--value-format", metavar="FORMAT", ours=True,
                      help="what values are, as for keys")  # fmt: skip
KEY = Option("--key", metavar="KEY", ours=True,
             help="records with just this key, written as --key-format says")  # fmt: skip
KEY_REGEX = Option("--key-regex", metavar="REGEX", ours=True,
                   help="records with a key in which this expression is found")  # fmt: skip
VALUE_REGEX = Option("--value-regex", metavar="REGEX", ours=True,
                     help="records with a value in which this expression is found")  # fmt: skip
HEADER = Option("--header", metavar="NAME[=VALUE]", multiple=True, ours=True,
                help="records with this header, and this value where one is given")  # fmt: skip
BOOTSTRAP_CONTROLLER = Option("--bootstrap-controller", metavar="HOST:PORT",
                              stands_for="bootstrap-server",
                              help="KRaft controllers to ask instead of brokers")  # fmt: skip
BROKER_LIST = Option("--broker-list", metavar="HOST:PORT", stands_for="bootstrap-server",
                     hidden=True, help="old name of --bootstrap-server")  # fmt: skip
OVERRIDE = Option("--override", metavar="KEY=VALUE", multiple=True,
                  help="a setting of the broker on top of its file")  # fmt: skip
_PASSWORD = Switch("--password", ours=True,
                  help="a password: asked for on a terminal, else the first line of standard "
                       "input")  # fmt: skip
_PASSWORD_FILE = Option("--password-file", metavar="FILE", type=FILE_PATH, ours=True,
                       help="a password: the first line of this file")  # fmt: skip
_PASSWORD_ENV = Option("--password-env", metavar="NAME", ours=True,
                      help="a password: the value of this variable")  # fmt: skip
PASSWORDS = (_PASSWORD, _PASSWORD_FILE, _PASSWORD_ENV)
"""Where a password comes from (``framework.secret``): never the command line."""
