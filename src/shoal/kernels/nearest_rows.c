/* The distance of released rows to the nearest of some records: how many cells cannot stand for what the record has. */
#include "native.h"

enum { NUMBER, ORDERED, NOMINAL };

/* How far a released cell is from a value: 0 if it may stand for it, else 1, or of numbers the gap over their range. */
static double apart(int64_t kind, double x, double lo, double hi, double scale, const uint8_t *sets, int64_t width) {
    if (lo == -INFINITY) return 0; /* any value */
    if (lo != lo) return x == x; /* no value */
    if (x != x) return 1;
    if (kind == NOMINAL) return lo < 0 ? !sets[(int64_t)hi * width + (int64_t)x] : x != lo;
    if (lo <= x && x <= hi) return 0;
    if (kind == ORDERED) return 1;
    double gap = (x < lo ? lo - x : x - hi) * scale;
    return gap < 1 ? gap : 1;
}

/* Give the least and the second least distance of each released row to the records.
 *
 * Cells have two ends: of numbers and places in an order the ends of what they stand for, of categories the category
 * twice, or -1 and the number of a set of which sets says who is in it. Both are not numbers where there is no value, and
 * the first is minus infinity for any value. scale has one over the range of each column. */
KERNEL void nearest_rows(const double *lo, const double *hi, int64_t rows, const double *records, int64_t n, int64_t m,
                         const int64_t *kinds, const double *scale, const uint8_t *sets, int64_t width, double *least,
                         double *second) {
    for (int64_t i = 0; i < rows; i++) {
        if (stopping(i, rows)) return;
        const double *low = lo + i * m, *high = hi + i * m;
        double best = INFINITY, next = INFINITY;
        for (int64_t r = 0; r < n && next > 0; r++) {
            const double *x = records + r * m;
            double sum = 0;
            for (int64_t j = 0; j < m && sum < next; j++)
                sum += apart(kinds[j], x[j], low[j], high[j], scale[j], sets, width);
            if (sum < best) next = best, best = sum;
            else if (sum < next) next = sum;
        }
        least[i] = best, second[i] = next;
    }
}
