/* Post-randomization: each record draws another category by the row of a transition matrix that is its own. */
#include "native.h"

/* Give each cell that is one of some known ones, in ascending order, another of them, by random bits; others stay.
 *
 * bounds has, of each stratum and each known cell, a row of running sums of probabilities, as fractions of 64 bits: first
 * that of staying, then those of the others in their order. strata may be left out if there is one. */
KERNEL void draw_transitions(const int64_t *cells, int64_t n, const int64_t *known, int64_t categories,
                             const uint64_t *bounds, const int32_t *strata, const uint64_t *words, int64_t *out) {
    for (int64_t i = 0; i < n; i++) {
        int64_t cell = cells[i], low = 0, high = categories;
        out[i] = cell;
        while (low < high) {
            int64_t middle = (low + high) / 2;
            if (known[middle] < cell) low = middle + 1;
            else high = middle;
        }
        if (low == categories || known[low] != cell) continue;
        const uint64_t *row = bounds + ((strata ? strata[i] * categories : 0) + low) * categories;
        uint64_t word = words[i];
        if (word <= row[0]) continue;
        int64_t from = 1, to = categories - 1; /* the last place takes what is left over */
        while (from < to) {
            int64_t middle = (from + to) / 2;
            if (row[middle] < word) from = middle + 1;
            else to = middle;
        }
        out[i] = known[from <= low ? from - 1 : from];
    }
}
