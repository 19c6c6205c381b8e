"""What broker/hot has in C, callable: the functions of raw.pxd, both ways of the checksum, and what
modules keep to themselves where they are compiled."""

cimport pykafka_ops.broker.hot.raw as at
from pykafka_ops.broker.hot.file cimport FileHead
from pykafka_ops.broker.hot.produce cimport TopicPath
from pykafka_ops.broker.hot.records cimport behind as c_behind
from pykafka_ops.broker.hot.records cimport behind_headers as c_behind_headers
from pykafka_ops.broker.hot.reply cimport ProduceReply

cdef extern from "crc32c.h" nogil:
    void pko_crc_begin(int plain)


def header(at.View view):
    return at.header(view)


def pair(at.View view, place):
    return at.pair(view, place)


def length(at.View view, place):
    return at.length(view, place)


def api(at.View view):
    return at.api(view)


def stamp(at.Room view, first, length, leader_epoch):
    at.stamp(view, first, length & 0xFFFFFFFF, leader_epoch & 0xFFFFFFFF)


def covered(at.View view):
    return bytes(at.covered(view))


def checksum(at.View view):
    return at.checksum(view)


def checksum_begin(plain):
    """From now on by tables alone, or by the instruction where there is one."""
    pko_crc_begin(plain)


def holds(at.View view, place, wanted):
    return at.holds(view, place, wanted)


def ends(at.View view, size):
    return at.ends(view, size)


def write(fd, at.View data, start):
    return at.write(fd, data, start)


def end_of(fd):
    return at.end_of(fd)


def pack(ProduceReply reply, correlation_id, index, base_offset, log_start):
    return reply.pack(correlation_id, index, base_offset, log_start)


def behind(at.View data, place):
    return c_behind(data, place)


def behind_headers(at.View data, place, end):
    return c_behind_headers(data, place, end)


def add(FileHead file, at.View data):
    return file.add(data)


def asks_the_system(TopicPath path):
    """Whether it looks at the wall clock without a call into Python."""
    return path._wall
