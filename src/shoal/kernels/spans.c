/* Standardized distances, hulls of groups, and the information loss of Eq. 3-4. */
#include "native.h"

/* The number behind a position: itself on a plain axis (offset < 0), looked up on a listed one. */
static inline double coordinate(int32_t position, int64_t offset, const double *table) {
    return offset < 0 ? (double)position : table[offset + position];
}

/* The number that a span counts with in means and distances: its middle. */
static inline double middle(int32_t lo, int32_t hi, int64_t offset, const double *table) {
    double a = coordinate(lo, offset, table);
    return lo == hi ? a : (a + coordinate(hi, offset, table)) / 2;
}

/* Whether no cell is missing or a wildcard. */
static int plain(const int32_t *cells, int64_t n) {
    int32_t low = TOP;
    for (int64_t i = 0; i < n; i++) low = least(low, cells[i]);
    return low != MISSING;
}

/* Per column: the number of cells with a value, their mean and sample deviation, lowest and highest end. Missing cells
 * and wildcards do not count. Sums are taken in the order of the rows, so that results do not depend on the way. */
KERNEL void moments(const int32_t *restrict lo, const int32_t *hi, int64_t n, int64_t m, const double *table,
                    const int64_t *offsets, int64_t *restrict count, double *restrict mean,
                    double *restrict deviation, int32_t *restrict lowest, int32_t *restrict highest) {
    int simple = lo == hi;
    for (int64_t j = 0; j < m; j++) {
        count[j] = 0;
        mean[j] = deviation[j] = 0;
        lowest[j] = TOP;
        highest[j] = MISSING;
        simple = simple && offsets[j] < 0;
    }
    for (int64_t row = 0; row < n * m; row += m)
        for (int64_t j = 0; j < m; j++) lowest[j] = least(lowest[j], lo[row + j]);
    for (int64_t j = 0; j < m; j++) simple = simple && lowest[j] != MISSING;
    if (simple) { /* plain numbers without gaps, which is the rule: nothing to look out for */
        for (int64_t j = 0; j < m; j++) count[j] = n;
        for (int64_t row = 0; row < n * m; row += m)
            for (int64_t j = 0; j < m; j++) {
                highest[j] = most(highest[j], lo[row + j]);
                mean[j] += (double)lo[row + j];
            }
        for (int64_t j = 0; j < m; j++) mean[j] /= (double)(n > 0 ? n : 1);
        for (int64_t row = 0; row < n * m; row += m)
            for (int64_t j = 0; j < m; j++) {
                double d = (double)lo[row + j] - mean[j];
                deviation[j] += d * d;
            }
    } else {
        for (int64_t j = 0; j < m; j++) {
            lowest[j] = TOP;
            for (int64_t at = j; at < n * m; at += m)
                if (lo[at] != MISSING) {
                    count[j]++;
                    mean[j] += middle(lo[at], hi[at], offsets[j], table);
                    lowest[j] = least(lowest[j], lo[at]);
                    highest[j] = most(highest[j], hi[at]);
                }
            if (count[j] > 0) mean[j] /= (double)count[j];
            for (int64_t at = j; at < n * m; at += m)
                if (lo[at] != MISSING) {
                    double d = middle(lo[at], hi[at], offsets[j], table) - mean[j];
                    deviation[j] += d * d;
                }
        }
    }
    for (int64_t j = 0; j < m; j++) /* one value has no deviation, whatever the rounding of its mean */
        deviation[j] = count[j] > 1 && lowest[j] != highest[j] ? sqrt(deviation[j] / (double)(count[j] - 1)) : 0;
}

/* The standardized distance of each row from the all-zero record (Eq. 2). Cells without a value and attributes that
 * do not vary contribute nothing: they are divided by infinity. */
