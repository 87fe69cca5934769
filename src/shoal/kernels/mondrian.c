/* Mondrian: ranges of records are cut in two, again and again, where they are widest. */
#include "kdtree.h"

enum { STRICT, RELAXED, EITHER }; /* never cut between equal values; always in the middle; only if it must be */

typedef struct {
    Space space;
    int64_t k, limit, mode, by_range;
    const double *scale; /* per column, what its range counts with */
    int32_t *order;
    double *keys, *spread;
    int64_t *counts; /* one place per category of the column that has most, all zero */
} Split;

/* Whether one record stands before another: by its key, then by its row. */
static int before(double a, int32_t row_a, double b, int32_t row_b) { return a < b || (a == b && row_a < row_b); }

/* Put the lowest keys, with their rows, before place `middle`. */
static void select_middle(double *keys, int32_t *order, int64_t n, int64_t middle) {
    int64_t from = 0, to = n - 1;
    while (from < to) {
        int64_t at = from + (to - from) / 2, i = from, j = to;
        double key = keys[at];
        int32_t row = order[at];
        while (i <= j) {
            while (before(keys[i], order[i], key, row)) i++;
            while (before(key, row, keys[j], order[j])) j--;
            if (i <= j) {
                double kept = keys[i];
                int32_t mine = order[i];
                keys[i] = keys[j], order[i++] = order[j];
                keys[j] = kept, order[j--] = mine;
            }
        }
        if (middle <= j) to = j;
        else if (middle >= i) from = i;
        else return;
    }
}

/* How far records lie apart in a column of categories: the mean squared distance of pairs, or how many there are. */
static double category_spread(Split *split, const int32_t *rows, int64_t n, int64_t j) {
    const double *column = split->space.points + j;
    int64_t m = split->space.m, pairs = 0, distinct = 0;
    for (int64_t i = 0; i < n; i++) distinct += split->counts[(int64_t)column[rows[i] * m]]++ == 0;
    for (int64_t i = 0; i < n; i++) pairs += split->counts[(int64_t)column[rows[i] * m]];
    for (int64_t i = 0; i < n; i++) split->counts[(int64_t)column[rows[i] * m]] = 0;
    if (split->by_range) return (double)(distinct - 1) * split->scale[j];
    return split->space.weights[j] / 2 * (1 - (double)pairs / ((double)n * (double)n));
}

/* How far records lie apart in each column: variance, or range. */
static void spreads(Split *split, const int32_t *rows, int64_t n) {
    const Space *space = &split->space;
    const double *first = space->points + rows[0] * space->m;
    double *sum = split->spread + space->m, *square = sum + space->m; /* or the lowest and the highest */
    for (int64_t j = 0; j < space->numbers; j++) sum[j] = square[j] = 0;
    for (int64_t i = 0; i < n; i++) {
        const double *point = space->points + rows[i] * space->m;
        FETCH(space->points + rows[i + AHEAD < n ? i + AHEAD : i] * space->m);
        for (int64_t j = 0; j < space->numbers; j++) {
            double x = point[j] - first[j]; /* from one of them, so that equal ones have no variance at all */
            if (split->by_range) {
                sum[j] = x < sum[j] ? x : sum[j];
                square[j] = x > square[j] ? x : square[j];
            } else {
                sum[j] += x;
                square[j] += x * x;
            }
        }
    }
    for (int64_t j = 0; j < space->numbers; j++)
        split->spread[j] = split->by_range ? (square[j] - sum[j]) * split->scale[j]
                                           : square[j] / (double)n - sum[j] / (double)n * (sum[j] / (double)n);
    for (int64_t j = space->numbers; j < space->m; j++) split->spread[j] = category_spread(split, rows, n, j);
}

/* Cut records in two by a column; gives the size of the first part, or 0 where it cannot be cut. */
static int64_t cut(Split *split, int32_t *rows, int64_t n, int64_t j, int relaxed) {
    const double *column = split->space.points + j;
    int64_t m = split->space.m, half = n / 2, below = 0, through = 0;
    for (int64_t i = 0; i < n; i++) split->keys[i] = column[rows[i] * m];
    select_middle(split->keys, rows, n, half);
    if (relaxed) return half;
    double value = split->keys[half];
    for (int64_t i = 0; i < n; i++) below += split->keys[i] < value, through += split->keys[i] <= value;
    /* The two places next to the middle that are not between equal values: the nearer one that leaves k on both sides. */
    int low = below >= split->k && n - below >= split->k, high = through >= split->k && n - through >= split->k;
    if (!low && !high) return 0;
    if (low && high) low = half - below <= through - half;
    int64_t taken = 0;
    for (int64_t i = 0; i < n; i++)
        if (low ? split->keys[i] < value : split->keys[i] <= value) {
            double kept = split->keys[i];
            int32_t mine = rows[i];
            split->keys[i] = split->keys[taken], rows[i] = rows[taken];
            split->keys[taken] = kept, rows[taken++] = mine;
        }
    return taken;
}

/* Cut records in two by the column in which they lie farthest apart and that allows it; 0 where none does. */
static int64_t best_cut(Split *split, int32_t *rows, int64_t n) {
    if (n < 2 * split->k || n <= split->limit) return 0;
    spreads(split, rows, n);
    int64_t widest = -1;
    for (;;) {
        int64_t best = -1;
        for (int64_t j = 0; j < split->space.m; j++)
            if (split->spread[j] > 0 && (best < 0 || split->spread[j] > split->spread[best])) best = j;
        if (best < 0) break;
        widest = widest < 0 ? best : widest;
        int64_t found = cut(split, rows, n, best, split->mode == RELAXED);
        if (found) return found;
        split->spread[best] = 0;
    }
    if (split->mode == STRICT) return 0; /* otherwise records that are equal, or nearly so, are parted as they stand */
    return cut(split, rows, n, widest < 0 ? 0 : widest, 1);
}

/* Cut the rows in `order` in two, and their parts again, as long as both parts have k and more than `limit` are left;
 * gives the number of parts. They follow each other in `order`, neighbours alike, and begin at `starts`, which like
 * ends has room for n / k + 2. keys has n places, spread 3 m. */
KERNEL int64_t split_rows(const double *points, int64_t n, int64_t m, int64_t numbers, const double *weights,
                          const double *scale, int64_t k, int64_t limit, int64_t mode, int64_t by_range,
                          int32_t *order, double *keys, double *spread, int64_t *counts, int64_t *ends,
                          int64_t *starts) {
    Split split = {{points, m, numbers, weights}, k, limit, mode, by_range, scale, order, keys, spread, counts};
    int64_t parts = 0, waiting = 1;
    ends[0] = n;
    starts[0] = 0;
    while (waiting && (parts % 64 || !stopping(starts[parts], n))) { /* what waits lies behind what is being cut, so its ends are all that need be known */
        int64_t from = starts[parts], first = best_cut(&split, order + from, ends[waiting - 1] - from);
        if (first) ends[waiting++] = from + first;
        else starts[++parts] = ends[--waiting];
    }
    return parts;
}
