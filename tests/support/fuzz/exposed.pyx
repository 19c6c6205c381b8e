"""What the compiled modules have in C, callable: the functions of raw.pxd, both ways of the checksum, and what
modules keep to themselves where they are compiled."""

cimport pykafka_ops.broker.hot.raw as at
cimport pykafka_ops.broker.storage.cleaner.raw as cleaner
cimport pykafka_ops.commands.dump_log.printing.raw as printing
from pykafka_ops.broker.hot.file cimport FileHead
from pykafka_ops.broker.hot.produce cimport TopicPath
from pykafka_ops.broker.hot.reply cimport ProduceReply
from pykafka_ops.commands.dump_log.printing.lines cimport Lines

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


def checksum_of(data):
    return at.checksum_of(data)


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


def record(at.View data, place):
    return at.record(data, place)


def plus(one, other):
    return at.plus(one, other)


def part(at.View data, place, size):
    return at.part(data, place, size)


def start(at.View data, place, end):
    return cleaner.start(data, place, end)


def head(at.View data, place, end):
    return cleaner.head(data, place, end)


def sized(at.View data, place):
    return cleaner.sized(data, place)


def is_ascii(at.View data, place, size):
    return printing.is_ascii(data, place, size)


def line(bytes label, printing.Numbers numbers, bytes names, at.View data, key_at, value_at):
    return printing.line(label, numbers, names, data, key_at, value_at)


def add_lines(Lines lines, bytes data, at.View view, header, bytes label, list out, content):
    lines.add_in(data, view, header, label, out, content)


def add(FileHead file, at.View data):
    return file.add(data)


def asks_the_system(TopicPath path):
    """Whether it looks at the wall clock without a call into Python."""
    return path._wall
