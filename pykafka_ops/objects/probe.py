"""Asks whether a bucket is there, in a process of its own: the URI comes by standard input, since
keys may be in it, and what the store refuses goes to standard output."""

from __future__ import annotations

import os
import resource
import sys

from pykafka_ops.objects.opening import opened_here


def main() -> None:
    """The process: ends at once, whatever threads of the library still do."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        filesystem, path = opened_here(sys.stdin.read())
        filesystem.get_file_info(path.partition("/")[0])
    except Exception as error:  # of any library; the one who asks knows which to tell of
        sys.stdout.write(str(error))
        sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
