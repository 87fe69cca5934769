/* One-to-one assignment at least cost, by shortest augmenting paths.
 *
 * R. Jonker, A. Volgenant: A shortest augmenting path algorithm for dense and sparse linear assignment problems,
 * Computing 38, 1987, doi:10.1007/BF02278710, in the form of D. F. Crouse: On implementing 2D rectangular assignment
 * algorithms, IEEE TAES 52(4), 2016, doi:10.1109/TAES.2016.140952. Of equal columns the first that is free is taken. */
#include "native.h"

/* Assign each of n rows its own column, so that the costs, row after row, sum to the least. `prices` has room for 3 n
 * numbers, `scratch` for 4 n. */
KERNEL void assign(int64_t n, const double *costs, double *prices, int32_t *scratch, int32_t *column_of) {
    double *u = prices, *v = prices + n, *shortest = prices + 2 * n;
    int32_t *row_of = scratch, *path = scratch + n, *left = scratch + 2 * n, *seen = scratch + 3 * n;
    for (int64_t i = 0; i < n; i++) u[i] = v[i] = 0, row_of[i] = column_of[i] = -1;
    for (int64_t row = 0; row < n; row++) {
        if (stopping(row, n)) return;
        int64_t many = n, visited = 0, i = row, sink = -1;
        double least = 0;
        for (int64_t j = 0; j < n; j++) left[j] = (int32_t)j, shortest[j] = INFINITY;
        while (sink < 0) {
            double lowest = INFINITY;
            int64_t at = -1;
            seen[visited++] = (int32_t)i;
            for (int64_t k = 0; k < many; k++) {
                int32_t j = left[k];
                double cost = least + costs[i * n + j] - u[i] - v[j];
                if (cost < shortest[j]) shortest[j] = cost, path[j] = (int32_t)i;
                if (shortest[j] < lowest || (shortest[j] == lowest && row_of[j] < 0 && row_of[left[at]] >= 0))
                    lowest = shortest[j], at = k;
            }
            int32_t j = left[at];
            least = lowest;
            left[at] = left[--many]; /* what was visited stands behind those that are left */
            left[many] = j;
            if (row_of[j] < 0) sink = j;
            else i = row_of[j];
        }
        u[row] += least;
        for (int64_t k = 1; k < visited; k++) u[seen[k]] += least - shortest[column_of[seen[k]]];
        for (int64_t k = many; k < n; k++) v[left[k]] -= least - shortest[left[k]];
        for (int64_t j = sink, next;; j = next) {
            i = path[j];
            row_of[j] = (int32_t)i;
            next = column_of[i];
            column_of[i] = (int32_t)j;
            if (i == row) break;
        }
    }
}
