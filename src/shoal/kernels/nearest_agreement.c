/* Rows that agree wherever both show a cell, and which cell to hide so that a row comes to agree with its nearest. */
#include "native.h"

/* Hide one cell of each of some rows, one row after the other: the first column, in a given order, in which a row that
 * is nearest shows something else. The distance of two rows is the number of columns in which both show different
 * cells, and rows that differ in none do not count; MISSING shows nothing. Rows of other strata are no neighbours.
 * Gives how many cells were hidden, or -1 if it was stopped. */
KERNEL int64_t hide_towards_nearest(int32_t *cells, int64_t n, int64_t m, const int32_t *strata, const int64_t *rows,
                                    int64_t number, const int64_t *given_up) {
    int64_t hidden = 0;
    for (int64_t i = 0; i < number; i++) {
        if (stopping(i, number)) return -1;
        int32_t *mine = cells + rows[i] * m;
        int64_t nearest = m + 1;
        uint64_t differing = 0;
        for (int64_t row = 0; row < n; row++) {
            const int32_t *other = cells + row * m;
            uint64_t bits = 0;
            int64_t distance = 0;
            if (strata[row] != strata[rows[i]]) continue;
            for (int64_t j = 0; j < m; j++) {
                uint64_t differs = mine[j] != other[j] && mine[j] != MISSING && other[j] != MISSING;
                bits |= differs << j;
                distance += (int64_t)differs;
            }
            if (!distance || distance > nearest) continue;
            differing = distance < nearest ? bits : differing | bits;
            nearest = distance;
            if (distance == 1 && bits >> given_up[0] & 1) break; /* no other row changes the choice */
        }
        for (int64_t c = 0; c < m; c++)
            if (differing >> given_up[c] & 1) {
                mine[given_up[c]] = MISSING;
                hidden++;
                break;
            }
    }
    return hidden;
}
