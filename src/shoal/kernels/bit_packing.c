/* Positions in as few bytes as they need, and back.
 *
 * What is packed tells how to unpack it. It begins with 32-bit numbers: how many bytes it has in all, how many rows, and
 * of each column the lowest number, how far others reach above it, and the bytes of a cell (1 to 4). Then come the low
 * bytes of all cells, row after row, and behind them column after column the bytes above these of its cells. So most
 * bytes are made and read many at a time.
 *
 * MISSING and TOP would make every column wide. Counted upwards from the lowest number, and on around the end of 32
 * bits, TOP and then MISSING come behind all others: the gap before them is left out.
 */
#include "native.h"

enum { ABREAST = 16, COUNTS = 2, FIELDS = 3, ALIGNED = 4 };

/* The lowest and highest number of each column. */
ALWAYS_INLINE void find_ends(const int32_t *restrict cells, int64_t n, int64_t m, int32_t *restrict lowest,
                             int32_t *restrict highest) {
    for (int64_t j = 0; j < m; j++) lowest[j] = TOP, highest[j] = MISSING;
    for (const int32_t *row = cells; row < cells + n * m; row += m)
        for (int64_t j = 0; j < m; j++) {
            lowest[j] = least(lowest[j], row[j]);
            highest[j] = most(highest[j], row[j]);
        }
}

/* The same for one column, without MISSING and TOP; TOP and MISSING if it has nothing else. */
static void find_plain_ends(const int32_t *cells, int64_t n, int64_t m, int32_t *lowest, int32_t *highest) {
    *lowest = TOP;
    *highest = MISSING;
    for (int64_t at = 0; at < n * m; at += m)
        if (cells[at] != MISSING && cells[at] != TOP) {
            *lowest = least(*lowest, cells[at]);
            *highest = most(*highest, cells[at]);
        }
}

/* What is known of the cells of ABREAST rows: the lowest number of their column, how far others reach above it, and how
 * many numbers lie between them and TOP; room for the numbers that are packed; and the bytes of the cells of a row. */
typedef struct {
    uint32_t *low, *span, *gap, *bits;
    const uint32_t *bytes;
} Plan;

static Plan make_plan(const uint32_t *head, int64_t m, uint32_t *work) {
    int64_t abreast = m * ABREAST;
    const uint32_t *low = head + COUNTS, *span = low + m, *bytes = span + m;
    Plan plan = {work, work + abreast, work + 2 * abreast, work + 3 * abreast, bytes};
    for (int64_t k = 0; k < abreast; k++) {
        plan.low[k] = low[k % m];
        plan.span[k] = span[k % m];
        plan.gap[k] = (uint32_t)TOP - 1 - span[k % m] - low[k % m];
    }
    return plan;
}

ALWAYS_INLINE void narrow_rows(const int32_t *restrict cells, int64_t n, int64_t m, const Plan *plan,
                               uint8_t *restrict out) {
    const uint32_t *restrict low = plan->low, *restrict span = plan->span, *restrict gap = plan->gap;
    uint32_t *restrict bits = plan->bits;
    uint8_t *restrict above = out + n * m;
    for (int64_t begin = 0; begin < n; begin += ABREAST, cells += m * ABREAST, out += m * ABREAST) {
        int64_t rows = n - begin < ABREAST ? n - begin : ABREAST;
        for (int64_t k = 0; k < rows * m; k++) {
            uint32_t far = (uint32_t)cells[k] - low[k];
            bits[k] = far - (gap[k] & -(uint32_t)(far > span[k]));
            out[k] = (uint8_t)bits[k];
        }
        uint8_t *restrict plane = above + begin;
        for (int64_t j = 0; j < m; j++)
            for (uint32_t byte = 1; byte < plan->bytes[j]; byte++, plane += n)
                for (int64_t i = 0; i < rows; i++) plane[i] = (uint8_t)(bits[i * m + j] >> 8 * byte);
    }
}

