/* Rows with equal cells, found by hashing and confirmed cell by cell. */
#include "native.h"

static inline uint64_t mix(uint64_t state, uint64_t value) {
    state = (state ^ value) * 0x9E3779B97F4A7C15u;
    return state ^ state >> 29;
}

/* One number for the cells of a row in some columns: equal cells, equal numbers. */
static inline uint64_t mixed(const int32_t *lo, const int32_t *hi, int64_t row, const int64_t *columns,
                             int64_t number) {
    uint64_t state = 0x243F6A8885A308D3u;
    for (int64_t c = 0; c < number; c++)
        state = mix(state, (uint64_t)(uint32_t)lo[row + columns[c]] << 32 | (uint32_t)hi[row + columns[c]]);
    return state;
}

/* The mixed cells of each row. */
KERNEL void mix_rows(const int32_t *lo, const int32_t *hi, int64_t n, int64_t m, const int64_t *columns,
                     int64_t number, uint64_t *bits) {
    for (int64_t i = 0; i < n; i++) bits[i] = mixed(lo, hi, i * m, columns, number);
}

static int same(const int32_t *lo, const int32_t *hi, const int64_t *columns, int64_t number, const int64_t a,
                const int64_t b, int64_t m) {
    for (int64_t c = 0; c < number; c++) {
        int64_t j = columns[c];
        if (lo[a * m + j] != lo[b * m + j] || hi[a * m + j] != hi[b * m + j]) return 0;
    }
    return 1;
}

/* Number the distinct rows of a pair of matrices over some columns, exactly, and give how many there are.
 * Rows are sorted by a 32-bit hash; inside a run of equal hashes every row is compared with those that opened a
 * number, so a collision costs time, never correctness. */
KERNEL int64_t label_rows(const int32_t *lo, const int32_t *hi, int64_t n, int64_t m, const int64_t *columns,
                          int64_t number, uint64_t *packed, uint64_t *spare, int32_t *labels) {
    for (int64_t i = 0; i < n; i++) packed[i] = mixed(lo, hi, i * m, columns, number) >> 32 << 32 | (uint64_t)i;
    uint64_t *ordered = sort_packed(packed, spare, n);
    int64_t found = 0;
    for (int64_t start = 0, stop; start < n; start = stop) {
        int64_t first = found;
        for (stop = start; stop < n && ordered[stop] >> 32 == ordered[start] >> 32; stop++) {
            int64_t row = (uint32_t)ordered[stop], label = -1;
            /* The rows that opened a number within this run are kept at the front of the run itself. */
            for (int64_t k = 0; k < found - first && label < 0; k++)
                if (same(lo, hi, columns, number, row, (uint32_t)ordered[start + k], m)) label = first + k;
            if (label < 0) {
                label = found++;
                uint64_t *seat = &ordered[start + label - first], swap = *seat;
                *seat = ordered[stop];
                ordered[stop] = swap;
            }
            labels[row] = (int32_t)label;
        }
    }
    return found;
}

/* Count the rows of each group, each as often as it weighs where weights are given; sizes begin at zero. */
KERNEL void count_labels(const int32_t *labels, int64_t n, const int64_t *weights, int64_t *sizes) {
    if (weights)
        for (int64_t i = 0; i < n; i++) sizes[labels[i]] += weights[i];
    else
        for (int64_t i = 0; i < n; i++) sizes[labels[i]]++;
}

/* The rows group after group, in their own order inside a group; seats holds where each group begins. */
KERNEL void order_by_label(const int32_t *labels, int64_t n, int64_t *seats, int32_t *order) {
    for (int64_t row = 0; row < n; row++) {
        if (row + AHEAD < n) FETCH(&seats[labels[row + AHEAD]]);
        order[seats[labels[row]]++] = (int32_t)row;
    }
}

/* Count the different codes inside each group of rows that stand side by side; seen begins at -1. */
KERNEL void count_distinct(const int32_t *codes, const int64_t *starts, int64_t groups, int64_t *seen,
                           int64_t *distinct) {
    for (int64_t g = 0; g < groups; g++) {
        distinct[g] = 0;
        for (int64_t i = starts[g]; i < starts[g + 1]; i++)
            if (seen[codes[i]] != g) {
                seen[codes[i]] = g;
                distinct[g]++;
            }
    }
}

/* Copy rows of m columns in another order. */
ALWAYS_INLINE void gather(const int32_t *restrict cells, int64_t m, const int32_t *restrict rows, int64_t n,
                          int32_t *restrict out) {
    for (int64_t i = 0; i < n; i++, out += m) {
        const int32_t *row = cells + rows[i] * m;
        if (i + AHEAD < n) {
            FETCH(cells + rows[i + AHEAD] * m);
            FETCH(cells + rows[i + AHEAD] * m + m - 1);
        }
        for (int64_t j = 0; j < m; j++) out[j] = row[j];
    }
}

KERNEL void gather_rows(const int32_t *cells, int64_t m, const int32_t *rows, int64_t n, int32_t *out) {
    FOR_WIDTH(gather(cells, m, rows, n, out))
}
