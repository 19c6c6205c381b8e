"""Where the settings of a connection come from, strongest first.

``-X key=value`` and ``--bootstrap-server``; the file of ``--command-config``; PKO_BOOTSTRAP_SERVER
and PKO_COMMAND_CONFIG; the profile (``--profile``, PKO_PROFILE, or ``profile`` in the config file).
Who names a cluster on the command line and no profile gets none: the default profile's credentials
are not for any host. The config file is PKO_CONFIG, else ``$XDG_CONFIG_HOME/pko/config.toml``::

    profile = "dev"                       # the default one
    [profiles.dev]
    bootstrap-server = "localhost:9092"
    [profiles.prod]
    bootstrap-server = "b1:9093,b2:9093"
    command-config = "/etc/kafka/client.properties"
    output = "json"
    [profiles.prod.settings]
    "request.timeout.ms" = 10000
    "ssl.keystore.password" = { file = "/etc/kafka/store.password" }
    [profiles.prod.login]
    user = "alice"
    password = { command = "pass show kafka/prod" }    # or { env = "NAME" }
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.files import in_file
from pykafka_ops.errors import SettingError, UsageError

KEYS = ("bootstrap-server", "command-config", "output", "settings", "login")


def config_path(env: Mapping[str, str]) -> str:
    """The config file that would be read."""
    if env.get("PKO_CONFIG"):
        return env["PKO_CONFIG"]
    base = env.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(base, "pko", "config.toml")


def default_dir(name: str) -> str:
    """Where ``pko`` keeps the data of a broker, cluster or ZooKeeper without ``--data-dir``."""
    base = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(base, "pko", name)


def profile_for(args: Args, env: Mapping[str, str]) -> dict[str, object]:
    """The profile of this command line; {} where it names a cluster itself and no profile."""
    name = args.text("profile")
    if not (name or env.get("PKO_PROFILE")) and (args.has("bootstrap-server") or _old_name(args)):
        return {}
    return load_profile(name, env)


def load_profile(name: str | None, env: Mapping[str, str]) -> dict[str, object]:
    """The profile's table, {} where nothing is configured; UsageError for a bad file or name."""
    path = config_path(env)
    name = name or env.get("PKO_PROFILE")
    try:
        with open(path, "rb") as f:
            data = f.read()
    except FileNotFoundError:
        if name or env.get("PKO_CONFIG"):
            raise UsageError(f"profile {name or 'default'}: there is no {path}") from None
        return {}
    except OSError as e:
        raise UsageError(f"{path}: {e.strerror}") from None
    import tomllib

    try:
        table = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise UsageError(f"{path}: {e}") from None
    return _chosen(table, name, path)


def _chosen(table: dict[str, object], name: str | None, path: str) -> dict[str, object]:
    profiles = table.get("profiles", {})
    if not isinstance(profiles, dict):
        raise UsageError(f"{path}: [profiles.NAME] tables expected")
    wanted = name or table.get("profile")
    if wanted is None:
        return {}
    profile = profiles.get(str(wanted))
    if not isinstance(profile, dict):
        known = ", ".join(profiles) or "none"
        raise UsageError(f"profile {wanted}: not in {path}, which has: {known}")
    for key in profile:
        if key not in KEYS:
            raise UsageError(
                f"{path}: profile {wanted}: unknown key {key}; known: {', '.join(KEYS)}"
            )
    return profile


def fill_bootstrap(args: Args, profile: Mapping[str, object], env: Mapping[str, str]) -> None:
    """Let the environment or the profile stand in for a missing ``--bootstrap-server``."""
    if args.has("bootstrap-server") or _old_name(args):
        return
    found = env.get("PKO_BOOTSTRAP_SERVER") or profile.get("bootstrap-server")
    if found:
        args.values["bootstrap-server"] = [str(found)]
        args.filled.add("bootstrap-server")


def _old_name(args: Args) -> str | None:
    """The value of an old name of ``--bootstrap-server``, if one was given."""
    for option in args.options.values():
        if option.stands_for == "bootstrap-server" and args.has(option.long):
            return args.text(option.long)
    return None


def properties(args: Args, profile: Mapping[str, object], env: Mapping[str, str]) -> dict[str, str]:
    """Kafka client properties for this command, ``bootstrap.servers`` among them where known, with
    what config providers and the JAAS file of ``KAFKA_OPTS`` hold of them."""
    from pykafka_ops.client.completed import completed

    return completed(gathered(args, profile, env), env)


def gathered(args: Args, profile: Mapping[str, object], env: Mapping[str, str]) -> dict[str, str]:
    """The same as they are written."""
    file = args.text("command-config") or env.get("PKO_COMMAND_CONFIG")
    file = file or str(profile.get("command-config") or "")
    merged = of_profile(profile, env, file)
    bootstrap = args.text("bootstrap-server") or _old_name(args)
    if bootstrap is not None:
        merged["bootstrap.servers"] = bootstrap
    silence = args.silence()
    if silence is not None:
        merged["socket.connection.setup.timeout.ms"] = str(silence)
    for pair in args.texts("setting"):
        key, eq, value = pair.partition("=")
        if not eq:
            raise UsageError(f"-X {pair}: write it as -X key=value")
        merged[key.strip()] = value.strip()
    return merged


def of_profile(profile: Mapping[str, object], env: Mapping[str, str], file: str) -> dict[str, str]:
    """The client properties of a profile, with those of ``file`` ("": none) on top; its login
    counts where that has none. UsageError."""
    from pykafka_ops.commands.framework.kept_secret import login, text_of

    settings = profile.get("settings", {})
    if not isinstance(settings, dict):
        raise UsageError("settings of a profile: a table is needed")
    merged = {str(k): text_of(v, env, f"setting {k} of the profile") for k, v in settings.items()}
    given = read_properties(os.path.expanduser(file)) if file else {}
    merged.update(given)
    if "login" in profile and "sasl.jaas.config" not in given:
        mechanism = merged.get("sasl.mechanism", "")
        merged["sasl.jaas.config"] = login(profile["login"], mechanism, env, "login of the profile")
    return merged


class UnreadableFileError(UsageError):
    """A file named on the command line cannot be read; of a missing one the text is its name."""


def read_properties(path: str) -> dict[str, str]:
    """A Java .properties file; UnreadableFileError."""
    from pykafka_ops.settings.properties import parse_properties

    with in_file(path):
        try:
            with open(path, "rb") as f:
                data = f.read()
        except FileNotFoundError:
            raise UnreadableFileError(path) from None
        except OSError as e:
            raise UnreadableFileError(f"{path}: {e.strerror}") from None
        try:
            return parse_properties(data)
        except SettingError as error:
            error.ours = f"{path}, line {_bad_line(data)}: {error}"
            raise


def _bad_line(data: bytes) -> int:
    """The first line, from 1, that is no line of properties by itself."""
    from pykafka_ops.settings.properties import parse_properties

    for number, line in enumerate(data.splitlines(), 1):
        try:
            parse_properties(line)
        except SettingError:
            return number
    return 1
