"""kafka-jmx: its flags."""

from __future__ import annotations

from pykafka_ops.commands.framework.params import Option, Switch
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.framework.types import Whole
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.kafka_syntax.tool import Tool

OPTIONS = (
    Option("--object-name", metavar="NAME", multiple=True,
           help="an MBean, or a pattern of them (default: all)"),
    Option("--attributes", metavar="NAMES", help="attributes to show, by comma (default: all)"),
    Option("--reporting-interval", metavar="MS", type=Whole(31, least=None), default="2000",
           help="how often; -1: once"),
    Option("--one-time", metavar="BOOLEAN", bare="true", help="once"),
    Option("--date-format", metavar="FORMAT",
           help="of the time, as Java's SimpleDateFormat (default: ms since 1970)"),
    Option("--jmx-url", metavar="URL", default="service:jmx:rmi:///jndi/rmi://:9999/jmxrmi",
           help="http://HOST:PORT of a broker's metrics (metrics.listen), or of any exporter for "
           "Prometheus; of an RMI address host and port count"),
    Option("--report-format", metavar="FORMAT", default="original",
           help="original, properties, csv or tsv"),
    Option("--jmx-auth-prop", metavar="NAME=PASSWORD", help="a login"),
    Option("--jmx-ssl-enable", metavar="BOOLEAN", default="false", help="by TLS"),
    Switch("--wait", help="wait for the objects, where they are no patterns"),
)  # fmt: skip


def _work(run: Run) -> Result:
    from pykafka_ops.commands.broker.jmx import jmx

    return jmx(run)


TOOL = Tool("kafka-jmx", "Dump JMX values to standard output.")
TOOL.add(Verb("jmx", _work, options=OPTIONS))
