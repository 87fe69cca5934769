/* Standardized distances, hulls of groups, and the information loss of Eq. 3-4. */
#include "native.h"

/* Whether no cell is missing or a wildcard; widens the limits to hold all cells. */
static int plain(const int32_t *cells, int64_t n, int32_t *lowest, int32_t *highest) {
    int32_t low = *lowest, high = *highest;
    for (int64_t i = 0; i < n; i++) low = least(low, cells[i]), high = most(high, cells[i]);
    *lowest = low;
    *highest = high;
    return low != MISSING;
}

/* How far one number is above another, where it is: both are at most 2^31 - 1 apart. */
static inline int32_t above(int32_t upper, int32_t lower) { return (int32_t)((uint32_t)upper - (uint32_t)lower); }

ALWAYS_INLINE void limits(const int32_t *restrict cells, int64_t n, int64_t m, int32_t *restrict lowest,
                          int32_t *restrict highest) {
    for (const int32_t *row = cells; row < cells + n * m; row += m)
        for (int64_t j = 0; j < m; j++) {
            lowest[j] = least(lowest[j], row[j]);
            highest[j] = most(highest[j], row[j]);
        }
}

/* The sums of cells, and of their squares, above the lowest of each column: of so few rows that both fit. */
ALWAYS_INLINE void plain_sums(const int32_t *restrict cells, int64_t n, int64_t m, const int32_t *restrict lowest,
                              uint64_t *restrict total, uint64_t *restrict squares) {
    for (const int32_t *row = cells; row < cells + n * m; row += m)
        for (int64_t j = 0; j < m; j++) {
            uint32_t above = (uint32_t)row[j] - (uint32_t)lowest[j];
            total[j] += above;
            squares[j] += (uint64_t)above * above;
        }
}

static void widen(uint64_t *low, uint64_t *high, uint64_t more) {
    *low += more;
    *high += *low < more;
}

/* Per column: the number of cells with a value, lowest and highest end, and the exact sums above the lowest of all
 * cells (of both ends where lo is not hi) and of their squares, which have 128 bits. Whole sums do not depend on the
 * order of the rows. Missing cells and wildcards do not count. */
KERNEL void sums(const int32_t *restrict lo, const int32_t *hi, int64_t n, int64_t m, int64_t *restrict count,
                 uint64_t *restrict total, uint64_t *restrict low_squares, uint64_t *restrict high_squares,
                 uint64_t *restrict few, int32_t *restrict lowest, int32_t *restrict highest) {
    int simple = lo == hi;
    uint64_t widest = 0;
    for (int64_t j = 0; j < m; j++) {
        count[j] = 0;
        total[j] = low_squares[j] = high_squares[j] = 0;
        lowest[j] = TOP;
        highest[j] = MISSING;
    }
    FOR_WIDTH(limits(lo, n, m, lowest, highest))
    for (int64_t j = 0; j < m; j++) {
        simple = simple && lowest[j] != MISSING;
        uint64_t width = (uint32_t)highest[j] - (uint32_t)lowest[j];
        widest = width > widest ? width : widest;
    }
    if (simple && n > 0) { /* exact cells without gaps, which is the rule: as many rows at a time as fit 64 bits */
        int64_t step = widest ? 1 + (int64_t)(INT64_MAX / 2 / (widest * widest)) : n;
        for (int64_t i = 0; i < n; i += step) {
            int64_t rows = n - i < step ? n - i : step;
            for (int64_t j = 0; j < m; j++) few[j] = 0;
            FOR_WIDTH(plain_sums(lo + i * m, rows, m, lowest, total, few))
            for (int64_t j = 0; j < m; j++) widen(low_squares + j, high_squares + j, few[j]);
        }
        for (int64_t j = 0; j < m; j++) count[j] = n;
        return;
    }
    for (int64_t j = 0; j < m; j++) {
        lowest[j] = TOP;
        highest[j] = MISSING;
        for (int64_t at = j; at < n * m; at += m)
            if (lo[at] != MISSING) {
                count[j]++;
                lowest[j] = least(lowest[j], lo[at]);
                highest[j] = most(highest[j], hi[at]);
            }
        for (int64_t at = j; at < n * m; at += m)
            if (lo[at] != MISSING) {
                uint64_t above = (uint32_t)lo[at] - (uint32_t)lowest[j];
                if (lo != hi) above += (uint32_t)hi[at] - (uint32_t)lowest[j];
                total[j] += above;
                uint64_t half = above >> 1, odd = above & 1; /* of 33 bits: the square of 2h + o is 4h(h + o) + o */
                uint64_t quarter = half * (half + odd);
                widen(low_squares + j, high_squares + j, quarter << 2);
                high_squares[j] += quarter >> 62;
                widen(low_squares + j, high_squares + j, odd);
            }
    }
}

