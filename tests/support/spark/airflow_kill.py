"""A task of Airflow's that is stopped while ``pko`` runs; prints what the operator raised.

``pko`` is stood in for by a program that says "begun" and then waits to be ended.
"""

import sys
import threading

from pykafka_ops.spark.airflow import PkoSparkOperator

WAITS = "import sys,signal;sys.stderr.write('begun\\n');sys.stderr.flush();signal.pause()"
operator = PkoSparkOperator(task_id="stopped", pko=(sys.executable, "-c", WAITS))
begun = threading.Event()
info = operator.log.info
operator.log.info = lambda text, *rest: (info(text, *rest), rest == ("begun",) and begun.set())
threading.Thread(target=lambda: (begun.wait(), operator.on_kill()), daemon=True).start()
try:
    operator.execute({})
except Exception as e:
    print(f"{type(e).__name__}: {e}")
