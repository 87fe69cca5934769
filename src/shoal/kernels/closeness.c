/* Distances between the distribution of a value inside a group and in the whole table. */
#include <stdlib.h>

#include "native.h"

/* How many records are in the bins 0..i, and the sum of that over the first i bins; without a list, each bin has one. */
static inline int64_t upto(const int64_t *cumulative, int64_t i) { return cumulative ? cumulative[i] : i + 1; }
static inline int64_t below(const int64_t *areas, int64_t i) { return areas ? areas[i] : i * (i + 1) / 2; }

/* The sum of |level * n - size * cumulative| over the bins first..stop-1, in whole numbers. The cumulative counts
 * ascend, so one binary search finds where the difference changes its sign; running sums do the rest. */
static int64_t area(int64_t level, int64_t size, int64_t n, int64_t first, int64_t stop, const int64_t *cumulative,
                    const int64_t *areas) {
    if (first >= stop) return 0;
    int64_t target = level * n, a = first, b = stop;
    while (a < b) {
        int64_t mid = (a + b) / 2;
        if (size * upto(cumulative, mid) <= target)
            a = mid + 1;
        else
            b = mid;
    }
    int64_t short_of = target * (a - first) - size * (below(areas, a) - below(areas, first));
    int64_t above = size * (below(areas, stop) - below(areas, a)) - target * (stop - a);
    return short_of + above;
}

static int ascending(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void sort_bins(int32_t *bins, int64_t n) {
    if (n > 32) {
        qsort(bins, (size_t)n, sizeof *bins, ascending);
        return;
    }
    for (int64_t i = 1; i < n; i++) {
        int32_t bin = bins[i];
        int64_t j = i - 1;
        for (; j >= 0 && bins[j] > bin; j--) bins[j + 1] = bins[j];
        bins[j + 1] = bin;
    }
}

/* The earth mover's distance of each group over ordered bins. bins lists the bin of each record, group after group,
 * and is sorted inside the groups; cumulative[i] counts the table's records in bins 0..i and areas is its running sum
 * with a leading zero (both null: each bin has one record). The sums are whole numbers, so a distance that equals the wanted bound is not lost to
 * rounding; only where they would not fit 64 bits are they taken in floating point. */
KERNEL void ordered_distance(int32_t *bins, const int64_t *starts, int64_t groups, const int64_t *cumulative,
                             const int64_t *areas, int64_t m, double *distance) {
    int64_t n = m > 0 ? upto(cumulative, m - 1) : 0;
    for (int64_t g = 0; g < groups; g++) {
        int64_t size = starts[g + 1] - starts[g];
        if (g % 1024 == 0 && stopping(g, groups)) return;
        int32_t *members = bins + starts[g];
        sort_bins(members, size);
        distance[g] = 0;
        if (m < 2) continue;
        if ((double)n * (double)size * (double)m < 4e18) {
            int64_t whole = area(0, size, n, 0, members[0], cumulative, areas);
            for (int64_t i = 0; i < size; i++)
                whole += area(i + 1, size, n, members[i], i + 1 < size ? members[i + 1] : m, cumulative, areas);
            distance[g] = (double)whole / ((double)n * (double)size * (double)(m - 1));
        } else {
            double part = 0;
            for (int64_t i = 0, j = 0; i < m; i++) {
                while (j < size && members[j] <= i) j++;
                part += fabs((double)j / (double)size - (double)upto(cumulative, i) / (double)n);
            }
            distance[g] = part / (double)(m - 1);
        }
    }
}

/* The total variation distance of each group's categories from the table's; here begins at zero. */
KERNEL void total_variation(const int32_t *bins, const int64_t *starts, int64_t groups, const int64_t *counts,
                            int64_t m, int64_t *here, double *distance) {
    int64_t n = 0;
    for (int64_t b = 0; b < m; b++) n += counts[b];
    for (int64_t g = 0; g < groups; g++) {
        int64_t size = starts[g + 1] - starts[g], excess = 0;
        for (int64_t i = starts[g]; i < starts[g + 1]; i++) here[bins[i]]++;
        for (int64_t i = starts[g]; i < starts[g + 1]; i++) {
            int32_t b = bins[i];
            int64_t more = here[b] * n - counts[b] * size;
            if (here[b] > 0 && more > 0) excess += more;
            here[b] = 0;
        }
        distance[g] = (double)excess / ((double)n * (double)size);
    }
}
