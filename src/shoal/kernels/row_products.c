/* Products of rows with a matrix, each row by itself: a library may add up in another order for other numbers of rows. */
#include "native.h"

enum { OFTEN = 1 << 13 };

/* Multiply n rows of p numbers by a matrix with p rows and q columns. */
KERNEL void row_products(const double *restrict rows, int64_t n, int64_t p, const double *restrict matrix, int64_t q,
                         double *restrict found) {
    for (int64_t i = 0; i < n; i++) {
        double *restrict out = found + i * q;
        for (int64_t k = 0; k < q; k++) out[k] = 0;
        for (int64_t j = 0; j < p; j++) {
            double value = rows[i * p + j];
            for (int64_t k = 0; k < q; k++) out[k] += value * matrix[j * q + k];
        }
        if (i % OFTEN == 0 && stopping(i, n)) return;
    }
}