/* The distances of rows of plain numbers from zero; gives the lowest of all cells, which tells whether they were. */
ALWAYS_INLINE int32_t plain_lengths(const int32_t *restrict cells, int64_t n, int64_t m, const double *restrict divisor,
                                 double *restrict part, double *restrict length) {
    int32_t lowest = TOP;
    for (int64_t i = 0; i < n; i++, cells += m) {
        double total = 0;
        for (int64_t j = 0; j < m; j++) lowest = least(lowest, cells[j]), part[j] = (double)cells[j] / divisor[j];
        for (int64_t j = 0; j < m; j++) total += part[j] * part[j];
        length[i] = sqrt(total);
    }
    return lowest;
}

/* The standardized distance of each row from the all-zero record (Eq. 2). Cells without a value and attributes that
 * do not vary contribute nothing: they are divided by infinity. */
KERNEL void lengths(const int32_t *restrict lo, const int32_t *hi, int64_t n, int64_t m, const double *deviation,
                    const double *table, const int64_t *offsets, double *restrict divisor, double *restrict part,
                    double *restrict length) {
    int simple = lo == hi;
    for (int64_t j = 0; j < m; j++) {
        divisor[j] = deviation[j] > 0 ? deviation[j] : INFINITY;
        simple = simple && offsets[j] < 0;
    }
    if (simple) { /* as if nothing were missing, which is the rule */
        int32_t lowest = TOP;
        FOR_WIDTH(lowest = plain_lengths(lo, n, m, divisor, part, length))
        if (lowest != MISSING) return;
    }
    for (int64_t i = 0; i < n; i++) {
        const int32_t *a = lo + i * m, *b = hi + i * m;
        double total = 0;
        for (int64_t j = 0; j < m; j++) {
            double x = a[j] == MISSING ? 0 : middle(a[j], b[j], offsets[j], table) / divisor[j];
            total += x * x;
        }
        length[i] = sqrt(total);
    }
}

/* A number for the pattern of missing cells of each row; rows without any have 0. */
KERNEL void gaps(const int32_t *lo, const int32_t *hi, int64_t n, int64_t m, int32_t *pattern) {
    for (int64_t i = 0; i < n; i++) {
        uint32_t state = 0;
        for (int64_t j = 0; j < m; j++)
            if (lo[i * m + j] == MISSING)
                state = (state ^ (uint32_t)(j + 1)) * 2654435761u + (hi[i * m + j] == MISSING);
        pattern[i] = (int32_t)(state & 0x7FFFFFFF);
    }
}

/* Ask for a row that is needed soon. */
ALWAYS_INLINE void fetch(const int32_t *cells, int64_t m, const int32_t *order, int64_t i, int64_t last) {
    const int32_t *row = cells + order[i + AHEAD < last ? i + AHEAD : last] * m;
    FETCH(row);
    FETCH(row + m - 1);
}

/* The smallest span around the cells of a group, which are in the rows order[first..stop-1]; the wildcard where missing
 * and present cells mix. */
ALWAYS_INLINE void hull_of(const int32_t *restrict lo, const int32_t *restrict hi, int64_t m,
                           const int32_t *restrict order, int64_t first, int64_t stop, int64_t last,
                           int32_t *restrict low, int32_t *restrict high) {
    for (int64_t j = 0; j < m; j++) low[j] = TOP, high[j] = MISSING;
    for (int64_t i = first; i < stop; i++) {
        const int64_t row = order[i] * m;
        fetch(lo, m, order, i, last);
        if (hi != lo) fetch(hi, m, order, i, last);
        for (int64_t j = 0; j < m; j++) {
            low[j] = least(low[j], lo[row + j]);
            high[j] = most(high[j], hi[row + j]);
        }
    }
    for (int64_t j = 0; j < m; j++)
        if (low[j] == MISSING && high[j] != MISSING) high[j] = TOP;
}

