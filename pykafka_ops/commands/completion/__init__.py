"""``pko completion``: what makes a shell complete commands, options and names of the cluster."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.run import Result, Run

completion = VerbGroup("completion", "Shell completion for bash, zsh or fish.")


@completion.verb("bash", examples=('eval "$(pko completion bash)"    # in ~/.bashrc',))
def bash(run: Run) -> Result:
    """Print the script for bash (4.4 or newer)."""
    return _script("bash")


@completion.verb(
    "zsh", examples=('eval "$(pko completion zsh)"     # in ~/.zshrc, after compinit',)
)
def zsh(run: Run) -> Result:
    """Print the script for zsh."""
    return _script("zsh")


@completion.verb(
    "fish", examples=("pko completion fish | source     # in ~/.config/fish/config.fish",)
)
def fish(run: Run) -> Result:
    """Print the script for fish."""
    return _script("fish")


def _script(shell: str) -> int:
    import click
    from click.shell_completion import get_completion_class

    from pykafka_ops.commands.framework.live import COMPLETE

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(click.Group("pko"), {}, "pko", COMPLETE).source())
    return 0
