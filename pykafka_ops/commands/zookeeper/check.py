"""``pko zookeeper check``."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.zookeeper.decode import decode
from pykafka_ops.commands.zookeeper.rows import table
from pykafka_ops.commands.zookeeper.session import reader
from pykafka_ops.commands.zookeeper.znodes import by_number, path_of, walk


def check(run: Run) -> Table:
    """The znodes that a broker could not read; exit code 4 where there are any."""
    top = path_of(run.args.text("path"))
    with reader(run) as session:
        found = list(walk(session, top, order=by_number))
    bad = [znode for znode in found if decode(znode).problem]
    answer = table(run, "bad-znodes", top, bad, indented=False)
    answer.notes = (f"{len(found)} znodes read, {len(bad)} bad",)
    answer.exit_code = 4 if bad else 0
    return answer
