/* The order of a release: classes by their cells, and the rows of each class by their other columns. */
#include "native.h"

enum { FEW = 24, SOON = AHEAD / 3 }; /* groups have a few rows each */

/* Both ends of cells, and the columns by which they are sorted, of which the first matters most. */
typedef struct {
    const int32_t *lo, *hi;
    int64_t m;
    const int64_t *columns;
    int64_t number;
} Cells;

static inline int compare_cells(const Cells *cells, int64_t a, int64_t b) {
    const int32_t *lo_a = cells->lo + a * cells->m, *lo_b = cells->lo + b * cells->m;
    const int32_t *hi_a = cells->hi + a * cells->m, *hi_b = cells->hi + b * cells->m;
    for (int64_t c = 0; c < cells->number; c++) {
        int64_t j = cells->columns[c];
        if (lo_a[j] != lo_b[j]) return lo_a[j] < lo_b[j] ? -1 : 1;
        if (hi_a[j] != hi_b[j]) return hi_a[j] < hi_b[j] ? -1 : 1;
    }
    return 0;
}

ALWAYS_INLINE void find_limits(const int32_t *cells, int64_t n, int64_t m, int32_t *restrict lowest,
                               int32_t *restrict highest) {
    for (int64_t row = 0; row < n; row++, cells += m)
        for (int64_t j = 0; j < m; j++) {
            lowest[j] = least(lowest[j], cells[j]);
            highest[j] = most(highest[j], cells[j]);
        }
}

/* The lowest and the highest number of each column, which both begin as those of the first row. */
KERNEL void limits_of(const int32_t *cells, int64_t n, int64_t m, int32_t *lowest, int32_t *highest) {
    FOR_WIDTH(find_limits(cells, n, m, lowest, highest))
}

/* Put the leading cells of each row into one number that is sorted as they are. A field is twice the number of its
 * column, and one more if it is the upper end; what stands there is counted from the lowest on and takes so many bits. */
KERNEL void pack_cells(const int32_t *lo, const int32_t *hi, int64_t n, int64_t m, const int64_t *fields,
                       const int64_t *lowest, const int64_t *bits, int64_t number, uint64_t *keys) {
    for (int64_t row = 0; row < n; row++) {
        uint64_t key = 0;
        for (int64_t f = 0; f < number; f++) {
            int64_t cell = (fields[f] & 1 ? hi : lo)[row * m + fields[f] / 2];
            key = key << bits[f] | (uint64_t)(cell - lowest[f]);
        }
        keys[row] = key;
    }
}

/* Stable merge sort of rows by their cells. */
static void sort_rows(const Cells *cells, int32_t *rows, int32_t *scratch, int64_t n) {
    if (n <= FEW) {
        for (int64_t i = 1; i < n; i++) {
            int32_t row = rows[i];
            int64_t j = i - 1;
            for (; j >= 0 && compare_cells(cells, rows[j], row) > 0; j--) rows[j + 1] = rows[j];
            rows[j + 1] = row;
        }
        return;
    }
    int64_t half = n / 2;
    sort_rows(cells, rows, scratch, half);
    sort_rows(cells, rows + half, scratch, n - half);
    memcpy(scratch, rows, (size_t)half * sizeof *rows);
    for (int64_t a = 0, b = half, out = 0; a < half; out++)
        rows[out] = b < n && compare_cells(cells, rows[b], scratch[a]) < 0 ? rows[b++] : scratch[a++];
}

/* Rows are in the order of their keys, which their leading cells tell. Put those with equal keys into the order of
 * their other cells, number the classes of equal cells by place, and give of how many rows the largest is. */
KERNEL int64_t order_classes(const uint64_t *keys, const int32_t *lo, const int32_t *hi, int64_t n, int64_t m,
                             const int64_t *columns, int64_t number, int32_t *order, int32_t *scratch,
                             int32_t *classes) {
    const Cells cells = {lo, hi, m, columns, number};
    int64_t found = 0, largest = 0;
    for (int64_t start = 0, stop; start < n; start = stop) {
        uint64_t key = keys[order[start]];
        for (stop = start + 1; stop < n && keys[order[stop]] == key; stop++) {
            if (stop + AHEAD < n) FETCH(&keys[order[stop + AHEAD]]);
        }
        if (start + AHEAD < n) FETCH(&keys[order[start + AHEAD]]);
        if (stop - start > 1 && number > 0) sort_rows(&cells, order + start, scratch, stop - start);
        int64_t size = 0;
        for (int64_t i = start; i < stop; i++, size++) {
            if (i > start && compare_cells(&cells, order[i - 1], order[i]) != 0) {
                found++;
                size = 0;
            }
            classes[i] = (int32_t)found;
            largest = size < largest ? largest : size + 1;
        }
        found++;
    }
    return largest;
}

/* Rows with ranks in q columns; a row and its first rank are packed into one number, which mostly tells the order. */
typedef struct {
    const int32_t *ranks;
    int64_t q;
} Ranks;

