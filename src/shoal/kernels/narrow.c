/* Positions in as few bytes as they need, and back.
 *
 * What is packed tells how to unpack it. It begins with 32-bit numbers: how many bytes it has in all, how many rows, and
 * of each column the lowest number, how far others reach above it, and the bytes of a cell (0 to 4). Then come the rows,
 * their cells side by side, low bytes first. A cell is written and read as 32 bits, of which those that are too many
 * belong to the next: SLACK bytes stand at the end, and as many more as bring the next numbers to a place for them.
 *
 * MISSING and TOP would make every column wide. Counted upwards from the lowest number, and on around the end of 32
 * bits, TOP and then MISSING come behind all others: the gap before them is left out.
 */
#include "native.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LOW_FIRST(bits) (bits)
#else
#define LOW_FIRST(bits) __builtin_bswap32(bits)
#endif

enum { ABREAST = 16, COUNTS = 2, FIELDS = 3, SLACK = 4 };

/* The lowest and highest number of each column; and of each number less one and more one, in which MISSING is not the
 * lowest nor TOP the highest any more. Several rows are looked at side by side, then what was found in them. */
static void find_ends(const int32_t *restrict cells, int64_t n, int64_t m, int32_t *restrict lowest,
                      int32_t *restrict highest, int32_t *restrict under, int32_t *restrict over) {
    int64_t abreast = m * ABREAST;
    for (int64_t j = 0; j < abreast; j++) {
        lowest[j] = under[j] = TOP;
        highest[j] = over[j] = MISSING;
    }
    for (int64_t left = n * m; left > 0; left -= abreast, cells += abreast)
        for (int64_t j = 0; j < (left < abreast ? left : abreast); j++) {
            lowest[j] = least(lowest[j], cells[j]);
            highest[j] = most(highest[j], cells[j]);
            under[j] = least(under[j], (int32_t)((uint32_t)cells[j] - 1));
            over[j] = most(over[j], (int32_t)((uint32_t)cells[j] + 1));
        }
    for (int64_t j = m; j < abreast; j++) {
        lowest[j % m] = least(lowest[j % m], lowest[j]);
        highest[j % m] = most(highest[j % m], highest[j]);
        under[j % m] = least(under[j % m], under[j]);
        over[j % m] = most(over[j % m], over[j]);
    }
}

/* What is known of the cells of ABREAST rows: the lowest number of their column, how far others reach above it, how many
 * numbers lie between them and TOP, and which bits of 32 belong to a cell; and of those of one row, where they stand. */
typedef struct {
    uint32_t *low, *span, *gap, *mask, *bits, *place;
    int64_t row_bytes;
} Plan;

static Plan make_plan(const uint32_t *head, int64_t m, uint32_t *work) {
    int64_t abreast = m * ABREAST;
    const uint32_t *low = head + COUNTS, *span = low + m, *bytes = span + m;
    Plan plan = {work, work + abreast, work + 2 * abreast, work + 3 * abreast, work + 4 * abreast, work + 5 * abreast, 0};
    for (int64_t j = 0; j < m; j++) {
        plan.place[j] = (uint32_t)plan.row_bytes;
        plan.row_bytes += bytes[j];
        for (int64_t k = j; k < abreast; k += m) {
            plan.low[k] = low[j];
            plan.span[k] = span[j];
            plan.gap[k] = (uint32_t)TOP - 1 - span[j] - low[j];
            plan.mask[k] = (uint32_t)((UINT64_C(1) << 8 * bytes[j]) - 1);
        }
    }
    return plan;
}

/* Numbers are made for several rows side by side, then put to their places one after the other: each overwrites what
 * the one before wrote too much. */
