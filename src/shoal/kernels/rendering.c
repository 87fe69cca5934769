/* Numbers back to delimited text: the text of a group is made once and repeated for each of its rows. */
#include "native.h"

enum { SPAN = 0 };

/* What kernels here may write, and read from texts, behind the end: see SLACK in rendering.py. */
enum { ROOM = 64, STEP = 16 };

/* The length of a text in the last bytes of its slot says so if it stands in the spill. */
enum { LENGTH = sizeof(uint16_t), SPILT = UINT16_MAX };

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

/* Note the length of a text that was written over its slot and perhaps beyond; a text that does not fit is moved to the
 * spill, and the slot tells its place and length there. Gives the filled part of the spill. */
static inline int64_t close_slot(uint8_t *text, int64_t size, int64_t slot, uint8_t *spill, int64_t filled) {
    uint16_t length = (uint16_t)size;
    if (size > slot - LENGTH) {
        const int64_t there[2] = {filled, size};
        memcpy(spill + filled, text, (size_t)size);
        memcpy(text, there, sizeof there);
        filled += size;
        length = SPILT;
    }
    memcpy(text + slot - LENGTH, &length, LENGTH);
    return filled;
}

/* Write the cells of span rows first..stop-1, the text of each run of columns to a slot, and give the filled part of
 * the spill. All slots have one size, so that a text is found without looking up its place. Per column, ranged says
 * whether a single value is still written as a range; quotes whether quotes are put around no cell (0), ranges (1) or
 * every cell (2); opens whether it begins a new run, in which cells are separated by the delimiter; bases where its
 * texts begin in the text table, or -1 for numbers. lone says that the table has no other column. Behind the last slot
 * there must be room for the widest text, and ROOM bytes more. */
KERNEL int64_t render_spans(const int32_t *low, const int32_t *high, int64_t m, int64_t first, int64_t stop,
                            const int32_t *ranged, const int32_t *quotes, const int32_t *opens, const int64_t *bases,
                            const int64_t *offsets, const uint8_t *heap, int32_t delimiter, int32_t lone,
                            uint8_t *slots, int64_t slot, uint8_t *spill, int64_t filled) {
    uint8_t *text = slots, *out = slots;
    int simple = 1; /* only ranges of numbers, which is the rule */
    for (int64_t j = 0; j < m; j++) simple = simple && ranged[j] && quotes[j] == 0 && bases[j] < 0;
    for (int64_t g = first; g < stop && m > 0; g++) {
        for (int64_t j = 0; j < m; j++) {
            if (!opens[j]) {
                *out++ = (uint8_t)delimiter;
            } else if (j > 0) {
                filled = close_slot(text, out - text, slot, spill, filled);
                text = out = text + slot;
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
        filled = close_slot(text, out - text, slot, spill, filled);
        text = out = text + slot;
    }
    return filled;
}

/* Where the text in a slot is, and how long it is. */
static inline const uint8_t *open_slot(const uint8_t *text, int64_t slot, const uint8_t *spill, int64_t *size) {
    uint16_t length;
    memcpy(&length, text + slot - LENGTH, LENGTH);
    *size = length;
    if (length != SPILT) return text;
    int64_t there[2];
    memcpy(there, text, sizeof there);
    *size = there[1];
    return spill + there[0];
}

/* Write the rows first..stop-1: in each field the text of the row's group, or the row's own carried cell. fields tells
 * what each field is and numbers which run of span columns or which carried column; shift is the group number at
 * which slots, one per group and run, begin. slots, spill and start need ROOM bytes behind them. Gives the number of
 * bytes written. */
KERNEL int64_t join_rows(int64_t first, int64_t stop, const int32_t *fields, const int32_t *numbers, int64_t width,
                         const uint8_t *slots, int64_t slot, const uint8_t *spill, int64_t runs, const int32_t *index,
                         int64_t shift, const int32_t *carried, int64_t q, const int64_t *bases,
                         const int64_t *offsets, const uint8_t *heap, int32_t delimiter, uint8_t *start) {
    uint8_t *out = start;
    for (int64_t row = first; row < stop; row++) {
        if (index && row + AHEAD < stop) { /* a later row's text */
            const uint8_t *next = slots + (index[row + AHEAD] - shift) * runs * slot;
            FETCH(next);
            FETCH(next + ROOM);
        }
        int64_t group = (index ? index[row] : row) - shift;
        for (int64_t f = 0; f < width; f++) {
            if (f > 0) *out++ = (uint8_t)delimiter;
            int32_t number = numbers[f];
            if (fields[f] == SPAN) {
                int64_t size;
                const uint8_t *from = open_slot(slots + (group * runs + number) * slot, slot, spill, &size);
                copy(out, from, size);
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