static inline int comes_before(const Ranks *rows, uint64_t a, uint64_t b) {
    if (a >> 32 == b >> 32 && rows->q > 1) {
        const int32_t *one = rows->ranks + (int64_t)(uint32_t)a * rows->q;
        const int32_t *other = rows->ranks + (int64_t)(uint32_t)b * rows->q;
        for (int64_t c = 1; c < rows->q; c++)
            if (one[c] != other[c]) return one[c] < other[c];
    }
    return a < b;
}

static void sort_members(const Ranks *rows, uint64_t *packed, uint64_t *scratch, int64_t n) {
    if (n <= FEW) {
        for (int64_t i = 1; i < n; i++) {
            uint64_t row = packed[i];
            int64_t j = i - 1;
            for (; j >= 0 && comes_before(rows, row, packed[j]); j--) packed[j + 1] = packed[j];
            packed[j + 1] = row;
        }
        return;
    }
    int64_t half = n / 2;
    sort_members(rows, packed, scratch, half);
    sort_members(rows, packed + half, scratch, n - half);
    memcpy(scratch, packed, (size_t)half * sizeof *packed);
    for (int64_t a = 0, b = half, out = 0; a < half; out++)
        packed[out] = b < n && comes_before(rows, packed[b], scratch[a]) ? packed[b++] : scratch[a++];
}

/* Give the rows class after class, those of a class by their ranks in q columns and then by number, and copy their
 * groups and p codes. Groups come in the order of their classes; members are the rows group by group, which begin at
 * starts. */
KERNEL void order_members(const int32_t *groups, const int32_t *classes, int64_t number, const int32_t *members,
                          const int64_t *starts, const int32_t *labels, const int32_t *ranks, int64_t q,
                          const int32_t *codes, int64_t p, uint64_t *packed, uint64_t *scratch, int32_t *order,
                          int32_t *grouped, int32_t *taken) {
    const Ranks rows = {ranks, q};
    for (int64_t i = 0; i < number;) {
        int64_t first = i, size = 0;
        for (; i < number && classes[i] == classes[first]; i++) {
            if (i + 3 * SOON < number) FETCH(&starts[groups[i + 3 * SOON]]);
            if (i + 2 * SOON < number) FETCH(&members[starts[groups[i + 2 * SOON]]]);
            if (i + SOON < number) {
                int64_t at = starts[groups[i + SOON]], stop = starts[groups[i + SOON] + 1];
                for (stop = stop < at + FEW ? stop : at + FEW; at < stop; at++) {
                    FETCH(&ranks[members[at] * q]);
                    if (codes != ranks) FETCH(&codes[members[at] * p]);
                }
            }
            for (int64_t at = starts[groups[i]]; at < starts[groups[i] + 1]; at++) {
                uint64_t rank = q > 0 ? (uint32_t)ranks[members[at] * q] ^ 0x80000000u : 0;
                packed[size++] = rank << 32 | (uint32_t)members[at];
            }
        }
        sort_members(&rows, packed, scratch, size);
        for (int64_t s = 0; s < size; s++, taken += p) {
            int64_t row = (uint32_t)packed[s];
            *order++ = (int32_t)row;
            *grouped++ = i - first == 1 ? groups[first] : labels[row];
            for (int64_t c = 0; c < p; c++) taken[c] = codes[row * p + c];
        }
    }
}

/* How many rows from the first on stand in the order of their cells, of which index tells the row of the matrices
 * where they share these, and then of their ranks. */
KERNEL int64_t count_ordered(const int32_t *lo, const int32_t *hi, int64_t m, const int64_t *columns, int64_t number,
                             const int32_t *index, const int32_t *ranks, int64_t q, int64_t n) {
    const Cells cells = {lo, hi, m, columns, number};
    for (int64_t row = 1; row < n; row++) {
        int64_t before = index ? index[row - 1] : row - 1, here = index ? index[row] : row;
        int sign = before == here ? 0 : compare_cells(&cells, before, here);
        for (int64_t c = 0; c < q && sign == 0; c++) {
            int32_t a = ranks[(row - 1) * q + c], b = ranks[row * q + c];
            sign = (a > b) - (a < b);
        }
        if (sign > 0) return row;
    }
    return n;
}

ALWAYS_INLINE void put_lowest(const int64_t *restrict numbers, int64_t n, int64_t m, uint8_t *restrict out) {
    for (int64_t i = 0; i < n; i++, out += m)
        for (int64_t b = 0; b < m; b++) out[b] = (uint8_t)((uint64_t)numbers[i] >> 8 * b);
}

/* m bytes of each number, the lowest first. */
KERNEL void lowest_bytes(const int64_t *numbers, int64_t n, int64_t m, uint8_t *out) {
    FOR_WIDTH(put_lowest(numbers, n, m, out))
}
