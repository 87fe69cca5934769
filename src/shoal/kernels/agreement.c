/* Agreement of released records with original ones, column by column: what probabilistic record linkage looks at. */
#include "linkage.h"

enum { BLOCK = 1024 };

/* Say of some records in which columns a released record agrees with them, one bit each. Columns lie one behind the
 * other, so that many records are compared at once. */
static void compare(const Cells *c, const double *columns, int64_t n, int64_t from, int64_t many, const double *low,
                    const double *high, const double *tolerance, uint32_t *patterns) {
    memset(patterns, 0, (size_t)many * sizeof *patterns);
    for (int64_t j = 0; j < c->m; j++) {
        const double *column = columns + j * n + from;
        double lo = low[j], hi = high[j], most = tolerance[j];
        uint32_t bit = (uint32_t)1 << j;
        if (isinf(lo))
            for (int64_t i = 0; i < many; i++) patterns[i] |= bit;
        else if (isnan(lo))
            for (int64_t i = 0; i < many; i++) patterns[i] |= isnan(column[i]) ? bit : 0;
        else if (j < c->numbers)
            for (int64_t i = 0; i < many; i++) {
                double below = lo - column[i], above = column[i] - hi;
                patterns[i] |= (below > above ? below : above) <= most ? bit : 0;
            }
        else if (lo >= 0)
            for (int64_t i = 0; i < many; i++) patterns[i] |= column[i] == lo ? bit : 0;
        else
            for (int64_t i = 0; i < many; i++) patterns[i] |= !isnan(column[i]) && holds(c, j, lo, column[i]) ? bit : 0;
    }
}

/* Count how many pairs of a released and an original record agree in which columns. */
KERNEL void count_agreement(int64_t n, int64_t m, int64_t numbers, const double *columns, const double *tolerance,
                            const uint64_t *sets, const int64_t *starts, const int64_t *words, int64_t asked,
                            const double *low, const double *high, int64_t *counts) {
    Cells c = {m, numbers, tolerance, sets, starts, words};
    uint32_t patterns[BLOCK];
    for (int64_t i = 0; i < asked; i++, low += m, high += m) {
        if (i % 16 == 0 && stopping(i, asked)) return;
        for (int64_t from = 0; from < n; from += BLOCK) {
            int64_t many = n - from < BLOCK ? n - from : BLOCK;
            compare(&c, columns, n, from, many, low, high, tolerance, patterns);
            for (int64_t r = 0; r < many; r++) counts[patterns[r]]++;
        }
    }
}

/* For each released record: how many original records have the highest score, by the columns in which they agree, if
 * its own is among them, else 0. The record of released record i is `rows[i]`. */
KERNEL void count_best(int64_t n, int64_t m, int64_t numbers, const double *columns, const double *tolerance,
                       const uint64_t *sets, const int64_t *starts, const int64_t *words, int64_t asked,
                       const double *low, const double *high, const int64_t *rows, const double *scores,
                       int64_t *found) {
    Cells c = {m, numbers, tolerance, sets, starts, words};
    uint32_t patterns[BLOCK];
    for (int64_t i = 0; i < asked; i++, low += m, high += m) {
        double best = -INFINITY, own = -INFINITY;
        int64_t equal = 0;
        if (i % 16 == 0 && stopping(i, asked)) return;
        for (int64_t from = 0; from < n; from += BLOCK) {
            int64_t many = n - from < BLOCK ? n - from : BLOCK;
            compare(&c, columns, n, from, many, low, high, tolerance, patterns);
            for (int64_t r = 0; r < many; r++) {
                double score = scores[patterns[r]];
                if (from + r == rows[i]) own = score;
                if (score > best) best = score, equal = 1;
                else if (score == best) equal++;
            }
        }
        found[i] = own == best ? equal : 0;
    }
}
