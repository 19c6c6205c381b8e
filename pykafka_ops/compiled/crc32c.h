/* CRC-32C (Castagnoli), as in RFC 3720: by the processor's own instruction where it has one (x86-64
   with SSE4.2, 64-bit ARM with CRC32), chosen at run time, else by tables, eight bytes at a time.

   The instruction takes three cycles and can begin every cycle, so three stretches of a long input
   go side by side; what the first two leave is then moved over the bytes behind them by a table
   (the remainder of a polynomial times x^n is linear in its bits). */

#ifndef PKO_CRC32C_H
#define PKO_CRC32C_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PKO_POLY 0x82f63b78u
#define PKO_LONG 4096 /* bytes of a stretch; of three of them are 12 KiB */
#define PKO_SHORT 256

static uint32_t pko_bytes[8][256];
static uint32_t pko_over_long[4][256], pko_over_short[4][256];
static uint32_t (*pko_crc)(uint32_t, const unsigned char *, size_t);

static uint64_t pko_word(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, 8);
    return word;
}

static uint32_t pko_crc_table(uint32_t crc, const unsigned char *at, size_t left)
{
    while (left >= 8) {
        uint32_t a = crc ^ ((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16
                            | (uint32_t)at[3] << 24);
        crc = pko_bytes[7][a & 255] ^ pko_bytes[6][a >> 8 & 255] ^ pko_bytes[5][a >> 16 & 255]
            ^ pko_bytes[4][a >> 24] ^ pko_bytes[3][at[4]] ^ pko_bytes[2][at[5]]
            ^ pko_bytes[1][at[6]] ^ pko_bytes[0][at[7]];
        at += 8;
        left -= 8;
    }
    while (left--)
        crc = crc >> 8 ^ pko_bytes[0][(crc ^ *at++) & 255];
    return crc;
}

/* The remainder `crc` after as many zero bytes as `over` was made for. */
static uint32_t pko_moved(uint32_t over[4][256], uint32_t crc)
{
    return over[0][crc & 255] ^ over[1][crc >> 8 & 255] ^ over[2][crc >> 16 & 255]
         ^ over[3][crc >> 24];
}

static void pko_make_over(uint32_t over[4][256], size_t bytes)
{
    static const unsigned char zeros[256];
    uint32_t bits[32];
    for (int bit = 0; bit < 32; bit++) {
        uint32_t crc = (uint32_t)1 << bit;
        for (size_t left = bytes; left; left -= sizeof zeros)
            crc = pko_crc_table(crc, zeros, sizeof zeros);
        bits[bit] = crc;
    }
    for (int byte = 0; byte < 4; byte++)
        for (int value = 0; value < 256; value++) {
            uint32_t crc = 0;
            for (int bit = 0; bit < 8; bit++)
                if (value >> bit & 1)
                    crc ^= bits[8 * byte + bit];
            over[byte][value] = crc;
        }
}

#if defined(__x86_64__) && defined(__GNUC__)
/* Written out, for gcc and clang do not agree on which target the intrinsic functions ask for. */
#define PKO_TARGET
static inline uint32_t pko_step8(uint32_t crc, uint64_t word)
{
    uint64_t wide = crc;
    __asm__("crc32q %1, %0" : "+r"(wide) : "r"(word));
    return (uint32_t)wide;
}
static inline uint32_t pko_step1(uint32_t crc, unsigned char byte)
{
    __asm__("crc32b %1, %0" : "+r"(crc) : "q"(byte));
    return crc;
}
#define PKO_STEP8(crc, word) pko_step8((crc), (word))
#define PKO_STEP1(crc, byte) pko_step1((crc), (byte))
static int pko_has_instruction(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2");
}
#elif defined(__aarch64__) && defined(__linux__) && defined(__GNUC__)
#include <arm_acle.h>
#include <sys/auxv.h>
#define PKO_TARGET __attribute__((target("+crc")))
#define PKO_STEP8(crc, word) __crc32cd((crc), (word))
#define PKO_STEP1(crc, byte) __crc32cb((crc), (byte))
static int pko_has_instruction(void)
{
    return (getauxval(AT_HWCAP) & (1 << 7)) != 0; /* HWCAP_CRC32 */
}
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32) /* every Mac */
#include <arm_acle.h>
#define PKO_TARGET
#define PKO_STEP8(crc, word) __crc32cd((crc), (word))
#define PKO_STEP1(crc, byte) __crc32cb((crc), (byte))
static int pko_has_instruction(void)
{
    return 1;
}
#endif

#ifdef PKO_TARGET
PKO_TARGET static uint32_t pko_three(uint32_t crc, const unsigned char *at, size_t stretch,
                                     uint32_t over[4][256])
{
    uint32_t second = 0, third = 0;
    for (size_t place = 0; place < stretch; place += 8) {
        crc = PKO_STEP8(crc, pko_word(at + place));
        second = PKO_STEP8(second, pko_word(at + stretch + place));
        third = PKO_STEP8(third, pko_word(at + 2 * stretch + place));
    }
    crc = pko_moved(over, crc) ^ second;
    return pko_moved(over, crc) ^ third;
}

PKO_TARGET static uint32_t pko_crc_instruction(uint32_t crc, const unsigned char *at, size_t left)
{
    for (; left >= 3 * PKO_LONG; at += 3 * PKO_LONG, left -= 3 * PKO_LONG)
        crc = pko_three(crc, at, PKO_LONG, pko_over_long);
    for (; left >= 3 * PKO_SHORT; at += 3 * PKO_SHORT, left -= 3 * PKO_SHORT)
        crc = pko_three(crc, at, PKO_SHORT, pko_over_short);
    for (; left >= 8; at += 8, left -= 8)
        crc = PKO_STEP8(crc, pko_word(at));
    while (left--)
        crc = PKO_STEP1(crc, *at++);
    return crc;
}
#endif

/* Make the tables and choose; `plain` takes the tables whatever the processor has. */
static void pko_crc_begin(int plain)
{
    for (int value = 0; value < 256; value++) {
        uint32_t crc = (uint32_t)value;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (PKO_POLY & (0u - (crc & 1)));
        pko_bytes[0][value] = crc;
    }
    for (int table = 1; table < 8; table++)
        for (int value = 0; value < 256; value++) {
            uint32_t before = pko_bytes[table - 1][value];
            pko_bytes[table][value] = before >> 8 ^ pko_bytes[0][before & 255];
        }
    pko_crc = pko_crc_table;
#ifdef PKO_TARGET
    if (!plain && pko_has_instruction()) {
        pko_make_over(pko_over_long, PKO_LONG);
        pko_make_over(pko_over_short, PKO_SHORT);
        pko_crc = pko_crc_instruction;
    }
#endif
}

static uint32_t pko_checksum(const unsigned char *at, size_t size)
{
    if (pko_crc == NULL)
        pko_crc_begin(0);
    return ~pko_crc(0xffffffffu, at, size);
}

#endif
