/* Records of a batch v2 (Kafka: DefaultRecord), read within their bounds, whatever they hold. */

#ifndef PKO_RECORDS_H
#define PKO_RECORDS_H

#include <stdint.h>
#include <string.h>

typedef struct {
    long long end; /* -1: malformed */
    long long time, delta, key_at, key_size, value_at, value_size, headers;
} pko_record;

/* The zig-zag number at *place, of 32 or 64 bits, and behind it; 0 where it is longer, or cut. */
static inline int pko_number(
    const unsigned char *data, long long total, long long *place, unsigned bits, long long *number)
{
    uint64_t found = 0, byte;
    unsigned shift = 0;
    long long at = *place;
    do {
        if (at >= total || shift >= bits)
            return 0;
        byte = data[at++];
        found |= (byte & 127) << shift;
        shift += 7;
    } while (byte > 127);
    if (bits == 32)
        found &= 0xFFFFFFFF;
    *number = (long long)(found >> 1) ^ -(long long)(found & 1);
    *place = at;
    return 1;
}

/* Where the headers end whose number is at `at`, by `end`; -1 where they do not. */
static long long pko_behind_headers(
    const unsigned char *data, long long total, long long at, long long end)
{
    long long count, size;
    if (!pko_number(data, total, &at, 32, &count) || count < 0 || 2 * count > end - at)
        return -1;
    while (count--) {
        if (!pko_number(data, total, &at, 32, &size) || size < 0)
            return -1;
        at += size;
        if (!pko_number(data, total, &at, 32, &size))
            return -1;
        if (size > 0)
            at += size;
        if (at > end)
            return -1;
    }
    return at;
}

/* The record at `at`. */
static inline pko_record pko_read_record(const unsigned char *data, long long total, long long at)
{
    pko_record found;
    long long size, end;
    found.end = -1;
    if (at < 0 || !pko_number(data, total, &at, 32, &size))
        return found;
    end = at + size;
    at++; /* attributes, unused */
    if (!pko_number(data, total, &at, 64, &found.time)
            || !pko_number(data, total, &at, 32, &found.delta)
            || !pko_number(data, total, &at, 32, &found.key_size))
        return found;
    found.key_at = at;
    if (found.key_size > 0)
        at += found.key_size;
    if (!pko_number(data, total, &at, 32, &found.value_size))
        return found;
    found.value_at = at;
    if (found.value_size > 0)
        at += found.value_size;
    found.headers = at;
    if (at >= total)
        return found;
    at = data[at] ? pko_behind_headers(data, total, at, end) : at + 1;
    if (at == end && at <= total)
        found.end = end;
    return found;
}

typedef struct {
    long long stop; /* -1: cut */
    long long delta, key_at, key_size;
} pko_record_head;

/* How the record at `at` begins, which ends by `end`; its key, too, where it is `keyed`. */
static inline pko_record_head pko_read_head(
    const unsigned char *data, long long total, long long at, long long end, int keyed)
{
    pko_record_head found;
    long long size, stop;
    found.stop = -1;
    if (!pko_number(data, total, &at, 32, &size) || size < 6 || at + size > end)
        return found;
    stop = at + size;
    at++; /* attributes, unused */
    while (at < total && data[at] > 127)
        at++;
    at++;
    if (!pko_number(data, total, &at, 32, &found.delta))
        return found;
    if (keyed && (!pko_number(data, total, &at, 32, &found.key_size) || at + found.key_size > stop))
        return found;
    found.key_at = at;
    found.stop = stop;
    return found;
}

/* As Java adds longs: what is too large runs over. */
static inline long long pko_plus(long long one, long long other)
{
    return (long long)((uint64_t)one + (uint64_t)other);
}

#endif