ALWAYS_INLINE void hulls_of(const int32_t *lo, const int32_t *hi, int64_t m, const int32_t *order,
                            const int64_t *starts, int64_t groups, int32_t *low, int32_t *high) {
    for (int64_t g = 0; g < groups; g++)
        hull_of(lo, hi, m, order, starts[g], starts[g + 1], starts[groups] - 1, low + g * m, high + g * m);
}

/* The hull of each group: order gives the rows group after group, starts where each group begins in it. */
KERNEL void hulls(const int32_t *lo, const int32_t *hi, int64_t m, const int32_t *order, const int64_t *starts,
                  int64_t groups, int32_t *low, int32_t *high) {
    FOR_WIDTH(hulls_of(lo, hi, m, order, starts, groups, low, high))
}

/* The set of codes below 62 that occur in each group, as bits; sets begin at zero. */
KERNEL void bitsets(const int32_t *codes, int64_t n, const int32_t *labels, int64_t *sets) {
    for (int64_t i = 0; i < n; i++)
        if (codes[i] != MISSING) sets[labels[i]] |= (int64_t)1 << codes[i];
}

/* The distance of a cell from what is published for it (Eq. 4): the farthest end of the span stands for the cell;
 * wildcards, and cells that lost or gained a value, take the limits of the domain. An attribute of which nobody has a
 * value has none: its limits are reserved positions, behind which there is no number. */
static double farthest(int32_t a, int32_t b, int32_t p, int32_t q, int32_t lowest, int32_t highest, int64_t offset,
                       const double *table) {
    if (lowest > highest || (a == p && b == q && (a == b || a == MISSING))) return 0;
    if (p == MISSING) p = lowest, q = highest;
    if (a == MISSING) a = lowest, b = highest;
    double up = coordinate(q, offset, table) - coordinate(a, offset, table);
    double down = coordinate(b, offset, table) - coordinate(p, offset, table);
    return fmax(fmax(up, down), 0);
}

/* Add the distance between a row of plain numbers and the plain span published for it to the sums of each attribute,
 * and give that of the whole record. */
ALWAYS_INLINE double apart(const int32_t *restrict row, int64_t m, const int32_t *restrict low,
                           const int32_t *restrict high, const double *restrict scale, double *restrict distance,
                           double *restrict sums) {
    double total = 0;
    for (int64_t j = 0; j < m; j++)
        distance[j] = (double)most(above(high[j], row[j]), above(row[j], low[j])) * scale[j];
    for (int64_t j = 0; j < m; j++) sums[j] += distance[j];
    for (int64_t j = 0; j < m; j++) total += distance[j] * distance[j];
    return sqrt(total);
}

/* The distances between rows of plain numbers and the plain spans published for them; gives the limits of the spans,
 * which tell whether they were. */
ALWAYS_INLINE double plain_loss(const int32_t *restrict cells, int64_t m, const int32_t *restrict low,
                                const int32_t *restrict high, const int32_t *restrict order,
                                const int64_t *restrict starts, int64_t groups, const double *restrict scale,
                                double *restrict distance, double *restrict sums, int32_t *lowest, int32_t *highest) {
    double all = 0;
    int32_t least_end = TOP, most_end = MISSING;
    int64_t last = order ? starts[groups] - 1 : groups - 1;
    for (int64_t g = 0; g < groups; g++, low += m, high += m) {
        for (int64_t j = 0; j < m; j++) least_end = least(least_end, low[j]), most_end = most(most_end, high[j]);
        for (int64_t i = order ? starts[g] : g, stop = order ? starts[g + 1] : g + 1; i < stop; i++) {
            if (order) fetch(cells, m, order, i, last);
            all += apart(cells + (order ? order[i] : i) * m, m, low, high, scale, distance, sums);
        }
    }
    *lowest = least_end;
    *highest = most_end;
    return all;
}

