"""``pko completion``: scripts for bash, zsh and fish, made from the option tables."""

from __future__ import annotations

from pykafka_ops.commands.framework.options import Command, Opt, Pos, Verb

COMMAND = Command(
    "completion",
    "Shell completion for bash, zsh or fish.",
    (
        Opt("kind", "what to list", "KIND", ours=True, choices=("topics", "groups", "brokers")),
    ),
    (
        Verb("bash", "eval \"$(pko completion bash)\"", "_completion:bash",
             examples=('eval "$(pko completion bash)"    # in ~/.bashrc',)),
        Verb("zsh", "eval \"$(pko completion zsh)\"", "_completion:zsh",
             examples=('eval "$(pko completion zsh)"     # in ~/.zshrc, after compinit',)),
        Verb("fish", "pko completion fish | source", "_completion:fish",
             examples=("pko completion fish | source     # in ~/.config/fish/config.fish",)),
        Verb("values", "names in the cluster, for the scripts", "_completion:values",
             words=(Pos("kind"),)),
    ),
)  # fmt: skip
