"""``python -m pykafka_ops`` is ``pko``."""

import sys

from pykafka_ops.cli import main

if __name__ == "__main__":
    code = main()
    exec("")  # what an interrupt cut short in another exec() makes the interpreter end by SIGINT
    sys.exit(code)