static void inverse(const double *deviation, int64_t m, double *restrict scale) {
    for (int64_t j = 0; j < m; j++) scale[j] = deviation[j] > 0 ? 1 / deviation[j] : 0;
}

ALWAYS_INLINE double hulls_and_loss_of(const int32_t *cells, int64_t m, const int32_t *order, const int64_t *starts,
                                       int64_t groups, const double *scale, int32_t *low, int32_t *high,
                                       double *distance, double *sums, int32_t *lowest) {
    double all = 0;
    for (int64_t g = 0; g < groups; g++, low += m, high += m) {
        hull_of(cells, cells, m, order, starts[g], starts[g + 1], starts[groups] - 1, low, high);
        for (int64_t j = 0; j < m; j++) *lowest = least(*lowest, low[j]);
        for (int64_t i = starts[g]; i < starts[g + 1]; i++)
            all += apart(cells + order[i] * m, m, low, high, scale, distance, sums);
    }
    return all;
}

/* The hull of each group of plain numbers, of which no two are farther than 2^31 - 1 apart, and as long as the rows of
 * a group are at hand what loss gives for it. Gives the lowest of all cells: if it is missing, there is no sum. */
KERNEL int64_t hulls_and_loss(const int32_t *cells, int64_t m, const int32_t *order, const int64_t *starts,
                              int64_t groups, const double *deviation, int32_t *low, int32_t *high, double *scale,
                              double *distance, double *sums) {
    int32_t lowest = TOP;
    inverse(deviation, m, scale);
    for (int64_t j = 0; j <= m; j++) sums[j] = 0;
    FOR_WIDTH(sums[0] = hulls_and_loss_of(cells, m, order, starts, groups, scale, low, high, distance, sums + 1,
                                          &lowest))
    return lowest;
}

/* The distance between each record and its published form (Eq. 2), summed; then each attribute's own.
 *
 * low and high are the published spans of groups of rows: order gives the rows group after group, starts where each
 * group begins in it (both null: each row is a group). complete says that every cell has a value, which lies within
 * the limits of the domain. Distances are first taken as if all cells were plain numbers, which is the rule. */
KERNEL void loss(const int32_t *restrict lo, const int32_t *restrict hi, int64_t n, int64_t m,
                 const int32_t *restrict low, const int32_t *restrict high, const int32_t *restrict order,
                 const int64_t *restrict starts, int64_t groups, const double *restrict deviation,
                 const int32_t *lowest, const int32_t *highest, const double *table, const int64_t *offsets,
                 int32_t complete, double *restrict scale, double *restrict distance, double *restrict sums) {
    int32_t least_cell = TOP, most_cell = MISSING, least_end, most_end;
    int simple = lo == hi && plain(complete ? lowest : lo, complete ? m : n * m, &least_cell, &most_cell);
    if (complete) plain(highest, m, &least_cell, &most_cell);
    inverse(deviation, m, scale);
    for (int64_t j = 0; j < m; j++) simple = simple && offsets[j] < 0;
    if (simple) {
        for (int64_t j = 0; j <= m; j++) sums[j] = 0;
        FOR_WIDTH(sums[0] = plain_loss(lo, m, low, high, order, starts, groups, scale, distance, sums + 1, &least_end,
                                       &most_end))
        least_cell = least(least_cell, least_end);
        most_cell = most(most_cell, most_end);
        if (least_cell != MISSING && (int64_t)most_cell - least_cell <= INT32_MAX) return; /* all differences fit */
    }
    for (int64_t j = 0; j <= m; j++) sums[j] = 0;
    for (int64_t g = 0; g < groups; g++)
        for (int64_t i = order ? starts[g] : g, stop = order ? starts[g + 1] : g + 1; i < stop; i++) {
            int64_t row = (order ? order[i] : i) * m, own = g * m;
            double total = 0;
            for (int64_t j = 0; j < m; j++) {
                double d = scale[j] * farthest(lo[row + j], hi[row + j], low[own + j], high[own + j], lowest[j],
                                               highest[j], offsets[j], table);
                sums[j + 1] += d;
                total += d * d;
            }
            sums[0] += sqrt(total);
        }
}
