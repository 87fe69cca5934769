/* What it costs to merge classes, and with which others it costs least. */
#include "native.h"

enum { QUAD = 4 };

/* What a box costs that holds two others; as wide in each column as counts at most. */
ALWAYS_INLINE float around(const float *full, int64_t wide, const float *low, const float *high, const float *lower,
                           const float *upper) {
    float part[QUAD] = {0};
    for (int64_t j = 0; j < wide; j += QUAD)
        for (int c = 0; c < QUAD; c++) {
            float lo = low[j + c] < lower[j + c] ? low[j + c] : lower[j + c];
            float hi = high[j + c] > upper[j + c] ? high[j + c] : upper[j + c];
            float w = hi - lo < full[j + c] ? hi - lo : full[j + c];
            part[c] += w * w;
        }
    return sqrtf((part[0] + part[1]) + (part[2] + part[3]));
}

/* Find for some of n classes, in an order in which neighbours are alike, the `few` others that it costs least to join
 * them with, among those up to `reach` places away; cheapest first, -1 where there are not so many. */
KERNEL void cheapest_partners(const float *lo, const float *hi, int64_t n, int64_t wide, const float *full,
                              const int64_t *sizes, const int64_t *some, int64_t number, int64_t reach, int64_t few,
                              int64_t *partners, double *more) {
    for (int64_t i = 0; i < number; i++, partners += few, more += few) {
        int64_t c = some[i], found = 0;
        const float *low = lo + c * wide, *high = hi + c * wide;
        double own = (double)sizes[c] * around(full, wide, low, high, low, high);
        for (int64_t d = c < reach ? 0 : c - reach; d <= c + reach && d < n; d++) {
            if (d == c) continue;
            const float *lower = lo + d * wide, *upper = hi + d * wide;
            double cost = (double)(sizes[c] + sizes[d]) * around(full, wide, low, high, lower, upper) - own -
                          (double)sizes[d] * around(full, wide, lower, upper, lower, upper);
            if (found == few && !(cost < more[few - 1])) continue;
            int64_t at = found < few ? found++ : few - 1;
            for (; at > 0 && cost < more[at - 1]; at--) more[at] = more[at - 1], partners[at] = partners[at - 1];
            more[at] = cost;
            partners[at] = d;
        }
        for (; found < few; found++) partners[found] = -1, more[found] = INFINITY;
    }
}
