/* Numbers back to delimited text: cells are written once and repeated for the rows that follow with the same. */
#include "native.h"

enum { SPAN = 0 };

/* What kernels here may write, and read from texts, behind the end: see SLACK in rendering.py. */
enum { ROOM = 64, STEP = 16 };

/* The numbers below 10^4: their four digits; and their text, with its length in the last byte. */
static char four[10000][4];
static char short_texts[10000][8];

/* The ranges of two numbers below 100: their text, with its length in the last byte. */
enum { SMALL = 100 };
static char short_ranges[SMALL][SMALL][8];

__attribute__((constructor)) static void fill_texts(void) {
    for (int number = 0; number < 10000; number++) {
        for (int rest = number, place = 3; place >= 0; place--, rest /= 10) four[number][place] = (char)('0' + rest % 10);
        int zeros = (number < 1000) + (number < 100) + (number < 10);
        memcpy(short_texts[number], four[number] + zeros, (size_t)(4 - zeros));
        short_texts[number][7] = (char)(4 - zeros);
    }
    for (int a = 0; a < SMALL; a++)
        for (int b = 0; b < SMALL; b++) {
            char *text = short_ranges[a][b], *out = text;
            *out++ = '[';
            if (a >= 10) *out++ = four[a][2];
            *out++ = four[a][3];
            *out++ = ';';
            if (b >= 10) *out++ = four[b][2];
            *out++ = four[b][3];
            *out++ = ']';
            text[7] = (char)(out - text);
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

/* Repeat a text that is as short as a row and was written before: always ROOM bytes, by the same instructions, and more
 * where there is more. What is written too much may lie over what is read too much, never over the text. */
static inline void repeat(uint8_t *out, const uint8_t *text, int64_t size) {
    for (int64_t at = 0; at < ROOM; at += STEP) memmove(out + at, text + at, STEP);
    for (int64_t at = ROOM; at < size; at += STEP) memmove(out + at, text + at, STEP);
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

/* How the cells of quasi-identifiers are written, per column: whether a single value is still written as a range;
 * whether quotes are put around no cell (0), ranges (1) or every cell (2); and where its texts begin in the text table,
 * or -1 for numbers. plain says that all are ranges of numbers without quotes, lone that the table has one column. */
typedef struct {
    const int32_t *ranged, *quotes;
    const int64_t *bases, *offsets;
    const uint8_t *heap;
    int plain, lone;
    uint8_t delimiter;
} Style;

/* Write the cells of some neighbouring columns. */
static inline uint8_t *put_run(uint8_t *out, const int32_t *low, const int32_t *high, int64_t from, int64_t to,
                               const Style *style) {
    for (int64_t j = from; j < to; j++) {
        if (j > from) *out++ = style->delimiter;
        int32_t a = low[j], b = high[j];
        if (a == MISSING) {
            if (b == TOP) *out++ = '*';
            else if (style->lone) *out++ = '"', *out++ = '"'; /* a lone empty cell would look like an empty line */
        } else if (style->plain && (uint32_t)a < SMALL && (uint32_t)b < SMALL) {
            const char *text = short_ranges[a][b];
            memcpy(out, text, 8);
            out += text[7];
        } else if (style->plain) {
            out = put_span(out, a, b, 1, 0, -1, style->offsets, style->heap);
        } else {
            out = put_span(out, a, b, style->ranged[j], style->quotes[j], style->bases[j], style->offsets, style->heap);
        }
    }
    return out;
}

/* Write the rows first..stop-1: in each field a run of quasi-identifiers or a carried cell. fields tells what each
 * field is and numbers which run, of columns from its place in runs up to the next one's, or which carried column.
 * index names the matrix row of each row. A row with the cells of the row before repeats its texts; where these are
 * kept in places and sizes, one for each run. Behind start there must be ROOM bytes more than rows can take. Gives the
 * number of bytes written. */
KERNEL int64_t write_rows(int64_t first, int64_t stop, const int32_t *fields, const int32_t *numbers, int64_t width,
                          const int32_t *low, const int32_t *high, int64_t m, const int32_t *index,
                          const int64_t *runs, const int32_t *ranged, const int32_t *quotes, const int64_t *span_bases,
                          const int64_t *span_offsets, const uint8_t *span_heap, const int32_t *carried, int64_t q,
                          const int64_t *bases, const int64_t *offsets, const uint8_t *heap, int32_t delimiter,
                          int64_t *places, int64_t *sizes, uint8_t *start) {
    uint8_t *out = start;
    Style style = {ranged, quotes, span_bases, span_offsets, span_heap, 1, width == 1 && m <= 1, (uint8_t)delimiter};
    for (int64_t j = 0; j < m; j++) style.plain = style.plain && ranged[j] && quotes[j] == 0 && span_bases[j] < 0;
    const size_t cells = (size_t)m * sizeof *low;
    int64_t before = -1;
    for (int64_t row = first; row < stop; row++) {
        if (index && row + AHEAD < stop && index[row + AHEAD] != index[row + AHEAD - 1]) { /* cells of a later row */
            int64_t begin = index[row + AHEAD] * m, end = begin + m - 1;
            FETCH(low + begin);
            FETCH(low + end);
            FETCH(high + begin);
            FETCH(high + end);
        }
        int64_t here = index ? index[row] : row;
        int same = index ? here == before : before >= 0 && memcmp(low + here * m, low + before * m, cells) == 0 &&
                                                memcmp(high + here * m, high + before * m, cells) == 0;
        for (int64_t f = 0; f < width; f++) {
            if (f > 0) *out++ = style.delimiter;
            int32_t number = numbers[f];
            if (fields[f] == SPAN) {
                uint8_t *text = out;
                if (same) repeat(out, start + places[number], sizes[number]), out += sizes[number];
                else out = put_run(out, low + here * m, high + here * m, runs[number], runs[number + 1], &style);
                places[number] = text - start;
                sizes[number] = out - text;
                continue;
            }
            int32_t code = carried[row * q + number];
            if (bases[number] >= 0) out = put_text(out, bases[number] + code, offsets, heap);
            else if (code != MISSING) out = put_number(out, code);
            else if (style.lone) *out++ = '"', *out++ = '"';
        }
        *out++ = '\n';
        before = here;
    }
    return out - start;
}
