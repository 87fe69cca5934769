/* How far a released cell is from the values of a record, column after column. */
#ifndef SHOAL_LINKAGE_H
#define SHOAL_LINKAGE_H

#include "native.h"

/* Released cells and what they are compared with. Records are rows of m values: `numbers` columns of numbers, then codes
 * of categories from 0; not a number where there is no value. A cell of a number is its two ends. One of a category is
 * its code as its lower end, or -1 - s for the set s, whose bits lie in `sets` from starts[j] + s * words[j] on. A cell
 * without a value has ends that are no numbers, and one that stands for anything infinite ones. */
typedef struct {
    int64_t m, numbers;
    const double *weights; /* what the square of a difference counts in each column */
    const uint64_t *sets;
    const int64_t *starts, *words;
} Cells;

static inline int holds(const Cells *c, int64_t j, double cell, double code) {
    if (cell >= 0) return cell == code;
    int64_t set = c->starts[j] + (int64_t)(-1 - cell) * c->words[j], bit = (int64_t)code;
    return (int)(c->sets[set + (bit >> 6)] >> (bit & 63) & 1);
}

/* The squared distance between a cell and a value: none inside a range or set, 1 where only one of them has a value. */
static inline double gap(const Cells *c, int64_t j, double low, double high, double value) {
    if (isinf(low)) return 0;
    if (isnan(value) || isnan(low)) return isnan(value) && isnan(low) ? 0 : 1;
    if (j >= c->numbers) return holds(c, j, low, value) ? 0 : c->weights[j];
    double off = value < low ? low - value : value > high ? value - high : 0;
    return off * off * c->weights[j];
}

#endif
