/* Rows with equal cells, found by hashing and confirmed cell by cell. */
#include "native.h"

/* One number for the cells of a row in some columns: equal cells, equal numbers. Each cell is multiplied by a number of
 * its column, so that none waits for the one before. */
static inline uint64_t mixed(const int32_t *lo, const int32_t *hi, int64_t row, const int64_t *columns,
                             int64_t number) {
    const uint64_t odd = 0x9E3779B97F4A7C15u;
    uint64_t state = 0, factor = 0x243F6A8885A308D3u;
    for (int64_t c = 0; c < number; c++, factor *= odd) {
        uint64_t cell = (uint64_t)(uint32_t)lo[row + columns[c]] << 32 | (uint32_t)hi[row + columns[c]];
        state += (cell ^ factor >> 32) * factor;
    }
    state = (state ^ state >> 32) * odd;
    return state ^ state >> 29;
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

/* Number the distinct rows of a pair of matrices over some columns in the order in which they come, exactly, and give
 * how many there are. The first row of each number has a slot, which its cells tell: it holds the row and half of their
 * mix. Rows that agree in all of the mix are still compared, so a collision costs time, never correctness. There must
 * be more slots than rows. Slots of later rows are asked for ahead, many at once. */
KERNEL int64_t label_rows(const int32_t *lo, const int32_t *hi, int64_t n, int64_t m, const int64_t *columns,
                          int64_t number, uint64_t *slots, int64_t slot_count, int32_t *labels) {
    enum { FEW = 64 };
    const uint64_t empty = UINT64_MAX;
    uint64_t mixes[FEW];
    int64_t found = 0, places[FEW];
    memset(slots, 0xFF, (size_t)slot_count * sizeof *slots);
    for (int64_t begin = 0; begin < n; begin += FEW) {
        int64_t end = begin + FEW < n ? begin + FEW : n;
        for (int64_t row = begin; row < end; row++) {
            uint64_t mix = mixed(lo, hi, row * m, columns, number);
            places[row - begin] = (int64_t)((mix >> 32) * (uint64_t)slot_count >> 32);
            mixes[row - begin] = mix << 32;
            FETCH(&slots[places[row - begin]]);
        }
        for (int64_t row = begin; row < end; row++) {
            uint64_t own = mixes[row - begin], slot;
            int64_t place = places[row - begin];
            for (;; place = place + 1 < slot_count ? place + 1 : 0) {
                slot = slots[place];
                int64_t other = (uint32_t)slot;
                if (slot == empty || (slot >> 32 == own >> 32 && same(lo, hi, columns, number, row, other, m))) break;
            }
            if (slot == empty) slots[place] = own | (uint64_t)row;
            labels[row] = slot == empty ? (int32_t)found++ : labels[(uint32_t)slot];
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

/* The position that all rows of each group have in common, or MISSING; found begins as TOP, which no row has. */
KERNEL void common_positions(const int32_t *labels, const int32_t *positions, int64_t n, int32_t *found) {
    for (int64_t i = 0; i < n; i++) {
        int32_t *mine = &found[labels[i]], position = positions[i];
        *mine = *mine == TOP || *mine == position ? position : MISSING;
    }
}

/* The rows group after group, in their own order inside a group; slots holds where each group begins. */
KERNEL void order_by_label(const int32_t *labels, int64_t n, int64_t *slots, int32_t *order) {
    for (int64_t row = 0; row < n; row++) {
        if (row + AHEAD < n) FETCH(&slots[labels[row + AHEAD]]);
        order[slots[labels[row]]++] = (int32_t)row;
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
