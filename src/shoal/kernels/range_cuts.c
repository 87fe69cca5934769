/* The optimal univariate partition for ranges: where ascending numbers are best cut into classes. */
#include "native.h"

/* Find the classes of k to 2k - 1 neighbours of which the numbers up to each place cost least: each number costs as much
 * as the farther end of its class is away. sums has the running sums of the numbers with a leading zero; best gets what
 * the numbers before each place cost, infinity where they cannot be classes, and from where the last of these begins. */
KERNEL void cut_for_ranges(const double *values, int64_t n, int64_t k, const double *sums, double *best,
                           int32_t *from) {
    best[0] = 0;
    from[0] = 0;
    for (int64_t stop = 1; stop <= n; stop++) {
        double high = values[stop - 1];
        int64_t middle = stop; /* the first that is nearer to the upper end than to the lower one */
        best[stop] = INFINITY;
        from[stop] = 0;
        for (int64_t start = stop - 1; start >= 0 && stop - start < 2 * k; start--) {
            double low = values[start];
            while (middle > start + 1 && values[middle - 1] - low > high - values[middle - 1]) middle--;
            if (stop - start < k || best[start] == INFINITY) continue;
            double lower = (double)(middle - start) * high - (sums[middle] - sums[start]);
            double upper = sums[stop] - sums[middle] - (double)(stop - middle) * low;
            double all = best[start] + lower + upper;
            if (all < best[stop]) best[stop] = all, from[stop] = (int32_t)start;
        }
    }
}