KERNEL void lengths(const int32_t *restrict lo, const int32_t *hi, int64_t n, int64_t m, const double *deviation,
                    const double *table, const int64_t *offsets, double *restrict divisor, double *restrict part,
                    double *restrict length) {
    int simple = lo == hi && plain(lo, n * m);
    for (int64_t j = 0; j < m; j++) {
        divisor[j] = deviation[j] > 0 ? deviation[j] : INFINITY;
        simple = simple && offsets[j] < 0;
    }
    for (int64_t i = 0; i < n; i++) {
        const int32_t *a = lo + i * m, *b = hi + i * m;
        double total = 0;
        if (simple)
            for (int64_t j = 0; j < m; j++) part[j] = (double)a[j] / divisor[j];
        else
            for (int64_t j = 0; j < m; j++)
                part[j] = a[j] == MISSING ? 0 : middle(a[j], b[j], offsets[j], table) / divisor[j];
        for (int64_t j = 0; j < m; j++) total += part[j] * part[j];
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

/* The smallest span around the cells of each group; the wildcard where missing and present cells mix. */
KERNEL void hulls(const int32_t *restrict lo, const int32_t *restrict hi, int64_t n, int64_t m,
                  const int32_t *restrict labels, int64_t groups, int32_t *restrict low, int32_t *restrict high) {
    for (int64_t at = 0; at < groups * m; at++) {
        low[at] = TOP;
        high[at] = MISSING;
    }
    for (int64_t i = 0; i < n; i++) {
        if (i + AHEAD < n) {
            int64_t next = labels[i + AHEAD] * m;
            FETCH(&low[next]);
            FETCH(&low[next + m - 1]);
            FETCH(&high[next]);
            FETCH(&high[next + m - 1]);
        }
        int64_t g = labels[i] * m, row = i * m;
        for (int64_t j = 0; j < m; j++) {
            low[g + j] = least(low[g + j], lo[row + j]);
            high[g + j] = most(high[g + j], hi[row + j]);
        }
    }
    for (int64_t at = 0; at < groups * m; at++)
        if (low[at] == MISSING && high[at] != MISSING) high[at] = TOP;
}

/* The set of codes below 62 that occur in each group, as bits; sets begin at zero. */
KERNEL void bitsets(const int32_t *codes, int64_t n, const int32_t *labels, int64_t *sets) {
    for (int64_t i = 0; i < n; i++)
        if (codes[i] != MISSING) sets[labels[i]] |= (int64_t)1 << codes[i];
}

/* The distance of a cell from what is published for it (Eq. 4): the farthest end of the span stands for the cell;
 * wildcards, and cells that lost or gained a value, take the limits of the domain. */
static double farthest(int32_t a, int32_t b, int32_t p, int32_t q, int32_t lowest, int32_t highest, int64_t offset,
                       const double *table) {
    if (a == p && b == q && (a == b || a == MISSING)) return 0;
    if (p == MISSING) p = lowest, q = highest;
    if (a == MISSING) a = lowest, b = highest;
    double up = coordinate(q, offset, table) - coordinate(a, offset, table);
    double down = coordinate(b, offset, table) - coordinate(p, offset, table);
    return fmax(fmax(up, down), 0);
}

/* The distance between each record and its published form (Eq. 2), summed; then each attribute's own.
 *
 * low and high are the published spans, index says which of them a row has (null: its own). Where all cells are plain
 * numbers, which is the rule, distances are taken without looking for exceptions. */
KERNEL void loss(const int32_t *restrict lo, const int32_t *restrict hi, int64_t n, int64_t m,
                 const int32_t *restrict low, const int32_t *restrict high, int64_t groups,
                 const int32_t *restrict index, const double *restrict deviation, const int32_t *lowest,
                 const int32_t *highest, const double *table, const int64_t *offsets, double *restrict scale,
                 double *restrict distance, double *restrict sums) {
    int simple = lo == hi && plain(lo, n * m) && plain(low, groups * m);
    for (int64_t j = 0; j < m; j++) {
        scale[j] = deviation[j] > 0 ? 1 / deviation[j] : 0;
        simple = simple && offsets[j] < 0;
    }
    for (int64_t j = 0; j <= m; j++) sums[j] = 0;
    double all = 0;
    for (int64_t i = 0; i < n; i++) {
        if (index && i + AHEAD < n) {
            int64_t next = index[i + AHEAD] * m;
            FETCH(&low[next]);
            FETCH(&low[next + m - 1]);
            FETCH(&high[next]);
            FETCH(&high[next + m - 1]);
        }
        const int32_t *a = lo + i * m, *b = hi + i * m, *p = low + (index ? index[i] : i) * m,
                      *q = high + (index ? index[i] : i) * m;
        double total = 0;
        if (simple)
            for (int64_t j = 0; j < m; j++) {
                double up = (double)q[j] - (double)a[j], down = (double)a[j] - (double)p[j];
                distance[j] = (up > down ? up : down) * scale[j];
            }
        else
            for (int64_t j = 0; j < m; j++)
                distance[j] =
                    farthest(a[j], b[j], p[j], q[j], lowest[j], highest[j], offsets[j], table) * scale[j];
        for (int64_t j = 0; j < m; j++) sums[j + 1] += distance[j];
        for (int64_t j = 0; j < m; j++) total += distance[j] * distance[j];
        all += sqrt(total);
    }
    sums[0] = all;
}