ALWAYS_INLINE void narrow_rows(const int32_t *restrict cells, int64_t n, int64_t m, const Plan *plan,
                               uint8_t *restrict out) {
    const uint32_t *restrict low = plan->low, *restrict span = plan->span, *restrict gap = plan->gap,
                   *restrict place = plan->place;
    uint32_t *restrict bits = plan->bits;
    for (int64_t begin = 0; begin < n; begin += ABREAST, cells += m * ABREAST) {
        int64_t rows = n - begin < ABREAST ? n - begin : ABREAST;
        for (int64_t k = 0; k < rows * m; k++) {
            uint32_t above = (uint32_t)cells[k] - low[k];
            bits[k] = LOW_FIRST(above - (gap[k] & -(uint32_t)(above > span[k])));
        }
        for (int64_t i = 0; i < rows; i++, out += plan->row_bytes)
            for (int64_t j = 0; j < m; j++) memcpy(out + place[j], &bits[i * m + j], sizeof *bits);
    }
}

ALWAYS_INLINE void widen_rows(const uint8_t *restrict in, int64_t n, int64_t m, const Plan *plan,
                              int32_t *restrict cells) {
    const uint32_t *restrict low = plan->low, *restrict span = plan->span, *restrict gap = plan->gap,
                   *restrict mask = plan->mask, *restrict place = plan->place;
    uint32_t *restrict bits = plan->bits;
    for (int64_t begin = 0; begin < n; begin += ABREAST, cells += m * ABREAST) {
        int64_t rows = n - begin < ABREAST ? n - begin : ABREAST;
        for (int64_t i = 0; i < rows; i++, in += plan->row_bytes)
            for (int64_t j = 0; j < m; j++) memcpy(&bits[i * m + j], in + place[j], sizeof *bits);
        for (int64_t k = 0; k < rows * m; k++) {
            uint32_t above = LOW_FIRST(bits[k]) & mask[k];
            cells[k] = (int32_t)(low[k] + above + (gap[k] & -(uint32_t)(above > span[k])));
        }
    }
}

/* Pack rows of m columns, and give how many bytes that takes. Work has room for six times ABREAST rows. */
KERNEL int64_t pack_rows(const int32_t *cells, int64_t n, int64_t m, int32_t *work, uint8_t *packed) {
    int64_t abreast = m * ABREAST, head_bytes = (COUNTS + FIELDS * m) * (int64_t)sizeof(uint32_t);
    int32_t *lowest = work, *highest = lowest + abreast, *under = highest + abreast, *over = under + abreast;
    uint32_t *head = (uint32_t *)packed, *low = head + COUNTS, *span = low + m, *bytes = span + m;
    find_ends(cells, n, m, lowest, highest, under, over);
    for (int64_t j = 0; j < m; j++) {
        int reserved = under[j] >= TOP - 1; /* all are MISSING or TOP */
        low[j] = reserved ? (uint32_t)TOP - 1 : (uint32_t)under[j] + 1;
        span[j] = reserved ? 0 : (uint32_t)over[j] - 1 - low[j];
        uint64_t last = (uint64_t)span[j] + (lowest[j] == MISSING ? 2 : highest[j] == TOP ? 1 : 0);
        bytes[j] = (last > 0) + (last >> 8 > 0) + (last >> 16 > 0) + (last >> 24 > 0);
    }
    Plan plan = make_plan(head, m, (uint32_t *)work);
    head[0] = (uint32_t)((head_bytes + n * plan.row_bytes + 2 * SLACK - 1) / SLACK * SLACK);
    head[1] = (uint32_t)n;
    FOR_WIDTH(narrow_rows(cells, n, m, &plan, packed + head_bytes))
    return head[0];
}

/* Unpack rows of m columns. */
KERNEL void unpack_rows(const uint8_t *packed, int64_t m, int32_t *work, int32_t *cells) {
    const uint32_t *head = (const uint32_t *)packed;
    Plan plan = make_plan(head, m, (uint32_t *)work);
    FOR_WIDTH(widen_rows(packed + (COUNTS + FIELDS * m) * sizeof *head, head[1], m, &plan, cells))
}
