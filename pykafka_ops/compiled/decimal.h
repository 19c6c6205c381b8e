/* Numbers as text, and what text is. */

#ifndef PKO_DECIMAL_H
#define PKO_DECIMAL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Write a number, in at most 20 bytes; the place behind it. */
static inline char *pko_decimal(char *to, int64_t number)
{
    char digits[20];
    int at = 20;
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    if (number < 0)
        *to++ = '-';
    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left);
    memcpy(to, digits + at, 20 - at);
    return to + (20 - at);
}

static inline int pko_is_ascii(const unsigned char *data, size_t size)
{
    uint64_t eight;
    unsigned char all = 0;
    for (; size >= 8; size -= 8, data += 8) {
        memcpy(&eight, data, 8);
        if (eight & 0x8080808080808080u)
            return 0;
    }
    while (size--)
        all |= *data++;
    return all < 128;
}

#endif
