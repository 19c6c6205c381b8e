/* Hashes of records (disk/hot/hashing.py), and where the content of one begins (disk/contents.py). */

#ifndef PKO_HASHING_H
#define PKO_HASHING_H

#include <stdint.h>
#include <string.h>

#include "crc32c.h"
#include "records.h"

static uint32_t pko_crc32_bytes[16][256];

static void pko_crc32_begin(void)
{
    for (uint32_t value = 0; value < 256; value++) {
        uint32_t crc = value;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        pko_crc32_bytes[0][value] = crc;
    }
    for (int table = 1; table < 16; table++)
        for (int value = 0; value < 256; value++) {
            uint32_t before = pko_crc32_bytes[table - 1][value];
            pko_crc32_bytes[table][value] = before >> 8 ^ pko_crc32_bytes[0][before & 255];
        }
}

static uint32_t pko_four(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint32_t pko_of_four(int table, uint32_t word)
{
    return pko_crc32_bytes[table + 3][word & 255] ^ pko_crc32_bytes[table + 2][word >> 8 & 255]
         ^ pko_crc32_bytes[table + 1][word >> 16 & 255] ^ pko_crc32_bytes[table][word >> 24];
}

/* CRC-32 as zlib has it, sixteen bytes at a time. */
static uint32_t pko_crc32(const unsigned char *at, size_t left)
{
    uint32_t crc = 0xffffffffu;
    if (!pko_crc32_bytes[0][1])
        pko_crc32_begin();
    while (left >= 16) {
        crc = pko_of_four(12, crc ^ pko_four(at)) ^ pko_of_four(8, pko_four(at + 4))
            ^ pko_of_four(4, pko_four(at + 8)) ^ pko_of_four(0, pko_four(at + 12));
        at += 16;
        left -= 16;
    }
    while (left--)
        crc = crc >> 8 ^ pko_crc32_bytes[0][(crc ^ *at++) & 255];
    return ~crc;
}

static inline uint64_t pko_mixed(uint64_t pair, int64_t timestamp)
{
    uint64_t value = pair ^ (uint64_t)timestamp * 0x9E3779B97F4A7C15u;
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
    value = (value ^ value >> 27) * 0x94D049BB133111EBu;
    return value ^ value >> 31;
}

static uint64_t pko_record_hash(const unsigned char *at, size_t size, int64_t timestamp)
{
    return pko_mixed((uint64_t)pko_checksum(at, size) << 32 | pko_crc32(at, size), timestamp);
}

static inline uint64_t pko_added(uint64_t total, uint64_t value)
{
    return total + value;
}

static inline uint64_t pko_chained(uint64_t before, uint64_t value)
{
    return before * 0xD6E8FEB86659FD93u + value;
}

/* In how few bytes a number is written, zig-zag. */
static inline int64_t pko_width(int64_t number)
{
    uint64_t left = (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
    int64_t bytes = 1;
    while (left >>= 7)
        bytes++;
    return bytes;
}

/* Whether the headers at `at` are written in the fewest bytes; pko_read_record has read them. */
static int pko_are_short(const unsigned char *data, long long at, long long end)
{
    long long before = at, count, size;
    if (!pko_number(data, end, &at, 32, &count) || at - before != pko_width(count))
        return 0;
    for (count *= 2; count; count--) {
        before = at;
        if (!pko_number(data, end, &at, 32, &size) || at - before != pko_width(size) || size < -1)
            return 0;
        if (size > 0)
            at += size;
    }
    return at == end;
}

/* Where the content of a record begins that pko_read_record has read; -1 where its lengths are not
   all written in the fewest bytes, or null not as -1. */
static inline long long pko_content_start(
    const unsigned char *data, long long key_at, long long key_size, long long value_at,
    long long value_size, long long headers, long long end)
{
    long long start = key_at - pko_width(key_size), at = start, size;
    long long behind = key_size > 0 ? key_at + key_size : key_at;
    if (key_size < -1 || value_size < -1 || value_at - behind != pko_width(value_size))
        return -1;
    if (start < 0 || !pko_number(data, end, &at, 32, &size) || size != key_size || at != key_at)
        return -1;
    return !data[headers] || pko_are_short(data, headers, end) ? start : -1;
}

#endif