ALWAYS_INLINE void widen_rows(const uint8_t *restrict in, int64_t n, int64_t m, const Plan *plan,
                              int32_t *restrict cells) {
    const uint32_t *restrict low = plan->low, *restrict span = plan->span, *restrict gap = plan->gap;
    uint32_t *restrict bits = plan->bits;
    const uint8_t *restrict above = in + n * m;
    for (int64_t begin = 0; begin < n; begin += ABREAST, cells += m * ABREAST, in += m * ABREAST) {
        int64_t rows = n - begin < ABREAST ? n - begin : ABREAST;
        for (int64_t k = 0; k < rows * m; k++) bits[k] = in[k];
        const uint8_t *restrict plane = above + begin;
        for (int64_t j = 0; j < m; j++)
            for (uint32_t byte = 1; byte < plan->bytes[j]; byte++, plane += n)
                for (int64_t i = 0; i < rows; i++) bits[i * m + j] |= (uint32_t)plane[i] << 8 * byte;
        for (int64_t k = 0; k < rows * m; k++)
            cells[k] = (int32_t)(low[k] + bits[k] + (gap[k] & -(uint32_t)(bits[k] > span[k])));
    }
}

/* Pack rows of m columns, and give how many bytes that takes. Work has room for four times ABREAST rows. */
KERNEL int64_t pack_rows(const int32_t *cells, int64_t n, int64_t m, int32_t *work, uint8_t *packed) {
    int64_t size = (COUNTS + FIELDS * m) * (int64_t)sizeof(uint32_t);
    int32_t *lowest = work, *highest = lowest + m;
    uint32_t *head = (uint32_t *)packed, *low = head + COUNTS, *span = low + m, *bytes = span + m;
    uint8_t *out = packed + size;
    FOR_WIDTH(find_ends(cells, n, m, lowest, highest))
    for (int64_t j = 0; j < m; j++) {
        uint64_t reserved = lowest[j] == MISSING ? 2 : highest[j] == TOP;
        if (reserved) find_plain_ends(cells + j, n, m, lowest + j, highest + j);
        if (lowest[j] == TOP) lowest[j] = highest[j] = TOP - 1;
        low[j] = (uint32_t)lowest[j];
        span[j] = (uint32_t)highest[j] - low[j];
        uint64_t last = span[j] + reserved;
        bytes[j] = 1 + (last >> 8 > 0) + (last >> 16 > 0) + (last >> 24 > 0);
        size += n * bytes[j];
    }
    head[0] = (uint32_t)((size + ALIGNED - 1) / ALIGNED * ALIGNED); /* the next numbers then stand where they can be read */
    head[1] = (uint32_t)n;
    Plan plan = make_plan(head, m, (uint32_t *)work);
    FOR_WIDTH(narrow_rows(cells, n, m, &plan, out))
    return head[0];
}

/* Unpack rows of m columns. */
KERNEL void unpack_rows(const uint8_t *packed, int64_t m, int32_t *work, int32_t *cells) {
    const uint32_t *head = (const uint32_t *)packed;
    Plan plan = make_plan(head, m, (uint32_t *)work);
    FOR_WIDTH(widen_rows(packed + (COUNTS + FIELDS * m) * sizeof *head, head[1], m, &plan, cells))
}

/* Unpack only some rows of m columns, by their numbers. */
KERNEL void unpack_some(const uint8_t *packed, int64_t m, const int32_t *rows, int64_t n, int32_t *work,
                        int32_t *cells) {
    const uint32_t *head = (const uint32_t *)packed;
    const uint8_t *in = packed + (COUNTS + FIELDS * m) * sizeof *head;
    Plan plan = make_plan(head, m, (uint32_t *)work);
    for (int64_t i = 0; i < n; i++) {
        const uint8_t *plane = in + head[1] * m + rows[i];
        for (int64_t j = 0; j < m; j++) {
            uint32_t bits = in[rows[i] * m + j];
            for (uint32_t byte = 1; byte < plan.bytes[j]; byte++, plane += head[1]) bits |= (uint32_t)*plane << 8 * byte;
            *cells++ = (int32_t)(plan.low[j] + bits + (plan.gap[j] & -(uint32_t)(bits > plan.span[j])));
        }
    }
}
