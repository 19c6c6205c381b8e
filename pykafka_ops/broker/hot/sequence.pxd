"""What sequence.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.hot.raw as at
from pykafka_ops.broker.hot.heads cimport ProducerHead, ProducersHead


@cython.locals(state=ProducerHead, batches=list)
cpdef bint in_sequence(
    ProducersHead producers, long long producer_id, long long epoch, long long sequence,
    bint transactional
) except -1

@cython.locals(state=ProducerHead, batches=list)
cpdef note(
    ProducersHead producers, long long producer_id, long long last_sequence,
    long long last_offset, long long delta, long long timestamp
)
