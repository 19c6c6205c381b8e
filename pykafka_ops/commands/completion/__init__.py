"""``pko completion``: what makes a shell complete commands, options and names of the cluster."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.run import Result, Run


def _script(run: Run) -> Result:
    import click
    from click.shell_completion import get_completion_class

    from pykafka_ops.commands.framework.live import COMPLETE

    found = get_completion_class(run.args.verb)
    assert found is not None
    click.echo(found(click.Group("pko"), {}, "pko", COMPLETE).source())
    return 0


completion = VerbGroup("completion", "Shell completion for bash, zsh or fish.", _script)
completion.verb(
    "bash",
    "Print the script for bash (4.4 or newer).",
    examples=('eval "$(pko completion bash)"    # in ~/.bashrc',),
)
completion.verb(
    "zsh",
    "Print the script for zsh.",
    examples=('eval "$(pko completion zsh)"     # in ~/.zshrc, after compinit',),
)
completion.verb(
    "fish",
    "Print the script for fish.",
    examples=("pko completion fish | source     # in ~/.config/fish/config.fish",),
)
