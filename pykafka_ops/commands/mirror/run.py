"""``pko mirror run``: the daemon."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace

from pykafka_ops.commands.framework.asked_to_end import AskedToEnd
from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.mirror.configured import chosen_links, read_settings
from pykafka_ops.mirror.copy.copier import copier_of
from pykafka_ops.mirror.daemon import Mirror
from pykafka_ops.mirror.groups.duty import OffsetDuty
from pykafka_ops.mirror.run.worker import Makers


def run_mirror(run: Run) -> int:
    """Mirror until SIGTERM or Ctrl-C."""
    settings = read_settings(run)
    settings = replace(
        settings,
        links=tuple(chosen_links(run, settings)),
        listen=run.args.text("listen") or settings.listen,
    )
    for line in settings.warnings:
        say(f"pko: {line}")
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s"
    )
    mirror = Mirror(settings, Makers(copier_of, OffsetDuty))
    ended = AskedToEnd()
    mirror.start()
    links = ", ".join(link.name for link in settings.links)
    say(f"pko mirror: {links}{f'; {mirror.url}/status' if mirror.url else ''}")
    ended.wait()
    mirror.stop()
    return 0
