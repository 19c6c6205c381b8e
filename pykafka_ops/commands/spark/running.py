"""The session in which reports are made: Spark's, or the one of the engine in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.spark.amount import ReadAmount
from pykafka_ops.commands.spark.ask import ReportRequest, wish
from pykafka_ops.commands.spark.engine import EngineChoice, is_light
from pykafka_ops.commands.spark.places import ReportPlaces
from pykafka_ops.commands.spark.stages import Stages
from pykafka_ops.errors import PkoError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pykafka_ops.spark.session import SessionOptions


@contextmanager
def engine_session(
    run: Run,
    asked: ReportRequest,
    engine: EngineChoice,
    amount: ReadAmount,
    places: ReportPlaces,
    stages: Stages,
) -> Iterator[SparkSession]:
    """It ends with the block, and what goes wrong in it is told in a line."""
    if engine.local:
        from pykafka_ops.spark.engines import local_session

        session = local_session()
        places.open(session)
        yield session
        stages.stop()
        return
    options = wish(run)
    if not options.remote:
        light = is_light(run, asked, amount)
        options = replace(options, brief=amount.is_brief, light=light)
    from pykafka_ops.spark.failures import explained

    try:
        with (
            _connected(run, options.remote, places, stages)
            if options.remote
            else _started(options, places, stages) as spark
        ):
            yield spark
    except PkoError:
        raise
    except Exception as e:
        raise explained(e) from e
    finally:
        stages.stop()


@contextmanager
def _connected(run: Run, url: str, places: ReportPlaces, stages: Stages) -> Iterator[SparkSession]:
    """A session on a server of Spark Connect."""
    from pykafka_ops.spark.remote import connect, shown

    stages(f"connecting to {shown(url)}")
    spark = connect(url, run.env)
    try:
        places.open(spark)
        yield spark
    finally:
        spark.stop()


@contextmanager
def _started(
    options: SessionOptions, places: ReportPlaces, stages: Stages
) -> Iterator[SparkSession]:
    """A session of a Spark of its own."""
    stages("starting Spark")
    from pykafka_ops.spark.failures import explained
    from pykafka_ops.spark.master import guarded, is_local
    from pykafka_ops.spark.session import close
    from pykafka_ops.spark.session import session as start
    from pykafka_ops.spark.workers import at_fault

    spark = start(options)
    try:
        stages.watch(spark)
        places.open(spark)
        with guarded(spark, options.url()):
            yield spark
    except PkoError:
        raise
    except Exception as e:
        has_master = not is_local(options.url())
        raise at_fault(spark, e) or explained(e, has_master=has_master) from e
    finally:
        stages.stop()
        close(spark)
