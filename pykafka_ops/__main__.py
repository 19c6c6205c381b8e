"""``python -m pykafka_ops`` is ``pko``."""

import sys

from pykafka_ops.cli import main

if __name__ == "__main__":
    sys.exit(main())
