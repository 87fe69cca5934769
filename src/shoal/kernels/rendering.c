/* Numbers back to delimited text: the text of a group is made once and repeated for each of its rows. */
#include "native.h"

enum { SPAN = 0 };

/* What kernels here may write, and read from texts, behind the end (see SLACK in rendering.py), and what the places
 * where texts begin are multiples of: a text then lies in as few lines of memory as can hold it. */
enum { ROOM = 64, STEP = 16 };

/* Where a text begins whose predecessor ends at a place. */
static inline int64_t behind(int64_t place) { return (place + STEP - 1) & -STEP; }

/* The numbers below 10^4: their four digits; and their text, with its length in the last byte. */
static char four[10000][4];
static char short_texts[10000][8];

__attribute__((constructor)) static void fill_texts(void) {
    for (int number = 0; number < 10000; number++) {
        for (int rest = number, place = 3; place >= 0; place--, rest /= 10) four[number][place] = (char)('0' + rest % 10);
        int zeros = (number < 1000) + (number < 100) + (number < 10);
        memcpy(short_texts[number], four[number] + zeros, (size_t)(4 - zeros));
        short_texts[number][7] = (char)(4 - zeros);
    }
}

/* Write the digits of a number below 10^4 without the zeros that it begins with. Always 8 bytes are written. */
static inline uint8_t *put_few(uint8_t *out, uint32_t number) {
    memcpy(out, short_texts[number], 8);
    return out + short_texts[number][7];
}

/* Write a 32-bit integer, four digits at a time. Up to 7 bytes too many are written. */
static inline uint8_t *put_number(uint8_t *out, int32_t value) {
    uint32_t rest = (uint32_t)value;
    if (value < 0) {
        *out++ = '-';
        rest = 0u - rest;
    }
    if (rest < 10000) return put_few(out, rest);
    uint32_t high = rest / 10000;
    if (high < 10000) {
        out = put_few(out, high);
    } else {
        out = put_few(out, high / 10000);
        memcpy(out, four[high % 10000], 4);
        out += 4;
    }
    memcpy(out, four[rest % 10000], 4);
    return out + 4;
}

/* Copy a text that is as short as a row: always ROOM bytes, by the same instructions, and more where there is more. */
static inline void copy(uint8_t *out, const uint8_t *from, int64_t size) {
    memcpy(out, from, ROOM);
    for (int64_t at = ROOM; at < size; at += STEP) memcpy(out + at, from + at, STEP);
}

static inline uint8_t *put_text(uint8_t *out, int64_t word, const int64_t *offsets, const uint8_t *heap) {
    size_t size = (size_t)(offsets[word + 1] - offsets[word]);
    memcpy(out, heap + offsets[word], size);
    return out + size;
}

static inline uint8_t *put_end(uint8_t *out, int32_t value, int64_t base, const int64_t *offsets,
                               const uint8_t *heap) {
    return base < 0 ? put_number(out, value) : put_text(out, base + value, offsets, heap);
}

ALWAYS_INLINE uint8_t *put_span(uint8_t *out, int32_t a, int32_t b, int32_t ranged, int32_t quotes, int64_t base,
                                const int64_t *offsets, const uint8_t *heap) {
    int alone = a == b && !ranged;
    int quote = quotes == 2 || (quotes == 1 && !alone);
    if (quote) *out++ = '"';
    if (alone) {
        out = put_end(out, a, base, offsets, heap);
    } else {
        *out++ = '[';
        out = put_end(out, a, base, offsets, heap);
        *out++ = ';';
        out = put_end(out, b, base, offsets, heap);
        *out++ = ']';
    }
    if (quote) *out++ = '"';
    return out;
}

/* Write the cells of span rows first..stop-1, note behind which place each run of columns begins, and give the place
 * behind the last. Per column, ranged says whether a single value is still written as a range; quotes whether
 * quotes are put around no cell (0), ranges (1) or every cell (2); opens whether it begins a new run, in which cells
 * are separated by the delimiter; bases where its texts begin in the text table, or -1 for numbers. lone says that the
 * table has no other column. Up to 7 bytes are written behind the last. */
KERNEL int64_t render_spans(const int32_t *low, const int32_t *high, int64_t m, int64_t first, int64_t stop,
                            const int32_t *ranged, const int32_t *quotes, const int32_t *opens, const int64_t *bases,
                            const int64_t *offsets, const uint8_t *heap, int32_t delimiter, int32_t lone,
                            uint8_t *text, int64_t *places, int64_t at) {
    uint8_t *out = text + at;
    int simple = 1; /* only ranges of numbers, which is the rule */
    for (int64_t j = 0; j < m; j++) simple = simple && ranged[j] && quotes[j] == 0 && bases[j] < 0;
    for (int64_t g = first; g < stop; g++)
        for (int64_t j = 0; j < m; j++) {
            if (opens[j]) {
                *places++ = out - text;
                out = text + behind(out - text);
            } else {
                *out++ = (uint8_t)delimiter;
            }
            int32_t a = low[g * m + j], b = high[g * m + j];
            if (a == MISSING) {
                if (b == TOP) *out++ = '*';
                else if (lone) *out++ = '"', *out++ = '"'; /* a lone empty cell would look like an empty line */
            } else if (simple) {
                out = put_span(out, a, b, 1, 0, -1, offsets, heap);
            } else {
                out = put_span(out, a, b, ranged[j], quotes[j], bases[j], offsets, heap);
            }
        }
    *places = out - text;
    return out - text;
}

/* Write the rows first..stop-1: in each field the text of the row's group, or the row's own carried cell. fields tells
 * what each field is and numbers which run of span columns or which carried column; shift is the group number at
 * which places, with one entry per group and run, begins. text and start need ROOM bytes behind them. Gives
 * the number of bytes written. */
KERNEL int64_t join_rows(int64_t first, int64_t stop, const int32_t *fields, const int32_t *numbers, int64_t width,
                         const uint8_t *text, const int64_t *places, int64_t runs, const int32_t *index, int64_t shift,
                         const int32_t *carried, int64_t q, const int64_t *bases, const int64_t *offsets,
                         const uint8_t *heap, int32_t delimiter, uint8_t *start) {
    uint8_t *out = start;
    for (int64_t row = first; row < stop; row++) {
        if (index && runs) { /* where a later row's text is, and, nearer, the text itself */
            if (row + 2 * AHEAD < stop) {
                const int64_t *next = places + (index[row + 2 * AHEAD] - shift) * runs;
                FETCH(next);
                FETCH(next + runs);
            }
            if (row + AHEAD < stop) {
                const uint8_t *next = text + behind(places[(index[row + AHEAD] - shift) * runs]);
                FETCH(next);
                FETCH(next + ROOM);
            }
        }
        int64_t group = ((index ? index[row] : row) - shift) * runs;
        for (int64_t f = 0; f < width; f++) {
            if (f > 0) *out++ = (uint8_t)delimiter;
            int32_t number = numbers[f];
            if (fields[f] == SPAN) {
                int64_t from = behind(places[group + number]), size = places[group + number + 1] - from;
                copy(out, text + from, size);
                out += size;
                continue;
            }
            int32_t code = carried[row * q + number];
            if (bases[number] >= 0) out = put_text(out, bases[number] + code, offsets, heap);
            else if (code != MISSING) out = put_number(out, code);
            else if (width == 1) *out++ = '"', *out++ = '"';
        }
        *out++ = '\n';
    }
    return out - start;
}
