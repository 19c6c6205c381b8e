"""``pko``: run one command line; what went wrong is one line and an exit code.

Loads nothing that the command at hand does not need.
"""

from __future__ import annotations

import gc
import sys

_COLLECT_AFTER = (20_000, 10, 10)
"""Objects made, and collections, before the next generation of garbage is looked for: what brokers
answer holds no cycles, and Python's own 700 cost a tenth of a large report."""


def main(argv: list[str] | None = None) -> int:
    """Run one command line; the exit code. Ctrl-C gives 130, a closed pipe 141."""
    words = list(sys.argv[1:] if argv is None else argv)
    _make_printable()
    gc.set_threshold(*_COLLECT_AFTER)
    try:
        code = _dispatch(words)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        from pykafka_ops.commands.framework.output import quiet_pipe

        quiet_pipe()
        return 141
    except Exception as e:
        if "--debug" in words:
            raise
        from pykafka_ops.errors import internal

        sys.stderr.write(f"pko: {internal(e)}\n")
        return 1
    finally:
        # An interrupt inside another exec() has Python end by SIGINT, whatever became of it.
        exec("")


def _dispatch(words: list[str]) -> int:
    from pykafka_ops.commands.root import PKO

    return PKO.run(words)


def _make_printable() -> None:
    """Where the terminal is not UTF-8, show what it cannot as an escape instead of failing."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if encoding.lower().replace("-", "") != "utf8":
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
