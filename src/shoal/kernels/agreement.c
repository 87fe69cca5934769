/* Agreement of released records with original ones, column by column: what probabilistic record linkage looks at. */
#include "linkage.h"

enum { BLOCK = 1024, COLUMNS = 20 };
#define NONE UINT32_MAX /* the code of no value */
#define NOBODY (UINT32_MAX - 1)

/* Values are codes: of a column of numbers, the place among its different values, which lie in ascending order from
 * starts_of_values[j] on. So what agrees with a cell is a range of codes, or a set of them. */
typedef struct {
    Cells cells;
    int64_t n;
    const uint32_t *codes; /* column after column, so that many records are compared at once */
    const double *values;
    const int64_t *from; /* where the values of each column of numbers begin, and the last ones end */
    const double *tolerance;
} Records;

typedef struct {
    uint32_t first, span;
    double set; /* below 0: a set, in place of a range */
} Agreeing;

/* Say which codes agree with a cell. The differences are those between numbers, so that rounding is the same. */
static Agreeing agreeing(const Records *r, int64_t j, double low, double high) {
    if (isinf(low)) return (Agreeing){0, UINT32_MAX, 0};
    if (isnan(low)) return (Agreeing){NONE, 0, 0};
    if (j >= r->cells.numbers) return low < 0 ? (Agreeing){0, 0, low} : (Agreeing){(uint32_t)low, 0, 0};
    const double *values = r->values + r->from[j], most = r->tolerance[j];
    int64_t number = r->from[j + 1] - r->from[j], first = 0, end = 0;
    for (int64_t left = number; left > 0;) {
        int64_t half = left / 2;
        if (low - values[first + half] <= most) left = half;
        else first += half + 1, left -= half + 1;
    }
    for (int64_t left = number; left > 0;) {
        int64_t half = left / 2;
        if (values[end + half] - high <= most) end += half + 1, left -= half + 1;
        else left = half;
    }
    return first < end ? (Agreeing){(uint32_t)first, (uint32_t)(end - first - 1), 0} : (Agreeing){NOBODY, 0, 0};
}

static void agreeing_with(const Records *r, const double *low, const double *high, Agreeing *found) {
    for (int64_t j = 0; j < r->cells.m; j++) found[j] = agreeing(r, j, low[j], high[j]);
}

/* Say of some records in which columns a released record agrees with them, one bit each. */
static void compare(const Records *r, int64_t from, int64_t many, const Agreeing *with, uint32_t *patterns) {
    memset(patterns, 0, (size_t)many * sizeof *patterns);
    for (int64_t j = 0; j < r->cells.m; j++) {
        const uint32_t *codes = r->codes + j * r->n + from;
        uint32_t bit = (uint32_t)1 << j, first = with[j].first, span = with[j].span;
        if (with[j].set < 0)
            for (int64_t i = 0; i < many; i++)
                patterns[i] |= codes[i] != NONE && holds(&r->cells, j, with[j].set, codes[i]) ? bit : 0;
        else
            for (int64_t i = 0; i < many; i++) patterns[i] |= codes[i] - first <= span ? bit : 0;
    }
}

/* Count how many pairs of a released and an original record agree in which columns. */
KERNEL void count_agreement(int64_t n, int64_t m, int64_t numbers, const uint32_t *codes, const double *values,
                            const int64_t *from_values, const double *tolerance, const uint64_t *sets,
                            const int64_t *starts, const int64_t *words, int64_t asked, const double *low,
                            const double *high, int64_t *counts) {
    Records all = {{m, numbers, tolerance, sets, starts, words}, n, codes, values, from_values, tolerance};
    uint32_t patterns[BLOCK];
    Agreeing with[COLUMNS];
    for (int64_t i = 0; i < asked; i++, low += m, high += m) {
        if (i % 16 == 0 && stopping(i, asked)) return;
        agreeing_with(&all, low, high, with);
        for (int64_t from = 0; from < n; from += BLOCK) {
            int64_t many = n - from < BLOCK ? n - from : BLOCK;
            compare(&all, from, many, with, patterns);
            for (int64_t r = 0; r < many; r++) counts[patterns[r]]++;
        }
    }
}

/* For each released record: how many original records have the highest score, by the columns in which they agree, if
 * its own is among them, else 0. The record of released record i is `rows[i]`. */
KERNEL void count_best(int64_t n, int64_t m, int64_t numbers, const uint32_t *codes, const double *values,
                       const int64_t *from_values, const double *tolerance, const uint64_t *sets,
                       const int64_t *starts, const int64_t *words, int64_t asked, const double *low,
                       const double *high, const int64_t *rows, const double *scores, int64_t *found) {
    Records all = {{m, numbers, tolerance, sets, starts, words}, n, codes, values, from_values, tolerance};
    uint32_t patterns[BLOCK];
    Agreeing with[COLUMNS];
    for (int64_t i = 0; i < asked; i++, low += m, high += m) {
        double best = -INFINITY, own = -INFINITY;
        int64_t equal = 0;
        if (i % 16 == 0 && stopping(i, asked)) return;
        agreeing_with(&all, low, high, with);
        for (int64_t from = 0; from < n; from += BLOCK) {
            int64_t many = n - from < BLOCK ? n - from : BLOCK;
            compare(&all, from, many, with, patterns);
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
